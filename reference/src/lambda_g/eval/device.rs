//! `on`: push, run and merge (figs. 4 and 6, def. 4.3).

use super::exps::misplaced;
use super::memory::signed;
use super::{Ran, Run};
use crate::cost::graph::Graph;
use crate::cost::{Formula, Mode, Provider, Symbols};
use crate::kit::faults::{Fault, Planted, WrongLambdaG};
use crate::kit::names::Var;
use crate::kit::run::{Eval, Evaluator};
use crate::kit::tap::Space;
use crate::lambda_g::device_box;
use crate::lambda_g::graph::Mark;
use crate::lambda_g::rules::Rule;
use crate::lambda_g::syntax::{Exp, Kind, World};
use crate::lambda_g::trace::Trace;
use crate::lambda_g::values::{Bound, Counts, Env, Name, Region, Stack, Stored, Val};
use std::collections::{BTreeMap, BTreeSet};

impl<'p> Region<'p> {
    /// The copy of a region on the device. All that is left is reserved for it, so that neither side ever writes where
    /// the other one does (L20).
    pub(in crate::lambda_g) fn pushed(&mut self, planted: Planted) -> Region<'p> {
        let copy = self.copy();
        (self.reserved, self.was_pushed) = (Some((self.ap, self.size)), true);
        if !planted.is(Fault::LambdaG(WrongLambdaG::NothingReserved)) {
            self.ap = self.size;
        }
        copy
    }

    /// `R₁; R'₁ ▷ R₂` (def. 4.3, L20): what the copy has beyond what was pushed comes to the same place. Up to its end
    /// the words are no longer reserved.
    ///
    /// ```text
    /// ν(o) = ν₁(o) for o ∈ dom(ν₁)    ν(o) = ν'₁(o) for ap₀ <= o < ap'₁
    /// ─────────────────────────────────────────────────────────────────────────────
    /// (ap₁, s₁, refcnt₁, ν₁); (ap'₁, s₀, refcnt'₁, ν'₁) ▷ (ap₁, s₁, refcnt₁, ν)
    /// ```
    pub(in crate::lambda_g) fn merge(&mut self, copy: Region<'p>, planted: Planted) {
        let Some((_, end)) = self.reserved else { unreachable!("it was pushed") };
        let ap = copy.ap;
        let mut new = copy.made();
        if planted.is(Fault::LambdaG(WrongLambdaG::MergeLoses)) {
            new.pop();
        }
        if planted.is(Fault::LambdaG(WrongLambdaG::MergeReorders)) {
            let ints = new.values_mut().filter(|value| matches!(value, Stored::Int(_)));
            if let [one, other] = &mut ints.take(2).collect::<Vec<_>>()[..] {
                std::mem::swap(*one, *other);
            }
        }
        self.take(new);
        self.reserved = Some((ap, end));
    }

    /// Nothing of the region is reserved any more; what is left is free, unless something was put behind it.
    pub(super) fn release(&mut self) {
        if let Some((start, end)) = self.reserved.take()
            && self.ap == end
        {
            self.ap = start;
        }
    }
}

impl<'p> Run<'p, '_> {
    /// `E-ON` (L18 to L20, L57, L62, L63)
    ///
    /// ```text
    /// {r₁, …, rₙ} = what e uses    push(T(C)(rᵢ), R'ᵢ)    T' = {C ↦ T(C), G ↦ {rᵢ ↦ R'ᵢ}}
    /// E; σ; T'; G; e ⇓ ℓ; σ'; T''; D    T''(C)(rᵢ); T''(G)(rᵢ) ▷ R̃ᵢ
    /// δ* = Σᵢ ω*(apᵢ)    δ† = Σᵢ ω†(ap'ᵢ - apᵢ)
    /// ─────────────────────────────────────────────────────────────────────────────
    /// E; σ; T; C; on e at ρ ⇓ ℓ; σ; {C ↦ T(C)[rᵢ ↦ R̃ᵢ], G ↦ ·}; [u₁] ⊕_δ* + D + δ† [u₂]
    /// ```
    pub(super) fn e_on(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::On(body, at) = &e.kind else { return misplaced() };
        if self.setting.host_alone {
            return self.eval(body, env);
        }
        let mark = self.cost.mark();
        let names = self.used(e, env, self.region(env, *at));
        let (mut to_device, mut copied) = ([0_u64; 2], 0_u64);
        for (name, space) in &names {
            let (time, pushed, words) = self.push(mark, e, *name, *space)?;
            to_device = [to_device[0].saturating_add(time), to_device[1] + pushed];
            copied += words;
        }
        if self.cost.is_empty(mark) {
            self.cost.vertex();
        }
        self.cost.words(signed(copied), 0);
        let in_groups = names.iter().filter(|(_, space)| **space == Space::Group);
        let in_groups: Vec<Name> = in_groups.map(|(name, _)| *name).collect();
        let regions = in_groups.len() as u64;
        if self.setting.mode != Mode::Paper {
            self.cost.traces(Trace::new(&self.setting.machine, in_groups));
        }
        self.world = World::G;
        let (joined, outer) = (self.cost.joined(), self.cost.branch());
        let val = self.eval(body, env)?;
        let graph = self.cost.join(outer).unwrap_or(Graph::VERTEX);
        self.world = World::C;
        let spent = self.cost.take_trace().map(Trace::ends).unwrap_or_default();
        let copies = std::mem::take(&mut self.table.device);
        let (to_host, made, copies) = self.merge(e, copies)?;
        let device = match self.setting.mode {
            Mode::Paper => device_box::time(&graph, &self.setting.machine, regions),
            Mode::Umm => spent.times.umm,
            Mode::Cal => spent.times.cal.ceil() as u64,
        };
        drop(graph);
        self.cost.drops_to(joined);
        self.formula += Formula::device();
        self.ran.push(Ran { site: e.span, to_device, device, to_host, spent });
        let weight = to_device[0].saturating_add(device).saturating_add(to_host[0]);
        self.cost.edge(mark, weight.into());
        // Both worlds have what was made, and the memory of groups too, until the copies go.
        self.cost.words(signed(made + copies), -signed(copied + copies));
        Ok(val)
    }

    /// The regions that an `on` uses, the oldest first, each once (L57), and where they lie: one with several names in the
    /// memory of groups if that is said of any. What has the effect of a region may read all that outlive it, also those that
    /// no name in scope stands for.
    fn used(&self, e: &Exp, env: &Env, at: Name) -> BTreeMap<Name, Space> {
        let mut names = BTreeMap::from([(at, Space::Global)]);
        let Some(pushes) = self.typed.pushes.get(&e.span) else { return names };
        for var in &pushes.vars {
            let space = names.entry(self.named(env, *var)).or_insert(Space::Global);
            if self.setting.groups.contains(&(e.span, *var)) {
                *space = Space::Group;
            }
        }
        let mut latent: Vec<Name> = pushes.latent.iter().map(|var| self.named(env, *var)).collect();
        let mut seen: BTreeSet<Name> = latent.iter().copied().collect();
        while let Some(name) = latent.pop() {
            names.entry(name).or_insert(Space::Global);
            let older = self.table.host.get(name).map(|region| &region.older[..]);
            latent.extend(older.unwrap_or_default().iter().filter(|name| seen.insert(**name)));
        }
        names
    }

    /// The region that a name in scope stands for.
    pub(super) fn named(&self, env: &Env, var: Var) -> Name {
        let Bound::Region(name) = self.bound(env, var) else {
            unreachable!("PLACE: it is a region")
        };
        name
    }

    /// `E-PUSH`: copies a region to the device; what that takes. One of which the rest is reserved already grows first (L63).
    fn push(&mut self, mark: Mark, e: &Exp, name: Name, space: Space) -> Eval<(u64, u64, u64)> {
        self.touches(name);
        self.enter(Rule::EPush, e);
        let setting = self.setting;
        let (block, machine) = (setting.machine.block, &setting.machine);
        let region = self.table.host.get_mut(name);
        let region = region.unwrap_or_else(|| unreachable!("T-ON: a region in scope is alive"));
        if region.reserved.is_some() {
            region.size = region.size.saturating_add(block);
            let time = machine.allocate(block);
            self.formula += Symbols.allocate(block);
            self.cost.edge(mark, time.into());
            let (grown, grown_words) = (1, block);
            region.counts += Counts { grown, grown_words, time, ..Counts::default() };
        }
        let mut copy = region.pushed(setting.planted);
        // Copies lie one behind the other, each from a multiple of `w` on (L69).
        let end = self.table.device.last().map_or(0, |copy| copy.base.saturating_add(copy.size));
        copy.base = end.checked_next_multiple_of(machine.width).unwrap_or(end);
        copy.space = space;
        let (time, pushed, words) = (machine.to_device(copy.ap), copy.ap, copy.live);
        self.formula += Symbols.to_device(pushed);
        copy.counts = Counts { to_device: pushed, time, ..Counts::default() };
        self.table.device.push(name, copy);
        self.state.recorder.leave(|| format!("r{}", name.0));
        Ok((time, pushed, words))
    }

    /// `E-MERGE`: brings all copies back; what that takes, the words that were made, and how many the device has of them.
    fn merge(&mut self, e: &Exp, mut copies: Stack<'p>) -> Eval<([u64; 2], u64, u64)> {
        let ([mut time, mut brought], mut made, mut on_device) = ([0_u64; 2], 0_u64, 0_u64);
        while let Some((name, copy)) = copies.pop() {
            self.state.recorder.enter(Rule::EMerge, || format!("r{}", name.0));
            let region = self.table.host.get_mut(name);
            let region = region.unwrap_or_else(|| unreachable!("a region outlives its copy"));
            let (start, _) = region.reserved.unwrap_or_else(|| unreachable!("it was pushed"));
            let to_host = copy.ap - start;
            let takes = self.setting.machine.to_host(to_host);
            self.formula += Symbols.to_host(to_host);
            time = time.saturating_add(takes);
            brought += to_host;
            region.counts += copy.counts;
            region.counts += Counts { to_host, time: takes, ..Counts::default() };
            let here = region.live;
            region.merging(e.span, here, &copy);
            let times = if copy.space == Space::Group { 2 } else { 1 };
            region.merge(copy, self.setting.planted);
            region.well_formed()?;
            let there = region.live - here;
            made += there;
            on_device += times * there;
            if self.branches == 0 {
                region.release();
                self.merged.extend(region.merges());
            }
            let told = || format!("{there} words of the device beside {here} of the host");
            self.state.recorder.leave(told);
        }
        Ok(([time, brought], made, on_device))
    }
}

//! `||`, `parmap` and `letregion` (fig. 6).

use super::Run;
use super::exps::misplaced;
use super::memory::signed;
use crate::cost::graph::Graph;
use crate::cost::{Mode, Provider, Symbols};
use crate::kit::faults::{Fault, WrongLambdaG};
use crate::kit::outcome::{Cause, Why};
use crate::kit::run::{Eval, Evaluator, Stop};
use crate::kit::text::Span;
use crate::lambda_g::device_box;
use crate::lambda_g::graph::Mark;
use crate::lambda_g::syntax::{Exp, Kind, Over, World};
use crate::lambda_g::trace::Trace;
use crate::lambda_g::values::{Bound, Env, Name, Region, Stored, Val};
use std::collections::BTreeSet;

/// The most `||` and `parmap` in one another: a graph is as deep.
pub const MAX_BRANCHES: usize = 1024;

impl<'p> Run<'p, '_> {
    /// `E-PAR` (L15): the state is threaded from the left branch to the right one.
    ///
    /// ```text
    /// E; e₁ ⇓ ℓ₁; c₁    E; e₂ ⇓ ℓ₂; c₂    R; σ; (ℓ₁, ℓ₂) ↓δₐ o @ R'; σ'    R = T(ω)(E(ρ))
    /// ────────────────────────────────────────────────────────────────────
    /// E; e₁ || e₂ at ρ ⇓ (E(ρ), o); (c₁ ⊗ c₂) ⊕ [u₁] ⊕_δₐ [u₂]
    /// ```
    pub(super) fn e_par(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::Par(parts, at) = &e.kind else { return misplaced() };
        let mark = self.cost.mark();
        let vals = self.branches(e.span, None, 2, |run, number| run.eval(&parts[number], env))?;
        self.merged(mark);
        self.gather(mark, e, self.region(env, *at), Stored::Pair(vals[0], vals[1]))
    }

    /// `E-PARMAP` (L15, L16, L67), over fig. 6's literal or over a vector, whose elements are not read.
    ///
    /// ```text
    /// E; e' ⇓ ℓ'; c'    T(ω); σ; ℓ' ↑δ [ℓ'₁, …, ℓ'ₙ]; σ'    E; e xᵢ ⇓ ℓᵢ; cᵢ where xᵢ is bound to ℓ'ᵢ
    /// R; σ; [ℓ₁, …, ℓₙ] ↓δₐ o @ R'; σ'    R = T(ω)(E(ρ))
    /// ──────────────────────────────────────────────────────────────────────────────
    /// E; parmap e e' at ρ ⇓ (E(ρ), o); c' ⊕_δ (⨂ᵢ cᵢ) ⊕ [u₁] ⊕_δₐ [u₂]
    /// ```
    pub(super) fn e_parmap(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::ParMap(f, over, at) = &e.kind else { return misplaced() };
        let mark = self.cost.mark();
        let inner = match &f.kind {
            Kind::Fn(lambda) if matches!(lambda.body.kind, Kind::ParMap(..)) => {
                Some(lambda.body.span)
            }
            _ => None,
        };
        let mut vals = match &**over {
            Over::Elements(elements) => {
                self.branches(e.span, inner, elements.len(), |run, number| {
                    run.applied(f, env, |run| run.eval(&elements[number], env))
                })?
            }
            Over::Vector(vector) => {
                let val = self.eval(vector, env)?;
                let elements = self.elements(mark, vector, val)?;
                self.branches(e.span, inner, elements.len(), |run, number| {
                    run.applied(f, env, |_| Ok(elements[number]))
                })?
            }
        };
        if self.carries(WrongLambdaG::ThreadsReversed) && self.world == World::G {
            vals.reverse();
        }
        self.merged(mark);
        self.gather(mark, e, self.region(env, *at), Stored::Vector(vals.into()))
    }

    /// `f` applied in a branch, as in `E-APP`.
    fn applied(
        &mut self,
        f: &'p Exp,
        env: &Env,
        argument: impl FnOnce(&mut Self) -> Eval<Val>,
    ) -> Eval<Val> {
        let mark = self.cost.mark();
        let (param, body, inner) = self.function(f, env)?;
        let argument = argument(self)?;
        self.cost.fuse(mark);
        self.eval(body, &inner.with(param, Bound::Val(argument)))
    }

    /// `c ⊕_δm [u]`, where `c` was written since (L15, L68): on the device a unit edge, on the host `δm`, in `umm` and `cal`
    /// for each region that the branches share and touch, and once at least.
    fn merged(&mut self, mark: Mark) {
        if self.world == World::G {
            self.cost.then(mark);
            self.cost.vertex();
            return;
        }
        let regions = match self.setting.mode {
            Mode::Paper => 1,
            Mode::Umm | Mode::Cal => self.shared.max(1),
        };
        let weight = self.setting.machine.merge(regions);
        self.formula += Symbols.merge(regions);
        self.cost.edge(mark, weight.into());
    }

    /// Branches side by side, and their graph. `inner` is the place of a `parmap` that is all that each of them does: on
    /// the device the threads of all of them run side by side (L68).
    fn branches(
        &mut self,
        span: Span,
        inner: Option<Span>,
        count: usize,
        branch: impl FnMut(&mut Self, usize) -> Eval<Val>,
    ) -> Eval<Vec<Val>> {
        if self.nesting >= MAX_BRANCHES {
            let why = format!("more than {MAX_BRANCHES} `||` and `parmap` in one another");
            return Err(self.state.meter.stops(span, Why::NotModelled(why).into()));
        }
        self.nesting += 1;
        let vals = self.all(span, inner, count, branch);
        self.nesting -= 1;
        vals
    }

    fn all(
        &mut self,
        span: Span,
        inner: Option<Span>,
        count: usize,
        branch: impl FnMut(&mut Self, usize) -> Eval<Val>,
    ) -> Eval<Vec<Val>> {
        let mut all = Branches { vals: Vec::with_capacity(count), graphs: Vec::new() };
        if self.cost.keeps_graphs() {
            all.graphs.reserve_exact(count);
        }
        let one_table = self.carries(WrongLambdaG::OneTable) && self.world == World::C;
        let branch = from_one_table(one_table, branch);
        let nested = self.nested == Some(span);
        if nested {
            self.nested = None;
        }
        if self.world == World::G {
            self.cost.fork();
        }
        match self.world {
            World::C => self.on_the_host(count, branch, &mut all)?,
            World::G if nested => self.as_threads(count, None, branch, &mut all)?,
            World::G if self.thread.is_empty() => {
                self.as_threads(count, inner, branch, &mut all)?;
                if inner.is_some() {
                    self.cost.phases(device_box::flattened(all.graphs));
                    return Ok(all.vals);
                }
            }
            World::G => {
                self.cost.traced(|trace| trace.enter_branches(span));
                self.each(count, branch, &mut all)?;
                self.cost.traced(Trace::leave);
            }
        }
        self.cost.parallel(all.graphs);
        Ok(all.vals)
    }

    /// Is this fault planted?
    pub(super) fn carries(&self, wrong: WrongLambdaG) -> bool {
        self.setting.planted.is(Fault::LambdaG(wrong))
    }

    /// One branch after the other.
    fn each(
        &mut self,
        count: usize,
        mut branch: impl FnMut(&mut Self, usize) -> Eval<Val>,
        all: &mut Branches,
    ) -> Eval {
        for number in 0..count {
            self.cost.traced(Trace::round);
            let outer = self.cost.branch();
            let val = branch(self, number);
            let graph = self.cost.join(outer);
            all.vals.push(val?);
            all.graphs.extend(graph);
        }
        Ok(())
    }

    /// Branches of the host. They hold all regions (L53), and what one of them ran on the device keeps its place
    /// until the outermost ones are joined (L63).
    fn on_the_host(
        &mut self,
        count: usize,
        branch: impl FnMut(&mut Self, usize) -> Eval<Val>,
        all: &mut Branches,
    ) -> Eval {
        self.charge(self.table.host.len() as u64)?;
        let more = (count as u64).saturating_sub(1);
        self.branches += 1;
        let next = self.next;
        let outer = self.touched.take();
        self.touched = (self.setting.mode != Mode::Paper).then(BTreeSet::new);
        self.table.host.regions_mut().for_each(|region| region.refcnt += more);
        self.each(count, branch, all)?;
        self.table.host.regions_mut().for_each(|region| region.refcnt -= more);
        let touched = std::mem::replace(&mut self.touched, outer).unwrap_or_default();
        self.shared = touched.iter().filter(|region| region.0 < next).count() as u64;
        if let Some(outer) = &mut self.touched {
            outer.extend(touched);
        }
        self.branches -= 1;
        if self.branches == 0 {
            for region in self.table.host.regions_mut() {
                region.release();
                self.merged.extend(region.merges());
            }
        }
        Ok(())
    }

    /// Branches as threads of the device: each runs to its own end. What is told is a region that is full, if a thread
    /// found one, or else what stopped the lowest thread (L64).
    fn as_threads(
        &mut self,
        count: usize,
        inner: Option<Span>,
        mut branch: impl FnMut(&mut Self, usize) -> Eval<Val>,
        all: &mut Branches,
    ) -> Eval {
        let mut told: Option<Box<Stop>> = None;
        let (depth, nesting) = (self.depth, self.nesting);
        let nested = !self.thread.is_empty();
        let phase = usize::from(nested);
        if !nested {
            self.cost.traced(|trace| trace.forks(if inner.is_some() { 3 } else { 1 }));
        }
        for number in 0..count {
            self.cost.traced(|trace| trace.thread(phase));
            self.thread.push(i32::try_from(number + 1).unwrap_or(i32::MAX));
            self.starts_thread();
            self.nested = inner;
            let around = self.thread.len();
            let outer = self.cost.branch();
            let val = branch(self, number);
            all.graphs.extend(self.cost.join(outer));
            self.ends_thread();
            self.thread.truncate(around - 1);
            match val {
                Ok(val) => all.vals.push(val),
                Err(stop) => {
                    // What was around the place where the thread stopped is over.
                    (self.depth, self.nesting) = (depth, nesting);
                    let outranks = match (&told, &*stop) {
                        (_, Stop::Unknown(_) | Stop::Broken(_)) => return Err(stop),
                        (None, Stop::Stuck(_)) => true,
                        (Some(_), Stop::Stuck(_)) if self.carries(WrongLambdaG::LastThread) => true,
                        (Some(told), stop) => is_full(stop) && !is_full(told),
                    };
                    if outranks {
                        told = Some(stop);
                    }
                }
            }
        }
        self.nested = None;
        // Behind threads that are laid flat their own thread goes on, in the last of three phases.
        self.cost.traced(|trace| if nested { trace.thread(2) } else { trace.joins() });
        told.map_or(Ok(()), Err)
    }

    /// `E-LETREGION` (L17, L53, L61)
    ///
    /// ```text
    /// R = (0, s, 1, ∅)    s = BSIZE, or as said    r fresh
    /// E[ρ ↦ r]; σ; T[C ↦ T(C)[r ↦ R]]; C; e ⇓ ℓ; σ'; T'; c    refcnt of T'(C)(r) is 1
    /// ───────────────────────────────────────────────────────────────────────
    /// E; letregion ρ of s in e ⇓ ℓ; T' ∖ r; [u₁] ⊕_Δᵃ(s) [u₂] ⊕ c ⊕ [u₃]
    /// ```
    pub(super) fn e_letregion(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::LetRegion(binder, said, body) = &e.kind else { return misplaced() };
        let size = said.map_or(self.setting.machine.block, u64::from);
        let name = Name(self.next);
        self.next += 1;
        let allocated = self.setting.machine.allocate(size);
        self.formula += Symbols.allocate(size);
        let mut region = Region::new(binder.var, size);
        region.counts.time = allocated;
        let older = self.typed.bounds.get(&e.span).map_or(&[][..], Vec::as_slice);
        region.older = older.iter().map(|var| self.named(env, *var)).collect();
        self.table.host.push(name, region);
        let mark = self.cost.mark();
        self.cost.edge(mark, allocated.into());
        self.cost.then(mark);
        let val = self.eval(body, &env.with(binder.var, Bound::Region(name)))?;
        self.cost.then(mark);
        self.cost.vertex();
        match self.table.host.pop() {
            Some((popped, mut region)) if popped == name => {
                self.cost.words(-signed(region.live), 0);
                assert_eq!(region.refcnt, 1, "branches let go of the regions that they hold");
                self.frees(&region);
                self.over(&mut region)?;
            }
            _ => unreachable!("regions end in the order in which they began"),
        }
        Ok(val)
    }
}

/// Branches that all start from the table of the first one, if that fault is planted.
fn from_one_table<'p, 'r>(
    planted: bool,
    mut branch: impl FnMut(&mut Run<'p, 'r>, usize) -> Eval<Val>,
) -> impl FnMut(&mut Run<'p, 'r>, usize) -> Eval<Val> {
    let mut first: Vec<u64> = Vec::new();
    move |run, number| {
        if planted && number == 0 {
            first = run.table.host.regions_mut().map(|region| region.ap).collect();
        } else if planted {
            let regions = run.table.host.regions_mut().zip(&first);
            regions.for_each(|(region, ap)| region.ap = *ap);
        }
        branch(run, number)
    }
}

/// What branches came to.
struct Branches {
    vals: Vec<Val>,
    /// Their graphs, if they are wanted.
    graphs: Vec<Graph>,
}

/// Was a region full?
fn is_full(stop: &Stop) -> bool {
    matches!(stop, Stop::Stuck(stuck) if stuck.site.cause == Cause::RegionFull)
}

//! Allocation and reading (figs. 3 and 9).

use super::Run;
use crate::cost::{Mode, Provider, Symbols};
use crate::kit::faults::{Fault, WrongLambdaG};
use crate::kit::outcome::{Cause, Why};
use crate::kit::run::{Eval, Evaluator};
use crate::kit::text::Span;
use crate::lambda_g::graph::Mark;
use crate::lambda_g::rules::Rule;
use crate::lambda_g::syntax::{Exp, Region as Written, World};
use crate::lambda_g::values::{Bound, Counts, Env, Location, Name, Region, Stored, Val};

impl<'p> Run<'p, '_> {
    /// `E(ρ)`
    pub(super) fn region(&self, env: &Env, at: Written) -> Name {
        match self.bound(env, at.var) {
            Bound::Region(name) => name,
            Bound::Val(_) => unreachable!("PLACE: it is a region"),
        }
    }

    /// `c ⊕_δ [u]` for `R; σ; v ↓δ o @ R'; σ'`, where `c` was written since: the value lies in its region.
    pub(super) fn write(&mut self, mark: Mark, e: &Exp, at: Name, value: Stored<'p>) -> Eval<Val> {
        self.write_for(mark, e, at, value, false)
    }

    /// The same for what branches came to: on the host a write takes `δa`.
    pub(super) fn gather(&mut self, mark: Mark, e: &Exp, at: Name, value: Stored<'p>) -> Eval<Val> {
        self.write_for(mark, e, at, value, true)
    }

    fn write_for(
        &mut self,
        mark: Mark,
        e: &Exp,
        at: Name,
        value: Stored<'p>,
        gathers: bool,
    ) -> Eval<Val> {
        self.takes_bytes(value.bytes())?;
        let words = value.words();
        let (offset, delta) = match self.world {
            World::C => {
                let (offset, weight) = self.allocate(e.span, at, value, gathers)?;
                (offset, weight.into())
            }
            World::G => {
                let offset = self.allocate_within(e.span, at, value)?;
                (offset, self.of_device(e.span, Location { region: at, offset }, true))
            }
        };
        self.cost.edge(mark, delta);
        // What the device makes is told where it is brought back.
        if self.world == World::C {
            self.cost.words(signed(words), 0);
        }
        Ok(Val::At(Location { region: at, offset }))
    }

    /// Values take so many bytes more.
    pub(super) fn takes_bytes(&mut self, bytes: u64) -> Eval {
        self.bytes = self.bytes.saturating_add(bytes);
        self.most = self.most.max(self.bytes);
        if self.bytes > self.memory { Err(Why::Memory(self.bytes).into()) } else { Ok(()) }
    }

    /// `NoExpandW`, `ExpandW` (L1 to L3, L5, L6). In `umm` and `cal` the value is written too where the region grows.
    ///
    /// ```text
    /// |v| + ap <= s    o = ap                              |v| + ap > s    o = ap    n = max(BSIZE, |v| + ap - s)
    /// ───────────────────────────────── NoExpandW          ─────────────────────────────────────── ExpandW
    /// R; v ↓1 o @ (ap + |v|, s, refcnt, ν[o ↦ v])          R; v ↓Δᵃ(n) o @ (ap + |v|, s + n, refcnt, ν[o ↦ v])
    /// ```
    fn allocate(
        &mut self,
        span: Span,
        at: Name,
        value: Stored<'p>,
        gathers: bool,
    ) -> Eval<(u64, u64)> {
        self.touches(at);
        let machine = &self.setting.machine;
        let planted = |wrong| self.setting.planted.is(Fault::LambdaG(wrong));
        let (words, base) = (value.words(), machine.block);
        let Some(region) = self.table.host.get_mut(at) else {
            return self.stuck(Rule::ENoExpandW, span, Cause::RegionGone, &[]);
        };
        let missing = words.saturating_sub(region.free());
        let mut grows = if missing == 0 { 0 } else { missing.max(base) };
        if planted(WrongLambdaG::GrowsTooLittle) && grows > 0 {
            grows = missing - 1;
        }
        region.size = region.size.saturating_add(grows);
        let offset = region.put(value);
        if planted(WrongLambdaG::SkipsWord) {
            region.ap += 1;
        }
        let expands = grows > 0;
        let write = if gathers { machine.gather() } else { 1 };
        let weight = match self.setting.mode {
            _ if !expands => write,
            Mode::Paper => machine.allocate(grows),
            Mode::Umm | Mode::Cal => machine.allocate(grows).saturating_add(write),
        };
        self.formula += Symbols.allocate(grows);
        if gathers && (!expands || self.setting.mode != Mode::Paper) {
            self.formula += Symbols.gather();
        }
        let (grown, grown_words) = (u64::from(expands), grows);
        region.counts +=
            Counts { grown, grown_words, writes: 1, time: weight, ..Counts::default() };
        let rule = if expands { Rule::EExpandW } else { Rule::ENoExpandW };
        self.memory_rule(rule, at, offset);
        Ok((offset, weight))
    }

    /// `NBankConfW`, `NoExpandWE`: a region cannot grow on the device (L1, L38). No access is in conflict in
    /// mode `paper`: in global memory by L31, in that of a group as section 7 has it.
    ///
    /// ```text
    /// |v| + ap <= s    o = ap                                                            (region_full)
    /// ──────────────────────────────────────────── NBankConfW
    /// R; σ; v ↓l o @ (ap + |v|, s, refcnt, ν[o ↦ v]); σ'
    /// ```
    fn allocate_within(&mut self, span: Span, at: Name, value: Stored<'p>) -> Eval<u64> {
        let words = value.words();
        let Some(region) = self.table.device.get_mut(at) else {
            return self.stuck(Rule::ENBankConfW, span, Cause::RegionGone, &[]);
        };
        if self.setting.planted.is(Fault::LambdaG(WrongLambdaG::DeviceGrows)) {
            region.size = region.size.max(region.ap.saturating_add(words));
        }
        let free = region.free();
        if words > free {
            let operands = [words, free].map(signed);
            self.full = self.full.or(Some(region.binder));
            self.memory_rule(Rule::ENoExpandWE, at, 0);
            return self.stuck(Rule::ENoExpandWE, span, Cause::RegionFull, &operands);
        }
        let offset = region.put(value);
        region.counts.device_writes += 1;
        self.memory_rule(Rule::ENBankConfW, at, offset);
        Ok(offset)
    }

    /// `S; σ; ℓ ↑δ v; σ'` and its `δ` (L4)
    ///
    /// ```text
    /// ℓ = (r, o)    S(r) = (ap, s, refcnt, ν)    o < ap    v = ν(o)                      (region_gone)
    /// ───────────────────────────────────────────────────────────── Read
    /// S; σ; ℓ ↑δ v; σ'
    /// ```
    fn read(&mut self, span: Span, val: Val) -> Eval<(Stored<'p>, Location)> {
        let Val::At(location) = val else { unreachable!("typing: a bool lies in no region") };
        let Location { region: at, offset } = location;
        let rule = match self.world {
            World::C => Rule::ERead,
            World::G => Rule::ENBankConfR,
        };
        let Some(region) = self.table.of(self.world).get(at) else {
            return self.stuck(rule, span, Cause::RegionGone, &[]);
        };
        let value = region.get(offset).cloned();
        let value = value.unwrap_or_else(|| unreachable!("a location is one of a value"));
        self.memory_rule(rule, at, offset);
        Ok((value, location))
    }

    /// `c ⊕_δ …` for a value that is read, where `c` was written since.
    pub(super) fn accessed(&mut self, mark: Mark, e: &Exp, val: Val) -> Eval<Stored<'p>> {
        let (value, at) = self.read(e.span, val)?;
        self.reads(mark, e.span, at);
        Ok(value)
    }

    /// `c ⊕_δ …` for what lies there, where `c` was written since.
    fn reads(&mut self, mark: Mark, site: Span, at: Location) {
        let host = self.world == World::C;
        if let Some(region) = self.table.of(self.world).get_mut(at.region) {
            region.counts += match host {
                true => Counts { reads: 1, time: 1, ..Counts::default() },
                false => Counts { device_reads: 1, ..Counts::default() },
            };
        }
        let delta = match self.world {
            World::C => 1.into(),
            World::G => self.of_device(site, at, false),
        };
        self.touches(at.region);
        self.cost.access(mark, delta);
    }

    /// An operand, and where it lies. What the read of it costs is told by [`Run::operands`].
    pub(super) fn operand(&mut self, e: &'p Exp, env: &Env) -> Eval<(i32, Location)> {
        let val = self.eval(e, env)?;
        match self.read(e.span, val)? {
            (Stored::Int(k), at) => Ok((k, at)),
            _ => unreachable!("typing: an operand is an int"),
        }
    }

    /// `c ⊕_δ …` for each operand, which are read behind all of them; in `paper` at no cost (L9, L52).
    pub(super) fn operands(&mut self, mark: Mark, e: &Exp, operands: &[Location]) {
        if self.setting.mode != Mode::Paper {
            operands.iter().for_each(|at| self.reads(mark, e.span, *at));
        }
    }

    /// Branches of the host touch a region.
    pub(super) fn touches(&mut self, region: Name) {
        if self.world == World::C
            && let Some(touched) = &mut self.touched
        {
            touched.insert(region);
        }
    }

    /// A node of a rule that moves a value.
    fn memory_rule(&mut self, rule: Rule, at: Name, offset: u64) {
        self.state.recorder.enter(rule, || format!("(r{}, {offset})", at.0));
        self.state.recorder.leave(String::new);
    }

    /// A region is gone, with all that lies in it.
    pub(super) fn frees(&mut self, region: &Region<'p>) {
        self.bytes = self.bytes.saturating_sub(region.bytes());
    }
}

/// A number of words, to be added to and taken from others.
pub(super) fn signed(words: u64) -> i64 {
    i64::try_from(words).unwrap_or(i64::MAX)
}

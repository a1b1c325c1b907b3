//! Statements of the host, a rule each.

use super::exp::{self, ZeroDivisor};
use super::machine::{Code, Machine};
use super::reach::Reach;
use super::values::{Env, Value};
use crate::device::arena::{Region, Where};
use crate::device::parts::Statement;
use crate::device::rules::Rule;
use crate::device::scalar::{clamp, from_words, words};
use crate::device::syntax::{
    Check, Element, Exp, Host, HostBlock, If, Launch, Loop, MAX_GROUP, Par, Program, Sc, Stm,
};
use crate::device::{floats, record, visit};
use crate::kit::names::Var;
use crate::kit::outcome::{Budget, Cause, Site, Stuck, Why, cells, holds};
use crate::kit::run::{Eval, Meter, Stop};
use crate::kit::text::Span;
use std::collections::BTreeMap;

/// A run of the host.
pub(super) struct Run<'a> {
    pub(super) program: &'a Program,
    pub(super) machine: &'a mut dyn Machine,
    pub(super) budget: &'a Budget,
    /// Parallel loops of the host; their places are their numbers.
    pub(super) pars: Vec<(Span, &'a Par)>,
    /// Variables of the blocks that launches keep their records in.
    pub(super) records: Vec<Var>,
    /// What reaches blocks, if those that nothing reaches are freed.
    pub(super) reach: Option<Reach>,
    pub(super) env: Env,
    pub(super) meter: Meter,
    /// The blocks that are allocated, by address.
    pub(super) blocks: BTreeMap<u32, Allocated>,
    /// Elements of all of them.
    pub(super) live: u64,
    /// Was a block allocated since it was last looked which of them are reached?
    pub(super) fresh: bool,
    /// Bytes of the results that were observed.
    pub(super) observed: u64,
    /// Did the host read a float of which a device may have another?
    pub(super) open_floats: bool,
}

/// A block that is allocated.
pub(super) struct Allocated {
    /// The variable that it was allocated for.
    pub(super) var: Var,
    /// Elements.
    length: u32,
    words: u32,
}

impl Run<'_> {
    /// Applies `rule`: opens a node of the derivation, closes it when the premises hold.
    pub(super) fn by<T>(
        &mut self,
        rule: Rule,
        subject: impl Fn() -> String,
        premises: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        self.machine.enter(rule, &subject);
        let result = premises(self)?;
        self.machine.leave();
        Ok(result)
    }

    /// The premise `cause` of `rule` over `operands`, or stuck at `span`.
    pub(super) fn require(
        &mut self,
        rule: Rule,
        span: Span,
        cause: Cause,
        operands: &[i64],
    ) -> Eval {
        self.require_at(rule, Site { span, cause }, Vec::new, operands)
    }

    /// The premise of `rule` that the cause of the site is, over `operands`, or stuck there in that thread.
    pub(super) fn require_at(
        &mut self,
        rule: Rule,
        site: Site,
        thread: impl FnOnce() -> Vec<i32>,
        operands: &[i64],
    ) -> Eval {
        if holds(site.cause, operands) {
            return Ok(());
        }
        Err(self.stuck(rule, site, thread(), operands))
    }

    fn stuck(&mut self, rule: Rule, site: Site, thread: Vec<i32>, operands: &[i64]) -> Box<Stop> {
        if site.cause.gives_up().is_none() {
            self.machine.fail(rule, site.cause.name());
        }
        Stuck::by(rule, site, thread, operands).into()
    }

    /// A result of evaluating an expression, or stuck at `span` for a zero divisor.
    pub(super) fn total<T>(&mut self, span: Span, result: Result<T, ZeroDivisor>) -> Eval<T> {
        result.map_err(|zero| {
            let site = Site { span, cause: Cause::DivisionByZero };
            self.stuck(Rule::Bin, site, Vec::new(), &[zero.dividend, 0])
        })
    }

    pub(super) fn value(&mut self, span: Span, exp: &Exp) -> Eval<Value> {
        let value = exp::value(&self.env, exp);
        self.total(span, value)
    }

    pub(super) fn exact(&mut self, span: Span, exp: &Exp) -> Eval<i128> {
        let value = exp::exact(&self.env, exp);
        self.total(span, value)
    }

    /// A block: its elements, its address, and how many of them are there.
    pub(super) fn of_block(&mut self, span: Span, exp: &Exp) -> Eval<(Element, u32, u32)> {
        let block = exp::block(&self.env, exp);
        let (element, base, length) = self.total(span, block)?;
        let address = Region::of(element).address(base);
        Ok((element, address, self.there(element, base, length)))
    }

    /// How many of the elements of a block are there: none of one that was freed, and of one
    /// that was put together those inside an allocated block.
    fn there(&self, element: Element, base: u32, length: u32) -> u32 {
        let address = Region::of(element).address(base);
        let Some((first, block)) = self.blocks.range(..=address).next_back() else { return 0 };
        let words = block.words.saturating_sub(address - first);
        length.min(words / element.words())
    }

    /// Appends an argument of a launch.
    fn argument(&self, value: Value, args: &mut Vec<u32>) {
        let value = match value {
            Value::Block(element, base, length) => {
                Value::Block(element, base, self.there(element, base, length))
            }
            scalar => scalar,
        };
        value.argument(args);
    }

    fn condition(&mut self, span: Span, exp: &Exp) -> Eval<bool> {
        let cond = exp::scalar(&self.env, exp);
        Ok(self.total(span, cond)?.1 != 0)
    }

    pub(super) fn charge(&mut self, fuel: u64) -> Eval {
        self.meter.charge(fuel)?;
        Ok(self.machine.go_on()?)
    }

    /// `M; E ⊢ s̄ ⇓ M'; E'`
    pub(super) fn block(&mut self, body: &HostBlock) -> Eval {
        for stm in body {
            self.charge(1)?;
            self.meter.stats.statements += 1;
            self.machine.comes_to(stm.span);
            self.stm(stm).map_err(|stop| self.meter.stops(stm.span, stop))?;
        }
        Ok(())
    }

    fn stm(&mut self, stm: &Stm<Host>) -> Eval {
        let span = stm.span;
        let names = &self.program.names;
        let text = |var: Var| names.written(var).to_owned();
        match &stm.kind {
            Host::Let(var, _, exp) => {
                self.by(Rule::HostLet, || text(*var), |run| run.host_let(span, *var, exp))
            }
            Host::Assign(pairs) => {
                let vars =
                    || pairs.iter().map(|(var, _)| text(*var)).collect::<Vec<_>>().join(", ");
                self.by(Rule::Assign, vars, |run| {
                    run.assign(span, pairs.iter().map(|(var, exp)| (*var, exp)))
                })
            }
            Host::Alloc { block, element, size } => {
                self.by(Rule::Alloc, || text(*block), |run| run.alloc(span, *block, *element, size))
            }
            Host::Free(block) => self.by(Rule::Free, String::new, |run| run.free(span, block)),
            Host::Launch(launch) => {
                let name = &self.program.kernels[launch.kernel as usize].name;
                self.by(Rule::Launch, || name.clone(), |run| run.launch(span, launch))
            }
            Host::Copy(copy) => self.by(Rule::Copy, String::new, |run| run.copy(span, copy)),
            Host::Read { into, block, offset } => {
                self.by(Rule::Read, || text(*into), |run| run.read(span, *into, block, offset))
            }
            Host::Write { block, offset, value } => {
                self.by(Rule::Write, String::new, |run| run.write(span, block, offset, value))
            }
            Host::If(branch) => self.by(Rule::HostIf, String::new, |run| run.branch(span, branch)),
            Host::Loop(rounds) => {
                self.by(Rule::HostLoop, String::new, |run| run.rounds(span, rounds))
            }
            Host::Check(check) => self.by(Rule::Check, String::new, |run| run.check(span, check)),
            Host::Par(par) => self.by(Rule::HostPar, || text(par.var), |run| run.par(span, par)),
        }
    }

    /// `D-HOST-LET`
    ///
    /// ```text
    /// E ⊢ e ⇓ v
    /// ──────────────────────────────────
    /// M; E ⊢ let x : τ = e ⇓ M; E, x ↦ v
    /// ```
    fn host_let(&mut self, span: Span, var: Var, exp: &Exp) -> Eval {
        let value = self.value(span, exp)?;
        self.env.bind(var, value);
        Ok(())
    }

    /// `D-ASSIGN`
    ///
    /// ```text
    /// E ⊢ eᵢ ⇓ vᵢ    for all i
    /// ────────────────────────────────────────
    /// M; E ⊢ x₁ = e₁, …, xₙ = eₙ ⇓ M; E, xᵢ ↦ vᵢ
    /// ```
    fn assign<'e>(&mut self, span: Span, pairs: impl Iterator<Item = (Var, &'e Exp)>) -> Eval {
        let values: Vec<(Var, Value)> =
            pairs.map(|(var, exp)| Ok((var, self.value(span, exp)?))).collect::<Eval<_>>()?;
        for (var, value) in values {
            self.env.bind(var, value);
        }
        Ok(())
    }

    /// `D-ALLOC`
    ///
    /// ```text
    /// E ⊢ e ⇓ n exactly      0 ≤ n  (size)      M' = M with a fresh block b of n zeros
    /// ──────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ x = alloc T(e) ⇓ M'; E, x ↦ b
    /// ```
    fn alloc(&mut self, span: Span, var: Var, element: Element, size: &Exp) -> Eval {
        let size = self.exact(span, size)?;
        self.require(Rule::Alloc, span, Cause::NegativeSize, &[clamp(size)])?;
        // No name is left of what this could be taken for: the program that was compiled has no record.
        let apart = self.records.contains(&var);
        let at = if apart { Where::Apart } else { Where::Anywhere };
        let block = self.allocate((var, at), element, size)?;
        self.env.bind(var, block);
        Ok(())
    }

    /// A fresh block of zeros of `length` elements, not negative.
    pub(super) fn allocate(
        &mut self,
        var: (Var, Where),
        element: Element,
        length: i128,
    ) -> Eval<Value> {
        let length = clamp(length) as u64;
        let bytes = length.saturating_mul(4 * u64::from(element.words()));
        let fits = u32::try_from(length).ok().filter(|_| bytes <= self.budget.memory);
        let length = fits.ok_or(Why::Memory(bytes))?;
        let words = u64::from(length) * u64::from(element.words());
        self.charge(cells(words))?;
        let address = self.machine.alloc(var, element, words)?;
        self.live += u64::from(length);
        self.fresh = true;
        self.meter.stats.elements = self.meter.stats.elements.max(self.live);
        self.blocks.insert(address, Allocated { var: var.0, length, words: words as u32 });
        Ok(Value::Block(element, Region::split(address).1, length))
    }

    /// `D-FREE`
    ///
    /// ```text
    /// E ⊢ e ⇓ b      M' = M without b, or M if b is no allocated block as a whole
    /// ───────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ free e ⇓ M'; E
    /// ```
    ///
    /// So no block is freed twice, and no part of one.
    fn free(&mut self, span: Span, block: &Exp) -> Eval {
        let (_, address, _) = self.of_block(span, block)?;
        self.give_back(address)
    }

    /// Frees the block at this address, if one lies there.
    fn give_back(&mut self, address: u32) -> Eval {
        if let Some(block) = self.blocks.remove(&address) {
            self.live -= u64::from(block.length);
            self.machine.free(address)?;
        }
        Ok(())
    }

    /// `D-LAUNCH`
    ///
    /// ```text
    /// E ⊢ e ⇓ n exactly      E ⊢ eᵢ ⇓ vᵢ      M ⊢ launch k<n>(v̄) ⇓ M'
    /// b tells of no work group in M', or of one that has a record of a failed check in b  (record)
    /// b tells of none
    /// ───────────────────────────────────────────────────────────
    /// M; E ⊢ launch k(e₁, …) for e record b ⇓ M'; E
    /// ```
    ///
    /// What a record is says [`record`](crate::device::record). The operands that it tells do not make the cause
    /// hold.
    ///
    /// A failed check is stuck with its site, its thread and its operands. Of several the one is told that failed in the
    /// lowest work group with the least order, and of these the one of the lowest invocation; an invocation fails once
    /// and then does nothing more.
    fn launch(&mut self, span: Span, launch: &Launch) -> Eval {
        let count = self.exact(span, &launch.count)?;
        let mut args = Vec::new();
        for arg in &launch.args {
            let value = self.value(span, arg)?;
            self.argument(value, &mut args);
        }
        self.start(Code::Kernel(launch.kernel), count, &args)?;
        let layout = self.program.kernels[launch.kernel as usize].record;
        if let (Some(record), Some(layout), true) = (&launch.record, layout, count > 0) {
            let (_, address, length) = self.of_block(span, record)?;
            let group = self.program.kernels[launch.kernel as usize].group;
            let groups = (count as u64).div_ceil(group.into());
            self.decode(span, (address, length), groups, layout)?;
        }
        Ok(())
    }

    fn start(&mut self, code: Code, count: i128, args: &[u32]) -> Eval {
        if count <= 0 {
            return Ok(());
        }
        let widest = u32::MAX - MAX_GROUP;
        let count = u32::try_from(count).ok().filter(|n| *n <= widest).ok_or(Why::Fuel)?;
        self.meter.stats.launches += 1;
        self.meter.stats.invocations += u64::from(count);
        self.meter.stats.threads += u64::from(count);
        match self.machine.launch(code, count, args)? {
            Some(stuck) => Err(stuck.into()),
            None => Ok(()),
        }
    }

    /// What a launch of so many work groups wrote into its record block of this address and length.
    fn decode(
        &mut self,
        span: Span,
        (address, length): (u32, u32),
        groups: u64,
        layout: record::Layout,
    ) -> Eval {
        let header = if length > 0 { self.machine.read(address, 1)? } else { Vec::new() };
        let Some(group) = record::lowest_group(header.first().copied().unwrap_or(0)) else {
            return Ok(());
        };
        let at = layout.record(group);
        let is_there =
            u64::from(group) < groups && at + u64::from(layout.stride()) <= u64::from(length);
        let told = if is_there {
            let words = self.machine.read(address + at as u32, layout.stride())?;
            layout.decode(&self.program.sites, &words).ok()
        } else {
            None
        };
        let failed = |stuck: &Stuck| {
            let cause = stuck.site.cause;
            cause.gives_up().is_some() || !holds(cause, &stuck.operands)
        };
        let Some(stuck) = told.filter(failed) else {
            return self.require(Rule::Launch, span, Cause::Record, &[group.into()]);
        };
        if stuck.site.cause.gives_up().is_none() {
            self.machine.fail(Rule::Check, stuck.site.cause.name());
        }
        Err(stuck.into())
    }

    /// `D-HOST-PAR`
    ///
    /// ```text
    /// E ⊢ e ⇓ n      M ⊢ launch (E, x ↦ i ⊢ s̄ for i = 1, …, n) ⇓ M'
    /// ─────────────────────────────────────────────────────────────
    /// M; E ⊢ par x <= e { s̄ } ⇓ M'; E
    /// ```
    fn par(&mut self, span: Span, par: &Par) -> Eval {
        let count = exp::integer(&self.env, &par.count);
        let count = self.total(span, count)?;
        let number = self.pars.iter().position(|(_, other)| std::ptr::eq(*other, par));
        let number = number.expect("every parallel loop of the host has its number");
        let mut args = Vec::new();
        for var in crate::device::levels::captured(par) {
            self.argument(self.env.value(var), &mut args);
        }
        self.start(Code::Par(number as u32), count.into(), &args)
    }

    /// The address of an element that an access evaluated, if it is inside its block, and its type.
    fn inside_block(
        &mut self,
        rule: Rule,
        span: Span,
        (element, address, length): (Element, u32, u32),
        offset: i128,
    ) -> Eval<(Sc, u32)> {
        self.require(rule, span, Cause::OutsideBlock, &[clamp(offset), length.into()])?;
        Ok((element.sc(), address + offset as u32 * element.words()))
    }

    /// `D-READ`
    ///
    /// ```text
    /// E ⊢ e ⇓ b      E ⊢ e' ⇓ o exactly      0 ≤ o < length(b)  (inside)
    /// ───────────────────────────────────────────────────────────────
    /// M; E ⊢ x = read e[e'] ⇓ M; E, x ↦ M(b[o])
    /// ```
    fn read(&mut self, span: Span, into: Var, block: &Exp, offset: &Exp) -> Eval {
        let block = self.of_block(span, block)?;
        let offset = self.exact(span, offset)?;
        let (sc, at) = self.inside_block(Rule::Read, span, block, offset)?;
        if self.machine.watches() {
            self.machine.looks(span, at, sc.words());
        }
        let words = self.machine.read(at, sc.words())?;
        let word = |i: usize| words.get(i).copied().unwrap_or(0);
        let cell = from_words(sc, word(0), word(1));
        // The host may divide by it, or look at its bits.
        self.open_floats |= sc.is_float() && floats::is_minus_zero(sc, cell);
        self.env.bind(into, Value::Scalar(sc, cell));
        Ok(())
    }

    /// `D-WRITE`
    ///
    /// ```text
    /// E ⊢ e ⇓ b      E ⊢ e' ⇓ o exactly      E ⊢ e'' ⇓ v      0 ≤ o < length(b)  (inside)
    /// ───────────────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ write e[e'] = e'' ⇓ M, b[o] ↦ v; E
    /// ```
    fn write(&mut self, span: Span, block: &Exp, offset: &Exp, value: &Exp) -> Eval {
        let block = self.of_block(span, block)?;
        let offset = self.exact(span, offset)?;
        let value = exp::scalar(&self.env, value);
        let (_, cell) = self.total(span, value)?;
        let (sc, at) = self.inside_block(Rule::Write, span, block, offset)?;
        self.machine.write(at, &words(sc, cell)[..sc.words() as usize])?;
        Ok(())
    }

    /// `D-HOST-IF`
    ///
    /// ```text
    /// E ⊢ e ⇓ b      M; E ⊢ s̄_b ⇓ M'; E'
    /// ──────────────────────────────────────────────────
    /// M; E ⊢ if e { s̄_true } else { s̄_false } ⇓ M'; E'
    /// ```
    fn branch(&mut self, span: Span, branch: &If<Host>) -> Eval {
        let taken = if self.condition(span, &branch.cond)? { &branch.then } else { &branch.orelse };
        self.block(taken)
    }

    /// `D-HOST-LOOP`
    ///
    /// ```text
    /// E ⊢ eᵢ ⇓ vᵢ⁰      E ⊢ f ⇓ m, or m = ∞ without an f
    /// Eⱼ = E'ⱼ₋₁, x̄ ↦ v̄ʲ      Eⱼ ⊢ c ⇓ true      Mⱼ; Eⱼ ⊢ s̄ ⇓ M'ⱼ; E'ⱼ      E'ⱼ ⊢ e'ᵢ ⇓ vᵢʲ⁺¹
    /// Mⱼ₊₁ = M'ⱼ without the blocks that no variable reaches in Eⱼ₊₁ less what s̄ binds
    ///                          for j = 0, …, k - 1, where M₀ = M and E'₋₁ = E
    /// k ≥ m, or Eₖ ⊢ c ⇓ false
    /// ──────────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ loop (xᵢ : τᵢ = eᵢ) while c fuel f { s̄ } next (e'ᵢ) ⇓ Mₖ; Eₖ
    /// ```
    ///
    /// A variable reaches the block that it holds or holds a part of. In a program that frees blocks itself,
    /// or in which numbers keep bases of blocks, Mⱼ₊₁ = M'ⱼ ([`Reach::of`]). So what is freed can only be told
    /// by the memory that is left.
    fn rounds(&mut self, span: Span, rounds: &Loop<Host>) -> Eval {
        self.assign(span, rounds.carried.iter().map(|carried| (carried.var, &carried.init)))?;
        let mut left = match &rounds.fuel {
            Some(fuel) => {
                let fuel = exp::integer(&self.env, fuel);
                self.total(span, fuel)?
            }
            None => i64::MAX,
        };
        while left > 0 && self.condition(span, &rounds.cond)? {
            left -= 1;
            self.charge(1)?;
            self.block(&rounds.body)?;
            let vars = rounds.carried.iter().map(|carried| carried.var);
            self.assign(span, vars.zip(&rounds.next))?;
            self.free_unreached(&rounds.body)?;
        }
        Ok(())
    }

    /// The end of a round with this body: what it bound is no longer in scope, and blocks that nothing reaches
    /// are freed. It costs no fuel.
    fn free_unreached(&mut self, body: &HostBlock) -> Eval {
        let Some(reach) = &self.reach else { return Ok(()) };
        visit::stms(body, &mut |stm| {
            stm.kind.binds().into_iter().for_each(|var| self.env.forget(var));
        });
        if !std::mem::take(&mut self.fresh) {
            return Ok(());
        }
        let of_block = |base: u32| self.blocks.range(..=base).next_back().map(|(first, _)| *first);
        let reached = reach.addresses(&self.env).into_iter();
        let reached: Vec<u32> = reached.filter_map(of_block).collect();
        let bases = self.blocks.keys().copied();
        let gone: Vec<u32> = bases.filter(|base| reached.binary_search(base).is_err()).collect();
        gone.into_iter().try_for_each(|base| self.give_back(base))
    }

    /// `D-CHECK`, on the host
    ///
    /// ```text
    /// E ⊢ eᵢ ⇓ vᵢ      E ⊢ e'ⱼ ⇓ kⱼ      holds(cause of the site, v̄)  (the cause)
    /// ─────────────────────────────────────────────────────
    /// M; E ⊢ check site(e₁, …) at (e'₁, …) ⇓ M; E
    /// ```
    fn check(&mut self, span: Span, check: &Check) -> Eval {
        let mut operands = Vec::new();
        for operand in &check.operands {
            let operand = exp::integer(&self.env, operand);
            operands.push(self.total(span, operand)?);
        }
        let mut thread = Vec::new();
        for index in &check.path {
            let index = exp::integer(&self.env, index);
            thread.push(self.total(span, index)? as i32);
        }
        let site = self.program.sites[check.site as usize];
        self.require_at(Rule::Check, site, || thread, &operands)
    }
}

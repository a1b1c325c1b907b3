//! `eliminate_checks`: checks that always hold are gone.
//!
//! | | |
//! |---|---|
//! | before | kernels and functions in which whatever can get stuck stands behind a check; an invocation that goes on behind a failed one calls total functions only |
//! | after | the same without the checks that hold in every invocation that comes to them, without branches and loops that are never entered, and without values that nothing uses |
//! | stuck | the same site: a check that is gone cannot fail |
//!
//! [Intervals] of the integers on the way through a kernel say which checks hold. With the
//! [`Facts`] of a launch (sizes, lengths of blocks, the number of invocations) nearly all of them do; the
//! kernel then serves launches of equal facts. Of the parameters of a function nothing is known. Facts only remove checks; they are not put into the text as literals,
//! since fewer texts are fewer shaders to compile.
//!
//! Behind a check its condition is known to hold. A kernel in which a failed check ends the invocation can rely on
//! that. A kernel that *goes on* after a failed check cannot. This is so where barriers stand, and where the site is
//! recorded at the end: there a [*poisoned*](super::poison_checks) invocation, one that failed a check, computes on,
//! with zeros for what it did not compute. The others are *live*. In such a kernel a fact that depends on a check is
//! *tested*: it may eliminate other checks, whose failure would not count in a poisoned invocation, but it decides no
//! branch and counts no rounds of a loop.
//!
//! What is known of variables is in [`held`], what is known of loops in [`rounds`].

mod facts;
mod held;
mod intervals;
mod rounds;
#[cfg(test)]
mod tests;
mod unused;

pub use facts::Facts;

use super::poison_checks::{Detail, holds};
use super::simplify::is_constant;
use super::slots::Slots;
use super::stuck::partial;
use super::types::Types;
use intervals::{Interval, Intervals, Name};
use reference::device::syntax::{
    Block, Builtin, Case, Check, Exp, F32, Function, If, Kernel, Kind, Place, Program, Site, Stm,
    Switch, Ty,
};
use reference::device::visit::has_barrier;
use reference::kit::decisions::Decisions;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// The pass, for kernels whose failed checks are to be treated with this detail.
pub fn eliminate_checks(
    mut program: Program,
    detail: Detail,
    decisions: &mut Decisions,
) -> Program {
    let types = Types::of(&program);
    for kernel in &mut program.kernels {
        if !decisions.decide(|| format!("remove the checks of `{}` that always hold", kernel.name))
        {
            continue;
        }
        let known = Known { types: &types, sites: &program.sites, facts: &Facts::default() };
        *kernel = known.eliminate(kernel, goes_on(kernel, detail)).0;
    }
    of_functions(&mut program, &types, decisions);
    program
}

/// The same for the functions of a program alone. A failed check ends the invocation: others do not come to a call.
pub(crate) fn of_functions(program: &mut Program, types: &Types, decisions: &mut Decisions) {
    for function in &mut program.functions {
        if decisions.decide(|| format!("remove the checks of `{}` that always hold", function.name))
        {
            let known = Known { types, sites: &program.sites, facts: &Facts::default() };
            function.body = known.eliminate_in(function);
        }
    }
}

/// Does an invocation of the kernel go on after a failed check, if that is treated with this detail?
pub(crate) fn goes_on(kernel: &Kernel, detail: Detail) -> bool {
    match detail {
        Detail::Site => true,
        Detail::Flag => has_barrier(&kernel.body),
    }
}

/// The most rounds of each loop that counts up to a bound, by the variable that counts.
pub(crate) type Counted = FxHashMap<Var, u32>;

/// What is known before a kernel is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Known<'p> {
    /// Of the program.
    pub(crate) types: &'p Types,
    /// Of the program.
    pub(crate) sites: &'p [Site],
    /// Of the launch.
    pub(crate) facts: &'p Facts,
}

impl<'p> Known<'p> {
    /// The kernel without the checks that hold, and which of its loops are counted. With `goes_on` an
    /// invocation goes on after a failed check.
    pub(crate) fn eliminate(self, kernel: &Kernel, goes_on: bool) -> (Kernel, Counted) {
        let mut intervals = Intervals::new(self.types);
        let places = Interval::certain((0, i64::from(kernel.group) - 1));
        intervals.learn(Name::Builtin(Builtin::LocalId), places);
        self.facts.0.iter().for_each(|(name, interval)| intervals.learn(*name, *interval));
        let (mut body, counted) = self.of_body(&kernel.body, intervals, goes_on);
        unused::remove(&mut body, None);
        let kernel = Kernel {
            name: kernel.name.clone(),
            params: kernel.params.clone(),
            workgroup: kernel.workgroup.clone(),
            private: kernel.private.clone(),
            body,
            ..*kernel
        };
        (kernel, counted)
    }

    /// The body of a function, likewise.
    fn eliminate_in(self, function: &Function) -> Block {
        let (mut body, _) = self.of_body(&function.body, Intervals::new(self.types), false);
        unused::remove(&mut body, function.result.as_ref().map(|(_, result)| result));
        body
    }

    fn of_body(self, body: &Block, intervals: Intervals<'p>, goes_on: bool) -> (Block, Counted) {
        let followed = &held::followed(body);
        let Self { types, sites, .. } = self;
        let (counted, tries) = (Counted::default(), &Cell::new(held::TRIES));
        let mut eliminate =
            Eliminate { types, sites, goes_on, followed, trying: 0, tries, intervals, counted };
        let mut out = Vec::with_capacity(body.len());
        eliminate.stms(body, &mut out);
        (out, eliminate.counted)
    }
}

#[derive(Clone)]
struct Eliminate<'p> {
    types: &'p Types,
    sites: &'p [Site],
    /// Does an invocation go on after a failed check?
    goes_on: bool,
    /// The variables of which is known what they hold.
    followed: &'p Slots<bool>,
    /// The depth of nested trial rounds: how many loops around this place are being tried.
    trying: u32,
    /// How many statements, and names that loops store to, trial rounds may still go through.
    tries: &'p Cell<usize>,
    intervals: Intervals<'p>,
    counted: Counted,
}

impl Eliminate<'_> {
    fn stms(&mut self, body: &[Stm<Kind>], out: &mut Block) {
        self.tries(body.len());
        for stm in body {
            self.stm(stm, out);
        }
    }

    /// A trial round goes through so many statements or names more.
    fn tries(&self, count: usize) {
        if self.trying > 0 {
            self.tries.set(self.tries.get().saturating_sub(count));
        }
    }

    fn stm(&mut self, stm: &Stm<Kind>, out: &mut Block) {
        match &stm.kind {
            Kind::Check(check) if self.always_holds(check) => return,
            Kind::Check(check) => self.behind(check),
            Kind::If(branch) => return self.branch(stm.span, branch, out),
            Kind::Switch(switch) => return self.switch(stm.span, switch, out),
            Kind::Loop(rounds) => return self.rounds(stm.span, rounds, out),
            Kind::Let(var, ty, exp) => self.bind(*var, ty, exp),
            Kind::Var(var, _, init) if self.followed.of(*var) => self.store(*var, init.as_ref()),
            Kind::Store(Place::Var(var), exp) if self.followed.of(*var) => {
                self.store(*var, Some(exp));
            }
            Kind::Var(..)
            | Kind::Store(..)
            | Kind::Atomic { .. }
            | Kind::Call { .. }
            | Kind::Barrier(_)
            | Kind::UniformLoad { .. }
            | Kind::Par(_) => {}
        }
        out.push(stm.clone());
    }

    /// May a poisoned invocation have something else for the value of this expression? The passes behind
    /// this one let only live invocations evaluate what can get stuck.
    fn differs_for_poisoned(&self, exp: &Exp) -> bool {
        self.goes_on && partial(exp, self.types)
    }

    /// A variable that is followed holds the value from now on, or zero.
    fn store(&mut self, var: Var, exp: Option<&Exp>) {
        // Poisoned invocations may have come another way.
        self.intervals.store(var, exp, self.goes_on);
    }

    /// Notes what the value of a name says of it.
    fn bind(&mut self, var: Var, ty: &Ty, exp: &Exp) {
        let tested = self.differs_for_poisoned(exp);
        let mark = |interval: Option<Interval>| {
            interval.map(|interval| Interval { tested: tested || interval.tested, ..interval })
        };
        match ty {
            Ty::Ptr(..) => {}
            Ty::Block(_) => {
                let [length, base] = self.intervals.block(exp);
                self.intervals.hold(Name::Length(var), mark(length));
                self.intervals.hold(Name::Base(var), mark(base));
            }
            _ if *ty == F32 => {
                if !tested {
                    self.intervals.learn_float(var, exp);
                }
            }
            _ => {
                if !tested && self.intervals.certainly(|known| known.is_not_zero(exp)) {
                    self.intervals.learn_not_zero(var);
                }
                if !tested && is_constant(exp) {
                    self.intervals.learn_condition(var, exp);
                }
                if let Some(interval) = mark(self.intervals.int(exp)) {
                    self.intervals.learn(Name::Var(var), interval);
                }
            }
        }
    }

    /// Does the check hold in every invocation that comes to it and is not poisoned?
    fn always_holds(&self, check: &Check) -> bool {
        let cause = self.sites[check.site as usize].cause;
        self.intervals.hold_of(cause, &check.operands)
            || holds(cause, &check.operands, self.types)
                .is_some_and(|test| self.intervals.truth(&test) == Some(true))
    }

    /// Behind the check it held.
    fn behind(&mut self, check: &Check) {
        let cause = self.sites[check.site as usize].cause;
        if let Some(test) = holds(cause, &check.operands, self.types) {
            self.intervals.assume(&test, true, self.goes_on);
        }
        self.intervals.held(cause, &check.operands, self.goes_on);
    }

    fn branch(&mut self, span: Span, branch: &If<Kind>, out: &mut Block) {
        match self.intervals.certainly(|known| known.truth(&branch.cond)) {
            Some(true) => return self.stms(&branch.then, out),
            Some(false) => return self.stms(&branch.orelse, out),
            None => {}
        }
        let bodies = [branch.then.as_slice(), &branch.orelse];
        let stored = self.intervals.stored(&bodies, self.followed);
        let cond = std::slice::from_ref(&branch.cond);
        let (then, held) = self.side(&branch.then, (cond, true), &stored);
        let (orelse, held_else) = self.side(&branch.orelse, (cond, false), &stored);
        self.intervals.hold_all(&stored, &held::each(&held, &held_else));
        if !(then.is_empty() && orelse.is_empty()) {
            out.push(Stm { span, kind: Kind::If(If { cond: branch.cond.clone(), then, orelse }) });
        }
    }

    /// A switch goes the way of each case in which its value may be the literal, or else of none of these.
    fn switch(&mut self, span: Span, switch: &Switch, out: &mut Block) {
        let mut cases = Vec::new();
        let mut is_case = Vec::new();
        for case in &switch.cases {
            let is = Exp::bin(BinOp::Eq, switch.value.clone(), Exp::Lit(case.literal));
            match self.intervals.certainly(|known| known.truth(&is)) {
                Some(true) => return self.stms(&case.body, out),
                Some(false) => {}
                None => {
                    cases.push(case);
                    is_case.push(is);
                }
            }
        }
        if cases.is_empty() {
            return self.stms(&switch.orelse, out);
        }
        let bodies = cases.iter().map(|case| case.body.as_slice());
        let bodies: Vec<_> = bodies.chain([switch.orelse.as_slice()]).collect();
        let stored = self.intervals.stored(&bodies, self.followed);
        let (orelse, mut held) = self.side(&switch.orelse, (&is_case, false), &stored);
        let mut left = Vec::with_capacity(cases.len());
        for (case, is) in cases.into_iter().zip(&is_case) {
            let is = std::slice::from_ref(is);
            let (body, held_here) = self.side(&case.body, (is, true), &stored);
            held = held::each(&held, &held_here);
            left.push(Case { literal: case.literal, body });
        }
        self.intervals.hold_all(&stored, &held);
        if !(orelse.is_empty() && left.iter().all(|case| case.body.is_empty())) {
            let switch = Switch { value: switch.value.clone(), cases: left, orelse };
            out.push(Stm { span, kind: Kind::Switch(switch) });
        }
    }

    /// One way of a branch, where these conditions hold or none of them does, and what is known at its end by
    /// the names `stored`.
    fn side(
        &mut self,
        body: &Block,
        (conds, hold): (&[Exp], bool),
        stored: &[Name],
    ) -> (Block, Vec<Option<Interval>>) {
        let mark = self.intervals.mark();
        for cond in conds {
            self.intervals.assume(cond, hold, self.differs_for_poisoned(cond));
        }
        let mut out = Vec::with_capacity(body.len());
        self.stms(body, &mut out);
        let held = self.intervals.all(stored);
        self.intervals.forget(mark);
        (out, held)
    }
}

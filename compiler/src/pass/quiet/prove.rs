//! Takes out of a quiet or bare form what [`Intervals`] prove: tests that hold, branches that are not
//! taken, names of literals, loops of one round, and the fuel of loops whose rounds are known to be
//! few.
//!
//! Behind `alive = alive & test` the test may be taken to hold: where it did not, the launch is
//! made again anyway, and no store comes through. So an index that was tested needs no test that
//! its offset fits. A round of a loop of few rounds needs neither fuel nor a look at `alive`: the
//! loop around it, or the kernel, pays for all of them at once. How many they are must not hang on a
//! test, for the poisoned have them too.
//!
//! Most tests hang on what the host knows before it launches: sizes, lengths of blocks, how many
//! invocations there are. These are given ([`Facts`]), and the form serves launches of the same
//! facts. They say which tests hold, which branches are taken and which operands are neutral, but none
//! of them becomes a literal of the text, so that launches of other sizes may share it.
//!
//! In a bare form an invocation ends where a check fails, so behind it the check held, and every loop has to
//! be plain, or there is none. What variables hold is followed ([`held`]), for nobody is poisoned.

mod rounds;

use super::facts::Facts;
use super::held;
use super::intervals::{Interval, Intervals, Name};
use crate::pass::fold::fold;
use crate::pass::poison_checks::holds;
use crate::pass::simplify::is_constant;
use crate::pass::types::Types;
use crate::pass::walk::{change_exp, changed_exp, changed_place, take};
use reference::device::syntax::{
    Block, Builtin, Check, Exp, F32, If, Kernel, Kind, Lit, Place, Sc, Site, Stm, Ty,
};
use reference::device::visit;
use reference::kit::names::Var;
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use rounds::fuel_of;
use std::cell::Cell;

/// The body of a quiet form of `kernel` with less in it, which serves launches of these facts.
pub(super) fn prove(kernel: &Kernel, alive: Var, types: &Types, facts: &Facts) -> Block {
    let fuel = fuel_of(&kernel.body, alive);
    Prove::new(Some(alive), fuel, types, facts).kernel(&kernel.body)
}

/// The body of a kernel without fuel, which serves launches of these facts, and of its checks with those
/// only that nothing proves: each with its test for an operand. `None` if a loop may take many rounds or a
/// check fails for whoever comes to it. The kernel is one of the passes before `bound_loops`, and no
/// invocation of it sees another. If each is alone in its group, there are only so many. Where every variable
/// is changed by its name alone, it `tracks` what they hold. It also says whether somebody asks for a
/// group, or for a place in one.
pub(super) fn prove_all(
    kernel: &Kernel,
    (sites, types): (&[Site], &Types),
    facts: &Facts,
    alone: Option<u32>,
    tracks: bool,
) -> Option<(Block, bool)> {
    let mut prove = Prove { sites, tracks, ..Prove::new(None, None, types, facts) };
    if let Some(invocations) = alone {
        let numbers = Interval::of_launch((0, i64::from(invocations) - 1));
        prove.intervals.learn(Name::Builtin(Builtin::GlobalId), numbers);
    }
    let mut body = Vec::with_capacity(kernel.body.len());
    prove.stms(&kernel.body, &mut body);
    prove.intervals.names.leave(0, &mut body);
    (!prove.unproved).then(|| (body, prove.asks_for_group.get()))
}

#[derive(Clone)]
struct Prove<'p> {
    types: &'p Types,
    /// Of a poisoned kernel: the variable that says whether an invocation lives.
    alive: Option<Var>,
    /// Of any other: what its checks check.
    sites: &'p [Site],
    /// Is there a check that fails, or a loop whose rounds may be many?
    unproved: bool,
    /// Is there a look at a group, or at a place in one, in what was gone over?
    asks_for_group: Cell<bool>,
    /// Does what was gone over since this was put to false look at a place?
    looks: Cell<bool>,
    /// Is known what variables hold? Not where the poisoned may hold something else.
    tracks: bool,
    /// Loops around whose rounds are tried.
    trying: u32,
    intervals: Intervals<'p>,
    /// The variable that counts the rounds that are left, and how many there are.
    fuel: Option<(Var, u32)>,
    /// Rounds of plain loops in the sequence at hand, and in the whole kernel.
    unpaid: u32,
    plain: u32,
    /// The most rounds that a round of some loop pays for besides itself.
    heaviest: u32,
    /// Conditions of plain loops that were left behind: no longer true.
    ended: Vec<Exp>,
}

impl<'p> Prove<'p> {
    fn new(alive: Option<Var>, fuel: Option<(Var, u32)>, types: &'p Types, facts: &Facts) -> Self {
        let mut intervals = Intervals::new(types);
        facts.0.iter().for_each(|(name, interval)| intervals.learn(*name, *interval));
        Self {
            types,
            alive,
            sites: &[],
            unproved: false,
            asks_for_group: Cell::new(false),
            looks: Cell::new(false),
            tracks: false,
            trying: 0,
            intervals,
            fuel,
            unpaid: 0,
            plain: 0,
            heaviest: 0,
            ended: Vec::new(),
        }
    }

    fn kernel(&mut self, body: &Block) -> Block {
        let mut body = self.block(body);
        let Some((fuel, rounds)) = self.fuel else { return body };
        let init = Exp::u32(rounds - self.unpaid);
        let mut looked_at = false;
        visit::block(&body, &mut |exp| looked_at |= is_load(exp, fuel));
        body.retain_mut(|stm| match &mut stm.kind {
            Kind::Var(var, _, value) if *var == fuel => {
                *value = Some(init.clone());
                looked_at
            }
            _ => true,
        });
        body
    }

    fn block(&mut self, body: &Block) -> Block {
        let (mark, scope) = (self.intervals.mark(), self.intervals.names.scope());
        let mut out = Vec::with_capacity(body.len());
        self.stms(body, &mut out);
        self.intervals.forget(mark);
        self.intervals.names.leave(scope, &mut out);
        out
    }

    fn stms(&mut self, body: &Block, out: &mut Block) {
        for stm in body {
            if self.unproved {
                return;
            }
            self.stm(stm, out);
        }
    }

    fn stm(&mut self, stm: &Stm<Kind>, out: &mut Block) {
        let Stm { span, kind } = stm;
        let kind = match kind {
            Kind::Check(check) => return self.check(*span, check, out),
            Kind::If(branch) => return self.branch(*span, branch, out),
            Kind::Loop(rounds) => return self.rounds(*span, rounds, out),
            Kind::Let(var, ty, exp) => {
                self.looks.set(false);
                let mut exp = self.changed(exp);
                if !self.binds(*var, ty, &mut exp, out.len()) {
                    return;
                }
                Kind::Let(*var, ty.clone(), exp)
            }
            Kind::Store(Place::Var(var), Exp::Bin(BinOp::And, ab))
                if Some(*var) == self.alive && is_load(&ab[0], *var) =>
            {
                let [alive, test] = &**ab;
                let mut test = self.changed(test);
                self.paid(&mut test);
                let left = self.left_of(&test);
                self.intervals.assume(&test, true, true);
                let Some(left) = left else { return };
                Kind::Store(Place::Var(*var), Exp::bin(BinOp::And, alive.clone(), left))
            }
            Kind::Var(var, ty, init) => {
                let init = init.as_ref().map(|exp| self.changed(exp));
                if self.tracks {
                    self.intervals.store(*var, ty, init.as_ref());
                }
                Kind::Var(*var, ty.clone(), init)
            }
            Kind::Store(place, exp) => {
                let place = changed_place(place, &mut |part| self.known(part));
                let exp = self.changed(exp);
                if let Place::Var(var) = place
                    && self.tracks
                {
                    self.intervals.store(var, self.types.var(var), Some(&exp));
                }
                Kind::Store(place, exp)
            }
            Kind::Atomic { into, op, place, operands } => Kind::Atomic {
                into: *into,
                op: *op,
                place: changed_place(place, &mut |part| self.known(part)),
                operands: operands.iter().map(|exp| self.changed(exp)).collect(),
            },
            Kind::Call { into, function, args } => Kind::Call {
                into: *into,
                function: *function,
                args: args.iter().map(|exp| self.changed(exp)).collect(),
            },
            Kind::Barrier(_) | Kind::UniformLoad { .. } | Kind::Par(_) => kind.clone(),
        };
        out.push(Stm { span: *span, kind });
    }

    /// What a name that is bound to a value, which was just changed, says. Is it to be bound at all, at this
    /// place of its sequence of statements?
    fn binds(&mut self, var: Var, ty: &Ty, exp: &mut Exp, at: usize) -> bool {
        let constant = !self.looks.get() || is_constant(exp);
        let may_share = constant && !matches!(ty, Ty::Ptr(..));
        if may_share && self.intervals.names.has(var, exp) {
            return false;
        }
        if constant && self.tracks {
            self.intervals.learn_condition(var, exp);
        }
        let is_bound = self.learns(var, ty, exp);
        if may_share {
            self.intervals.names.name(var, exp, is_bound.then_some(at));
        }
        is_bound
    }

    /// Notes what the value of a name says of it. Is it no literal?
    fn learns(&mut self, var: Var, ty: &Ty, exp: &Exp) -> bool {
        if *ty == F32 {
            self.intervals.learn_float(var, exp);
        } else if let Ty::Block(_) = ty {
            let [length, base] = self.intervals.block(exp);
            self.intervals.hold(Name::Length(var), length);
            self.intervals.hold(Name::Base(var), base);
        } else if self.intervals.is_not_zero(exp) {
            self.intervals.learn_not_zero(var);
        } else if let Some(interval) = self.intervals.int(exp) {
            self.intervals.learn(Name::Var(var), interval);
            return interval.only().is_none() || interval.of_launch;
        }
        true
    }

    /// Nothing is left of a check that holds in every invocation that comes to it, and of any other a
    /// test: behind it, it held.
    fn check(&mut self, span: Span, check: &Check, out: &mut Block) {
        let cause = self.sites[check.site as usize].cause;
        if self.intervals.hold_of(cause, &check.operands) {
            return;
        }
        let operands: Vec<Exp> =
            check.operands.iter().map(|operand| self.changed(operand)).collect();
        if cause == Cause::Width && self.intervals.hold_of(cause, &operands) {
            return;
        }
        let Some(mut test) = holds(cause, &operands, self.types) else {
            self.unproved = true;
            return;
        };
        self.exp(&mut test);
        match self.intervals.truth(&test) {
            Some(true) => {}
            // Whoever comes here is told which one it is.
            Some(false) => self.unproved = true,
            None => {
                self.intervals.assume(&test, true, false);
                self.intervals.held(cause, &operands);
                let check = Check { site: check.site, operands: vec![test], path: Vec::new() };
                out.push(Stm { span, kind: Kind::Check(check) });
            }
        }
    }

    fn exp(&self, exp: &mut Exp) {
        change_exp(exp, &mut |part| self.known(part));
    }

    fn changed(&self, exp: &Exp) -> Exp {
        changed_exp(exp, &mut |part| self.known(part))
    }

    fn known(&self, part: &mut Exp) {
        if let Exp::Lit(_) = part {
            return;
        }
        self.intervals.names.replace(part);
        fold(part, self.types);
        let made = match part {
            Exp::Var(var) => self.intervals.literal(*var),
            Exp::Builtin(Builtin::LocalId | Builtin::GroupId) => {
                self.asks_for_group.set(true);
                None
            }
            Exp::Load(_) | Exp::Ref(_) => {
                self.looks.set(true);
                None
            }
            Exp::Bin(BinOp::Div | BinOp::Rem, ..) => return self.divided(part),
            Exp::Bin(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), ab) => self.neutral(*op, ab),
            Exp::Bin(..) if self.ended.contains(part) => Some(Exp::Lit(Lit::Bool(false))),
            Exp::Bin(..) if self.types.sc(part) == Some(Sc::Bool) => {
                self.intervals.truth(part).map(|truth| Exp::Lit(Lit::Bool(truth)))
            }
            _ => None,
        };
        if let Some(made) = made {
            *part = made;
        }
    }

    /// What is left of `a + b`, `a - b` or `a * b`, where in this launch an operand of some name is
    /// neutral: most offsets are 0, and most strides 1.
    fn neutral(&self, op: BinOp, [a, b]: &mut [Exp; 2]) -> Option<Exp> {
        let is = |exp: &Exp, k: i64| {
            let Exp::Var(var) = exp else { return false };
            let interval =
                self.intervals.known(Name::Var(*var)).filter(|interval| !interval.tested);
            interval.and_then(Interval::only) == Some(k)
        };
        let k = i64::from(op == BinOp::Mul);
        match op {
            _ if is(b, k) => Some(take(a)),
            BinOp::Add | BinOp::Mul if is(a, k) => Some(take(b)),
            _ => None,
        }
    }

    /// `a / b` or `a % b`, of unsigned integers where nothing is negative: of signed ones the
    /// smallest by -1 and the sign of the remainder have to be seen to.
    fn divided(&self, exp: &mut Exp) {
        let Exp::Bin(op, ab) = exp else { return };
        let [a, b] = &mut **ab;
        let (Some(of), Some(by)) = (self.intervals.int(a), self.intervals.int(b)) else {
            return;
        };
        let (low, high) = by.range;
        if of.range.0 < 0 || low < 1 {
            return;
        }
        let signed = self.types.sc(a) == Some(Sc::I32);
        let literal = low == high && !by.of_launch;
        if literal && (low as u64).is_power_of_two() && *op == BinOp::Rem {
            let mask = if signed { Exp::i32(low as i32 - 1) } else { Exp::u32(low as u32 - 1) };
            *op = BinOp::And;
            **ab = [congruent(take(a), low), mask];
        } else if signed {
            let cast = |to: Sc, exp: &mut Exp| {
                *exp = match take(exp) {
                    Exp::Lit(Lit::I32(k)) if to == Sc::U32 => Exp::u32(k as u32),
                    other => Exp::Bitcast(to, Box::new(other)),
                }
            };
            cast(Sc::U32, a);
            cast(Sc::U32, b);
            cast(Sc::I32, exp);
        }
    }

    /// What is left of a test: the parts that nothing proves.
    fn left_of(&self, test: &Exp) -> Option<Exp> {
        if let Exp::Bin(BinOp::And, ab) = test {
            return match (self.left_of(&ab[0]), self.left_of(&ab[1])) {
                (Some(a), Some(b)) => Some(Exp::bin(BinOp::And, a, b)),
                (a, b) => a.or(b),
            };
        }
        (self.intervals.truth(test) != Some(true)).then(|| test.clone())
    }

    fn branch(&mut self, span: Span, branch: &If<Kind>, out: &mut Block) {
        let mut truth = self.intervals.truth(&branch.cond).filter(|_| self.alive.is_none());
        let mut cond = Exp::u32(0);
        if truth.is_none() {
            cond = self.changed(&branch.cond);
            truth = self.intervals.truth(&cond);
        }
        match truth {
            Some(true) => return self.stms(&branch.then, out),
            Some(false) => return self.stms(&branch.orelse, out),
            None => {}
        }
        let before = std::mem::take(&mut self.unpaid);
        let stored = match self.tracks {
            true => self.intervals.stored(&[branch.then.as_slice(), &branch.orelse]),
            false => Vec::new(),
        };
        let (then, held, one) = self.side(&branch.then, (&cond, true), &stored);
        let (orelse, held_else, other) = self.side(&branch.orelse, (&cond, false), &stored);
        self.intervals.hold_all(&stored, &held::each(&held, &held_else));
        self.unpaid = before + one.max(other);
        if !(then.is_empty() && orelse.is_empty()) {
            out.push(Stm { span, kind: Kind::If(If { cond, then, orelse }) });
        }
    }

    /// One side of a branch, what is known at its end by the names `stored`, and how many rounds of it
    /// are not paid.
    fn side(
        &mut self,
        body: &Block,
        (cond, holds): (&Exp, bool),
        stored: &[Name],
    ) -> (Block, Vec<Option<Interval>>, u32) {
        let (mark, scope) = (self.intervals.mark(), self.intervals.names.scope());
        self.intervals.assume(cond, holds, false);
        let mut out = Vec::with_capacity(body.len());
        self.stms(body, &mut out);
        let held = self.intervals.all(stored);
        self.intervals.forget(mark);
        self.intervals.names.leave(scope, &mut out);
        (out, held, std::mem::take(&mut self.unpaid))
    }
}

/// What leaves the same remainder as `a`, modulo a power of two, with less to compute: `x` for
/// `x % m + m`.
fn congruent(a: Exp, power: i64) -> Exp {
    let is_multiple = |exp: &Exp| match exp {
        Exp::Lit(Lit::I32(k)) => i64::from(*k) % power == 0,
        Exp::Lit(Lit::U32(k)) => i64::from(*k) % power == 0,
        _ => false,
    };
    match a {
        Exp::Bin(op @ (BinOp::Add | BinOp::Rem), ab)
            if is_multiple(&ab[1]) && (op == BinOp::Add || ab[1] != Exp::i32(0)) =>
        {
            let [x, _] = *ab;
            congruent(x, power)
        }
        other => other,
    }
}

fn is_load(exp: &Exp, var: Var) -> bool {
    matches!(exp, Exp::Load(place) if **place == Place::Var(var))
}

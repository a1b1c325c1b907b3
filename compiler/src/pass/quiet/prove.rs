//! Takes out of a quiet form what [`Intervals`] prove: tests that hold, branches that are not
//! taken, names of literals, loops of one round, and the fuel of loops whose rounds are literals.
//!
//! Behind `alive = alive & test` the test may be taken to hold: where it did not, the launch is
//! made again anyway, and no store comes through. So an index that was tested needs no test that
//! its offset fits, and a round that counts to a literal needs neither fuel nor a look at `alive`:
//! the loop around it, or the kernel, pays for all of them at once.
//!
//! What is left of the tests of offsets hangs on the arguments of the launch. These are taken to be
//! [`SMALL`], and the invocations [`FEW`]; the host looks before it launches the quiet form.

use super::intervals::{Intervals, Name};
use crate::pass::fold::fold;
use crate::pass::types::Types;
use crate::pass::walk::{any_exp, has_barrier, map_exp, map_place};
use reference::device::syntax::{
    BOOL, Block, Builtin, Carried, Exp, If, Kernel, Kind, Lit, Loop, Place, Sc, Stm, Ty, U32,
};
use reference::device::visit;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::collections::{HashMap, HashSet};

/// The largest magnitude of an argument that is taken to be small.
pub(crate) const SMALL: i32 = 1 << 13;

/// The most invocations that are taken to be few.
pub(crate) const FEW: u32 = 1 << 16;

/// Rounds, with those inside, up to which a loop is not counted by itself.
const PLAIN: u32 = 1 << 12;

/// What a launch must keep to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Numbers of the parameters that are taken to be small.
    pub(crate) small: Vec<usize>,
    /// Are the invocations taken to be few?
    pub(crate) few: bool,
}

/// The kernel with less in it, and what is taken for granted of its launch.
pub(super) fn prove(kernel: &mut Kernel, alive: Var, types: &Types) -> Taken {
    let mut plain = Prove::new(kernel, alive, types);
    let body = plain.kernel(kernel.body.clone());
    let taken = plain.wanted(kernel);
    if taken == Taken::default() {
        kernel.body = body;
        return taken;
    }
    let mut bold = Prove::new(kernel, alive, types);
    for &number in &taken.small {
        bold.intervals.learn(Name::Var(kernel.params[number].0), (-i64::from(SMALL), SMALL.into()));
    }
    if taken.few {
        bold.intervals.learn(Name::Builtin(Builtin::Invocations), (0, FEW.into()));
    }
    let bolder = bold.kernel(std::mem::take(&mut kernel.body));
    if bold.open < plain.open {
        kernel.body = bolder;
        taken
    } else {
        kernel.body = body;
        Taken::default()
    }
}

struct Prove<'p> {
    types: &'p Types,
    alive: Var,
    intervals: Intervals<'p>,
    /// The variable that counts the rounds that are left, and how many there are.
    fuel: Option<(Var, u32)>,
    /// Rounds of plain loops in the sequence at hand, and in the whole kernel.
    unpaid: u32,
    plain: u32,
    /// The most rounds that a round of some loop pays for besides itself.
    heaviest: u32,
    /// What must be small for what has this name to be small.
    sources: HashMap<Name, Vec<Name>>,
    /// How many tests of floats are left, and the names that these hang on.
    open: usize,
    hang_on: HashSet<Name>,
}

impl<'p> Prove<'p> {
    fn new(kernel: &Kernel, alive: Var, types: &'p Types) -> Self {
        Self {
            types,
            alive,
            intervals: Intervals::new(types),
            fuel: fuel_of(&kernel.body, alive),
            unpaid: 0,
            plain: 0,
            heaviest: 0,
            sources: HashMap::new(),
            open: 0,
            hang_on: HashSet::new(),
        }
    }

    fn kernel(&mut self, body: Block) -> Block {
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

    /// The arguments on which the tests hang that are left.
    fn wanted(&self, kernel: &Kernel) -> Taken {
        let is_small = |(number, (var, ty)): (usize, &(Var, Ty))| {
            let wanted = *ty == Ty::Scalar(Sc::I32) && self.hang_on.contains(&Name::Var(*var));
            wanted.then_some(number)
        };
        let few = [Builtin::GlobalId, Builtin::Invocations];
        Taken {
            small: kernel.params.iter().enumerate().filter_map(is_small).collect(),
            few: few.into_iter().any(|builtin| self.hang_on.contains(&Name::Builtin(builtin))),
        }
    }

    /// A test of floats is left. It hangs on every name in it whose value may be large, and on what
    /// that was made of or compared with.
    fn leave_open(&mut self, test: &Exp) {
        self.open += 1;
        let mut next: Vec<Name> = names(test).collect();
        while let Some(name) = next.pop() {
            let exp = match name {
                Name::Var(var) => Exp::Var(var),
                Name::Builtin(builtin) => Exp::Builtin(builtin),
            };
            let is_large = |(low, high)| low < -i64::from(FEW) || high > i64::from(FEW);
            if self.intervals.int(&exp).is_some_and(is_large) && self.hang_on.insert(name) {
                next.extend(self.sources.get(&name).into_iter().flatten());
            }
        }
    }

    fn block(&mut self, body: Block) -> Block {
        let mark = self.intervals.mark();
        let mut out = Vec::with_capacity(body.len());
        self.stms(body, &mut out);
        self.intervals.forget(mark);
        out
    }

    fn stms(&mut self, body: Block, out: &mut Block) {
        for stm in body {
            self.stm(stm, out);
        }
    }

    fn stm(&mut self, Stm { span, kind }: Stm<Kind>, out: &mut Block) {
        let kind = match kind {
            Kind::Let(var, ty, exp) => {
                let exp = self.exp(exp);
                if let Some(interval) = self.intervals.int(&exp) {
                    self.intervals.learn(Name::Var(var), interval);
                    if interval.0 == interval.1 {
                        return;
                    }
                    let mut bounds = Vec::new();
                    bounding(&exp, &mut bounds);
                    self.sources.insert(Name::Var(var), bounds);
                }
                Kind::Let(var, ty, exp)
            }
            Kind::Store(Place::Var(var), Exp::Bin(BinOp::And, alive, test))
                if var == self.alive && is_load(&alive, var) =>
            {
                let test = self.paid(self.exp(*test));
                let left = self.left_of(&test);
                self.assume(&test, true);
                let Some(left) = left else { return };
                Kind::Store(Place::Var(var), Exp::bin(BinOp::And, *alive, left))
            }
            Kind::If(branch) => return self.branch(span, branch, out),
            Kind::Loop(rounds) => return self.rounds(span, rounds, out),
            Kind::Var(var, ty, init) => Kind::Var(var, ty, init.map(|exp| self.exp(exp))),
            Kind::Store(place, exp) => Kind::Store(self.place(place), self.exp(exp)),
            Kind::Atomic { into, op, place, operands } => {
                let operands = operands.into_iter().map(|exp| self.exp(exp)).collect();
                Kind::Atomic { into, op, place: self.place(place), operands }
            }
            Kind::Call { into, function, args } => {
                let args = args.into_iter().map(|exp| self.exp(exp)).collect();
                Kind::Call { into, function, args }
            }
            kind @ (Kind::Barrier(_) | Kind::Check(_) | Kind::Par(_)) => kind,
        };
        out.push(Stm { span, kind });
    }

    fn exp(&self, exp: Exp) -> Exp {
        map_exp(exp, &mut |part| self.known(part))
    }

    fn place(&self, place: Place) -> Place {
        map_place(place, &mut |part| self.known(part))
    }

    fn known(&self, part: Exp) -> Exp {
        match fold(part, self.types) {
            part @ Exp::Var(_) => self.intervals.literal(&part).unwrap_or(part),
            Exp::Bin(op @ (BinOp::Div | BinOp::Rem), a, b) => self.divided(op, a, b),
            part @ Exp::Bin(..) if self.types.exp(&part) == BOOL => {
                self.intervals.truth(&part).map_or(part, |truth| Exp::Lit(Lit::Bool(truth)))
            }
            part => part,
        }
    }

    /// `a / b` or `a % b`, of unsigned integers where nothing is negative: of signed ones the
    /// smallest by -1 and the sign of the remainder have to be seen to.
    fn divided(&self, op: BinOp, a: Box<Exp>, b: Box<Exp>) -> Exp {
        let (Some(of), Some((low, high))) = (self.intervals.int(&a), self.intervals.int(&b)) else {
            return Exp::Bin(op, a, b);
        };
        if of.0 < 0 || low < 1 {
            return Exp::Bin(op, a, b);
        }
        let is_power = low == high && (low as u64).is_power_of_two();
        let literal = |k: i64| match self.types.exp(&a) {
            Ty::Scalar(Sc::I32) => Box::new(Exp::i32(k as i32)),
            _ => Box::new(Exp::u32(k as u32)),
        };
        if is_power && op == BinOp::Rem {
            let mask = literal(low - 1);
            return Exp::Bin(BinOp::And, Box::new(congruent(*a, low)), mask);
        }
        if self.types.exp(&a) == Ty::Scalar(Sc::U32) {
            return Exp::Bin(op, a, b);
        }
        let unsigned = |exp: Box<Exp>| Box::new(Exp::Bitcast(Sc::U32, exp));
        let divided = Exp::Bin(op, unsigned(a), unsigned(b));
        Exp::Bitcast(Sc::I32, Box::new(divided))
    }

    /// What is left of a test: the parts that nothing proves.
    fn left_of(&mut self, test: &Exp) -> Option<Exp> {
        if let Exp::Bin(BinOp::And, a, b) = test {
            return match (self.left_of(a), self.left_of(b)) {
                (Some(a), Some(b)) => Some(Exp::bin(BinOp::And, a, b)),
                (a, b) => a.or(b),
            };
        }
        if self.intervals.truth(test) == Some(true) {
            return None;
        }
        if let Exp::Bin(_, a, _) = test
            && self.types.exp(a) == Ty::Scalar(Sc::F32)
        {
            self.leave_open(test);
        }
        Some(test.clone())
    }

    fn assume(&mut self, test: &Exp, holds: bool) {
        self.intervals.assume(test, holds);
        let mut parts = vec![test];
        while let Some(part) = parts.pop() {
            let Exp::Bin(op, a, b) = part else { continue };
            match op {
                BinOp::And | BinOp::Or => parts.extend([&**a, &**b]),
                BinOp::Le | BinOp::Lt | BinOp::Eq => self.bounded_by(a, b),
                BinOp::Ge | BinOp::Gt => self.bounded_by(b, a),
                _ => {}
            }
        }
    }

    /// What has a name was compared with something that it is at most: that matters, and no longer
    /// what it was made of.
    fn bounded_by(&mut self, small: &Exp, large: &Exp) {
        let mut bounds = Vec::new();
        bounding(large, &mut bounds);
        if let Some(name) = Name::of(small)
            && !bounds.is_empty()
        {
            self.sources.insert(name, bounds);
        }
    }

    fn branch(&mut self, span: Span, branch: If<Kind>, out: &mut Block) {
        let cond = self.exp(branch.cond);
        match self.intervals.truth(&cond) {
            Some(true) => return self.stms(branch.then, out),
            Some(false) => return self.stms(branch.orelse, out),
            None => {}
        }
        let before = self.unpaid;
        let mut side = |body: Block, holds: bool| {
            let mark = self.intervals.mark();
            self.assume(&cond, holds);
            self.unpaid = 0;
            let body = self.block(body);
            self.intervals.forget(mark);
            (body, self.unpaid)
        };
        let (then, one) = side(branch.then, true);
        let (orelse, other) = side(branch.orelse, false);
        self.unpaid = before + one.max(other);
        if !(then.is_empty() && orelse.is_empty()) {
            out.push(Stm { span, kind: Kind::If(If { cond, then, orelse }) });
        }
    }

    fn rounds(&mut self, span: Span, mut rounds: Loop<Kind>, out: &mut Block) {
        for carried in &mut rounds.carried {
            carried.init = self.exp(std::mem::replace(&mut carried.init, Exp::u32(0)));
        }
        rounds.cond = self.exp(rounds.cond);
        rounds.fuel = rounds.fuel.map(|fuel| self.exp(fuel));
        let counted = self.fuel.and_then(|(fuel, _)| counted(&rounds, fuel, self.alive));
        let before = std::mem::take(&mut self.unpaid);
        let mark = self.intervals.mark();
        self.assume(&rounds.cond.clone(), true);
        let mut body = Vec::with_capacity(rounds.body.len());
        self.stms(std::mem::take(&mut rounds.body), &mut body);
        rounds.next = rounds.next.into_iter().map(|exp| self.exp(exp)).collect();
        self.intervals.forget(mark);
        let inside = std::mem::replace(&mut self.unpaid, before);
        rounds.body = body;
        let Some((fuel, limit)) = self.fuel.filter(|_| !has_barrier(&rounds.body)) else {
            self.unpaid += inside;
            out.push(Stm { span, kind: Kind::Loop(rounds) });
            return;
        };
        if let Some((counter, most)) = counted
            && let Some(all) = (1 + inside).checked_mul(most).filter(|&all| all <= PLAIN)
            && self.plain + all <= limit / 2
        {
            self.plain += all;
            self.unpaid += all;
            self.intervals.learn(Name::Var(counter), (most.into(), most.into()));
            rounds.body.retain(|stm| !is_spent(&stm.kind, fuel));
            match most {
                0 => {}
                1 => out.append(&mut rounds.body),
                _ => {
                    rounds.cond = Exp::bin(BinOp::Lt, Exp::Var(counter), Exp::u32(most));
                    out.push(Stm { span, kind: Kind::Loop(rounds) });
                }
            }
            return;
        }
        if inside > 0 {
            self.pay(&mut rounds, fuel, inside);
        }
        out.push(Stm { span, kind: Kind::Loop(rounds) });
    }

    /// Each round pays for so many rounds inside of it too, before it starts.
    fn pay(&mut self, rounds: &mut Loop<Kind>, fuel: Var, inside: u32) {
        let cond = std::mem::replace(&mut rounds.cond, Exp::u32(0));
        rounds.cond = map_exp(cond, &mut |part| match part {
            Exp::Bin(BinOp::Gt, left, _) if is_load(&left, fuel) => {
                Exp::Bin(BinOp::Gt, left, Box::new(Exp::u32(inside)))
            }
            other => other,
        });
        for stm in &mut rounds.body {
            if is_spent(&stm.kind, fuel) {
                let left = Exp::load(Place::Var(fuel));
                let paid = Exp::bin(BinOp::Sub, left, Exp::u32(1 + inside));
                stm.kind = Kind::Store(Place::Var(fuel), paid);
            }
        }
        self.heaviest = self.heaviest.max(inside);
    }

    /// The test behind a loop that it was not cut short. A loop whose rounds pay for others stops
    /// while there is something left; of what stood before it that may be as much as any pays for.
    fn paid(&self, test: Exp) -> Exp {
        let Some((fuel, _)) = self.fuel.filter(|_| self.heaviest > 0) else { return test };
        map_exp(test, &mut |part| match part {
            Exp::Bin(BinOp::Eq, left, zero) if is_load(&left, fuel) && *zero == Exp::u32(0) => {
                Exp::Bin(BinOp::Le, left, Box::new(Exp::u32(self.heaviest)))
            }
            other => other,
        })
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
        Exp::Bin(BinOp::Add, x, m) if is_multiple(&m) => congruent(*x, power),
        Exp::Bin(BinOp::Rem, x, m) if is_multiple(&m) && *m != Exp::i32(0) => congruent(*x, power),
        other => other,
    }
}

/// The names that must be small for an expression to be.
fn bounding(exp: &Exp, bounds: &mut Vec<Name>) {
    match exp {
        Exp::Bin(BinOp::Rem | BinOp::And, _, b) => bounding(b, bounds),
        Exp::Bin(BinOp::Min | BinOp::Shr | BinOp::Div, a, _) => bounding(a, bounds),
        other => {
            bounds.extend(Name::of(other));
            other.parts().for_each(|part| bounding(part, bounds));
        }
    }
}

/// The names in an expression.
fn names(exp: &Exp) -> impl Iterator<Item = Name> + use<> {
    let mut names = Vec::new();
    visit::exp(exp, &mut |part| names.extend(Name::of(part)));
    names.into_iter()
}

fn is_load(exp: &Exp, var: Var) -> bool {
    matches!(exp, Exp::Load(place) if **place == Place::Var(var))
}

/// `left = left - 1`
fn is_spent(kind: &Kind, fuel: Var) -> bool {
    match kind {
        Kind::Store(Place::Var(var), Exp::Bin(BinOp::Sub, left, _)) => {
            *var == fuel && is_load(left, fuel)
        }
        _ => false,
    }
}

/// The variable that the pass `bound_loops` counts rounds with, and what it starts from: the one
/// that the condition of some loop looks at.
fn fuel_of(body: &Block, alive: Var) -> Option<(Var, u32)> {
    let declared = |stm: &Stm<Kind>| match stm.kind {
        Kind::Var(var, U32, Some(Exp::Lit(Lit::U32(rounds)))) if var != alive => {
            Some((var, rounds))
        }
        _ => None,
    };
    let looked_at = |&(var, _): &(Var, u32)| {
        crate::pass::walk::any_stm(body, &mut |kind| match kind {
            Kind::Loop(rounds) => any_exp(&rounds.cond, &mut |part| match part {
                Exp::Bin(BinOp::Gt, left, zero) => is_load(left, var) && **zero == Exp::u32(0),
                _ => false,
            }),
            _ => false,
        })
    };
    body.iter().filter_map(declared).find(looked_at)
}

/// The counter of a loop that only counts, from 0 up to a literal, while there is fuel and the
/// invocation lives.
fn counted(rounds: &Loop<Kind>, fuel: Var, alive: Var) -> Option<(Var, u32)> {
    let [Carried { var, init, .. }] = rounds.carried.as_slice() else { return None };
    let one_more = Exp::bin(BinOp::Add, Exp::Var(*var), Exp::u32(1));
    if *init != Exp::u32(0) || rounds.next != [one_more] || rounds.fuel.is_some() {
        return None;
    }
    let mut most = None;
    let mut other = false;
    let mut parts = vec![&rounds.cond];
    while let Some(part) = parts.pop() {
        match part {
            Exp::Bin(BinOp::And, a, b) => parts.extend([&**a, &**b]),
            Exp::Bin(BinOp::Lt, counter, bound) if **counter == Exp::Var(*var) => match **bound {
                Exp::Lit(Lit::U32(bound)) => {
                    most = Some(most.map_or(bound, |most: u32| most.min(bound)));
                }
                _ => return None,
            },
            Exp::Bin(BinOp::Gt, left, _) if is_load(left, fuel) => {}
            alive_now if is_load(alive_now, alive) => {}
            _ => other = true,
        }
    }
    most.filter(|_| !other).map(|most| (*var, most))
}

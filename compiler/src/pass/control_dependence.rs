//! Control dependence of barriers: the values that decide which barriers an invocation comes to.
//!
//! Control flow around barriers is uniform: all invocations of a work group come to the same barriers. A pass must
//! keep it so. Therefore a value that control flow around barriers depends on must not depend on whether the
//! invocation failed a check, nor on how many rounds it has left. Failed invocations compute such values too. These are
//! computed of uniform values, so that computing one gets stuck in all invocations of the group or in none; where
//! it would, it has some default value in all of them ([`total`]).

use super::stuck::{extent, may_stick};
use super::take;
use super::types::Types;
use reference::device::parts::Statement;
use reference::device::syntax::{Block, Exp, Kind, Lit, Loop, Sc, Ty};
use reference::device::visit::{self, has_barrier};
use reference::device::visit_mut::change_exp;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use rustc_hash::FxHashSet;

/// Let-bound and carried variables by which the control flow around the barriers of a kernel goes.
#[derive(Debug, Default)]
pub(crate) struct ControlDependence {
    variables: FxHashSet<Var>,
    /// Has the kernel a barrier?
    waits: bool,
}

impl ControlDependence {
    /// Of the body of a valid kernel.
    pub(crate) fn of(body: &Block) -> Self {
        let mut control = Self { waits: has_barrier(body), ..Self::default() };
        if control.waits {
            control.branches(body);
            let mut known = usize::MAX;
            while control.variables.len() != known {
                known = control.variables.len();
                control.causes(body);
            }
        }
        control
    }

    /// Does a barrier stand in the kernel?
    pub(crate) fn waits(&self) -> bool {
        self.waits
    }

    /// Does the variable control which barriers are reached?
    pub(crate) fn has(&self, var: Var) -> bool {
        self.waits && self.variables.contains(&var)
    }

    /// Does the number of rounds of the loop control which barriers are reached? It does if a barrier is in the
    /// loop, or if a variable that the loop carries controls later ones.
    pub(crate) fn by_rounds(&self, rounds: &Loop<Kind>) -> bool {
        let carries = || rounds.carried.iter().any(|carried| self.has(carried.var));
        self.waits && (carries() || has_barrier(&rounds.body))
    }

    /// How deeply loops whose rounds control barriers are nested.
    pub(crate) fn depth(&self, body: &Block) -> u32 {
        let depth = |kind: &Kind| {
            let inside = kind.blocks().into_iter().map(|inner| self.depth(inner)).max();
            let steers = matches!(kind, Kind::Loop(rounds) if self.by_rounds(rounds));
            u32::from(steers) + inside.unwrap_or(0)
        };
        body.iter().map(|stm| depth(&stm.kind)).max().unwrap_or(0)
    }

    fn enter(&mut self, exp: &Exp) {
        visit::exp(exp, &mut |part| {
            if let Exp::Var(var) = part {
                self.variables.insert(*var);
            }
        });
    }

    /// What says whether barriers are come to, at the statements around them.
    fn branches(&mut self, body: &Block) {
        visit::stms(body, &mut |stm| {
            if !stm.kind.blocks().into_iter().any(has_barrier) {
                return;
            }
            match &stm.kind {
                Kind::If(branch) => self.enter(&branch.cond),
                Kind::Switch(switch) => self.enter(&switch.value),
                Kind::Loop(rounds) => {
                    self.enter(&rounds.cond);
                    rounds.fuel.iter().for_each(|fuel| self.enter(fuel));
                }
                other => unreachable!("validated: no barrier stands in {other:?}"),
            }
        });
    }

    /// Adds the variables that controlling variables are computed from.
    fn causes(&mut self, body: &Block) {
        visit::stms(body, &mut |stm| match &stm.kind {
            Kind::Let(var, _, exp) if self.has(*var) => self.enter(exp),
            Kind::Loop(rounds) => {
                if self.by_rounds(rounds) {
                    self.enter(&rounds.cond);
                    rounds.fuel.iter().for_each(|fuel| self.enter(fuel));
                }
                for (carried, next) in rounds.carried.iter().zip(&rounds.next) {
                    if self.has(carried.var) {
                        self.enter(&carried.init);
                        self.enter(next);
                    }
                }
            }
            _ => {}
        });
    }
}

/// Has the expression a value? That is one of the kind that [`total`] takes.
pub(crate) fn has_value(exp: &Exp, types: &Types) -> Exp {
    let mut holds = Vec::new();
    visit::exp(exp, &mut |part| {
        if !may_stick(part, types) {
            return;
        }
        match part {
            Exp::At(parts) => {
                let [array, index] = &**parts;
                let extent = extent(&types.exp(array)).unwrap_or(1);
                let given = total(index.clone(), types);
                // A negative i32 is a large u32.
                let index = match types.exp(index) {
                    Ty::Scalar(Sc::U32) => given,
                    _ => Exp::Bitcast(Sc::U32, Box::new(given)),
                };
                holds.push(Exp::bin(BinOp::Lt, index, Exp::u32(extent)));
            }
            Exp::Bin(BinOp::Div | BinOp::Rem, ab) => {
                let [_, divisor] = &**ab;
                let (zero, _) = zero_and_one(divisor, types);
                holds.push(Exp::bin(BinOp::Ne, total(divisor.clone(), types), zero));
            }
            _ => {}
        }
    });
    let all = holds.into_iter().reduce(|a, b| Exp::bin(BinOp::And, a, b));
    all.unwrap_or(Exp::Lit(Lit::Bool(true)))
}

/// Literals of the type of an integer.
fn zero_and_one(of: &Exp, types: &Types) -> (Exp, Exp) {
    match types.exp(of) {
        Ty::Scalar(Sc::U32) => (Exp::u32(0), Exp::u32(1)),
        Ty::Scalar(Sc::I64) => (Exp::i64(0), Exp::i64(1)),
        _ => (Exp::i32(0), Exp::i32(1)),
    }
}

/// The expression with the same value where it has one, and some value where it gets stuck; for
/// expressions without loads, as controlling ones are.
pub(crate) fn total(mut exp: Exp, types: &Types) -> Exp {
    change_exp(&mut exp, &mut |part| {
        if !may_stick(part, types) {
            return;
        }
        match part {
            Exp::At(parts) => {
                let [array, index] = &mut **parts;
                let last = extent(&types.exp(array)).unwrap_or(1) - 1;
                let of_u32 = types.exp(index) == Ty::Scalar(Sc::U32);
                let given = take(index);
                *index = match of_u32 {
                    true => Exp::bin(BinOp::Min, given, Exp::u32(last)),
                    false => {
                        let below = Exp::bin(BinOp::Min, given, Exp::i32(last as i32));
                        Exp::bin(BinOp::Max, below, Exp::i32(0))
                    }
                };
            }
            Exp::Bin(BinOp::Div | BinOp::Rem, ab) => {
                let [_, divisor] = &mut **ab;
                let (zero, one) = zero_and_one(divisor, types);
                let given = take(divisor);
                let is_zero = Exp::bin(BinOp::Eq, given.clone(), zero);
                *divisor = Exp::select(is_zero, one, given);
            }
            _ => {}
        }
    });
    exp
}

//! Control dependence of barriers: the values that decide which barriers an invocation comes to.
//!
//! Control flow around barriers is uniform: all invocations of a work group come to the same barriers. A pass must
//! keep it so. Therefore a value that control flow around barriers depends on must not depend on whether the
//! invocation failed a check, nor on how many rounds it has left. Failed invocations compute such values too. These are
//! computed of uniform values, so that computing one gets stuck in all invocations of the group or in none; where
//! it would, it has some default value in all of them ([`total`]).
//!
//! A variable of the function space that is read there controls too. It is uniform, so stores to it stand in uniform control
//! flow. Failed invocations make these stores, and take the branches and rounds in which they stand.

use super::stuck::{extent, inside, may_stick};
use super::take;
use super::types::Types;
use reference::device::parts::Statement;
use reference::device::syntax::{Block, Exp, If, Kind, Lit, Loop, Par, Place, Sc, Switch, Ty};
use reference::device::visit::{self, any_stm, has_barrier};
use reference::device::visit_mut::change_exp;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use rustc_hash::FxHashSet;

/// Let-bound and carried variables, and those of the function space, by which the control flow around the barriers of a
/// kernel goes.
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
        let mut known = usize::MAX;
        while control.waits && control.variables.len() != known {
            known = control.variables.len();
            control.causes(body);
        }
        control
    }

    /// Does the variable control which barriers are reached?
    pub(crate) fn has(&self, var: Var) -> bool {
        self.waits && self.variables.contains(&var)
    }

    /// Does a store to the place control which barriers are reached?
    pub(crate) fn by_store(&self, place: &Place) -> bool {
        place.variable().is_some_and(|var| self.has(var))
    }

    /// Has the block a statement that all invocations have to reach? Those are barriers, and stores that control which
    /// barriers are reached.
    pub(crate) fn gathers(&self, body: &Block) -> bool {
        self.waits
            && any_stm(body, &mut |kind| match kind {
                Kind::Barrier(_) | Kind::UniformLoad { .. } => true,
                Kind::Store(place, _) => self.by_store(place),
                _ => false,
            })
    }

    /// Has one of the blocks in the statement one?
    pub(crate) fn gathers_in(&self, kind: &Kind) -> bool {
        self.waits && kind.blocks().into_iter().any(|inner| self.gathers(inner))
    }

    /// Does the number of rounds of the loop control which barriers are reached? It does if all invocations have to reach
    /// a statement in the loop, or if a variable that the loop carries controls later ones.
    pub(crate) fn by_rounds(&self, rounds: &Loop<Kind>) -> bool {
        let carries = || rounds.carried.iter().any(|carried| self.has(carried.var));
        self.waits && (carries() || self.gathers(&rounds.body))
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
            let var = match part {
                Exp::Var(var) => Some(*var),
                Exp::Load(place) => place.variable(),
                _ => None,
            };
            self.variables.extend(var);
        });
    }

    /// Adds the variables that say whether invocations come to the statements that all have to reach, and those that
    /// controlling variables are computed from.
    fn causes(&mut self, body: &Block) {
        visit::stms(body, &mut |stm| match &stm.kind {
            Kind::Let(var, _, exp) | Kind::Var(var, _, Some(exp)) if self.has(*var) => {
                self.enter(exp);
            }
            Kind::Store(place, exp) if self.by_store(place) => {
                visit::place(place, &mut |part| self.enter(part));
                self.enter(exp);
            }
            Kind::If(If { cond: exp, .. })
            | Kind::Switch(Switch { value: exp, .. })
            | Kind::Par(Par { count: exp, .. })
                if self.gathers_in(&stm.kind) =>
            {
                self.enter(exp);
            }
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
                holds.push(is_inside(&types.exp(array), index, types));
            }
            Exp::Load(place) => {
                let mut place = &**place;
                while let Some((inner, index)) = inner(place) {
                    let index = index.filter(|index| !inside(&types.place(inner), index));
                    holds.extend(index.map(|index| is_inside(&types.place(inner), index, types)));
                    place = inner;
                }
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

/// What the place is a part of, and by which index, if it is a part of something.
fn inner(place: &Place) -> Option<(&Place, Option<&Exp>)> {
    match place {
        Place::At(inner, index) => Some((inner, Some(index))),
        Place::Field(inner, _) => Some((inner, None)),
        Place::Var(_) | Place::Deref(_) | Place::Element(..) => None,
    }
}

/// Is the index one of an array of type `ty`?
fn is_inside(ty: &Ty, index: &Exp, types: &Types) -> Exp {
    let given = total(index.clone(), types);
    // A negative i32 is a large u32.
    let index = match types.exp(index) {
        Ty::Scalar(Sc::U32) => given,
        _ => Exp::Bitcast(Sc::U32, Box::new(given)),
    };
    Exp::bin(BinOp::Lt, index, Exp::u32(extent(ty).unwrap_or(1)))
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
/// expressions that read variables of the function space only, as controlling ones do.
pub(crate) fn total(mut exp: Exp, types: &Types) -> Exp {
    change_exp(&mut exp, &mut |part| {
        if !may_stick(part, types) {
            return;
        }
        match part {
            Exp::At(parts) => {
                let [array, index] = &mut **parts;
                clamp(index, &types.exp(array), types);
            }
            Exp::Load(place) => clamp_in(place, types),
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

/// A place in a variable of the function space, likewise.
pub(crate) fn total_place(place: Place, types: &Types) -> Place {
    match total(Exp::load(place), types) {
        Exp::Load(place) => *place,
        other => unreachable!("of a load only parts change, not {other:?}"),
    }
}

/// Lets the indices in a place be some that there are.
fn clamp_in(place: &mut Place, types: &Types) {
    match place {
        Place::At(inner, index) => {
            let ty = types.place(inner);
            if !inside(&ty, index) {
                clamp(index, &ty, types);
            }
            clamp_in(inner, types);
        }
        Place::Field(inner, _) => clamp_in(inner, types),
        Place::Var(_) | Place::Deref(_) | Place::Element(..) => {}
    }
}

/// Lets an index into an array of type `ty` be the nearest that there is.
fn clamp(index: &mut Exp, ty: &Ty, types: &Types) {
    let last = extent(ty).unwrap_or(1) - 1;
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

//! Names in a quiet or bare form that say nothing new: of names, of what has a name already, and of sums
//! that are taken apart again.
//!
//! A thread is `i32(global_id) + 1` and its first element `thread - 1`: that is `i32(global_id)`.
//! What a name stands for is made of values that nothing changes, so it may stand wherever the name
//! does. Carried variables change between the rounds, but a name that is bound in a round is known
//! in no other.

use crate::pass::glance::glance;
use crate::pass::slots::Standing;
use crate::pass::walk::take;
use reference::device::syntax::{Block, Exp, Kind, Lit};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// Names that a kernel of many has room for without growing the list.
const NAMED: usize = 30;

/// The names that are bound so far.
#[derive(Clone, Default)]
pub(super) struct Names {
    /// What stands for names that are not bound.
    values: Standing,
    /// `x + k` by their names, where x is short.
    sums: Vec<(Var, Exp, i32)>,
    /// Values in scope that have a name.
    named: Vec<Named>,
}

/// A name and its value, which is here until its sequence of statements ends, and then behind the name
/// again.
#[derive(Clone)]
struct Named {
    var: Var,
    value: Exp,
    /// What it is at a glance.
    glance: u32,
    /// Which statement of its sequence binds it, if one does.
    at: Option<usize>,
}

impl Names {
    /// None is bound, and there are so many.
    pub(super) fn with_room(names: usize) -> Self {
        Self {
            values: Standing::with_room(names),
            named: Vec::with_capacity(NAMED),
            ..Self::default()
        }
    }

    /// What is bound from now on is in scope until [`Names::leave`].
    pub(super) fn scope(&self) -> usize {
        self.named.len()
    }

    /// Leaves a sequence of statements.
    pub(super) fn leave(&mut self, scope: usize, body: &mut Block) {
        for Named { value, at, .. } in self.named.drain(scope..) {
            if let Some(at) = at
                && let Kind::Let(_, _, exp) = &mut body[at].kind
            {
                *exp = value;
            }
        }
    }

    /// Has a value that nothing changes a name, or needs none? Then that stands for `var` from now on.
    pub(super) fn has(&mut self, var: Var, exp: &Exp) -> bool {
        if is_short(exp) {
            self.values.put(var, exp.clone());
            return true;
        }
        let glance = glance(exp);
        let is_same = |named: &&Named| named.glance == glance && named.value == *exp;
        if let Some(Named { var: same, .. }) = self.named.iter().find(is_same) {
            self.values.put(var, Exp::Var(*same));
            return true;
        }
        false
    }

    /// A value that nothing changes, and has no other name, has this one from now on. `at` is where in its
    /// sequence of statements it is bound.
    pub(super) fn name(&mut self, var: Var, exp: &mut Exp, at: Option<usize>) {
        if let Exp::Bin(BinOp::Add, ab) = exp
            && let [x, Exp::Lit(Lit::I32(k))] = &**ab
            && is_short(x)
        {
            self.sums.push((var, x.clone(), *k));
        }
        self.named.push(Named { var, glance: glance(exp), value: take(exp), at });
    }

    /// What stands for a name, if that is something else.
    #[inline]
    pub(super) fn value(&self, var: Var) -> Option<&Exp> {
        self.values.of(var)
    }

    /// Puts what stands for a name in its place.
    pub(super) fn replace(&self, exp: &mut Exp) {
        let found = match exp {
            Exp::Var(var) => self.value(*var),
            Exp::Bin(BinOp::Sub, ab) => match &**ab {
                [Exp::Var(sum), Exp::Lit(Lit::I32(k))] => {
                    let is = |(var, _, more): &&(Var, Exp, i32)| var == sum && more == k;
                    self.sums.iter().find(is).map(|(_, x, _)| x)
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(found) = found {
            *exp = found.clone();
        }
    }
}

/// A name, or one converted.
fn is_short(exp: &Exp) -> bool {
    match exp {
        Exp::Lit(_) | Exp::Var(_) | Exp::Builtin(_) => true,
        Exp::Cast(_, a) => matches!(**a, Exp::Var(_) | Exp::Builtin(_)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Names;
    use reference::device::syntax::{Builtin, Exp, Sc};
    use reference::kit::names::Var;
    use reference::kit::scalar::BinOp;

    const X: Exp = Exp::Var(Var(0));

    fn plus(k: i32) -> Exp {
        Exp::bin(BinOp::Add, X, Exp::i32(k))
    }

    /// Is a value bound to this name that has none yet?
    fn binds(names: &mut Names, var: Var, mut exp: Exp) -> bool {
        let new = !names.has(var, &exp);
        if new {
            names.name(var, &mut exp, None);
        }
        new
    }

    /// What comes in the place of an expression.
    fn replaced(names: &Names, mut exp: Exp) -> Exp {
        names.replace(&mut exp);
        exp
    }

    #[test]
    fn a_name_of_a_name_is_that_name() {
        let mut names = Names::default();
        let thread = Exp::Cast(Sc::I32, Box::new(Exp::Builtin(Builtin::GlobalId)));
        for (var, short) in [(Var(1), X), (Var(2), Exp::i32(5)), (Var(3), thread)] {
            assert!(!binds(&mut names, var, short.clone()));
            assert_eq!(replaced(&names, Exp::Var(var)), short);
        }
        assert_eq!(replaced(&names, X), X);
    }

    /// A value has a name as long as that is in scope.
    #[test]
    fn a_value_is_named_once() {
        let mut names = Names::default();
        let scope = names.scope();
        assert!(binds(&mut names, Var(1), plus(1)));
        assert!(!binds(&mut names, Var(2), plus(1)));
        assert_eq!(replaced(&names, Exp::Var(Var(2))), Exp::Var(Var(1)));
        assert!(binds(&mut names, Var(3), plus(2)));
        names.leave(scope, &mut Vec::new());
        assert!(binds(&mut names, Var(4), plus(1)));
    }

    #[test]
    fn a_sum_is_taken_apart() {
        let mut names = Names::default();
        assert!(binds(&mut names, Var(1), plus(3)));
        let less = |k| Exp::bin(BinOp::Sub, Exp::Var(Var(1)), Exp::i32(k));
        assert_eq!(replaced(&names, less(3)), X);
        assert_eq!(replaced(&names, less(2)), less(2));
    }
}

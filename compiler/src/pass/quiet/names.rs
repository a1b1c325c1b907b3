//! Names in a quiet or bare form that say nothing new: of names, of what has a name already, and of sums
//! that are taken apart again.
//!
//! A thread is `i32(global_id) + 1` and its first element `thread - 1`: that is `i32(global_id)`.
//! What a name stands for is made of values that nothing changes, so it may stand wherever the name
//! does. Carried variables change between the rounds, but a name that is bound in a round is known
//! in no other.

use crate::pass::simplify::is_constant;
use reference::device::syntax::{Exp, Lit, Ty};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use rustc_hash::FxHashMap;

/// The names that are bound so far.
#[derive(Clone, Default)]
pub(super) struct Names {
    /// What stands for a name.
    values: FxHashMap<Var, Exp>,
    /// `x + k` by their names, where x is short.
    sums: FxHashMap<Var, (Exp, i32)>,
    /// Values in scope that have a name.
    named: Vec<(Exp, Var)>,
}

impl Names {
    /// What is bound from now on is in scope until [`Names::leave`].
    pub(super) fn scope(&self) -> usize {
        self.named.len()
    }

    /// Leaves a block.
    pub(super) fn leave(&mut self, scope: usize) {
        self.named.truncate(scope);
    }

    /// Has the value a name, or needs none? Then that stands for `var` from now on.
    pub(super) fn has(&mut self, var: Var, ty: &Ty, exp: &Exp) -> bool {
        if matches!(ty, Ty::Ptr(..)) || !is_constant(exp) {
            return false;
        }
        if is_short(exp) {
            self.values.insert(var, exp.clone());
            return true;
        }
        if let Some((_, same)) = self.named.iter().find(|(named, _)| named == exp) {
            self.values.insert(var, Exp::Var(*same));
            return true;
        }
        if let Exp::Bin(BinOp::Add, ab) = exp
            && let [x, Exp::Lit(Lit::I32(k))] = &**ab
            && is_short(x)
        {
            self.sums.insert(var, (x.clone(), *k));
        }
        self.named.push((exp.clone(), var));
        false
    }

    /// What stands for a name, if that is something else.
    pub(super) fn value(&self, var: Var) -> Option<&Exp> {
        self.values.get(&var)
    }

    /// Puts what stands for a name in its place.
    pub(super) fn replace(&self, exp: &mut Exp) {
        let found = match exp {
            Exp::Var(var) => self.values.get(var),
            Exp::Bin(BinOp::Sub, ab) => match &**ab {
                [Exp::Var(sum), Exp::Lit(Lit::I32(k))] => {
                    self.sums.get(sum).filter(|(_, more)| more == k).map(|(x, _)| x)
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
    use reference::device::syntax::{Builtin, Exp, I32, Place, Sc};
    use reference::kit::names::Var;
    use reference::kit::scalar::BinOp;

    const X: Exp = Exp::Var(Var(0));

    fn plus(k: i32) -> Exp {
        Exp::bin(BinOp::Add, X, Exp::i32(k))
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
            assert!(names.has(var, &I32, &short));
            assert_eq!(replaced(&names, Exp::Var(var)), short);
        }
        assert_eq!(replaced(&names, X), X);
    }

    /// A value has a name as long as that is in scope.
    #[test]
    fn a_value_is_named_once() {
        let mut names = Names::default();
        let scope = names.scope();
        assert!(!names.has(Var(1), &I32, &plus(1)));
        assert!(names.has(Var(2), &I32, &plus(1)));
        assert_eq!(replaced(&names, Exp::Var(Var(2))), Exp::Var(Var(1)));
        assert!(!names.has(Var(3), &I32, &plus(2)));
        names.leave(scope);
        assert!(!names.has(Var(4), &I32, &plus(1)));
    }

    /// What is loaded may be another value each time.
    #[test]
    fn what_may_change_is_named_each_time() {
        let mut names = Names::default();
        let load = Exp::bin(BinOp::Add, Exp::load(Place::Var(Var(9))), Exp::i32(1));
        assert!(!names.has(Var(1), &I32, &load));
        assert!(!names.has(Var(2), &I32, &load));
        let less = Exp::bin(BinOp::Sub, Exp::Var(Var(1)), Exp::i32(1));
        assert_eq!(replaced(&names, less.clone()), less);
    }

    #[test]
    fn a_sum_is_taken_apart() {
        let mut names = Names::default();
        assert!(!names.has(Var(1), &I32, &plus(3)));
        let less = |k| Exp::bin(BinOp::Sub, Exp::Var(Var(1)), Exp::i32(k));
        assert_eq!(replaced(&names, less(3)), X);
        assert_eq!(replaced(&names, less(2)), less(2));
    }
}

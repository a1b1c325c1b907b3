//! Names in a quiet form that say nothing new: of names, of what has a name already, and of sums
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
#[derive(Default)]
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
        if let Exp::Bin(BinOp::Add, x, k) = exp
            && let Exp::Lit(Lit::I32(k)) = **k
            && is_short(x)
        {
            self.sums.insert(var, ((**x).clone(), k));
        }
        self.named.push((exp.clone(), var));
        false
    }

    /// Puts what stands for a name in its place.
    pub(super) fn replace(&self, exp: &mut Exp) {
        let found = match exp {
            Exp::Var(var) => self.values.get(var),
            Exp::Bin(BinOp::Sub, sum, k) => match (&**sum, &**k) {
                (Exp::Var(sum), Exp::Lit(Lit::I32(k))) => {
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

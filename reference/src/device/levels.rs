//! Parallel loops of the host: their numbers and what they capture. The pass `map_levels` makes
//! the captured variables parameters of a kernel; the evaluator launches the loops as they are.

use super::parts::Statement;
use super::syntax::{Exp, Host, Par, Program};
use super::visit;
use crate::kit::names::Var;
use crate::kit::text::Span;

/// The parallel loops of the host and where they stand, in the order of the text.
pub fn pars(program: &Program) -> Vec<(Span, &Par)> {
    let mut pars = Vec::new();
    visit::stms(&program.host, &mut |stm| {
        if let Host::Par(par) = &stm.kind {
            pars.push((stm.span, par));
        }
    });
    pars
}

/// The variables that the body of `par` uses and does not bind, sorted: its arguments. They are
/// variables of the host, since places cannot be captured.
pub fn captured(par: &Par) -> Vec<Var> {
    let mut known = Known(Vec::new());
    known.add(par.var);
    // Names are unique, so scopes do not matter.
    visit::stms(&par.body, &mut |stm| stm.kind.binds().into_iter().for_each(|var| known.add(var)));
    let mut used = Vec::new();
    visit::block(&par.body, &mut |exp| match exp {
        Exp::Var(var) if known.is_new(*var) => used.push(*var),
        _ => {}
    });
    used.sort_unstable();
    used
}

/// Variables that are bound, or found already, by slot.
struct Known(Vec<bool>);

impl Known {
    fn add(&mut self, var: Var) {
        self.is_new(var);
    }

    /// From now on it is known. Was it not before?
    #[inline]
    fn is_new(&mut self, var: Var) -> bool {
        if self.0.len() <= var.slot() {
            self.0.resize(2 * var.slot() + 1, false);
        }
        !std::mem::replace(&mut self.0[var.slot()], true)
    }
}

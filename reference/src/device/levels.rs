//! Parallel loops of the host: their numbers and what they capture. The pass `map_levels` makes
//! the captured variables parameters of a kernel; the evaluator launches the loops as they are.

use super::syntax::{Block, Exp, Host, HostBlock, Kind, Par, Program};
use super::visit;
use crate::kit::names::Var;
use crate::kit::text::Span;

/// The parallel loops of the host and where they stand, in the order of the text.
pub fn pars(program: &Program) -> Vec<(Span, &Par)> {
    fn collect<'a>(body: &'a HostBlock, pars: &mut Vec<(Span, &'a Par)>) {
        for stm in body {
            match &stm.kind {
                Host::Par(par) => pars.push((stm.span, par)),
                Host::If(branch) => {
                    collect(&branch.then, pars);
                    collect(&branch.orelse, pars);
                }
                Host::Loop(rounds) => collect(&rounds.body, pars),
                _ => {}
            }
        }
    }
    let mut pars = Vec::new();
    collect(&program.host, &mut pars);
    pars
}

/// The variables that the body of `par` uses and does not bind, sorted: its arguments. They are
/// variables of the host, since places cannot be captured.
pub fn captured(par: &Par) -> Vec<Var> {
    let mut known = Known(Vec::new());
    known.add(par.var);
    binders(&par.body, &mut known);
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

/// Names are unique, so scopes do not matter.
fn binders(body: &Block, bound: &mut Known) {
    for stm in body {
        match &stm.kind {
            Kind::Let(var, ..) | Kind::Var(var, ..) | Kind::UniformLoad { into: var, .. } => {
                bound.add(*var);
            }
            Kind::Atomic { into, .. } | Kind::Call { into, .. } => {
                into.iter().for_each(|var| bound.add(*var));
            }
            Kind::If(branch) => {
                binders(&branch.then, bound);
                binders(&branch.orelse, bound);
            }
            Kind::Loop(rounds) => {
                rounds.carried.iter().for_each(|carried| bound.add(carried.var));
                binders(&rounds.body, bound);
            }
            Kind::Par(par) => {
                bound.add(par.var);
                binders(&par.body, bound);
            }
            Kind::Store(..) | Kind::Check(_) | Kind::Barrier(_) => {}
        }
    }
}

//! Uniformity: which values are the same in all invocations of a work group that compute them,
//! and so which statements all of them reach or none.
//!
//! Literals, parameters, the number of the group and of all invocations are uniform, and what is
//! computed of uniform values; what is read from a place is not, but by a uniform load. A carried variable is uniform
//! if what it starts from, all that is assigned to it, and how often the loop goes round are.

use crate::device::rules::Rule;
use crate::device::syntax::{Block, Builtin, Exp, Kernel, Kind};
use crate::device::visit;
use crate::kit::names::Var;
use crate::kit::text::Span;

/// Do all barriers of a kernel stand in uniform control flow? If not, where one does not, and the
/// rule that says so.
pub(super) fn barriers(kernel: &Kernel, variables: usize) -> Result<(), (Span, Rule)> {
    if !visit::has_barrier(&kernel.body) {
        return Ok(());
    }
    let mut flow =
        Flow { varying: vec![false; variables], changed: true, uniform: true, fault: None };
    // Variables only ever become varying, so this ends.
    while flow.changed {
        flow.changed = false;
        flow.fault = None;
        flow.block(&kernel.body);
    }
    flow.fault.map_or(Ok(()), Err)
}

struct Flow {
    varying: Vec<bool>,
    changed: bool,
    /// Is control flow uniform here?
    uniform: bool,
    /// The first barrier where it is not.
    fault: Option<(Span, Rule)>,
}

impl Flow {
    fn varies(&self, exp: &Exp) -> bool {
        let mut varies = false;
        visit::exp(exp, &mut |part| {
            varies |= match part {
                Exp::Var(var) => self.varying[var.slot()],
                Exp::Builtin(Builtin::GlobalId | Builtin::LocalId) => true,
                Exp::Load(_) | Exp::Ref(_) => true,
                _ => false,
            };
        });
        varies
    }

    fn mark(&mut self, var: Var, varies: bool) {
        let varying = &mut self.varying[var.slot()];
        self.changed |= varies && !*varying;
        *varying |= varies;
    }

    /// Runs over `inside`, which is reached uniformly only if `uniform`.
    fn under(&mut self, uniform: bool, inside: impl FnOnce(&mut Self)) {
        let before = self.uniform;
        self.uniform &= uniform;
        inside(self);
        self.uniform = before;
    }

    fn block(&mut self, body: &Block) {
        for stm in body {
            match &stm.kind {
                Kind::Let(var, _, exp) => {
                    let varies = self.varies(exp);
                    self.mark(*var, varies);
                }
                Kind::Atomic { into: Some(var), .. } | Kind::Call { into: Some(var), .. } => {
                    self.mark(*var, true);
                }
                Kind::If(branch) => {
                    let uniform = !self.varies(&branch.cond);
                    self.under(uniform, |flow| {
                        flow.block(&branch.then);
                        flow.block(&branch.orelse);
                    });
                }
                Kind::Switch(switch) => {
                    let uniform = !self.varies(&switch.value);
                    self.under(uniform, |flow| {
                        switch.cases.iter().for_each(|case| flow.block(&case.body));
                        flow.block(&switch.orelse);
                    });
                }
                Kind::Loop(rounds) => {
                    let fuel = rounds.fuel.as_ref().is_some_and(|fuel| self.varies(fuel));
                    let uniform = !fuel && !self.varies(&rounds.cond);
                    self.under(uniform, |flow| flow.block(&rounds.body));
                    for (carried, next) in rounds.carried.iter().zip(&rounds.next) {
                        let varies = !uniform || self.varies(&carried.init) || self.varies(next);
                        self.mark(carried.var, varies);
                    }
                }
                Kind::Barrier(_) if !self.uniform && self.fault.is_none() => {
                    self.fault = Some((stm.span, Rule::TBarrier));
                }
                Kind::UniformLoad { .. } if !self.uniform && self.fault.is_none() => {
                    self.fault = Some((stm.span, Rule::TUniformLoad));
                }
                Kind::Var(..)
                | Kind::Store(..)
                | Kind::Atomic { into: None, .. }
                | Kind::Call { into: None, .. }
                | Kind::Check(_)
                | Kind::Barrier(_)
                | Kind::UniformLoad { .. } => {}
                // Parallel loops hold no barriers, and nothing outside depends on them.
                Kind::Par(_) => {}
            }
        }
    }
}

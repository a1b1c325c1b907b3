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

/// A barrier that only some invocations of a group may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parted {
    /// Where it stands.
    pub barrier: Span,
    /// The outermost statement around it in which they part.
    pub control: Span,
    /// The rule that says so.
    pub rule: Rule,
}

/// Do all barriers of a kernel stand in uniform control flow? So many variables has its program.
///
/// # Errors
/// The first barrier that does not.
pub fn uniform(kernel: &Kernel, variables: usize) -> Result<(), Parted> {
    if !visit::has_barrier(&kernel.body) {
        return Ok(());
    }
    let mut flow =
        Flow { varying: vec![false; variables], changed: true, parts: None, fault: None };
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
    /// The outermost statement around in which control flow is not uniform, if there is one.
    parts: Option<Span>,
    /// The first barrier where it is not.
    fault: Option<Parted>,
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

    /// Runs over `inside`, which the statement there reaches uniformly only if `uniform`.
    fn under(&mut self, span: Span, uniform: bool, inside: impl FnOnce(&mut Self)) {
        let before = self.parts;
        if !uniform && before.is_none() {
            self.parts = Some(span);
        }
        inside(self);
        self.parts = before;
    }

    /// A statement that all invocations have to reach.
    fn waits(&mut self, barrier: Span, rule: Rule) {
        if let (Some(control), None) = (self.parts, self.fault) {
            self.fault = Some(Parted { barrier, control, rule });
        }
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
                    self.under(stm.span, uniform, |flow| {
                        flow.block(&branch.then);
                        flow.block(&branch.orelse);
                    });
                }
                Kind::Switch(switch) => {
                    let uniform = !self.varies(&switch.value);
                    self.under(stm.span, uniform, |flow| {
                        switch.cases.iter().for_each(|case| flow.block(&case.body));
                        flow.block(&switch.orelse);
                    });
                }
                Kind::Loop(rounds) => {
                    let fuel = rounds.fuel.as_ref().is_some_and(|fuel| self.varies(fuel));
                    let uniform = !fuel && !self.varies(&rounds.cond);
                    self.under(stm.span, uniform, |flow| flow.block(&rounds.body));
                    for (carried, next) in rounds.carried.iter().zip(&rounds.next) {
                        let varies = !uniform || self.varies(&carried.init) || self.varies(next);
                        self.mark(carried.var, varies);
                    }
                }
                Kind::Barrier(_) => self.waits(stm.span, Rule::TBarrier),
                Kind::UniformLoad { .. } => self.waits(stm.span, Rule::TUniformLoad),
                Kind::Var(..)
                | Kind::Store(..)
                | Kind::Atomic { into: None, .. }
                | Kind::Call { into: None, .. }
                | Kind::Check(_) => {}
                // Parallel loops hold no barriers, and nothing outside depends on them.
                Kind::Par(_) => {}
            }
        }
    }
}

//! How values flow in a program of IMP, see [`regular`](crate::kit::regular).

use super::syntax::{Kind, Program, Stm};
use crate::fun::regular::{divisors, vars};
use crate::fun::syntax::Se;
use crate::kit::names::Var;
use crate::kit::regular::Flow;
use crate::kit::text::Span;

/// How values flow.
pub(super) fn flow(program: &Program) -> Flow {
    let mut flow = Flow::default();
    body(&program.body, 0, &mut flow);
    flow
}

fn body(stms: &[Stm], kernels: usize, flow: &mut Flow) {
    stms.iter().for_each(|stm| statement(stm, kernels, flow));
}

/// A value that is used: what it divides by must not be 0.
fn value(se: &Se, site: Span, flow: &mut Flow) -> Vec<Var> {
    flow.steers(divisors(se), site);
    vars(se)
}

fn assigns(var: Var, from: Vec<Var>, flow: &mut Flow) {
    flow.sets(var, from);
    flow.carries(var);
}

fn statement(stm: &Stm, kernels: usize, flow: &mut Flow) {
    let site = stm.span;
    match &stm.kind {
        Kind::Skip => {}
        Kind::Var(var, _) => flow.declares(*var),
        Kind::Assign(var, se) => {
            let from = value(se, site, flow);
            assigns(*var, from, flow);
        }
        Kind::AssignMem(var, other) => assigns(*var, vec![*other], flow),
        Kind::Alloc(var, size) => {
            flow.acts();
            flow.steers(vars(size), site);
            assigns(*var, Vec::new(), flow);
        }
        Kind::Read { into, block, offset } => {
            flow.steers(vars(offset).into_iter().chain([*block]), site);
            flow.reads(*into);
            flow.carries(*into);
        }
        Kind::Write { block, offset, value: written } => {
            flow.steers(vars(offset).into_iter().chain([*block]), site);
            value(written, site, flow);
        }
        Kind::If { cond, then, orelse } => {
            flow.steers(cond.var(), site);
            flow.under(cond.var(), |flow| {
                body(then, kernels, flow);
                body(orelse, kernels, flow);
            });
        }
        Kind::Kernel { thread, count, body: inner } => {
            if kernels == 0 {
                flow.is_thread(*thread);
            }
            flow.acts();
            flow.declares(*thread);
            flow.repeats(site, vars(count), true, |flow| body(inner, kernels + 1, flow));
        }
        Kind::For { counter, count, body: inner } => {
            flow.sets(*counter, []);
            flow.repeats(site, vars(count), false, |flow| {
                flow.declares(*counter);
                body(inner, kernels, flow);
            });
        }
        Kind::Check { operands, .. } => {
            operands.iter().for_each(|operand| flow.steers(vars(operand), site));
        }
    }
}

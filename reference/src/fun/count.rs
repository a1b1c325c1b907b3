//! Operations of FUN and FUNMEM, counted: what a pass is for is pinned by them.

use super::syntax::{Body, Dialect, Exp, Never, Program};
use crate::kit::language::{Around, Operation};

/// The operations of both dialects, in the words of their printer.
pub(crate) const OPERATIONS: [&str; 8] =
    ["scalar", "index", "slice", "transpose", "if", "kernel", "loop", "with"];

/// The name of an expression that only one dialect has.
pub(crate) trait Named {
    fn name(&self) -> &'static str;
}

impl Named for Never {
    fn name(&self) -> &'static str {
        match *self {}
    }
}

/// How often the operation occurs.
pub(crate) fn count<D: Dialect<Extra: Named>>(program: &Program<D>, wanted: &Operation<'_>) -> u64 {
    body(&program.body, wanted, Around::default())
}

fn body<D: Dialect<Extra: Named>>(of: &Body<D>, wanted: &Operation<'_>, around: Around) -> u64 {
    let mut found = 0;
    for stm in &of.stms {
        let (name, within) = match &stm.exp {
            Exp::Scalar(_) => ("scalar", around),
            Exp::Index { .. } => ("index", around),
            Exp::Slice { .. } => ("slice", around),
            Exp::Transpose(_) => ("transpose", around),
            Exp::If { .. } => ("if", around),
            Exp::Kernel { .. } => ("kernel", Around { kernel: true, ..around }),
            Exp::Loop { .. } => ("loop", Around { repeat: true, ..around }),
            Exp::Update { .. } => ("with", around),
            Exp::Extra(extra) => (extra.name(), around),
        };
        found += wanted.counts(name, around);
        found += stm.exp.bodies().into_iter().map(|b| body(b, wanted, within)).sum::<u64>();
    }
    found
}

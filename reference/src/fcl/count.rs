//! Operations of FCL, counted: what a pass is for is pinned by them.

use super::syntax::{Exp, Kind, Op, Program};
use crate::kit::language::{Around, Operation};

/// The operations, in the words of the printer.
pub(super) const OPERATIONS: [&str; 13] = [
    "force",
    "push",
    "concat",
    "interleave",
    "while",
    "generate",
    "index",
    "mapPull",
    "mapPush",
    "lengthPull",
    "lengthPush",
    "let",
    "if",
];

/// How often the operation occurs in the program's own definitions. Inside of a loop is what `while` is given.
pub(super) fn count(program: &Program, wanted: &Operation<'_>) -> u64 {
    let own = program.defs.iter().filter(|def| !def.prelude);
    own.map(|def| exp(&def.body, wanted, Around::default())).sum()
}

fn exp(of: &Exp, wanted: &Operation<'_>, around: Around) -> u64 {
    let all = |parts: Vec<&Exp>, around| -> u64 {
        parts.into_iter().map(|part| exp(part, wanted, around)).sum()
    };
    if let Some((op, _, args)) = of.as_op() {
        let repeat = around.repeat || op == Op::While;
        return wanted.counts(op.name(), around) + all(args, Around { repeat, ..around });
    }
    let here = match &of.kind {
        Kind::Let(_) => wanted.counts("let", around),
        Kind::If(_) => wanted.counts("if", around),
        _ => 0,
    };
    here + all(of.parts(), around)
}

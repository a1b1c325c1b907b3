//! Padding invocations: those beyond the invocations of a launch, which fill up its last work group.

use reference::device::syntax::{BOOL, Block, Builtin, Exp, Kind, Lit, Place, UnOp};
use reference::device::visit::has_barrier;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// The condition that an invocation is one of the launch, and not a padding invocation.
pub(crate) fn is_of_launch() -> Exp {
    Exp::bin(BinOp::Lt, Exp::Builtin(Builtin::GlobalId), Exp::Builtin(Builtin::Invocations))
}

/// Do padding invocations skip the whole body, without a barrier in it? Then the entry point needs no guard
/// against the groups that fill up a folded grid.
pub(crate) fn needs_no_guard(body: &Block) -> bool {
    skips_padding(body) && !has_barrier(body)
}

/// Do padding invocations do nothing in this body? Each statement is a variable or an `if` that they do not enter:
/// of the condition [`is_of_launch`], or of a failed check, since an invocation that does nothing fails none.
pub(crate) fn skips_padding(body: &Block) -> bool {
    let inside = is_of_launch();
    let lives = |var: Var| {
        let alive = Kind::Var(var, BOOL, Some(Exp::Lit(Lit::Bool(true))));
        body.iter().any(|stm| stm.kind == alive)
    };
    let died = |cond: &Exp| match cond {
        Exp::Un(UnOp::Not, alive) => {
            matches!(&**alive, Exp::Load(place) if matches!(**place, Place::Var(var) if lives(var)))
        }
        _ => false,
    };
    body.iter().all(|stm| match &stm.kind {
        Kind::Var(_, _, init) => matches!(init, None | Some(Exp::Lit(_))),
        Kind::If(branch) => {
            branch.orelse.is_empty() && (branch.cond == inside || died(&branch.cond))
        }
        _ => false,
    })
}

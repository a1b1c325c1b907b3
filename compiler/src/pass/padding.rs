//! What stands aside: invocations that only fill up a group of a launch.

use reference::device::syntax::{BOOL, Block, Builtin, Exp, Kind, Lit, Place, UnOp};
use reference::device::visit::has_barrier;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// Is it an invocation of the launch, and not one that only fills up a group?
pub(crate) fn is_of_launch() -> Exp {
    Exp::bin(BinOp::Lt, Exp::Builtin(Builtin::GlobalId), Exp::Builtin(Builtin::Invocations))
}

/// Does a kernel do nothing in invocations beyond those of its launch? Then it needs not to be told
/// which groups only fold a grid up. An invocation that does nothing does not die either.
pub(crate) fn guards_itself(body: &Block) -> bool {
    stands_aside(body) && !has_barrier(body)
}

/// The same of a body in which no barrier stands.
pub(crate) fn stands_aside(body: &Block) -> bool {
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

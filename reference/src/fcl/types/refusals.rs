//! What is said of programs that have no type.

use super::Infer;
use super::show::Show;
use super::terms::{Clash, Gamma, Kind, LevelVar, Node, Origin, Ty};
use crate::fcl::PRELUDE;
use crate::fcl::syntax::Exp;
use crate::kit::names::{Names, Var};
use crate::kit::text::{Limit, Rejected, Span};

impl<'p> Infer<'p, '_> {
    /// What writes the types that are known now.
    pub(super) fn show(&self) -> Show<'_> {
        Show::new(self.solved.as_ref().unwrap_or(&self.arena), self.names)
    }
}

/// Types would take too much room, or inferring them too much time.
pub(super) fn too_large(span: Span) -> Rejected {
    Rejected::new(span, "the types of this program are too large", "too large here")
        .by_limit(Limit::Types)
        .help("types grow with each `let` of a pair of the one before; give it a smaller type")
}

/// Nothing binds a variable.
pub(super) fn unbound(names: &Names, var: Var, span: Span) -> Rejected {
    Rejected::new(span, format!("`{}` is not in scope", names.written(var)), "not bound")
}

/// The other place of a refusal; one in the prelude is not shown.
pub(super) fn with(refused: Rejected, other: Span, label: String) -> Rejected {
    if other.start < PRELUDE && other != refused.span {
        refused.with(other, label)
    } else {
        refused
    }
}

/// A type where another is wanted.
pub(super) fn mismatch(show: &Show<'_>, found: Ty, wanted: Ty, span: Span) -> Rejected {
    let (found, wanted) = (show.ty(found), show.ty(wanted));
    Rejected::new(span, expected(&found, &wanted), format!("`{found}`"))
}

fn expected(found: &str, wanted: &str) -> String {
    format!("this is `{found}`, and `{wanted}` is wanted")
}

/// Says what of two types does not go together.
pub(super) fn detailed(show: &Show<'_>, clash: Clash, refused: Rejected) -> Rejected {
    if refused.help.is_some() {
        return refused;
    }
    let help = match clash {
        Clash::Differ(one, other) => match [one, other].map(|ty| show.node(ty)) {
            [Node::Pull(_), Node::Push(..)] => {
                "`push <level>` makes a push array of a pull array".to_owned()
            }
            [Node::Push(..), Node::Pull(_)] => {
                "`force` makes a pull array of a push array".to_owned()
            }
            nodes => {
                let rigid = nodes.iter().zip([one, other]).find_map(|(node, ty)| match node {
                    Node::Var { rigid: Some(_), .. } => Some(show.ty(ty)),
                    _ => None,
                });
                let (one, other) = (show.ty(one), show.ty(other));
                match rigid {
                    Some(name) => format!("by its signature `{name}` is any type"),
                    // That is what was said already.
                    None if refused.message == expected(&one, &other) => return refused,
                    None => format!("`{one}` is not `{other}`"),
                }
            }
        },
        Clash::Levels(one, other) => {
            format!("level {} is not level {}", show.level(one), show.level(other))
        }
        Clash::Infinite(var, ty) => {
            format!("the type would be infinite: `{}` in `{}`", show.ty(var), show.ty(ty))
        }
        Clash::InfiniteLevel(one, other) => {
            format!("the level would be infinite: {} is {}", show.level(one), show.level(other))
        }
        Clash::Escapes(ty) => {
            format!("`{}` is any type, by a signature, and is not known outside of it", show.ty(ty))
        }
        Clash::LevelEscapes(_) | Clash::Kind(..) | Clash::Large => return refused,
    };
    refused.help(help)
}

/// A level that `fn <α>` or a signature binds would be known outside of it.
pub(super) fn escape(show: &Show<'_>, var: LevelVar, refused: Rejected) -> Rejected {
    let name = show.level_name(var);
    let message = format!("the level `{name}` would be known outside of where it is bound");
    let help = format!("`{name}` is any level, so nothing outside can be at it");
    Rejected { message, ..refused }.help(help)
}

/// A type that is not of the kind that it must have.
pub(super) fn kind(
    show: &Show<'_>,
    ty: Ty,
    kind: Kind,
    why: Option<Origin>,
    span: Span,
) -> Rejected {
    let ty = show.ty(ty);
    let (what, help) = match kind {
        Kind::Bt => (
            "no base type",
            "push arrays hold int, double, bool and pairs of them, and nothing else",
        ),
        _ => ("a function", "arrays hold no functions"),
    };
    let message = format!("`{ty}` is {what}, and an element of an array here");
    let refused = Rejected::new(span, message, format!("`{ty}`")).help(help);
    match why {
        Some(why) => with(refused, why.span, "elements of an array are wanted here".to_owned()),
        None => refused,
    }
}

/// What is applied is no function.
pub(super) fn no_function(show: &Show<'_>, ty: Ty, f: &Exp, argument: Span) -> Rejected {
    let text = show.ty(ty);
    let refused =
        Rejected::new(f.span, format!("`{text}` is applied to an argument"), "no function");
    let refused = with(refused, argument, "the argument".to_owned());
    match show.node(ty) {
        Node::LevelFn(..) => refused.help("give it its level first: `push <block> xs`"),
        _ => refused.help("it may have an argument too many, or lack an operator"),
    }
}

/// What is applied to a level is not known to be a function of one.
pub(super) fn no_level_function(show: &Show<'_>, ty: Ty, head: &Exp, span: Span) -> Rejected {
    let message = format!("`{}` is applied to a level", show.ty(ty));
    let refused =
        with(Rejected::new(head.span, message, "no function of a level"), span, "the level".into());
    match show.node(ty) {
        Node::Var { .. } => refused.help("its type is not known here: a `sig` tells, as in `sig f : (<l> -> …) -> …`"),
        _ => refused.help("`push` takes a level, and what is written `fn <l> =>`, `fun f <l>` or `sig f : <l> -> …`"),
    }
}

/// Arrays are put together at another level than is worked at.
pub(super) fn turnstile(show: &Show<'_>, level: Gamma, at: Gamma, span: Span) -> Rejected {
    let (level, at) = (show.level(level), show.level(at));
    let message = format!("an array of level {level} is put together where level {at} works");
    Rejected::new(span, message, format!("makes level {level}")).help(
        "chunks are one level below what `concat` makes of them, and so is all that makes them",
    )
}

/// A parameter of a program that no input is.
pub(super) fn parameter(show: &Show<'_>, var: Var, ty: Ty, span: Span) -> Rejected {
    let (name, ty) = (show.written(var), show.ty(ty));
    let message = format!("the parameter `{name}` of the program is `{ty}`");
    Rejected::new(span, message, "the program").help(
        "input is int, double, bool, pairs of them, and pull arrays of these; a program is `main`, or else its last \
         definition",
    )
}

/// A program that comes to no push array.
pub(super) fn result(show: &Show<'_>, ty: Ty, span: Span) -> Rejected {
    let message = format!("the program comes to `{}`", show.ty(ty));
    let refused = Rejected::new(span, message, "no push array");
    match show.node(ty) {
        Node::Fn(..) => refused.help("write its parameters before `=`: `fun main xs = …`"),
        Node::LevelFn(..) => refused.help("a program is at one level: give it, as in `f <grid>`"),
        Node::Pull(_) => refused.help("say where it runs: `push <grid> xs`"),
        _ => refused.help("of a single value `push <thread> [x]` is an array"),
    }
}

/// A program whose body puts arrays together at another level than its result is at.
pub(super) fn other_level(show: &Show<'_>, level: Gamma, at: Gamma, span: Span) -> Rejected {
    let (level, at) = (show.level(level), show.level(at));
    let message =
        format!("the program's result is at level {level}, and a `concat` in it at level {at}");
    Rejected::new(span, message, format!("level {level}"))
        .help("what is at another level is a function of its own: `let f = fn xs => … in f xs`")
}

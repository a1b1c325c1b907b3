//! What is said of programs of which not all can be found that they leave out.

use crate::kit::names::{Names, Var};
use crate::kit::rules::Roll;
use crate::kit::text::{Limit, Rejected, Span};
use crate::lambda_g::rules::Rule;

/// A type that would be within itself.
pub(super) fn within_itself(span: Span) -> Rejected {
    Rejected::new(span, "the type of this would be within itself", "no type fits")
        .help("write the types of the functions here, as in `fn (x : int -> int) => …`")
}

/// A type that is too large to be written.
pub(super) fn too_large(span: Span) -> Rejected {
    Rejected::new(span, "the type of this is too large", "too large here")
        .by_limit(Limit::Types)
        .help("types grow with each `let` of a pair of the one before")
}

/// Regions and effects that are not found in so many turns.
pub(super) fn too_many_turns(span: Span) -> Rejected {
    Rejected::new(span, "the effects of the functions here depend on too many others", "left out")
        .by_limit(Limit::Types)
        .help("write the effects of some functions, as in `fn (x : int) ! {r0} => …`")
}

/// A region that would have to be known where it is not.
pub(super) fn out_of_scope(names: &Names, var: Var, span: Span) -> Rejected {
    let name = names.written(var);
    let message = format!("this has to do with the region `{name}`, which is not in scope here");
    Rejected::new(span, message, format!("`{name}` is not bound here"))
        .by_rule(Rule::Place.info().name, "scope")
        .help(format!(
            "bind `{name}` around this, or write `at` another region where the value is made"
        ))
}

/// A refusal of the checker, with what may be written so that the program is not refused. `apart` are two regions that
/// should be one, and `made` the regions that were left out.
pub(super) fn of_checker(
    names: &Names,
    refused: Rejected,
    apart: Option<(Var, Var)>,
    made: &[Var],
) -> Rejected {
    if refused.help.is_some() {
        return refused;
    }
    let mut words = refused.message.split(|c: char| !c.is_alphanumeric() && c != '_');
    let told = words.find(|word| made.iter().any(|var| names.text(*var) == *word));
    let help = match (refused.rule, apart, told) {
        (Some((_, "latent")), ..) => {
            "a function with `on` or `letregion` in it has the effect `host`: write these around it"
                .to_owned()
        }
        (_, Some((a, b)), _) => {
            let (a, b) = (names.written(a), names.written(b));
            format!(
                "`{a}` and `{b}` would have to be one region: write one of them at both places, or leave both out"
            )
        }
        (_, None, Some(region)) => format!("`{region}` is a region that is left out"),
        (_, None, None) => return refused,
    };
    refused.help(help)
}

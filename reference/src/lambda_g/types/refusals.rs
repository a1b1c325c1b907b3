//! What is said of programs that have no type.

use super::Check;
use super::regions::Outside;
use super::ty::Ty;
use crate::kit::names::Var;
use crate::kit::text::{Limit, Rejected, Span};
use crate::lambda_g::syntax::{Binder, Effect, Item, Param, Region, World};

/// What is done to a region.
#[derive(Clone, Copy)]
pub(super) enum Use {
    Read,
    Written,
}

impl Check<'_, '_> {
    /// A type as it is written.
    fn shown(&self, ty: &Ty) -> String {
        ty.text(self.names)
    }

    fn name(&self, region: Var) -> &str {
        self.names.written(region)
    }

    /// Adds the effect by which an expression is bounded.
    fn with_bound(&self, refused: Rejected, wanted: &str) -> Rejected {
        let phi = self.bound.phi.text(self.names);
        match self.bound.span {
            Some(span) => {
                let help = format!("write `{wanted}` into the effect behind `!`");
                refused.with(span, format!("this function does {phi}")).help(help)
            }
            None => refused.help(format!("here `{phi}` may be done")),
        }
    }
}

/// A type is too large.
pub(super) fn too_large(span: Span) -> Rejected {
    Rejected::new(span, "the type of this is too large", "too large here")
        .by_limit(Limit::Types)
        .help("types grow with each `let` of a pair of the one before")
}

/// Something else than is wanted.
pub(super) fn no(check: &Check<'_, '_>, wanted: &str, found: &Ty, span: Span) -> Rejected {
    let found = check.shown(found);
    Rejected::new(span, format!("this is `{found}`, and no {}", bare(wanted)), format!("`{found}`"))
}

/// Without its article.
fn bare(thing: &str) -> &str {
    thing.split_once(' ').map_or(thing, |(_, thing)| thing)
}

/// Two types that should be one.
pub(super) fn differs(
    check: &Check<'_, '_>,
    (found, span): (&Ty, Span),
    (wanted, place): (&Ty, Span),
) -> Rejected {
    let (found, wanted) = (check.shown(found), check.shown(wanted));
    Rejected::new(
        span,
        format!("this is `{found}`, and `{wanted}` is wanted"),
        format!("`{found}`"),
    )
    .with(place, format!("`{wanted}`"))
}

/// An argument of another type than the function takes.
pub(super) fn argument(
    check: &Check<'_, '_>,
    (found, span): (&Ty, Span),
    (wanted, place): (&Ty, Span),
) -> Rejected {
    let (found, wanted) = (check.shown(found), check.shown(wanted));
    Rejected::new(
        span,
        format!("this is `{found}`, and `{wanted}` is wanted"),
        format!("`{found}`"),
    )
    .with(place, format!("takes `{wanted}`"))
}

/// A vector of other elements than the function takes.
pub(super) fn mapped(
    check: &Check<'_, '_>,
    (found, span): (&Ty, Span),
    (wanted, place): (&Ty, Span),
) -> Rejected {
    let (found, wanted) = (check.shown(found), check.shown(wanted));
    let message = format!("the elements of this are `{found}`, and `{wanted}` is wanted");
    Rejected::new(span, message, format!("of `{found}`")).with(place, format!("takes `{wanted}`"))
}

/// A region that the effect does not cover.
pub(super) fn effect(check: &Check<'_, '_>, region: Var, used: Use, span: Span) -> Rejected {
    let name = check.name(region);
    let (does, label) = match used {
        Use::Read => ("reads", "is read here"),
        Use::Written => ("writes to", "is written here"),
    };
    let phi = check.bound.phi.text(check.names);
    let message = format!("this {does} the region `{name}`, which is not in the effect `{phi}`");
    let refused = Rejected::new(span, message, format!("`{name}` {label}"));
    check.with_bound(refused, name)
}

/// A function that does more than may be done where it is applied.
pub(super) fn latent(check: &Check<'_, '_>, outside: Outside, (ty, span): (&Ty, Span)) -> Rejected {
    let phi = check.bound.phi.text(check.names);
    let ty = check.shown(ty);
    match outside {
        Outside::Region(region) => {
            let name = check.name(region);
            let message =
                format!("what is applied uses the region `{name}`, which is not in `{phi}`");
            let refused = Rejected::new(span, message, format!("`{ty}`"));
            check.with_bound(refused, name)
        }
        Outside::Host => {
            let message = "what is applied makes regions or runs something on the device";
            let refused = Rejected::new(span, message, format!("`{ty}` has the effect `host`"));
            match check.on {
                Some(on) => refused.with(on, "on the device here"),
                None => check.with_bound(refused, "host"),
            }
        }
    }
}

/// A region of one world where those of the other one are.
pub(super) fn world(check: &Check<'_, '_>, region: Var, written: World, span: Span) -> Rejected {
    let (name, here) = (check.name(region), check.world);
    let message = format!("`{name}@{written}` stands where the regions of world {here} are");
    let refused = Rejected::new(span, message, format!("world {here}"));
    match check.on {
        Some(on) => refused.with(on, "on the device here"),
        None => refused.help("regions of world G are inside of `on … at r`"),
    }
}

/// `host` behind `>=`.
pub(super) fn host_in_bound(bound: &Effect) -> Rejected {
    Rejected::new(host_item(bound), "`host` outlives no region", "not a region")
        .help("`>=` names the regions that outlive the one that is bound; effects stand behind `!`")
}

/// The place of `host` in an effect.
fn host_item(effect: &Effect) -> Span {
    let host = effect.items.iter().find(|item| matches!(item, Item::Host { .. }));
    host.map_or(effect.span, |item| item.span())
}

/// A function with the effect `host` on the device.
pub(super) fn host_latent(check: &Check<'_, '_>, effect: &Effect) -> Rejected {
    let message = "a function of the device has not the effect `host`";
    let refused = Rejected::new(host_item(effect), message, "not on the device");
    match check.on {
        Some(on) => refused.with(on, "on the device here"),
        None => refused,
    }
}

/// What only the host does, on the device.
pub(super) fn only_host(check: &Check<'_, '_>, span: Span, does: &str) -> Rejected {
    let refused = Rejected::new(span, format!("this {does}, which only the host does"), "here");
    match check.on {
        Some(on) => refused.with(on, "on the device here"),
        None => refused,
    }
}

/// What only the host does, in a function that has not the effect `host`.
pub(super) fn host_effect(check: &Check<'_, '_>, span: Span, does: &str) -> Rejected {
    let phi = check.bound.phi.text(check.names);
    let message = format!("this {does}, and `host` is not in the effect `{phi}`");
    check.with_bound(Rejected::new(span, message, "has the effect `host`"), "host")
}

/// A value of a region would be known after its end.
pub(super) fn escape(check: &Check<'_, '_>, region: Binder, ty: &Ty, span: Span) -> Rejected {
    let (name, ty) = (check.name(region.var), check.shown(ty));
    let message = format!("the region `{name}` ends here, and the result is `{ty}`");
    Rejected::new(span, message, format!("`{name}` is in its type"))
        .with(region.span, "the region")
        .help("let the result lie in a region around this one")
}

/// A bool where something is brought back from the device.
pub(super) fn unboxed(span: Span) -> Rejected {
    Rejected::new(span, "what `on` comes to is in no region", "`bool`")
        .help("only what lies in a region is brought back: write an int, 0 or 1")
}

/// A result of the device in another region than it is said to be.
pub(super) fn elsewhere(check: &Check<'_, '_>, (ty, span): (&Ty, Span), at: Region) -> Rejected {
    let (ty, name) = (check.shown(ty), check.name(at.var));
    Rejected::new(
        span,
        format!("this is `{ty}`, which does not lie in `{name}`"),
        format!("`{ty}`"),
    )
    .with(at.span, "the region of the result")
    .help("`on e at r` makes no copy: the value of `e` lies in `r`")
}

/// `fix` of what is no function.
pub(super) fn fix_of(span: Span) -> Rejected {
    Rejected::new(span, "`fix` takes an `fn` or an `rfn`", "neither")
}

/// A region that does not fit the bound of an abstraction.
pub(super) fn bound(
    check: &Check<'_, '_>,
    region: Region,
    other: Var,
    (ty, place): (&Ty, Span),
) -> Rejected {
    let (name, other) = (check.name(region.var), check.name(other));
    let message = format!("the region `{name}` may live longer than `{other}`");
    Rejected::new(region.span, message, format!("not known to be `>= {{{other}}}`"))
        .with(place, format!("`{}`", check.shown(ty)))
}

/// A parameter of the program that no input is.
pub(super) fn parameter(check: &Check<'_, '_>, param: &Param, ty: &Ty) -> Rejected {
    let (name, ty) = (check.name(param.var), check.shown(ty));
    let message = format!("the parameter `{name}` of the program is `{ty}`");
    Rejected::new(param.ty.span(), message, "a function is in it")
        .help("input is made of ints, bools, pairs and vectors")
}

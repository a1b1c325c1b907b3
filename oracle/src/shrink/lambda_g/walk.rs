//! Parts of programs of λG.

use reference::kit::names::Var;
use reference::lambda_g::syntax::{Effect, Exp, Kind, Program};
pub(super) use reference::lambda_g::visit::{all, all_mut, count, nth_mut, regions_mut as regions};

/// How often a variable is used.
pub(super) fn uses(exp: &Exp, var: Var) -> usize {
    let mut uses = 0;
    all(exp, &mut |exp| uses += usize::from(exp.kind == Kind::Var(var)));
    uses
}

/// The effects that functions of a program have, the outer ones first, to be changed.
pub(super) fn effects_mut(program: &mut Program, change: &mut impl FnMut(&mut Effect)) {
    all_mut(&mut program.body, &mut |exp| match &mut exp.kind {
        Kind::Fn(lambda) => change(&mut lambda.latent),
        Kind::RegionFn(lambda) => {
            change(&mut lambda.bound);
            change(&mut lambda.latent);
        }
        _ => {}
    });
}

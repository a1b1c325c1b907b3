//! The route of λG.

use crate::lower::lambda_g::{Limits, lower};
use crate::route::{Compiled, Lang, Pass, Route, Step, TRUNK, run};
use reference::lambda_g::LambdaG;

impl Compiled for LambdaG {
    const ROUTE: Route =
        Route { from: Lang::LambdaG, to: TRUNK, steps: &[Step::of(&LOWER_LAMBDA_G)] };
}

/// Functions become states of a machine, regions blocks of words.
static LOWER_LAMBDA_G: Pass = Pass::new(
    "lower_lambda_g",
    Lang::LambdaG,
    TRUNK,
    run!(reads LambdaG => Device, |program, cx| lower(program, Limits::default(), cx.plan.planted)),
);

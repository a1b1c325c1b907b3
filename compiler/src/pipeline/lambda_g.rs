//! The routes of λG. Its programs are run by their semantics alone: [`lower`](crate::lower::lambda_g::lower) makes device programs
//! of them whose input and results have other forms, so that pass stands on no route yet.

use crate::route::{Compiled, Lang, Route};
use reference::lambda_g::LambdaG;

impl Compiled for LambdaG {
    const ROUTE: Route = Route::none(Lang::LambdaG);
}

//! MiniSYCL to MiniAS, by the elaboration of the reference.
//!
//! | before | a program that is well typed under its options |
//! | after | the program of MiniAS that it is; places are those of the C++ |
//! | stuck | the same site, with the same item and operands |

use crate::route::{Compiled, Lang, Pass, Route, Step, run};
use reference::kit::text::{Refused, Rejected};
use reference::sycl::{self, Sycl};

impl Compiled for Sycl {
    const ROUTE: Route =
        Route { from: Lang::Sycl, to: Lang::Minias, steps: &[Step::of(&ELABORATE)] };
}

/// What MiniSYCL means.
static ELABORATE: Pass = Pass::new(
    "elaborate",
    Lang::Sycl,
    Lang::Minias,
    run!(reads Sycl => Minias, |program, _cx| sycl::elaborated(program).map_err(refused)),
);

fn refused(no: Rejected) -> Refused {
    Refused { span: no.span, statement: no.label, reason: no.message, second: no.second }
}

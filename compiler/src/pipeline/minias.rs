//! The routes of MiniAS: specialised by rows, and beside it with evidence that is passed when it runs.

use crate::lower::minias::{Form, lower};
use crate::route::{Compiled, Lang, Pass, Route, Step, TRUNK, run};
use reference::device::syntax::Program as Device;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::text::{Refused, Rejected};
use reference::minias::syntax::Program;
use reference::minias::{Minias, infer};

impl Compiled for Minias {
    const ROUTE: Route =
        Route { from: Lang::Minias, to: TRUNK, steps: &[Step::of(&SPECIALISE_ROWS)] };
    const BESIDE: &'static [Route] =
        &[Route { from: Lang::Minias, to: TRUNK, steps: &[Step::of(&PASS_EVIDENCE)] }];
}

/// A function for the rows of each call.
static SPECIALISE_ROWS: Pass = Pass::new(
    "specialise_rows",
    Lang::Minias,
    TRUNK,
    run!(reads Minias => Device, |program, cx| lowered(program, Form::Specialised, cx.plan.planted)),
);

/// One function for all rows, which is passed evidence.
static PASS_EVIDENCE: Pass = Pass::new(
    "pass_evidence",
    Lang::Minias,
    TRUNK,
    run!(reads Minias => Device, |program, cx| lowered(program, Form::Evidence, cx.plan.planted)),
);

fn lowered(program: &Program, form: Form, planted: Planted) -> Result<Device, Refused> {
    let launch = &program.options.launch;
    launch.kernel(program).map_err(|no| Refused {
        span: no.span,
        statement: "the launch".to_owned(),
        reason: no.help.map_or(no.message.clone(), |help| format!("{}; {help}", no.message)),
        second: None,
    })?;
    let typed = infer::types_of(program, program.options.mode, &mut Recorder::counting());
    lower(program, &typed.map_err(refused)?, launch, form, planted)
}

fn refused(no: Rejected) -> Refused {
    Refused { span: no.span, statement: no.label, reason: no.message, second: no.second }
}

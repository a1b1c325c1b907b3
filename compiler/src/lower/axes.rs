//! A term over named axes read as loops: its plan, beside the FUN program that it means.
//!
//! | before | any program |
//! | after | loops that compute the same |
//! | stuck | never: a term that may get stuck has no plan |
//!
//! The plan of a term for work groups is in the device language, that of any other in IMP.

use crate::rewrite::plan::{NoPlan, Plan};
use reference::axes::{Meant, print};
use reference::kit::text::{Refused, Span};
use reference::{device, imp};

/// The plan of a program in IMP.
///
/// # Errors
/// It has none, and why.
pub(crate) fn planned(program: &Meant) -> Result<imp::syntax::Program, Refused> {
    let text = "work groups run it, so its plan is in the device language and not in IMP";
    either(program, |plan| match plan {
        Plan::Imp(plan) => Ok(plan),
        Plan::Device(_) => Err(NoPlan(text.to_owned())),
    })
}

/// The plan of a program in the device language.
///
/// # Errors
/// It has none, and why.
pub(crate) fn planned_as_groups(program: &Meant) -> Result<device::syntax::Program, Refused> {
    let text = "no work group runs it, so its plan is in IMP and not in the device language";
    either(program, |plan| match plan {
        Plan::Imp(_) => Err(NoPlan(text.to_owned())),
        Plan::Device(plan) => Ok(plan),
    })
}

fn either<P>(
    program: &Meant,
    wanted: impl FnOnce(Plan) -> Result<P, NoPlan>,
) -> Result<P, Refused> {
    Plan::of(program.program()).and_then(wanted).map_err(|NoPlan(reason)| {
        let text = print::term(&program.program().term);
        let statement = text.lines().next().unwrap_or_default().to_owned();
        Refused { span: Span::default(), statement, reason, second: None }
    })
}

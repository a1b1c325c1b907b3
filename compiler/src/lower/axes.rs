//! A term over named axes read as loops: its plan in IMP, beside the FUN program that it means.
//!
//! | before | any program |
//! | after | loops that compute the same |
//! | stuck | never: a term that may get stuck has no plan |
//!
//! A term for work groups has a plan too, but not in IMP.

use crate::rewrite::plan::{NoPlan, Plan};
use reference::axes::{Meant, print};
use reference::imp;
use reference::kit::text::{Refused, Span};

/// The plan of a program.
///
/// # Errors
/// It has none, and why.
pub(crate) fn planned(program: &Meant) -> Result<imp::syntax::Program, Refused> {
    let planned = Plan::of(program.program()).and_then(|plan| match plan {
        Plan::Imp(plan) => Ok(plan),
        Plan::Device(_) => Err(NoPlan(
            "work groups run it, so its plan is in the device language and not in IMP".to_owned(),
        )),
    });
    planned.map_err(|NoPlan(reason)| {
        let text = print::term(&program.program().term);
        let statement = text.lines().next().unwrap_or_default().to_owned();
        Refused { span: Span::default(), statement, reason }
    })
}

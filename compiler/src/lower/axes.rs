//! A term over named axes read as loops: its plan in IMP, beside the FUN program that it means.
//!
//! | before | any program |
//! | after | loops that compute the same |
//! | stuck | never: a term that may get stuck has no plan |

use crate::rewrite::plan;
use reference::axes::{Meant, print};
use reference::imp;
use reference::kit::text::{Refused, Span};

/// The plan of a program.
///
/// # Errors
/// It has none, and why.
pub(crate) fn planned(program: &Meant) -> Result<imp::syntax::Program, Refused> {
    plan::plan(program.program()).map_err(|plan::NoPlan(reason)| {
        let text = print::term(&program.program().term);
        let statement = text.lines().next().unwrap_or_default().to_owned();
        Refused { span: Span::default(), statement, reason }
    })
}

//! `--emit`: one form of what was found, and nothing else.

use super::{Emit, Told};
use crate::cli::out::Out;
use crate::cli::problem::Problem;
use crate::cli::{Answer, Status, compile};
use crate::optimize::Whole;
use crate::stages::{Plan, Stages};
use compiler::pass::poison_checks::Detail;
use reference::axes::{meaning, print};
use reference::device::Device;
use reference::imp::Imp;
use reference::languages::Listed;

impl Told<'_> {
    /// Prints one form of a program, and nothing else.
    pub(super) fn emit(&self, whole: &Whole, emit: Emit, out: &mut Out) -> Answer {
        match emit {
            Emit::Imp if Imp::of(&whole.program).is_none() => {
                let name = &self.name;
                let (no, help) = match Device::of(&whole.program) {
                    Some(_) => (
                        "the plan is in the device language, not in IMP",
                        "work groups run it, which IMP has not; --emit dev prints it",
                    ),
                    None => (
                        "the program is not compiled to IMP",
                        "--emit dev prints what it is compiled to",
                    ),
                };
                return Err(Problem::new(format!("{name}: {no}")).help(help));
            }
            Emit::Imp => out.text(&whole.program.print()),
            Emit::Dev => {
                let stages = Stages::of(&whole.program, Self::plan(emit));
                out.text(&compile::of(&stages, Device::LANG)?.artifact.print());
            }
            Emit::Wgsl => {
                let stages = Stages::of(&whole.program, Self::plan(emit));
                out.text(&compile::wgsl(&stages)?);
            }
            Emit::Fun | Emit::Axes => {
                let several = self.used().count() > 1;
                for segment in self.used() {
                    let Some(best) = segment.best(self.args.mode) else { continue };
                    if several {
                        out.line(format!("-- statements at {}", self.place(segment)));
                    }
                    match emit {
                        Emit::Fun => out.text(&meaning::text(&best.program)),
                        _ => out.text(&print::program(&best.program)),
                    }
                }
            }
            Emit::Certificate => {
                for certificate in self.certificates.iter().flatten() {
                    let text = serde_json::to_string_pretty(certificate);
                    out.line(text.map_err(|no| Problem::new(no.to_string()))?);
                }
            }
        }
        Ok(Status::Clean)
    }

    /// How a program is compiled that is printed: shaders as they are launched.
    fn plan(emit: Emit) -> Plan {
        let detail = match emit {
            Emit::Wgsl => Detail::Flag,
            _ => Detail::Site,
        };
        Plan { detail, ..Plan::default() }
    }
}

//! `--emit`: one form of what was found, and nothing else.

use super::lambda_g::Rewritten;
use super::{Emit, Told};
use crate::cli::out::Out;
use crate::cli::problem::Problem;
use crate::cli::{Answer, Status, compile};
use crate::engine::Case;
use crate::optimize::Whole;
use crate::optimize::certificate::Certificate;
use crate::optimize::lambda_g::certificate as of_lambda_g;
use crate::optimize::said::{Said, Unsaid, said};
use crate::optimize::subject::Subject;
use crate::stages::{Plan, Stages};
use compiler::pass::poison_checks::Detail;
use reference::axes::{meaning, print};
use reference::device::Device;
use reference::imp::Imp;
use reference::languages::Listed;

/// What is told where a run did not end within the budget.
const UNCOMPARED: &str = "it was not compared with the original, whose run is too long";

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
            Emit::Fcl | Emit::Lg => {}
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
                let own = self.in_lambda_g.as_ref().and_then(Rewritten::certificate);
                return certificates(own, &self.certificates, out);
            }
        }
        Ok(Status::Clean)
    }

    /// The plan of each segment as a program of FCL; the whole program is one segment, or FCL cannot say it.
    fn said(&self, case: &Case) -> Result<Said, Unsaid> {
        let used: Vec<_> = self.used().collect();
        let [segment] = &used[..] else {
            return Err(Unsaid::Beyond("its plans are parts of a program".to_owned()));
        };
        match segment.best(self.args.mode) {
            Some(best) if self.program.is_whole(&segment.region) => {
                said(&best.program, &self.program, &case.input, &case.budget)
            }
            _ => Err(Unsaid::Beyond("its plan is a part of a program".to_owned())),
        }
    }

    /// Prints the plan as a program of FCL, and nothing else.
    pub(super) fn emit_fcl(&self, case: &Case, out: &mut Out) -> Answer {
        let name = &self.name;
        match self.said(case) {
            Ok(said) => {
                out.text(&said.program.print());
                if !said.compared {
                    out.message(&format!("{name}: {UNCOMPARED}"));
                }
                Ok(Status::Clean)
            }
            Err(Unsaid::Beyond(why)) => {
                let no = Problem::new(format!("{name}: FCL cannot say the plan: {why}"));
                Err(no.help("--emit axes prints its term"))
            }
            Err(Unsaid::Wrong(why)) => Ok(self.wrong_in_fcl(&why, out)),
        }
    }

    /// The plan of a program of FCL as another one, or why there is none; nothing for other languages.
    pub(super) fn in_fcl(&self, case: &Case) -> Option<Result<Said, Unsaid>> {
        matches!(self.program, Subject::Fcl(..)).then(|| self.said(case))
    }

    /// Tells that the plan as a program of FCL is wrong.
    pub(super) fn wrong_in_fcl(&self, why: &str, out: &mut Out) -> Status {
        out.line(format!("{}: the program of FCL is wrong: {why}", self.name));
        Status::Wrong
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

/// Prints certificates: that of the program of λG, and those of plans.
pub(super) fn certificates(
    in_lambda_g: Option<&of_lambda_g::Certificate>,
    of_plans: &[Option<Certificate>],
    out: &mut Out,
) -> Answer {
    let texts = in_lambda_g.map(serde_json::to_string_pretty).into_iter();
    let texts = texts.chain(of_plans.iter().flatten().map(serde_json::to_string_pretty));
    for text in texts {
        out.line(text.map_err(|no| Problem::new(no.to_string()))?);
    }
    Ok(Status::Clean)
}

/// Tells the plan as a program of FCL, or why it cannot be said.
pub(super) fn tell_in_fcl(said: Result<Said, Unsaid>, out: &mut Out) {
    match said {
        Ok(said) => {
            let same = if said.compared { "it gives the same results" } else { UNCOMPARED };
            out.line(format!("\nthe plan as a program of FCL; {same}:"));
            out.text(&said.program.print());
        }
        Err(Unsaid::Beyond(why) | Unsaid::Wrong(why)) => {
            out.line(format!("FCL cannot say the plan: {why}"));
        }
    }
}

//! Routes beside the first one: what the first pass of each makes is a program of its own, which is put through
//! all checks, and ends as the program does.

use super::examine::Class;
use super::look::Look;
use super::tester::Tester;
use super::verdict::{Finding, Kind, Part, Step, Verdict};
use crate::engine::{Artifact, Case, EngineId, Stage, StageId};
use crate::panics::catch;
use crate::profiles::reason;
use compiler::pipeline::{self, ROUTES};
use compiler::route::PassCx;
use std::borrow::Cow;
use std::time::Instant;

/// Takes every route beside the first one.
///
/// # Errors
/// What is wrong.
pub(super) fn check(tester: &mut Tester, look: &mut Look) -> Step {
    made(tester, look, &look.case.program)
}

/// The same of a program that is to end as the one that is looked at.
///
/// # Errors
/// What is wrong.
pub(super) fn made(tester: &mut Tester, look: &mut Look, program: &Artifact) -> Step {
    ROUTES.beside(program.lang().into()).try_for_each(|at| {
        let stage = StageId(at.tag());
        let mut cx = PassCx::new(tester.plan);
        let from = Cow::Owned(program.clone().into());
        let start = Instant::now();
        let made = catch(|| pipeline::alone(at, from, &mut cx));
        look.seen.passes.push((stage, start.elapsed()));
        let engine = EngineId::own(program.lang());
        match made {
            Ok(Ok(made)) => match made.program() {
                Ok(program) => examine(tester, look, stage, program),
                Err(_) => Ok(()),
            },
            Ok(Err(refused)) => {
                look.seen.skip(stage, engine, format!("{stage} refused: {}", refused.reason));
                Ok(())
            }
            Err(text) => {
                let text = format!("{stage} panicked: {text}");
                Err(Verdict::Finding(Box::new(Finding::of(stage, engine, Kind::Panic, text))))
            }
        }
    })
}

/// Puts a program that is to end as the one that is looked at through all checks. `made` is what made it.
///
/// # Errors
/// What is wrong with it, or how it ends otherwise.
pub(super) fn examine(
    tester: &mut Tester,
    look: &mut Look,
    made: StageId,
    program: Artifact,
) -> Step {
    let own = EngineId::own(program.lang());
    if !tester.asked(&own) {
        look.seen.skip(made, own, "not asked for");
        return Ok(());
    }
    let program = match program.fit(look.case.input.clone()) {
        Ok(input) => Case { program, input, ..look.case.clone() },
        Err(no) => {
            let text = format!("{made} changes what the program takes: {}", no.message);
            return Err(Verdict::Finding(Box::new(Finding::of(made, own, Kind::Types, text))));
        }
    };
    let seen = tester.examine(&program, look.depth);
    let named = |stage: StageId| if stage == StageId::SOURCE { made } else { stage };
    let first = look.seen.sides.len();
    let sides = seen.sides.into_iter();
    look.seen.sides.extend(sides.map(|mut side| {
        side.stage = named(side.stage);
        side
    }));
    look.seen.passes.extend(seen.passes);
    look.seen.skipped.extend(seen.skipped.into_iter().map(|mut skipped| {
        skipped.stage = named(skipped.stage);
        skipped
    }));
    match (seen.verdict, seen.class) {
        (Verdict::Finding(mut finding), _) => {
            finding.stage = named(finding.stage);
            finding.text = format!("of what {made} makes: {}", finding.text);
            Err(Verdict::Finding(finding))
        }
        (Verdict::Unknown(why), _) => {
            look.seen.skip(made, own, reason(&why));
            Ok(())
        }
        (_, Class::Race) => {
            let text = format!("after {made}, threads race");
            let finding = Finding::of(made, own, Kind::Race, text);
            let shown = finding.shown_by(&look.seen.sides[first].outcome);
            Err(Verdict::Finding(Box::new(shown)))
        }
        _ => {
            let artifact = Cow::Borrowed(&program.program);
            look.hold(&Stage { id: made, artifact }, first, Part::Whole)
        }
    }
}

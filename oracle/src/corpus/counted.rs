//! What a header says of counts: operations behind a pass, launches and invocations of the compiled program.

use super::Judged;
use crate::check::Tester;
use crate::engine::{Artifact, Case, Engine, Origin};
use crate::engines::LanguageEngine;
use crate::language::Listed;
use crate::profiles::reason;
use crate::rolls::Rolls;
use crate::stages::{End, Stages};
use reference::device::Device;
use reference::kit::decisions::Policy;
use reference::kit::header::{After, Header};
use reference::kit::language::Settings;
use reference::kit::outcome::{Budget, Ending};

/// Counted operations; how many of the failures are runs without an answer. They are pinned for passes that do all that
/// they hold for best.
pub(super) fn after(
    tester: &Tester,
    program: &Artifact,
    (header, budget): (&Header, Budget),
    judged: &mut Judged,
) -> usize {
    if header.after.is_empty() || tester.plan.decisions != Policy::default() {
        return 0;
    }
    let stages = Stages::of(program, tester.plan);
    let mut without = 0;
    for after in &header.after {
        if after.pass == "device" {
            without += usize::from(launched(&stages, (header, budget), program, after, judged));
            continue;
        }
        let Some(stage) = stages.list.iter().rev().find(|stage| stage.id.0 == after.pass) else {
            let why = match &stages.end {
                Some((pass, End::Refused(refused))) => {
                    format!("{pass} refuses: {}", refused.reason)
                }
                Some((pass, End::Panicked(text) | End::Invalid(text))) => {
                    format!("{pass} broke: {text}")
                }
                None => "there is no such pass".to_owned(),
            };
            judged.failures.push(format!("after {}: {why}", after.pass).into());
            continue;
        };
        for (operation, wanted) in &after.counts {
            match stage.artifact.count(operation) {
                Ok(found) if found == *wanted => {}
                Ok(found) => {
                    let told = format!("after {}: {operation} {found}, not {wanted}", after.pass);
                    judged.failures.push(told.into());
                }
                Err(text) => judged.failures.push(text.into()),
            }
        }
    }
    without
}

/// Launches and invocations of the compiled program on the last input that fits; is its run without an answer?
fn launched(
    stages: &Stages,
    (header, budget): (&Header, Budget),
    program: &Artifact,
    after: &After,
    judged: &mut Judged,
) -> bool {
    let device = stages.last(Device::LANG).map(|at| &stages.list[at]);
    let inputs = header.cases.iter().map(|case| case.input.clone()).chain([vec![]]);
    let mut fitting = inputs.rev().filter_map(|input| program.fit(input).ok());
    let (Some(stage), Some(input)) = (device, fitting.next()) else {
        judged.failures.push("after device: it is not compiled".to_owned().into());
        return false;
    };
    let origin = Origin::File(String::new());
    let case = Case {
        program: program.clone(),
        input,
        schedule: 1,
        settings: Settings::default(),
        budget,
        origin,
    };
    let outcome = LanguageEngine::of::<Device>().run(stage, &case, &mut Rolls::default());
    if let Ending::Unknown(why) = &outcome.ending {
        judged.failures.push(format!("after device: no answer: {}", reason(why)).into());
        return true;
    }
    for (what, wanted) in &after.counts {
        let found = match what.as_str() {
            "launches" => outcome.stats.launches,
            "invocations" => outcome.stats.invocations,
            other => {
                judged.failures.push(format!("after device: `{other}` is not counted").into());
                continue;
            }
        };
        if found != *wanted {
            judged.failures.push(format!("after device: {what} {found}, not {wanted}").into());
        }
    }
    false
}

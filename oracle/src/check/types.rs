//! Every stage is well typed under the rules of its own language; a pass that makes an ill typed
//! stage is blamed. One that is beyond a limit of theirs is counted as not checked.

use super::examine::Examination;
use super::verdict::{Finding, Kind};
use crate::engine::{EngineId, Stage};
use crate::panics::catch;
use crate::rolls::Rolls;
use reference::kit::text::Rejected;

/// Holds a stage against the type rules of its language.
///
/// # Errors
/// The rule that refuses it.
pub fn check(
    stage: &Stage,
    engine: EngineId,
    rolls: &mut Rolls,
    seen: &mut Examination,
) -> Result<(), Box<Finding>> {
    let (kind, text) = match catch(|| stage.artifact.check(rolls)) {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(Rejected { limit: Some(limit), .. })) => {
            seen.skip(stage.id, engine, format!("it is beyond the limit of {}", limit.name()));
            return Ok(());
        }
        Ok(Err(rejected)) => {
            let rule = rejected
                .rule
                .map(|(rule, premise)| format!(" ({rule}, {premise})"))
                .unwrap_or_default();
            (Kind::Types, format!("{}{rule}: {}", rejected.message, rejected.label))
        }
        Err(text) => (Kind::Panic, format!("the type rules of {}: {text}", stage.artifact.lang())),
    };
    Err(Box::new(Finding::of(stage.id, engine, kind, text)))
}

//! Decides whether a finding that no longer reproduces is fixed, or whether the engine that showed it did not run.

use super::answers::replied;
use crate::check::adapters::ADAPTER;
use crate::check::race::RACE_CHECK;
use crate::check::spirv::{NAGA, TINT};
use crate::check::{Examination, Kind, Tester};
use crate::engine::{Engine, EngineId, NotRun, StageId};
use crate::language::{Lang, Listed};
use crate::stages::{CHECKED, EMIT, LAST, language_of, last_of, names};
use reference::imp::Imp;
use reference::kit::header::Header;
use std::iter;

/// Which engines show a finding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    /// The semantics of a language.
    Language(Lang),
    /// The executors of SPIR-V.
    Shaders,
    Adapters,
}

/// Why the finding that a header tells of (`kind:` and `stage:`) may be there as before, though nothing is
/// wrong with what was run: the engine that would show it, and why its answer was not compared. None if it
/// was, and of a header that tells of none.
pub fn not_compared(
    header: &Header,
    lang: Lang,
    tester: &Tester,
    seen: &Examination,
) -> Option<NotRun> {
    let (kind, stage) = header.note("kind").zip(header.note("stage"))?;
    let answered = answered(header);
    // Where it is not known what would show it, it cannot be said to be gone.
    let unknown = |what: String| Some(NotRun { engine: EngineId::own(lang), reason: what });
    if !Kind::ALL.iter().any(|known| known.name() == kind) {
        return unknown(format!("{kind} is no kind of finding of this version"));
    }
    let Some((room, stage)) = place(stage, &answered, lang) else {
        return unknown(format!("{stage} is no stage of this version"));
    };
    shown_by(header, kind, &answered, room, stage).into_iter().find_map(|engine| {
        let skipped = seen.skipped.iter().filter(|skip| skip.not_run.engine == engine);
        let mut here = skipped.clone().filter(|skip| skip.stage == stage);
        let mut sides = seen.sides.iter();
        let ran = sides.any(|side| side.engine == engine && side.stage == stage);
        if ran && here.next().is_none() {
            return None;
        }
        let reason = match skipped.clone().next() {
            Some(skip) => skip.not_run.reason.clone(),
            None if !tester.asked(&engine) => "not asked for".to_owned(),
            None if !is_here(tester, &engine) => "it is not here".to_owned(),
            None => match seen.skipped.first() {
                Some(skip) => skip.not_run.reason.clone(),
                None => format!("it was not asked after {stage}"),
            },
        };
        Some(NotRun { engine, reason })
    })
}

/// Why nothing was compared at all, if only the engine of the program's own language answered.
pub fn nothing_compared(seen: &Examination) -> Option<NotRun> {
    let own = seen.sides.first()?;
    if seen.sides.iter().any(|side| side.engine != own.engine) {
        return None;
    }
    Some(match seen.skipped.first() {
        Some(skip) => skip.not_run.clone(),
        None => {
            NotRun { engine: own.engine.clone(), reason: "no other engine was asked".to_owned() }
        }
    })
}

/// Which engines answered when the finding was kept, and after which stage.
fn answered(header: &Header) -> Vec<(EngineId, &str)> {
    let answers = header.notes.iter().filter(|note| note.key == "answer");
    answers.filter_map(|note| replied(&note.text)).collect()
}

/// Whose engines show a finding, and after which stage.
fn place(stage: &str, answered: &[(EngineId, &str)], lang: Lang) -> Option<(Room, StageId)> {
    let is = |stages: &[StageId]| stages.iter().any(|of| of.0 == stage);
    // Adapters are asked last: where one answered, it showed what shaders can be blamed for.
    let by_adapter = answered.iter().any(|(engine, _)| engine.is_adapter());
    if is(&[ADAPTER]) || by_adapter && is(&[CHECKED, LAST, EMIT, TINT]) {
        return Some((Room::Adapters, CHECKED));
    }
    if is(&[EMIT, NAGA, TINT]) {
        return Some((Room::Shaders, CHECKED));
    }
    if is(&[RACE_CHECK]) {
        return Some((Room::Language(Imp::LANG), last_of(Imp::LANG, lang)));
    }
    let named = StageId(names().into_iter().find(|name| *name == stage)?);
    Some((Room::Language(language_of(stage, lang)?), named))
}

/// The engines of a room that answered when the finding was kept, which are those that may have shown it;
/// if the header does not say, those that would.
fn shown_by(
    header: &Header,
    kind: &str,
    answered: &[(EngineId, &str)],
    room: Room,
    stage: StageId,
) -> Vec<EngineId> {
    // Of several adapters that answered one is named.
    if let (Room::Adapters, Some(named)) = (room, header.note("adapter")) {
        let id = named.split_whitespace().next().unwrap_or_default();
        let dawn = id == EngineId::Dawn.to_string();
        return vec![if dawn { EngineId::Dawn } else { EngineId::Wgpu(id.to_owned()) }];
    }
    let of_room = |engine: &EngineId| match engine {
        EngineId::Semantic(lang, _) => room == Room::Language(*lang),
        EngineId::Spirv | EngineId::Tint => room == Room::Shaders,
        EngineId::Wgpu(_) | EngineId::Dawn => room == Room::Adapters,
    };
    let then = answered.iter().filter(|(engine, after)| of_room(engine) && *after == stage.0);
    let then: Vec<EngineId> = then.map(|(engine, _)| engine.clone()).collect();
    match room {
        _ if !then.is_empty() => then,
        // A difference between two orders may be shown by any of them.
        Room::Language(lang)
            if [Kind::Order, Kind::MissedRace].iter().any(|of| of.name() == kind) =>
        {
            iter::once(EngineId::own(lang)).chain(EngineId::others(lang)).collect()
        }
        Room::Language(lang) => vec![EngineId::own(lang)],
        Room::Shaders => vec![EngineId::Spirv],
        // No adapter has this name: which one it was is not known.
        Room::Adapters => vec![EngineId::Wgpu("unnamed".to_owned())],
    }
}

fn is_here(tester: &Tester, engine: &EngineId) -> bool {
    match engine {
        EngineId::Tint => tester.tint.is_some(),
        engine if engine.is_adapter() => tester.adapters.iter().any(|a| a.id() == *engine),
        _ => true,
    }
}

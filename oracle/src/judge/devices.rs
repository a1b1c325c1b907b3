//! Shaders on adapters, in child processes: what an adapter leaves is held against what the runs of the executor left.
//!
//! Only a shader of which nothing is told, but limits, is launched: of any other an adapter may do what it likes.

use super::class::Class;
use super::contents::{Contents, differs, scalar};
use super::orders::{Run, one_of_size};
use super::runs::{ERRORS, LEAST_SUBGROUP, MOST_SUBGROUP};
use super::shader::{Loaded, called};
use super::verdict::{Verdict, spot_of};
use super::{Judge, Source};
use crate::engine::{Engine, EngineId};
use crate::engines::AdapterEngine;
use crate::engines::child::Launcher;
use compiler::emit::foreign::{Element, Resource};
use compiler::run::bound::{Access, Bound, BoundBuffer};
use compiler::target::Adapter;
use reference::kit::outcome::{Broken, Ending, Why};
use serde::Serialize;
use std::fmt;

/// Adapters that shaders are launched on. Their processes live as long as this does.
pub struct Devices(Vec<AdapterEngine>);

/// What came of a launch on an adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Launched {
    /// The adapter, as an engine.
    pub engine: EngineId,
    /// Does it agree?
    pub heard: Heard,
    /// Why it was not asked, or gave no answer.
    pub why: Option<String>,
}

impl fmt::Display for Launched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.heard {
            Heard::Agrees => "agrees",
            Heard::Differs => "differs",
            Heard::NotAsked => "was not asked",
            Heard::NoAnswer => "gives no answer",
        };
        write!(f, "{} {what}", self.engine)?;
        match &self.why {
            Some(why) => write!(f, ": {why}"),
            None => Ok(()),
        }
    }
}

/// Does an adapter agree?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Heard {
    /// It leaves what a run leaves.
    Agrees,
    /// It leaves what no run leaves, or breaks.
    Differs,
    /// Something is told of the shader already.
    NotAsked,
    /// It refuses the shader, or is not there.
    NoAnswer,
}

/// The dispatches of a shader with the words that they begin with.
pub(super) type Asked<'a> = (&'a [Contents], &'a [[u32; 3]]);

impl Devices {
    /// These adapters, in children of the launcher's executable `lockstep`.
    pub fn new(launcher: &Launcher, adapters: &[Adapter]) -> Self {
        Self(adapters.iter().map(|adapter| AdapterEngine::new(adapter, launcher)).collect())
    }

    /// Launches the shader on each of them. `settled` says that all runs came to their end.
    pub(super) fn compare(
        &mut self,
        (judge, loaded): (&Judge, &Loaded),
        asked: Asked<'_>,
        (ended, settled): (&[&Run], bool),
        verdicts: &mut Vec<Verdict>,
    ) -> Vec<Launched> {
        let mut launched = Vec::new();
        let told = verdicts.iter().find(|verdict| verdict.class != Class::Limits);
        let told =
            told.map(|verdict| format!("the shader has something of {}", verdict.class.name()));
        let unsettled = (!settled).then(|| "there is no answer of the judge".to_owned());
        let not_asked = told.or(unsettled);
        for engine in &mut self.0 {
            let id = engine.id();
            let heard = |heard, why| Launched { engine: id.clone(), heard, why };
            let Source::Wgsl(text) = &judge.source else {
                let why = "adapters are given WGSL, and no module of SPIR-V".to_owned();
                launched.push(heard(Heard::NotAsked, Some(why)));
                continue;
            };
            if let Some(why) = &not_asked {
                launched.push(heard(Heard::NotAsked, Some(why.clone())));
                continue;
            }
            launched.push(match engine.launch(&bound(judge, loaded, text, asked)) {
                Ok(words) => match unlike((judge, loaded), asked, ended, &words) {
                    Ok(None) => heard(Heard::Agrees, None),
                    Err(why) => heard(Heard::NotAsked, Some(why)),
                    Ok(Some((element, what))) => {
                        let message = what.replace(HERE, &id.to_string());
                        let verdict = Verdict::new(Class::Engine, message);
                        verdicts.push(Verdict { element: Some(element), ..verdict });
                        heard(Heard::Differs, None)
                    }
                },
                Err(ending) => {
                    let (verdict, answer, why) = broke(&id, ending, loaded);
                    verdicts.extend(verdict);
                    heard(answer, why)
                }
            });
        }
        launched
    }
}

/// The shader as an adapter gets it.
fn bound(judge: &Judge, loaded: &Loaded, text: &str, (first, dispatches): Asked<'_>) -> Bound {
    let buffer = |(resource, contents): (&Resource, &Contents)| BoundBuffer {
        group: resource.group,
        binding: resource.binding,
        access: match (resource.uniform, resource.written) {
            (true, _) => Access::Uniform,
            (false, true) => Access::Write,
            (false, false) => Access::Read,
        },
        words: contents.words.clone(),
    };
    Bound {
        wgsl: text.to_owned(),
        entry: loaded.entry.clone(),
        constants: judge.constants.clone(),
        buffers: loaded.resources.iter().zip(first).map(buffer).collect(),
        dispatches: dispatches.to_vec(),
    }
}

/// Stands for the engine in what is said of it.
const HERE: &str = "{engine}";

/// The element that is as no run leaves it, and what is said of that. A device has subgroups of its own size.
///
/// # Errors
/// Why nothing can be said: with subgroups of another size than was judged something is wrong with the shader.
fn unlike(
    (judge, loaded): (&Judge, &Loaded),
    asked: Asked<'_>,
    ended: &[&Run],
    words: &[Vec<u32>],
) -> Result<Option<(String, String)>, String> {
    let found = ended.first().and_then(|run| difference((judge, loaded), run, words));
    let Some(found) = found else { return Ok(None) };
    let alike = |run: &Run| difference((judge, loaded), run, words).is_none();
    if ended.iter().any(|run| alike(run)) {
        return Ok(None);
    }
    let by_subgroups = loaded.text.as_ref().is_some_and(|text| text.contains("subgroup"));
    let sizes = LEAST_SUBGROUP..=MOST_SUBGROUP;
    for size in sizes.filter(|size| by_subgroups && size.is_power_of_two()) {
        let run = one_of_size((judge, loaded), asked, size);
        if !run.is_clean() {
            return Err(format!("something is wrong with the shader in subgroups of {size}"));
        }
        if alike(&run) {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

fn difference(
    (judge, loaded): (&Judge, &Loaded),
    run: &Run,
    words: &[Vec<u32>],
) -> Option<(String, String)> {
    for (number, resource) in loaded.resources.iter().enumerate() {
        let (mut wanted, mut got) = (run.buffers[number].clone(), words[number].clone());
        let mut errors = run.errors[number].clone();
        let any_order = judge.any_order.iter().any(|place| place.names(resource));
        if any_order {
            wanted.sort_unstable();
            got.sort_unstable();
            let widest = errors.iter().copied().fold(0.0, f64::max);
            errors.fill(widest);
        }
        let pairs = wanted.iter().zip(&got).zip(&errors);
        let at = pairs.enumerate().find_map(|(at, ((wanted, got), error))| {
            // A word of a float that is open is a float, whatever the first scalar of its buffer is.
            let element = match resource.element {
                Element::Half => Element::Half,
                _ if *error > 0.0 => Element::Float,
                element => element,
            };
            Some((at, differs(*got, *wanted, element, (0.0, ERRORS * error))?, element))
        });
        let Some((at, part, kind)) = at else { continue };
        let element = match (&loaded.translated, any_order) {
            (Some(translated), false) => translated.byte_of(resource, 4 * at as u32 + part),
            _ => format!("{}[{at}]", called(resource)),
        };
        let what = format!(
            "`{element}` is {} on {HERE}, and {} in the runs of the executor",
            scalar(got[at], part, kind),
            scalar(wanted[at], part, kind)
        );
        return Some((element, what));
    }
    None
}

/// What an adapter says that does not run the shader to its end.
fn broke(
    id: &EngineId,
    ending: Ending,
    loaded: &Loaded,
) -> (Option<Verdict>, Heard, Option<String>) {
    let finding = |what: String| {
        let verdict = Verdict::new(Class::Engine, format!("{id} {what}, and the executor ends"));
        (Some(verdict), Heard::Differs, Some(what))
    };
    match ending {
        Ending::Broken(Broken::Invalid(text)) => {
            let text = text.strip_prefix("Dawn refuses it: ").unwrap_or(&text).trim();
            let uniform = text.lines().find(|line| line.contains("uniform control flow"));
            let verdict = uniform.filter(|_| *id == EngineId::Dawn).map(|line| {
                let (place, said) = line.split_once(" error: ").unwrap_or(("", line));
                let line = place.rsplit(':').nth(1).and_then(|line| line.parse().ok());
                let at = line.and_then(|line| spot_of(line, loaded, "here".to_owned()));
                let message = format!("Tint refuses the shader: {said}");
                Verdict { at, ..Verdict::new(Class::Uniformity, message) }
            });
            (verdict, Heard::NoAnswer, Some(format!("it refuses the shader: {text}")))
        }
        Ending::Broken(Broken::Hang) => finding("gives no answer in its time".to_owned()),
        Ending::Broken(Broken::Crash(text)) => finding(format!("crashes: {text}")),
        Ending::Broken(Broken::Lost(text)) => finding(format!("loses its device: {text}")),
        Ending::Broken(broken) => finding(format!("breaks: {broken:?}")),
        Ending::Unknown(Why::NoAdapter(text) | Why::NotModelled(text)) => {
            (None, Heard::NoAnswer, Some(text))
        }
        other => (None, Heard::NoAnswer, Some(format!("{other:?}"))),
    }
}

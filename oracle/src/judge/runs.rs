//! The runs of a shader: in several orders of its invocations, with each size of subgroups.

use super::class::{Class, Level};
use super::contents::{Contents, PlaceName, differs, part, scalar};
use super::devices::{Asked, Devices};
use super::orders::{Run, orders, told_in, too_many, tried};
use super::relaxed;
use super::shader::{Loaded, NoShader, asked, called, contents};
use super::verdict::{Verdict, spot, spot_of};
use super::{Judge, Report, Source, Unfit};
use compiler::emit::foreign::Element;
use reference::kit::schedule::Order;
use reference::spirv::values::Finding;
use serde::{Serialize, Serializer};

/// A buffer behind a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Buffered {
    /// What it is called.
    pub name: String,
    /// Its words.
    pub words: Vec<u32>,
    /// How they are read.
    #[serde(serialize_with = "named")]
    pub element: Element,
}

fn named<S: Serializer>(element: &Element, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match element {
        Element::Unsigned => "u32",
        Element::Signed => "i32",
        Element::Float => "f32",
        Element::Half => "f16",
    })
}

/// The sizes that subgroups have: WGSL, Subgroups.
pub(super) const LEAST_SUBGROUP: u32 = 4;
pub(super) const MOST_SUBGROUP: u32 = 128;

/// Work groups in a dimension of a grid, as WebGPU has it.
const GROUPS: u32 = 65_535;

const MORE_GROUPS: &str = "more work groups stand in other dimensions, as in --groups 65535,2";

/// The most invocations of a work group, and of each dimension, that WebGPU promises; bytes of work-group memory; buffers.
const INVOCATIONS: u32 = 256;
const SIZE: [u32; 3] = [256, 256, 64];
const GROUP_BYTES: u32 = 16_384;
const STORAGE: usize = 8;
const UNIFORM: usize = 12;

/// Runs the shader, also on these devices, and says what came of it.
pub(super) fn report(
    judge: &Judge,
    loaded: Loaded,
    devices: Option<&mut Devices>,
) -> Result<Report, NoShader> {
    let dispatches = dispatches(judge)?;
    let (first, made_up) = contents(judge, &loaded)?;
    let asked = (&first[..], &dispatches[..]);
    let mut unanswered: Vec<String> = too_much(judge, &loaded, asked).into_iter().collect();
    let mut runs = Vec::new();
    if unanswered.is_empty() {
        let orders: Vec<Order> = orders(judge).collect();
        for subgroup in &judge.subgroups {
            runs.append(&mut tried(judge, &loaded, asked, (&orders, *subgroup)));
        }
    }
    let mut verdicts = limits(&loaded);
    verdicts.append(&mut told((judge, &loaded), &runs, &mut unanswered));
    let ended: Vec<&Run> = runs.iter().filter(|run| run.is_clean()).collect();
    compare(judge, &loaded, &ended, &mut verdicts);
    expect(judge, &loaded, &ended, &mut verdicts);
    let settled = ended.len() == runs.len();
    if let Some(run) = ended.first().filter(|_| settled) {
        relaxed::compare((judge, &loaded), asked, run, (&mut verdicts, &mut unanswered));
    }
    let engines = devices.map_or_else(Vec::new, |devices| {
        let settled = settled && unanswered.is_empty();
        devices.compare((judge, &loaded), asked, (&ended, settled), &mut verdicts)
    });
    for verdict in &mut verdicts {
        verdict.weigh(&judge.levels);
    }
    made_up.weigh((judge, &loaded), &mut verdicts);
    let mut allowed: Vec<Class> = Vec::new();
    verdicts.retain(|verdict| {
        let is_told = verdict.level > Level::Allow;
        if !is_told && !allowed.contains(&verdict.class) {
            allowed.push(verdict.class);
        }
        is_told
    });
    verdicts.sort_by_key(|verdict| (std::cmp::Reverse(verdict.level), verdict.class));
    let mut outcomes: Vec<Vec<Buffered>> = Vec::new();
    for run in &ended {
        let left = left(run, &loaded, &first);
        if !outcomes.contains(&left) {
            outcomes.push(left);
        }
    }
    Ok(Report {
        verdicts,
        allowed,
        unanswered,
        made_up: made_up.names(&loaded),
        buffers: runs.first().map(|run| left(run, &loaded, &first)).unwrap_or_default(),
        runs: runs.len(),
        asked_runs: judge.subgroups.len() * judge.orders.max(1) as usize,
        engines,
        outcomes,
        spirv: loaded.is_spirv(),
        resources: loaded.resources,
    })
}

/// The buffers behind a run that began with these contents.
fn left(run: &Run, loaded: &Loaded, first: &[Contents]) -> Vec<Buffered> {
    let elements = loaded.resources.iter().zip(first).zip(&run.buffers);
    let shown = elements.map(|((resource, contents), words)| Buffered {
        name: called(resource),
        words: words.clone(),
        element: contents.element.unwrap_or(resource.element),
    });
    shown.collect()
}

/// Why no run is made, if that takes more memory or instructions than it may.
fn too_much(judge: &Judge, loaded: &Loaded, (first, dispatches): Asked<'_>) -> Option<String> {
    let words: u64 = first.iter().map(|contents| contents.words.len() as u64).sum();
    let bytes =
        loaded.module.bytes(true).saturating_add(words.saturating_mul(loaded.module.word_bytes()));
    if bytes > judge.memory {
        return Some(format!(
            "a run takes {} MiB, and may take {}: --memory lets it take more",
            bytes.div_ceil(1 << 20),
            judge.memory >> 20
        ));
    }
    too_many(judge, loaded, dispatches)
}

/// What the runs say, each by itself.
pub(super) fn told(
    (judge, loaded): (&Judge, &Loaded),
    runs: &[Run],
    unanswered: &mut Vec<String>,
) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let raced = runs.iter().flat_map(|run| &run.findings).any(|finding| finding.clash.is_some());
    if loaded.module.releases() && raced {
        unanswered.push(
            "not modelled: release/acquire, on which accesses of plain memory depend".to_owned(),
        );
    }
    for run in runs {
        let known = |finding: &&Finding| finding.clash.is_none() || !loaded.module.releases();
        for finding in run.findings.iter().filter(known) {
            add(&mut verdicts, Verdict::of(finding, loaded, &run.order).behind(finding));
        }
    }
    for run in runs {
        for note in &run.notes {
            let verdict = Verdict::remarked(note, loaded, &run.order);
            let told = |known: &Verdict| known.class == Class::OutOfBounds && known.is_at(&verdict);
            if !verdicts.iter().any(told) {
                add(&mut verdicts, verdict);
            }
        }
    }
    without_repetitions(&mut verdicts);
    endless(runs, (judge, loaded), &mut verdicts, unanswered);
    verdicts
}

fn dispatches(judge: &Judge) -> Result<Vec<[u32; 3]>, NoShader> {
    let dispatches = match judge.dispatches.as_slice() {
        [] => vec![[1, 1, 1]],
        said => said.to_vec(),
    };
    for groups in &dispatches {
        if let Some(wrong) = groups.iter().find(|groups| !(1..=GROUPS).contains(groups)) {
            let why = format!("{wrong} work groups in a dimension: a dispatch has 1 to {GROUPS}");
            return asked(Unfit::new(why).help(MORE_GROUPS).said("groups", wrong.to_string()));
        }
    }
    let least = match judge.source {
        Source::Wgsl(_) => LEAST_SUBGROUP,
        Source::Spirv { .. } => 1,
    };
    let sizes = least..=MOST_SUBGROUP;
    let fits = |size: &u32| size.is_power_of_two() && sizes.contains(size);
    if let Some(wrong) = judge.subgroups.iter().find(|size| !fits(size)) {
        let why = format!(
            "subgroups of {wrong}: their size is a power of two from {least} to {MOST_SUBGROUP}"
        );
        let help = format!("such as --subgroup {LEAST_SUBGROUP},32");
        return asked(Unfit::new(why).help(help).said("subgroup", wrong.to_string()));
    }
    if judge.subgroups.is_empty() {
        let why = "no size of subgroups is asked for, so nothing would be run";
        return asked(Unfit::new(why).help("the usual one is 32"));
    }
    Ok(dispatches)
}

/// A race of a variable in a line says what one of equal values says of both.
fn without_repetitions(verdicts: &mut Vec<Verdict>) {
    let races: Vec<Verdict> =
        verdicts.iter().filter(|verdict| verdict.class == Class::Race).cloned().collect();
    verdicts.retain(|verdict| {
        let told = |race: &Verdict| race.variable() == verdict.variable() && race.is_at(verdict);
        verdict.class != Class::SameValue || !races.iter().any(told)
    });
}

/// One verdict for each pair of lines.
fn add(verdicts: &mut Vec<Verdict>, verdict: Verdict) {
    match verdicts.iter_mut().find(|known| known.is_as(&verdict)) {
        Some(known) if known.behind.is_some() && verdict.behind.is_none() => *known = verdict,
        Some(_) => {}
        None => verdicts.push(verdict),
    }
}

fn limits(loaded: &Loaded) -> Vec<Verdict> {
    let size = loaded.module.group_size();
    let invocations = size.iter().fold(1u32, |all, size| all.saturating_mul(*size));
    let uniform = loaded.resources.iter().filter(|resource| resource.uniform).count();
    let storage = loaded.resources.len() - uniform;
    let mut beyond = Vec::new();
    let mut ask = |what: &str, has: u64, promised: u64| {
        if has > promised {
            beyond.push(format!("{what}: {has}, where {promised} are promised"));
        }
    };
    ask("invocations of a work group", invocations.into(), INVOCATIONS.into());
    for (dimension, (has, promised)) in ["x", "y", "z"].iter().zip(size.iter().zip(SIZE)) {
        let what = format!("invocations of a work group in {dimension}");
        ask(&what, (*has).into(), promised.into());
    }
    ask("bytes of work-group memory", loaded.group_bytes.into(), GROUP_BYTES.into());
    ask("storage buffers", storage as u64, STORAGE as u64);
    ask("uniform buffers", uniform as u64, UNIFORM as u64);
    beyond.into_iter().map(|message| Verdict::new(Class::Limits, message)).collect()
}

/// Runs that did not end.
fn endless(
    runs: &[Run],
    (judge, loaded): (&Judge, &Loaded),
    verdicts: &mut Vec<Verdict>,
    unanswered: &mut Vec<String>,
) {
    for run in runs.iter().filter(|run| run.never_ends()) {
        if let (Some(repeats), Some(finding)) = (&run.repeats, &run.endless) {
            let verdict = Verdict::loops(finding, repeats, loaded, &run.order);
            add(verdicts, verdict.behind(finding));
        }
    }
    let mut endless = runs.iter().filter(|run| run.endless.is_some() && !run.never_ends());
    let Some(endless) = endless.next() else { return };
    match runs.iter().find(|run| run.is_clean()) {
        Some(ended) => {
            let message = format!(
                "the dispatch ends {}, and {}, {} waits for another one that does not go on",
                told_in(&ended.order),
                told_in(&endless.order),
                endless.endless.as_ref().map_or_else(String::new, |it| Verdict::who(it, loaded)),
            );
            let help = "let invocations wait for each other at barriers only, or use a dispatch for each step";
            let verdict = Verdict::new(Class::NeedsProgress, message);
            let at = endless.waits.as_ref();
            let at = at.and_then(|place| spot(place, loaded, "it waits here".to_owned()));
            add(verdicts, Verdict { at, help: Some(help.to_owned()), ..verdict });
        }
        None if runs.iter().any(|run| run.never_ends() || !run.findings.is_empty()) => {}
        None => {
            let line = endless.endless.as_ref().and_then(|finding| finding.place.line);
            let line = line.map_or_else(String::new, |line| format!(", in line {line}"));
            unanswered.push(match endless.is_cut() {
                true => format!(
                    "no run ends within {} instructions for each invocation (--fuel){line}",
                    judge.fuel
                ),
                false => format!(
                    "in the orders that were tried (--orders) an invocation comes back to a state in which it was, and no other one changes what it reads{line}"
                ),
            });
        }
    }
}

/// So many times the estimate of its error may an open float differ from what is expected. WGSL's table bounds each
/// operation; how that adds up along a computation is an estimate.
pub(super) const ERRORS: f64 = 4.0;

/// Do all runs leave the same?
fn compare(judge: &Judge, loaded: &Loaded, ended: &[&Run], verdicts: &mut Vec<Verdict>) {
    let Some(first) = ended.first() else { return };
    for (number, resource) in loaded.resources.iter().enumerate() {
        let any_order = judge.any_order.iter().any(|place| place.names(resource));
        let left = |run: &Run| {
            let mut words = run.buffers[number].clone();
            if any_order {
                words.sort_unstable();
            }
            words
        };
        let wanted = left(first);
        let differs = |run: &&&Run| left(run) != wanted;
        let by_order = ended.iter().filter(|run| run.subgroup == first.subgroup).find(differs);
        let by_size = ended.iter().filter(|run| run.order == first.order).find(differs);
        let (class, other) = match (by_order, by_size) {
            (Some(other), _) => (Class::OrderDependent, other),
            (None, Some(other)) => (Class::SubgroupDependent, other),
            (None, None) => continue,
        };
        let got = left(other);
        let at = got.iter().zip(&wanted).position(|(a, b)| a != b).unwrap_or_default();
        let part = part(got[at], wanted[at], resource.element);
        let element = match (&loaded.translated, any_order) {
            (Some(translated), false) => translated.byte_of(resource, 4 * at as u32 + part),
            _ => format!("{}[{at}]", called(resource)),
        };
        let value = |words: &[u32]| scalar(words[at], part, resource.element);
        let (one, another) = match class {
            Class::SubgroupDependent => (
                format!("with subgroups of {}", first.subgroup),
                format!("with subgroups of {}", other.subgroup),
            ),
            _ => (told_in(&first.order), told_in(&other.order)),
        };
        let message =
            format!("`{element}` is {} {one}, and {} {another}", value(&wanted), value(&got));
        let help = (class == Class::OrderDependent).then(|| {
            "relaxed atomics on several words may have more outcomes than were seen".to_owned()
        });
        let lines = loaded.module.atomic_lines();
        let mut atomics = lines
            .into_iter()
            .filter_map(|line| spot_of(line, loaded, "an atomic operation".to_owned()));
        let (at, other) = match class {
            Class::OrderDependent => (atomics.next(), atomics.next()),
            _ => (None, None),
        };
        let verdict = Verdict::new(class, message);
        verdicts.push(Verdict { at, other, element: Some(element), help, ..verdict });
    }
}

/// Does every run leave what is expected?
fn expect(judge: &Judge, loaded: &Loaded, ended: &[&Run], verdicts: &mut Vec<Verdict>) {
    for (place, wanted) in &judge.expected {
        let Some(number) = place.of(&loaded.resources) else { continue };
        let wrong = ended.iter().find_map(|run| wrong(judge, loaded, run, (number, place), wanted));
        verdicts.extend(wrong);
    }
}

fn wrong(
    judge: &Judge,
    loaded: &Loaded,
    run: &Run,
    (number, place): (usize, &PlaceName),
    wanted: &Contents,
) -> Option<Verdict> {
    let resource = &loaded.resources[number];
    let element = wanted.element.unwrap_or(resource.element);
    let (mut got, mut words) = (run.buffers[number].clone(), wanted.words.clone());
    let any_order = judge.any_order.iter().any(|place| place.names(resource));
    if any_order {
        got.sort_unstable();
        words.sort_unstable();
    }
    let mut name = place.0.clone();
    let message = if got.len() == words.len() {
        let pairs = got.iter().zip(&words);
        let (at, part) = pairs.enumerate().find_map(|(at, (got, word))| {
            let open = run.errors[number][at];
            // What need not be finite is expected to be what IEEE 754 makes of it.
            let error = if any_order || open.is_infinite() { 0.0 } else { ERRORS * open };
            Some((at, differs(*got, *word, element, (judge.tolerance, error))?))
        })?;
        name = match (&loaded.translated, any_order) {
            (Some(translated), false) => translated.byte_of(resource, 4 * at as u32 + part),
            _ => format!("{name}[{at}]"),
        };
        format!(
            "`{name}` is {}, and {} is expected ({})",
            scalar(got[at], part, element),
            scalar(words[at], part, element),
            told_in(&run.order)
        )
    } else {
        format!("`{}` has {} words, and {} are expected", place.0, got.len(), words.len())
    };
    let verdict = Verdict::new(Class::WrongResult, message);
    Some(Verdict { order: Some(run.order.clone()), element: Some(name), ..verdict })
}

//! The runs of a shader: in several orders of its invocations, with each size of subgroups.

use super::class::{Class, Level};
use super::contents::{Contents, PlaceName, differs, part, scalar};
use super::devices::{Asked, Devices};
use super::relaxed;
use super::shader::{Loaded, NoShader, asked, called, contents};
use super::verdict::{Verdict, spot, spot_of};
use super::{Judge, Report, Source, Unfit};
use compiler::emit::foreign::{Element, Resource};
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::schedule::Order;
use reference::spirv::eval::Executor;
use reference::spirv::values::{Buffer, Finding, Launch, Note, Place, Strictness};
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

/// A run.
pub(super) struct Run {
    /// In which order, with which size of subgroups.
    pub(super) order: String,
    subgroup: u32,
    pub(super) buffers: Vec<Vec<u32>>,
    pub(super) findings: Vec<Finding>,
    notes: Vec<Note>,
    /// By how much words of each buffer may differ from one device to another.
    pub(super) errors: Vec<Vec<f64>>,
    /// Where atomic loads gave older values, if they might.
    pub(super) stale: Vec<Place>,
    /// How many words atomic operations stored to, if so.
    pub(super) atomic_words: usize,
    /// What the run was doing when its fuel was gone, if it did not end.
    pub(super) endless: Option<Finding>,
    /// Where it comes back to a state in which it was.
    repeats: Option<Place>,
    /// Where an invocation waits that has no fuel left.
    waits: Option<Place>,
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
    let mut unanswered = Vec::new();
    let mut runs = Vec::new();
    let words: u64 = first.iter().map(|contents| contents.words.len() as u64).sum();
    let bytes =
        loaded.module.bytes(true).saturating_add(words.saturating_mul(loaded.module.word_bytes()));
    if bytes > judge.memory {
        unanswered.push(format!(
            "a run takes {} MiB, and may take {}: --memory lets it take more",
            bytes.div_ceil(1 << 20),
            judge.memory >> 20
        ));
    } else if let Some(why) = too_many(judge, &loaded, &dispatches) {
        unanswered.push(why);
    } else {
        for subgroup in &judge.subgroups {
            let mut endless = 0;
            for (made, order) in (1..).zip(orders(judge)) {
                let run = run(judge, &loaded, &first, &dispatches, order, *subgroup);
                endless += usize::from(run.endless.is_some() && run.repeats.is_none());
                runs.push(run);
                // Others would take as long.
                if endless == ENDLESS && made == ENDLESS {
                    break;
                }
            }
        }
    }
    let mut verdicts = limits(&loaded);
    let raced = runs.iter().flat_map(|run| &run.findings).any(|finding| finding.clash.is_some());
    if loaded.module.releases() && raced {
        unanswered.push(
            "not modelled: release/acquire, on which accesses of plain memory depend".to_owned(),
        );
    }
    for run in &runs {
        let known = |finding: &&Finding| finding.clash.is_none() || !loaded.module.releases();
        for finding in run.findings.iter().filter(known) {
            add(&mut verdicts, Verdict::of(finding, &loaded, &run.order));
        }
    }
    for run in &runs {
        for note in &run.notes {
            let verdict = Verdict::remarked(note, &loaded, &run.order);
            let told = |known: &Verdict| known.class == Class::OutOfBounds && known.is_at(&verdict);
            if !verdicts.iter().any(told) {
                add(&mut verdicts, verdict);
            }
        }
    }
    without_repetitions(&mut verdicts);
    endless(&runs, (judge, &loaded), &mut verdicts, &mut unanswered);
    let ended: Vec<&Run> = runs.iter().filter(|run| run.is_clean()).collect();
    compare(judge, &loaded, &ended, &mut verdicts);
    expect(judge, &loaded, &ended, &mut verdicts);
    let settled = ended.len() == runs.len();
    if let Some(run) = ended.first().filter(|_| settled) {
        let asked = (&first[..], &dispatches[..]);
        relaxed::compare((judge, &loaded), asked, run, (&mut verdicts, &mut unanswered));
    }
    let engines = devices.map_or_else(Vec::new, |devices| {
        let settled = settled && unanswered.is_empty();
        let asked = (&first[..], &dispatches[..]);
        devices.compare((judge, &loaded), asked, (&ended, settled), &mut verdicts)
    });
    for verdict in &mut verdicts {
        verdict.level = judge.levels.of(verdict.class);
        // What is made up may be what no caller gives.
        if !made_up.is_empty() && verdict.level == Level::Deny && verdict.order.is_some() {
            verdict.level = Level::Warn;
            verdict.help = Some(format!(
                "the contents of {} are made up, so this only warns: say them with --buffer",
                made_up.join(", ")
            ));
        }
    }
    let mut allowed: Vec<Class> = Vec::new();
    verdicts.retain(|verdict| {
        let is_told = verdict.level > Level::Allow;
        if !is_told && !allowed.contains(&verdict.class) {
            allowed.push(verdict.class);
        }
        is_told
    });
    verdicts.sort_by_key(|verdict| (std::cmp::Reverse(verdict.level), verdict.class));
    let shown = |run: &Run| -> Vec<Buffered> {
        let elements = loaded.resources.iter().zip(&first).zip(&run.buffers);
        let shown = elements.map(|((resource, contents), words)| Buffered {
            name: called(resource),
            words: words.clone(),
            element: contents.element.unwrap_or(resource.element),
        });
        shown.collect()
    };
    let mut outcomes: Vec<Vec<Buffered>> = Vec::new();
    for run in &ended {
        let left = shown(run);
        if !outcomes.contains(&left) {
            outcomes.push(left);
        }
    }
    Ok(Report {
        verdicts,
        allowed,
        unanswered,
        made_up,
        buffers: runs.first().map(shown).unwrap_or_default(),
        runs: runs.len(),
        engines,
        outcomes,
        spirv: loaded.is_spirv(),
        resources: loaded.resources,
    })
}

impl Run {
    /// Has it come to its end and found nothing?
    pub(super) fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.endless.is_none()
    }
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

/// The orders that are tried: as they are counted, backwards, then by turns drawn orders and drawn steps.
pub(super) fn orders(judge: &Judge) -> impl Iterator<Item = Order> {
    let seed = judge.seed;
    (0..judge.orders.max(1)).map(move |number| {
        let drawn = seed.wrapping_mul(4_096).wrapping_add(u64::from(number));
        match number {
            0 => Order::InOrder,
            1 => Order::Reversed,
            _ if number % 4 == 2 => Order::Shuffled(drawn),
            _ => Order::Interleaved(drawn),
        }
    })
}

fn run(
    judge: &Judge,
    loaded: &Loaded,
    first: &[Contents],
    dispatches: &[[u32; 3]],
    order: Order,
    subgroup: u32,
) -> Run {
    let with = |fuel, traced| {
        let how = How { order, subgroup, fuel, traced, relaxed: None, planted: judge.planted };
        once(loaded, first, dispatches, how)
    };
    // A loop that makes no progress does not take all the fuel to be seen.
    if judge.fuel > LITTLE {
        let quick = with(LITTLE, false);
        if quick.is_clean() {
            return quick;
        }
        if quick.endless.is_some() {
            let traced = with(LITTLE, true);
            if traced.repeats.is_some() {
                return traced;
            }
        }
    }
    let quick = with(judge.fuel, false);
    match quick.is_clean() {
        true => quick,
        // Again, for the earlier accesses of races.
        false => with(judge.fuel, true),
    }
}

/// If so many runs, and none before them, do not end, no more are made.
const ENDLESS: usize = 4;

/// Why no run can end: there are more invocations than instructions that a dispatch may have.
fn too_many(judge: &Judge, loaded: &Loaded, dispatches: &[[u32; 3]]) -> Option<String> {
    let size = product(loaded.module.group_size());
    let most = dispatches.iter().map(|groups| size.saturating_mul(product(*groups))).max()?;
    let fuel = judge.fuel.saturating_mul(MOST);
    (most > fuel).then(|| {
        format!("a dispatch has {most} invocations, and {fuel} instructions at most (--fuel)")
    })
}

fn product(extents: [u32; 3]) -> u64 {
    extents.iter().map(|extent| u64::from(*extent)).fold(1, u64::saturating_mul)
}

/// Instructions of an invocation within which a loop that makes no progress is looked for first.
const LITTLE: u64 = 1 << 10;

/// How a run is made.
#[derive(Clone, Copy)]
pub(super) struct How {
    pub(super) order: Order,
    pub(super) subgroup: u32,
    /// Instructions of an invocation.
    pub(super) fuel: u64,
    /// Whether earlier accesses of races are kept.
    pub(super) traced: bool,
    /// By what older values of atomic loads are drawn, if they may give any.
    pub(super) relaxed: Option<u64>,
    pub(super) planted: Planted,
}

/// The run in order with subgroups of this size.
pub(super) fn one_of_size(
    (judge, loaded): (&Judge, &Loaded),
    (first, dispatches): Asked<'_>,
    subgroup: u32,
) -> Run {
    let (order, fuel, planted) = (Order::InOrder, judge.fuel, judge.planted);
    let how = How { order, subgroup, fuel, traced: false, relaxed: None, planted };
    once(loaded, first, dispatches, how)
}

pub(super) fn once(
    loaded: &Loaded,
    first: &[Contents],
    dispatches: &[[u32; 3]],
    How { order, subgroup, fuel, traced, relaxed, planted }: How,
) -> Run {
    let mut buffers: Vec<Buffer> = loaded.resources.iter().zip(first).map(buffer).collect();
    let size = product(loaded.module.group_size());
    let mut schedule = relaxed.map_or_else(|| order.schedule(), |seed| order.relaxed(seed));
    let mut executor = Executor::new();
    let strictness = match loaded.is_spirv() {
        false => Strictness::Wgsl,
        true => Strictness::Values,
    };
    let mut run = Run {
        order: told(order),
        subgroup,
        buffers: Vec::new(),
        findings: Vec::new(),
        notes: Vec::new(),
        errors: Vec::new(),
        endless: None,
        stale: Vec::new(),
        atomic_words: 0,
        repeats: None,
        waits: None,
    };
    for groups in dispatches {
        let invocations = size.saturating_mul(product(*groups));
        let fuel = fuel.saturating_mul(invocations.min(MOST));
        let launch = Launch { groups: *groups, fuel, subgroup, traced, strictness, planted };
        let mut report = executor.launch(
            &loaded.module,
            &mut buffers,
            &launch,
            &mut *schedule,
            &mut Recorder::counting(),
        );
        if report.out_of_fuel() {
            run.endless = report.findings.pop();
            (run.repeats, run.waits) = (report.repeats, report.waits);
        }
        run.stale.append(&mut report.stale);
        run.atomic_words = run.atomic_words.max(report.atomic_words);
        run.findings.append(&mut report.findings);
        run.notes.append(&mut report.notes);
        if !run.is_clean() {
            break;
        }
    }
    let errors = |(number, buffer): (usize, &Buffer)| {
        (0..buffer.words.len()).map(|word| executor.error(number, word)).collect()
    };
    run.errors = buffers.iter().enumerate().map(errors).collect();
    run.buffers = buffers.into_iter().map(|buffer| buffer.words).collect();
    run
}

/// A launch has the fuel of so many invocations at most.
const MOST: u64 = 1 << 10;

fn buffer((resource, contents): (&Resource, &Contents)) -> Buffer {
    Buffer { set: resource.group, binding: resource.binding, words: contents.words.clone() }
}

fn told(order: Order) -> String {
    match order {
        Order::InOrder => "in order".to_owned(),
        Order::Reversed => "reversed".to_owned(),
        Order::Shuffled(seed) => format!("shuffled by {seed}"),
        Order::Interleaved(seed) => format!("interleaved by {seed}"),
    }
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
    if !verdicts.iter().any(|known| known.is_as(&verdict)) {
        verdicts.push(verdict);
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

/// Runs that did not end within their fuel.
fn endless(
    runs: &[Run],
    (judge, loaded): (&Judge, &Loaded),
    verdicts: &mut Vec<Verdict>,
    unanswered: &mut Vec<String>,
) {
    for run in runs {
        if let (Some(place), Some(finding)) = (&run.repeats, &run.endless) {
            add(verdicts, Verdict::loops(finding, place, loaded, &run.order));
        }
    }
    let mut endless = runs.iter().filter(|run| run.endless.is_some() && run.repeats.is_none());
    let Some(endless) = endless.next() else { return };
    match runs.iter().find(|run| run.is_clean()) {
        Some(ended) => {
            let message = format!(
                "the dispatch ends {}, and {} {} waits for another one that does not go on",
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
        None if runs.iter().any(|run| run.repeats.is_some() || !run.findings.is_empty()) => {}
        None => {
            let line = endless.endless.as_ref().and_then(|finding| finding.place.line);
            let line = line.map_or_else(String::new, |line| format!(", in line {line}"));
            unanswered.push(format!(
                "no run ends within {} instructions for each invocation (--fuel){line}",
                judge.fuel
            ));
        }
    }
}

fn told_in(order: &str) -> String {
    match order {
        "in order" => "with the invocations in order".to_owned(),
        order => format!("with the invocations {order}"),
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
            let error = if any_order { 0.0 } else { ERRORS * run.errors[number][at] };
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

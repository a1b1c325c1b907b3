//! How fast the tester is: the rows of the speed table, one core each, measured here
//! and now. Counted are one FUN run, one heap run and one in-order run of IMP for each program.
//!
//! What runs on this thread alone is measured by the time that the thread has had a core for, so
//! that other work on the machine is no part of the figure. What an adapter has a part in is
//! measured by the clock on the wall, since a driver has threads of its own.

mod shaders;

use crate::campaign::{draw, statements};
use crate::check::agree::{StuckPolicy, agree};
use crate::check::stages::{Plan, Stages};
use crate::check::{Depth, Share, Tester};
use crate::engine::{Artifact, Case, Engine, EngineId, Stage, Threads};
use crate::engines::child::Launcher;
use crate::engines::{AdapterEngine, FunEngine, HeapEngine, ImpEngine};
use crate::generate::Weights;
use crate::language;
use crate::rolls::Rolls;
use crate::shrink::{self, Effort};
use compiler::run::Adapter;
use cpu_time::ThreadTime;
use reference::kit::faults::Planted;
use reference::kit::outcome::Ending;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What is measured.
    pub what: String,
    /// The figure.
    pub figure: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What is to be reached, if the table says so.
    pub wanted: Option<f64>,
    /// More is better.
    pub more: bool,
    /// Programs measured, by the binary logarithm of the statements that they execute.
    pub sizes: BTreeMap<u32, u64>,
}

impl Row {
    /// Is it as fast as the table wants it?
    pub fn reached(&self) -> bool {
        self.wanted.is_none_or(|wanted| match self.more {
            true => self.figure >= wanted,
            false => self.figure <= wanted,
        })
    }

    /// The row as a line.
    pub fn line(&self) -> String {
        let wanted = match self.wanted {
            None => String::new(),
            Some(wanted) => {
                let reached = if self.reached() { "reached" } else { "MISSED" };
                let bound = if self.more { "at least" } else { "at most" };
                format!("  ({bound} {wanted}: {reached})")
            }
        };
        format!("{}: {:.1} {}{wanted}", self.what, self.figure, self.unit)
    }
}

/// The seed of what is measured: the same programs on every machine.
const SEED: u64 = 600;

/// Measures every row and hands each over when it is there.
pub fn rows(time: Duration, adapters: &[Adapter], launcher: &Launcher, each: &mut dyn FnMut(&Row)) {
    for row in statement(time) {
        each(&row);
    }
    programs(time).iter().for_each(&mut *each);
    each(&shaders::programs(time));
    if let Some(row) = shaders::instructions(time) {
        each(&row);
    }
    for adapter in adapters {
        each(&kernels(time, adapter, launcher));
    }
    each(&shrinking("shrink, median, semantic stages", time, Vec::new(), 2.0));
    for adapter in adapters {
        let what = format!("shrink, median, with {}", EngineId::of(adapter));
        let engine = AdapterEngine::new(adapter, launcher);
        each(&shrinking(&what, time, vec![engine], 30.0));
    }
}

/// The cases that a campaign would draw and that end with a result.
fn cases() -> impl Iterator<Item = Case> {
    let weights = Weights::default();
    (0..)
        .map(move |number| draw(SEED, number, &weights))
        .filter(|drawn| drawn.meant_to_run)
        .map(|drawn| drawn.case)
}

/// The three stages that are counted: the program, with memory inserted, translated to IMP.
fn stages(case: &Case) -> Option<[Stage; 3]> {
    Stages::translated(&case.program, Plan::default()).list.try_into().ok()
}

fn engines() -> [Box<dyn Engine>; 3] {
    [
        Box::new(FunEngine),
        Box::new(HeapEngine::new(Planted::NONE)),
        Box::new(ImpEngine(Threads::InOrder)),
    ]
}

/// Row 1: nanoseconds of an executed statement.
fn statement(time: Duration) -> Vec<Row> {
    let mut engines = engines();
    let mut rolls = Rolls::new();
    let mut took = [Duration::ZERO; 3];
    let mut executed = [0_u64; 3];
    let mut sizes = BTreeMap::new();
    let start = Instant::now();
    for case in cases() {
        if start.elapsed() >= time {
            break;
        }
        let Some(stages) = stages(&case) else { continue };
        for (number, (engine, stage)) in engines.iter_mut().zip(&stages).enumerate() {
            // As often as it takes for the clock to be no part of the figure.
            let begin = ThreadTime::now();
            for _ in 0..8 {
                executed[number] += engine.run(stage, &case, &mut rolls).stats.statements;
            }
            took[number] += begin.elapsed();
        }
        let outcome = engines[0].run(&stages[0], &case, &mut rolls);
        *sizes.entry(outcome.stats.statements.max(1).ilog2()).or_default() += 1;
    }
    engines
        .iter()
        .zip(took.iter().zip(executed))
        .map(|(engine, (took, executed))| Row {
            what: format!("an executed statement, {}", engine.id()),
            figure: took.as_nanos() as f64 / executed.max(1) as f64,
            unit: "ns",
            wanted: Some(30.0),
            more: false,
            sizes: sizes.clone(),
        })
        .collect()
}

/// The statements that a run of a program of row 2 executes, on the mean over the three runs.
const SIZE: std::ops::RangeInclusive<u64> = 400..=900;

/// Row 2: generate, type, run the three, compare. The row is that of the programs of about 600
/// statements among those that a campaign would draw and that are meant to run; beside it stands
/// the figure of all of them.
fn programs(time: Duration) -> [Row; 2] {
    let mut engines = engines();
    let mut rolls = Rolls::new();
    let mut sized = Measured::default();
    let mut all = Measured::default();
    let start = Instant::now();
    let weights = Weights::default();
    for number in 0.. {
        if start.elapsed() >= time {
            break;
        }
        let clock = ThreadTime::now();
        let drawn = draw(SEED, number, &weights);
        // The others are not of this row, and neither is what they cost.
        if !drawn.meant_to_run {
            continue;
        }
        let case = drawn.case;
        let drawn = clock.elapsed();
        let typed = language::types(&case.program, &mut rolls).is_ok();
        let checked = clock.elapsed();
        let stages = stages(&case);
        let translated = clock.elapsed();
        let Some(stages) = stages.filter(|_| typed) else {
            all.disagree += 1;
            continue;
        };
        let outcomes: [_; 3] =
            std::array::from_fn(|at| engines[at].run(&stages[at], &case, &mut rolls));
        let same = |other| agree(&outcomes[0], other, StuckPolicy::Same).is_ok();
        let agreed = outcomes[1..].iter().all(same);
        let statements = outcomes.each_ref().map(|outcome| outcome.stats.statements);
        drop((case, stages, outcomes));
        let took = [drawn, checked - drawn, translated - checked, clock.elapsed() - translated];
        all.add(took, statements, agreed);
        if SIZE.contains(&(statements.iter().sum::<u64>() / 3)) {
            sized.add(took, statements, agreed);
        }
    }
    [sized.row("programs of about 600 statements", Some(10_000.0)), all.row("every program", None)]
}

/// Programs of row 2.
#[derive(Default)]
struct Measured {
    /// To draw, to type, to insert memory and translate, to run and compare.
    took: [Duration; 4],
    /// Statements of the three runs.
    executed: [u64; 3],
    /// By the binary logarithm of the statements of a run, on the mean over the three.
    sizes: BTreeMap<u32, u64>,
    disagree: u64,
}

impl Measured {
    fn add(&mut self, took: [Duration; 4], statements: [u64; 3], agreed: bool) {
        self.took.iter_mut().zip(took).for_each(|(all, one)| *all += one);
        self.executed.iter_mut().zip(statements).for_each(|(all, one)| *all += one);
        let mean = statements.iter().sum::<u64>() / 3;
        *self.sizes.entry(mean.max(1).ilog2()).or_default() += 1;
        self.disagree += u64::from(!agreed);
    }

    fn row(self, what: &str, wanted: Option<f64>) -> Row {
        let count = self.sizes.values().sum::<u64>();
        let share = |whole: f64| whole / count.max(1) as f64;
        let [draw, types, translate, run] = self.took.map(|took| share(took.as_secs_f64() * 1e6));
        let [fun, heap, imp] = self.executed.map(|executed| share(executed as f64));
        let mean = (fun + heap + imp) / 3.0;
        let disagree = match self.disagree {
            0 => String::new(),
            disagree => format!(", {disagree} disagree"),
        };
        let all: Duration = self.took.iter().sum();
        Row {
            what: format!(
                "{what}: generate {draw:.0} µs, type {types:.0} µs, insert and translate \
                 {translate:.0} µs, run three and compare {run:.0} µs ({mean:.0} statements a run \
                 on the mean: {fun:.0}, {heap:.0} and {imp:.0}{disagree})"
            ),
            figure: count as f64 / all.as_secs_f64().max(1e-9),
            unit: "programs/s",
            wanted,
            more: true,
            sizes: self.sizes,
        }
    }
}

/// Row 4: kernels through an adapter, one process.
fn kernels(time: Duration, adapter: &Adapter, launcher: &Launcher) -> Row {
    let mut tester = Tester::new(vec![AdapterEngine::new(adapter, launcher)], Plan::default());
    let id = EngineId::of(adapter);
    let mut launches = 0;
    let mut took = Duration::ZERO;
    let mut sizes = BTreeMap::new();
    // When the child was there, with a first case behind it.
    let mut started = None;
    for case in cases() {
        if took >= time {
            break;
        }
        let seen = tester.examine(&case, Depth::Quick);
        if let Some(side) = seen.side(&id)
            && matches!(side.outcome.ending, Ending::Value(_))
        {
            launches += side.outcome.stats.launches;
            took += side.took;
            let size = seen.sides[0].outcome.stats.statements.max(1).ilog2();
            *sizes.entry(size).or_default() += 1;
        }
        started = started.or_else(|| Some((tester.adapters[0].processor_time()?, launches)));
    }
    let busy = started.and_then(|(start, first)| {
        let busy = tester.adapters[0].processor_time()?.checked_sub(start)?.as_secs_f64();
        Some(format!(" ({:.0} in a second of processor time)", (launches - first) as f64 / busy))
    });
    Row {
        what: format!("kernels through {id}, one process{}", busy.unwrap_or_default()),
        figure: launches as f64 / took.as_secs_f64().max(1e-9),
        unit: "kernels/s",
        wanted: match adapter.id.as_str() {
            "swiftshader" => Some(250.0),
            "lavapipe" => Some(60.0),
            _ => None,
        },
        more: true,
        sizes,
    }
}

/// Row 5: seconds to shrink a program that gets stuck in a kernel, as long as it does, every
/// candidate through all stages. A finding costs the same for each candidate.
fn shrinking(what: &str, time: Duration, adapters: Vec<AdapterEngine>, wanted: f64) -> Row {
    let mut tester = Tester::new(adapters, Plan::default());
    let weights = Weights::default();
    let mut seconds = Vec::new();
    let mut left = Vec::new();
    let mut sizes = BTreeMap::new();
    let start = Instant::now();
    for number in 0.. {
        if start.elapsed() >= time && seconds.len() >= 3 {
            break;
        }
        let case = draw(SEED, number, &weights).case;
        let Artifact::Fun(program) = &case.program else { continue };
        let cause = |tester: &mut Tester, case: &Case| {
            let seen = tester.examine(case, Depth::Quick);
            match (&seen.share, &seen.sides.first()?.outcome.ending) {
                (Share::Stuck(cause), Ending::Stuck(stuck)) if !stuck.thread.is_empty() => {
                    Some(*cause)
                }
                _ => None,
            }
        };
        let Some(wanted) = cause(&mut tester, &case) else { continue };
        let begin = Instant::now();
        let mut test = |program: &_, input: &[_]| {
            let program = Artifact::Fun(Clone::clone(program));
            let case = Case { program, input: input.to_vec(), ..case.clone() };
            cause(&mut tester, &case) == Some(wanted)
        };
        let small = shrink::shrink(program, &case.input, &mut test, Effort::default());
        seconds.push(begin.elapsed().as_secs_f64());
        left.push(statements(&Artifact::Fun(small.program)));
        *sizes.entry(statements(&case.program).max(1).ilog2()).or_default() += 1;
    }
    seconds.sort_by(f64::total_cmp);
    left.sort_unstable();
    let median = left.get(left.len() / 2).copied().unwrap_or(0);
    Row {
        what: format!("{what} (to {median} statements, median of {})", left.len()),
        figure: seconds.get(seconds.len() / 2).copied().unwrap_or(0.0),
        unit: "s",
        wanted: Some(wanted),
        more: false,
        sizes,
    }
}

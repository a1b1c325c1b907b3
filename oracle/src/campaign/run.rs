//! The campaign itself: workers, time, findings.

use super::draw::{Drawn, draw};
use super::finding::Record;
use super::shrinking::shrink;
use super::tally::Tally;
use crate::check::stages::Plan;
use crate::check::{Depth, Examination, Finding, Kind, Signature, Tester};
use crate::engine::EngineId;
use crate::engines::WgpuEngine;
use crate::engines::child::Launcher;
use crate::generate::Weights;
use compiler::emit::style::Style;
use compiler::run::Adapter;
use reference::between::expand_memory::Form;
use reference::kit::outcome::Ending;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a campaign does.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed that programs are drawn from.
    pub seed: u64,
    /// The number of the first program.
    pub first: u64,
    /// How long it goes on.
    pub time: Option<Duration>,
    /// How many programs it draws.
    pub programs: Option<u64>,
    /// How many workers.
    pub threads: usize,
    /// Where findings are kept.
    pub findings: PathBuf,
    /// How many findings of one signature are kept; the others are counted.
    pub keep: u64,
    /// How long one finding is shrunk.
    pub shrink: Duration,
    /// The adapters.
    pub adapters: Vec<Adapter>,
    /// How their children are started.
    pub launcher: Launcher,
    /// The part of a worker's time that adapters get, from 0 to 1. With 1 every program goes to
    /// every adapter.
    pub share: f64,
    /// The engines that are asked; empty for all.
    pub only: Vec<String>,
    /// How programs are compiled.
    pub plan: Plan,
    /// How their shaders are written, if not each in the style that is drawn with it.
    pub style: Option<Style>,
    /// The fault that is planted, by name.
    pub fault: Option<String>,
    /// End with the first finding.
    pub first_only: bool,
}

/// Who looks on.
pub trait Watch: Sync {
    /// From time to time.
    fn progress(&self, tally: &Tally, elapsed: Duration);
    /// A finding, after it is on the disk.
    fn found(&self, kept: &Kept);
    /// A finding that could not be written.
    fn unwritten(&self, record: &Record, error: &io::Error);
    /// A generator that broke, which no file could show.
    fn broken(&self, text: &str);
}

/// A finding that was kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// What it is.
    pub record: Record,
    /// Its file.
    pub path: PathBuf,
    /// Programs examined before it, over all workers.
    pub after: u64,
    /// Time passed before it was seen.
    pub seen: Duration,
    /// How many statements the program had before it was shrunk.
    pub was: usize,
}

/// How a campaign ended.
pub struct Summary {
    /// Everything counted.
    pub tally: Tally,
    /// The findings that were kept.
    pub kept: Vec<Kept>,
    /// How long it took.
    pub elapsed: Duration,
    /// It was ended from outside.
    pub stopped: bool,
    /// Panics outside of any engine: generators, workers.
    pub lost: Vec<String>,
}

/// One program in so many is looked at whole.
const WHOLE: u64 = 4;
/// After so many programs the coverage steers the weights.
const STEER: u64 = 2000;

struct Campaign<'a> {
    settings: &'a Settings,
    stop: &'a Arc<AtomicBool>,
    done: AtomicBool,
    watch: &'a dyn Watch,
    start: Instant,
    next: AtomicU64,
    tally: Mutex<Tally>,
    signatures: Mutex<BTreeMap<Signature, u64>>,
    kept: Mutex<Vec<Kept>>,
    broken: Mutex<Vec<String>>,
}

/// Runs a campaign until its time or programs are used up, or `stop` is set.
pub fn run(settings: &Settings, stop: &Arc<AtomicBool>, watch: &dyn Watch) -> Summary {
    let campaign = Campaign {
        settings,
        stop,
        done: AtomicBool::new(false),
        watch,
        start: Instant::now(),
        next: AtomicU64::new(settings.first),
        tally: Mutex::default(),
        signatures: Mutex::default(),
        kept: Mutex::default(),
        broken: Mutex::default(),
    };
    let mut lost = Vec::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..settings.threads.max(1))
            .map(|_| {
                std::thread::Builder::new()
                    .stack_size(crate::STACK)
                    .spawn_scoped(scope, || crate::panics::catch(|| campaign.work()))
            })
            .collect();
        let mut running: Vec<_> = Vec::new();
        for worker in workers {
            match worker {
                Ok(worker) => running.push(worker),
                Err(error) => lost.push(format!("a worker could not be started: {error}")),
            }
        }
        while running.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(100));
            watch.progress(&lock(&campaign.tally), campaign.start.elapsed());
        }
        for worker in running {
            match worker.join() {
                Ok(Ok(())) => {}
                Ok(Err(text)) => lost.push(text),
                Err(_) => lost.push("a worker was lost".to_owned()),
            }
        }
    });
    lost.append(&mut lock(&campaign.broken));
    Summary {
        tally: campaign.tally.into_inner().unwrap_or_else(PoisonError::into_inner),
        kept: campaign.kept.into_inner().unwrap_or_else(PoisonError::into_inner),
        elapsed: campaign.start.elapsed(),
        stopped: stop.load(Ordering::Relaxed),
        lost,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Campaign<'_> {
    fn over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.done.load(Ordering::Relaxed)
            || self.settings.time.is_some_and(|time| self.start.elapsed() >= time)
    }

    /// The number of the next program, if there is one.
    fn number(&self) -> Option<u64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let drawn = number.wrapping_sub(self.settings.first);
        (!self.over() && self.settings.programs.is_none_or(|most| drawn < most)).then_some(number)
    }

    fn work(&self) {
        let settings = self.settings;
        let launcher = Launcher { stop: Arc::clone(self.stop), ..settings.launcher.clone() };
        let adapters = settings.adapters.iter();
        let adapters = adapters.map(|adapter| WgpuEngine::new(adapter, &launcher)).collect();
        let mut tester = Tester::new(adapters, settings.plan);
        tester.only.clone_from(&settings.only);
        let mut weights = Weights::default();
        let mut tally = Tally::default();
        let mut on_adapters = Duration::ZERO;
        let mut examined = 0_u64;
        let began = Instant::now();
        let mut given = Instant::now();
        while let Some(number) = self.number() {
            let start = Instant::now();
            let drawn = match crate::panics::catch(|| draw(settings.seed, number, &weights)) {
                Ok(drawn) => drawn,
                Err(text) => {
                    let text = format!("the generator panicked on program {number}: {text}");
                    self.watch.broken(&text);
                    lock(&self.broken).push(text);
                    continue;
                }
            };
            tally.passes.entry("generate").or_default().add(start.elapsed(), 0, false);
            // Both forms of expansion are compiled, turn by turn.
            tester.plan.form = if number % 2 == 0 { Form::Coalesced } else { Form::Paper };
            tester.plan.style = settings.style.unwrap_or(drawn.style);
            let busy = on_adapters.as_secs_f64() > settings.share * began.elapsed().as_secs_f64();
            tester.rest = (busy && settings.share < 1.0)
                .then(|| "the adapters have had their share of the time".to_owned());
            let whole = number % WHOLE == 0;
            let depth = if whole { Depth::Whole } else { Depth::Quick };
            let seen = tester.examine(&drawn.case, depth);
            on_adapters += seen
                .sides
                .iter()
                .filter(|side| matches!(side.engine, EngineId::Wgpu(_)))
                .map(|side| side.took)
                .sum::<Duration>();
            if self.is_of_the_end(&seen) {
                break;
            }
            examined += 1;
            tally.whole += u64::from(whole);
            if drawn.meant_to_run {
                tally.meant_to_run += 1;
                let first = seen.sides.first();
                let ran = first.is_some_and(|s| matches!(s.outcome.ending, Ending::Value(_)));
                tally.ran += u64::from(ran);
            }
            tally.count(&seen);
            if let Some(record) = Record::of(&drawn.case, &seen, &tester.plan) {
                self.found(&mut tester, record, &drawn);
            }
            if examined == STEER {
                let counts = tester.rolls.counts();
                let missing: Vec<String> = counts.rooms[0].missing();
                weights.steer(&missing);
            }
            if given.elapsed() >= Duration::from_millis(200) {
                lock(&self.tally).add(std::mem::take(&mut tally));
                given = Instant::now();
            }
        }
        tally.rules = tester.rolls.counts();
        lock(&self.tally).add(tally);
    }

    /// A child that broke after the campaign was ended from outside: whoever ended it may have
    /// ended the child as well, as a system does that shuts down.
    fn is_of_the_end(&self, seen: &Examination) -> bool {
        let of_child = |finding: &Finding| {
            matches!(finding.engine, EngineId::Wgpu(_))
                && matches!(finding.kind, Kind::Crash | Kind::Hang | Kind::Lost)
        };
        self.stop.load(Ordering::Relaxed) && seen.finding().is_some_and(of_child)
    }

    /// Keeps a finding: at once as it is, then shrunk under the same name, then it is told.
    fn found(&self, tester: &mut Tester, mut record: Record, drawn: &Drawn) {
        let settings = self.settings;
        let signature = record.finding.signature();
        {
            let mut signatures = lock(&self.signatures);
            let count = signatures.entry(signature).or_default();
            *count += 1;
            if *count > settings.keep {
                return;
            }
        }
        let seen = self.start.elapsed();
        record.fault.clone_from(&settings.fault);
        if let EngineId::Wgpu(id) = &record.finding.engine {
            let adapter = settings.adapters.iter().find(|adapter| adapter.id == *id);
            record.adapter =
                adapter.map(|adapter| format!("{id} ({} {})", adapter.driver, adapter.driver_info));
        }
        let was = record.statements();
        if settings.first_only {
            self.done.store(true, Ordering::Relaxed);
        }
        if let Err(error) = record.write(&settings.findings) {
            self.watch.unwritten(&record, &error);
            return;
        }
        tester.rest = None;
        let shrunk = shrink(tester, &record, settings.shrink, self.stop);
        match shrunk.write(&settings.findings) {
            Ok(path) => {
                let after = drawn.case.origin.number().saturating_sub(settings.first);
                let kept = Kept { record: shrunk, path, after, seen, was };
                self.watch.found(&kept);
                lock(&self.kept).push(kept);
            }
            Err(error) => self.watch.unwritten(&shrunk, &error),
        }
    }
}

//! A worker: it draws programs, examines them, and keeps what it finds.

use super::course::Next;
use super::draw::{Drawn, draw};
use super::finding::Record;
use super::run::{Campaign, Kept};
use super::shrinking::shrink;
use super::tally::Tally;
use crate::check::{Depth, Examination, Finding, Kind, Tester};
use crate::engine::EngineId;
use crate::engines::WgpuEngine;
use crate::engines::child::Launcher;
use crate::generate::Weights;
use reference::between::expand_memory::Form;
use reference::kit::outcome::Ending;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// One program in so many is looked at whole.
const WHOLE: u64 = 4;
/// How often a worker gives what it has counted to the campaign.
const GIVE: Duration = Duration::from_millis(200);
/// How long a worker waits before it asks again.
const WAIT: Duration = Duration::from_millis(5);

pub(super) struct Worker<'a> {
    campaign: &'a Campaign<'a>,
    number: usize,
    /// With a child of its own for each adapter.
    tester: Tester,
    /// What was counted since the campaign was given it, and of which programs.
    tally: Tally,
    done: Vec<u64>,
    given: Instant,
    began: Instant,
    on_adapters: Duration,
}

impl<'a> Worker<'a> {
    pub(super) fn new(campaign: &'a Campaign<'a>, number: usize) -> Self {
        let settings = campaign.settings;
        let launcher = Launcher { stop: Arc::clone(campaign.stop), ..settings.launcher.clone() };
        let adapters = settings.adapters.iter();
        let adapters = adapters.map(|adapter| WgpuEngine::new(adapter, &launcher)).collect();
        let mut tester = Tester::new(adapters, settings.plan);
        tester.only.clone_from(&settings.only);
        Self {
            campaign,
            number,
            tester,
            tally: Tally::default(),
            done: Vec::new(),
            given: Instant::now(),
            began: Instant::now(),
            on_adapters: Duration::ZERO,
        }
    }

    /// Works until there is nothing more to do.
    pub(super) fn work(mut self) {
        loop {
            match self.campaign.next(self.number) {
                Next::Nothing => break,
                Next::Wait => {
                    self.give(None);
                    std::thread::sleep(WAIT);
                }
                Next::Program(number, weights) => {
                    if self.program(number, &weights).is_break() {
                        break;
                    }
                    if self.given.elapsed() >= GIVE {
                        self.give(None);
                    }
                }
            }
        }
        self.give(None);
    }

    /// Gives the campaign what was counted, with a finding that was kept.
    fn give(&mut self, kept: Option<&Kept>) {
        self.tally.rules = std::mem::take(&mut self.tester.rolls).counts();
        self.campaign.count(std::mem::take(&mut self.tally), &self.done, kept);
        self.done.clear();
        self.given = Instant::now();
    }

    /// Draws a program and examines it; breaks off where the campaign was ended meanwhile.
    fn program(&mut self, number: u64, weights: &Weights) -> ControlFlow<()> {
        let campaign = self.campaign;
        let start = Instant::now();
        let drawn = crate::panics::catch(|| draw(campaign.settings.seed, number, weights));
        let drawn = match drawn {
            Ok(drawn) => drawn,
            Err(text) => {
                let text = format!("the generator panicked on program {number}: {text}");
                campaign.watch.broken(&text);
                campaign.lost(text);
                self.done.push(number);
                return ControlFlow::Continue(());
            }
        };
        let generate = self.tally.passes.entry("generate".into()).or_default();
        generate.add(start.elapsed(), 0, false);
        let depth = self.look(&drawn, number);
        let seen = self.tester.examine(&drawn.case, depth);
        self.on_adapters += on_adapters(&seen);
        if self.is_of_the_end(&seen) {
            return ControlFlow::Break(());
        }
        let record = Record::of(&drawn.case, &seen, &self.tester.plan);
        let kept = record.and_then(|record| self.found(record));
        self.count(&drawn, depth, &seen);
        self.done.push(number);
        if let Some(kept) = kept {
            // First it is known to whoever goes on with the campaign, then it is told: what is told
            // is told once.
            self.give(Some(&kept));
            campaign.save();
            campaign.watch.found(&kept);
        }
        ControlFlow::Continue(())
    }

    /// How the tester compiles this program, and how much of it is looked at.
    fn look(&mut self, drawn: &Drawn, number: u64) -> Depth {
        let settings = self.campaign.settings;
        // Both forms of expansion are compiled, turn by turn.
        self.tester.plan.form = [Form::Coalesced, Form::Paper][(number % 2) as usize];
        self.tester.plan.style = settings.style.unwrap_or(drawn.style);
        let share = settings.share * self.began.elapsed().as_secs_f64();
        let busy = settings.share < 1.0 && self.on_adapters.as_secs_f64() > share;
        let rest = "the adapters have had their share of the time";
        self.tester.rest = busy.then(|| rest.to_owned());
        if number.is_multiple_of(WHOLE) { Depth::Whole } else { Depth::Quick }
    }

    fn count(&mut self, drawn: &Drawn, depth: Depth, seen: &Examination) {
        let tally = &mut self.tally;
        tally.whole += u64::from(depth == Depth::Whole);
        if drawn.meant_to_run {
            tally.meant_to_run += 1;
            let first = seen.sides.first();
            let ran = first.is_some_and(|s| matches!(s.outcome.ending, Ending::Value(_)));
            tally.ran += u64::from(ran);
        }
        tally.count(seen);
    }

    /// A child that broke after the campaign was ended from outside: whoever ended it may have
    /// ended the child as well, as a system does that shuts down.
    fn is_of_the_end(&self, seen: &Examination) -> bool {
        let of_child = |finding: &Finding| {
            matches!(finding.engine, EngineId::Wgpu(_))
                && matches!(finding.kind, Kind::Crash | Kind::Hang | Kind::Lost)
        };
        self.campaign.stop.load(Ordering::Relaxed) && seen.finding().is_some_and(of_child)
    }

    /// Keeps a finding, if it is one of the first of its signature: at once as it is, then shrunk
    /// under the same name.
    fn found(&mut self, mut record: Record) -> Option<Kept> {
        let Campaign { settings, stop, watch, .. } = *self.campaign;
        if !self.campaign.keeps(record.finding.signature()) {
            return None;
        }
        let seen = self.campaign.elapsed().all();
        record.fault.clone_from(&settings.fault);
        if let EngineId::Wgpu(id) = &record.finding.engine {
            let adapter = settings.adapters.iter().find(|adapter| adapter.id == *id);
            record.adapter =
                adapter.map(|adapter| format!("{id} ({} {})", adapter.driver, adapter.driver_info));
        }
        if settings.first_only {
            self.campaign.end();
        }
        let was = record.statements();
        if let Err(error) = record.write(&settings.findings) {
            watch.unwritten(&record, &error);
            return None;
        }
        self.tester.rest = None;
        // What shrinking fires is not the campaign's.
        let fired = std::mem::take(&mut self.tester.rolls);
        let shrunk = shrink(&mut self.tester, &record, settings.shrink, stop);
        self.tester.rolls = fired;
        match shrunk.write(&settings.findings) {
            Ok(path) => {
                let after = shrunk.case.origin.number().saturating_sub(settings.first);
                Some(Kept { record: shrunk, path, after, seen, was })
            }
            Err(error) => {
                watch.unwritten(&shrunk, &error);
                None
            }
        }
    }
}

/// The time that adapters took.
fn on_adapters(seen: &Examination) -> Duration {
    let sides = seen.sides.iter();
    sides.filter(|side| matches!(side.engine, EngineId::Wgpu(_))).map(|side| side.took).sum()
}

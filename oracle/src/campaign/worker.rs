//! A worker: it draws programs, examines them, and keeps what it finds.

use super::cases::{Drawn, draw_with, is_optimized, turn, watches};
use super::causes::{Alike, smallest};
use super::confirm::{Shown, alone};
use super::file::{self, ASIDE};
use super::finding::Record;
use super::numbering::Next;
use super::report;
use super::run::{Campaign, Failed, Found, Kept, Settings};
use super::shrinking::shrink;
use super::tally::Tally;
use crate::check::{Depth, Examination, Finding, Kind, Tester};
use crate::engine::Engine;
use crate::engines::AdapterEngine;
use crate::engines::child::{End, Launcher};
use crate::generate::Weights;
use crate::mutate::{Unread, Why};
use crate::rolls::Counts;
use reference::kit::outcome::Ending;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often a worker gives what it has counted to the campaign.
const GIVE: Duration = Duration::from_millis(200);
/// How long a worker waits before it asks again.
const WAIT: Duration = Duration::from_millis(5);
/// How often a program is examined anew because a child was ended from outside.
const ANEW: u32 = 12;
/// Why a program is not compared on adapters after that.
const ENDED: &str = "somebody ended the process of an adapter each time";

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
        let adapters = adapters.map(|adapter| AdapterEngine::new(adapter, &launcher)).collect();
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
                        // What the program that was cut off has counted stands with what was not given yet: none
                        // of it counts, and its programs are drawn again.
                        return;
                    }
                    if self.given.elapsed() >= GIVE {
                        self.give(None);
                    }
                }
            }
        }
        self.give(None);
    }

    /// Gives the campaign what was counted, with a finding that was shrunk.
    fn give(&mut self, found: Option<(&Alike, &Found)>) {
        let Tester { adapters, tint, .. } = &mut self.tester;
        let of_adapters = adapters.iter_mut().map(|adapter| (adapter.id(), adapter.take_ends()));
        let of_tint = tint.iter().map(|engine| (engine.id(), engine.take_ends()));
        for (engine, ends) in of_adapters.chain(of_tint) {
            for end in ends {
                *self.tally.ends.entry((engine.clone(), end)).or_default() += 1;
            }
        }
        self.tally.rules = Counts::of(&std::mem::take(&mut self.tester.rolls));
        self.campaign.count(std::mem::take(&mut self.tally), &self.done, found);
        self.done.clear();
        self.given = Instant::now();
    }

    /// Draws a program and examines it; breaks off where the campaign was ended meanwhile.
    fn program(&mut self, number: u64, weights: &Weights) -> ControlFlow<()> {
        let campaign = self.campaign;
        let start = Instant::now();
        let Settings { sources, seed, options, .. } = campaign.settings;
        let drawn = crate::panics::catch(|| draw_with(sources, *seed, number, weights));
        let (mut drawn, tries) = match drawn {
            Ok(Ok(drawn)) => drawn,
            Ok(Err(unread)) => return self.broken(number, &self.unread(number, &unread)),
            Err(text) => {
                let text = format!("the generator panicked on program {number}: {text}");
                return self.broken(number, &text);
            }
        };
        let is_set = drawn.set(options);
        let took = start.elapsed();
        let depth = self.look(&drawn, number);
        let Tester { adapters, rest, tint, .. } = &self.tester;
        if !self.done.is_empty() && (rest.is_none() && !adapters.is_empty() || tint.is_some()) {
            // It may be cut off, and then all is dropped that was not given.
            self.give(None);
        }
        let (seen, record) = self.examine(&drawn, depth)?;
        let generate = self.tally.passes.entry("generate".into()).or_default();
        generate.add(took, 0, false);
        self.tally.mutants.made += tries.made;
        self.tally.mutants.refused += tries.refused;
        self.tally.not_set += u64::from(!is_set);
        self.count(&drawn, depth, &seen);
        let found = record.and_then(|record| self.found(record));
        self.done.push(number);
        if let Some((alike, found)) = found {
            // First it is kept for a campaign that goes on, then it is told: what is told
            // is told once.
            self.give(Some((&alike, &found)));
            if let Found::New(kept) = found {
                campaign.save();
                campaign.watch.found(&kept);
            }
        }
        ControlFlow::Continue(())
    }

    /// Tells that there is no program of this number, and why.
    fn broken(&mut self, number: u64, text: &str) -> ControlFlow<()> {
        self.campaign.watch.broken(text);
        self.campaign.lost(text.to_owned());
        self.done.push(number);
        ControlFlow::Continue(())
    }

    /// Keeps a text on which a parser or a checker panicked or hung, which is no program, and tells of it.
    fn unread(&self, number: u64, unread: &Unread) -> String {
        let Unread { lang, text, made_of, why } = unread;
        let Settings { seed, findings, .. } = self.campaign.settings;
        let (kind, said) = match why {
            Why::Panicked(said) => ("panic", format!("panicked: {said}")),
            Why::Hangs(limit) => ("hang", format!("gave no answer for {limit:?}")),
        };
        let name = format!("{kind}-{seed}-{number}.{}", lang.extension());
        let kept = match file::write(findings, &name, text) {
            Ok(path) => path.display().to_string(),
            Err(error) => format!("which cannot be kept ({error}):\n{text}"),
        };
        format!("what reads {lang}, on a text made of {made_of}, {said}: {kept}")
    }

    /// Examines a case. What an adapter shows is looked for again, alone; if something else ended the
    /// child meanwhile, and alone the program shows nothing, it is examined anew; if that happens each
    /// time, without adapters. Breaks off where the campaign was ended: what a child does then says
    /// nothing.
    fn examine(
        &mut self,
        drawn: &Drawn,
        depth: Depth,
    ) -> ControlFlow<(), (Examination, Option<Record>)> {
        let stop = self.campaign.stop;
        let mut anew = ANEW;
        loop {
            let seen = self.tester.examine(&drawn.case, depth);
            self.on_adapters += on_adapters(&seen);
            let Some(mut record) = self.record(drawn, &seen) else {
                // An adapter may have been cut off: the program is looked at when the campaign
                // goes on.
                return match stop.load(Ordering::Relaxed) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue((seen, None)),
                };
            };
            let wanted = record.finding.clone();
            if record.shown == Shown::Always {
                return ControlFlow::Continue((seen, Some(record)));
            }
            // It may be that the machine does not survive it.
            self.keep_aside(&record);
            let start = Instant::now();
            record.shown = alone(&mut self.tester, &drawn.case, &wanted);
            self.on_adapters += start.elapsed();
            let ended = record.shown == Shown::Alone(0) && self.was_ended(&wanted);
            if stop.load(Ordering::Relaxed) {
                if ended {
                    self.take_aside(&record);
                }
                return ControlFlow::Break(());
            }
            if ended {
                match anew.checked_sub(1) {
                    Some(less) => {
                        self.take_aside(&record);
                        anew = less;
                    }
                    // A system without memory ends processes too, and a program may be why: it
                    // stays aside, and it can be replayed.
                    None => self.tester.rest = Some(ENDED.to_owned()),
                }
                continue;
            }
            return ControlFlow::Continue((seen, Some(record)));
        }
    }

    /// The record of an examination that ended with a finding.
    fn record(&self, drawn: &Drawn, seen: &Examination) -> Option<Record> {
        let settings = self.campaign.settings;
        let mut record = Record::of(&drawn.case, seen, &self.tester.plan)?;
        record.fault.clone_from(&settings.fault);
        if record.finding.engine.is_adapter() {
            record.name_adapter(&settings.adapters);
            record.shown = Shown::Untried;
        }
        Some(record)
    }

    /// Was the child that showed this ended from outside?
    fn was_ended(&self, finding: &Finding) -> bool {
        if finding.kind != Kind::Crash {
            return false;
        }
        let adapter = self.tester.adapters.iter().find(|adapter| adapter.id() == finding.engine);
        adapter.and_then(AdapterEngine::last_end) == Some(End::Outside)
    }

    /// How the tester compiles this program, and how much of it is looked at.
    fn look(&mut self, drawn: &Drawn, number: u64) -> Depth {
        let settings = self.campaign.settings;
        let (depth, form) = turn(number);
        self.tester.watches = watches(drawn.case.schedule);
        self.tester.plan.form = form;
        self.tester.plan.style = settings.style.unwrap_or(drawn.style);
        self.tester.plan.decisions.chaos = settings.plan.decisions.chaos.or(drawn.chaos);
        self.tester.plan.optimize =
            settings.plan.optimize || is_optimized(settings.seed, number, settings.optimize);
        let share = settings.share * self.began.elapsed().as_secs_f64();
        let busy = settings.share < 1.0 && self.on_adapters.as_secs_f64() > share;
        let rest = "the adapters have had their share of the time";
        self.tester.rest = busy.then(|| rest.to_owned());
        depth
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

    /// Keeps a finding, if it is one of the first of those that are alike: at once as it is, then shrunk
    /// under the same name, and not any more if one of the same cause is kept. A flake is kept aside.
    fn found(&mut self, record: Record) -> Option<(Alike, Found)> {
        let Campaign { settings, watch, stop, .. } = *self.campaign;
        self.tally.count_finding(&record.finding, record.shown);
        if !self.campaign.holds_folder() {
            return self.unfiled(&record);
        }
        if !record.shown.counts() {
            match self.campaign.keeps_flake(record.finding.signature()) {
                true => self.flaked(&record),
                false => self.take_aside(&record),
            }
            return None;
        }
        let alike = Alike::of(&record.finding);
        if !self.campaign.shrinks(&alike) {
            *self.tally.alike.entry(alike).or_default() += 1;
            self.take_aside(&record);
            if settings.resumed.is_some() {
                // The process before may have kept it, and was ended before it was counted.
                let _ = file::remove(&settings.findings, &record.file_name());
                report::remove(&record, &settings.findings);
            }
            return None;
        }
        let seen = self.campaign.elapsed().all();
        if settings.first_only {
            self.campaign.end();
        }
        let was = record.statements();
        if let Err(error) = record.write(&settings.findings) {
            watch.unwritten(&record, &error);
            return self.not_kept(alike);
        }
        self.take_aside(&record);
        self.tester.rest = None;
        // What shrinking fires is not the campaign's.
        let fired = std::mem::take(&mut self.tester.rolls);
        let shrunk = shrink(&mut self.tester, &record, settings.shrink, stop);
        self.tester.rolls = fired;
        if !self.campaign.holds_folder() {
            self.campaign.gives_up(&alike);
            return self.unfiled(&shrunk);
        }
        if let Some(file) = self.campaign.known(&alike, &smallest(&shrunk.case.program)) {
            if file != record.file_name() {
                let _ = file::remove(&settings.findings, &record.file_name());
            }
            return Some((alike, Found::Member(file)));
        }
        match shrunk.write(&settings.findings) {
            Ok(path) => {
                self.report(&shrunk);
                let after = shrunk.case.origin.number().saturating_sub(settings.first);
                let kept = Kept { record: shrunk, path, after, seen, was, members: 1 };
                Some((alike, Found::New(Box::new(kept))))
            }
            Err(error) => {
                watch.unwritten(&shrunk, &error);
                self.not_kept(alike)
            }
        }
    }

    /// A finding whose folder is gone is shown, so that it is not lost.
    fn unfiled(&self, record: &Record) -> Option<(Alike, Found)> {
        let error = io::Error::other(Failed::Folder.to_string());
        self.campaign.watch.unwritten(record, &error);
        None
    }

    /// Writes the folder of a finding of shaders. The finding itself is on the disk.
    fn report(&self, record: &Record) {
        if !report::is_of_shaders(record) {
            return;
        }
        let (plan, findings) = (self.tester.plan, &self.campaign.settings.findings);
        let folder = report::folder(record, findings);
        if let Err(error) = report::write(record, plan, &folder) {
            let text = format!("{} cannot be written: {error}", folder.display());
            self.campaign.watch.broken(&text);
        }
    }

    /// A finding that could not be written is counted with those that are alike.
    fn not_kept(&mut self, alike: Alike) -> Option<(Alike, Found)> {
        self.campaign.gives_up(&alike);
        *self.tally.alike.entry(alike).or_default() += 1;
        None
    }

    /// The folder of what does not count, or not yet.
    fn aside(&self) -> PathBuf {
        self.campaign.settings.findings.join(ASIDE)
    }

    /// Tells a flake and keeps it.
    fn flaked(&self, record: &Record) {
        match record.write(&self.aside()) {
            Ok(path) => self.campaign.watch.flaked(record, &path),
            Err(error) => self.campaign.watch.unwritten(record, &error),
        }
    }

    /// Keeps what is not known to count. If that fails it is told when it counts.
    fn keep_aside(&self, record: &Record) {
        if !self.campaign.holds_folder() {
            return;
        }
        let _ = record.write(&self.aside());
    }

    /// What was kept aside counts now, or is not kept.
    fn take_aside(&self, record: &Record) {
        if record.shown != Shown::Always {
            let _ = file::remove(&self.aside(), &record.file_name());
        }
    }
}

/// The time that adapters took.
fn on_adapters(seen: &Examination) -> Duration {
    let sides = seen.sides.iter();
    sides.filter(|side| side.engine.is_adapter()).map(|side| side.took).sum()
}

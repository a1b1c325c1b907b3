//! The campaign itself: its settings, its workers, what they have in common, and its end.

use super::causes::{self, Alike};
use super::file::{self, Claim};
use super::finding::{Record, with_members};
use super::numbering::{Next, Numbering, Position};
use super::state::{Known, Options, State};
use super::tally::Tally;
use super::worker::Worker;
use crate::check::Signature;
use crate::engine::NotRun;
use crate::engines::child::Launcher;
use crate::generate::Weights;
use crate::language::Lang;
use crate::mutate::Sources;
use crate::stages::Plan;
use compiler::emit::style::Style;
use compiler::target::Adapter;
use reference::kit::language;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a campaign does.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed that programs are drawn from.
    pub seed: u64,
    /// The number of the first program, of a campaign that does not go on.
    pub first: u64,
    /// The campaign that goes on, whose seed and options are those of the others.
    pub resumed: Option<State>,
    /// How long it goes on, from now.
    pub time: Option<Duration>,
    /// How many programs it draws, from now.
    pub programs: Option<u64>,
    /// How many workers.
    pub threads: usize,
    /// Where findings are kept.
    pub findings: PathBuf,
    /// How many findings are kept that have stage, kind, cause and engine in common.
    pub keep: u64,
    /// The claim on that folder, if another campaign might write to it: when it is lost the campaign ends.
    pub claim: Option<Arc<Claim>>,
    /// How long one finding is shrunk.
    pub shrink: Duration,
    /// The adapters.
    pub adapters: Vec<Adapter>,
    /// An adapter that is asked and not here, and why.
    pub absent: Option<NotRun>,
    /// How their children are started.
    pub launcher: Launcher,
    /// The part of a worker's time that adapters get, from 0 to 1. With 1 every program goes to
    /// every adapter.
    pub share: f64,
    /// The engines that are asked; empty for all.
    pub only: Vec<String>,
    /// How programs are compiled.
    pub plan: Plan,
    /// The programs that mutants are made of.
    pub sources: Arc<Sources>,
    /// The language that programs are drawn in, if not in several.
    pub language: Option<Lang>,
    /// The options of that language that are set.
    pub options: language::Settings,
    /// How their shaders are written, if not each in the style that is drawn with it.
    pub style: Option<Style>,
    /// The percentage of programs that are rewritten by laws first, where something of them can be.
    pub optimize: u32,
    /// The fault that is planted, by name.
    pub fault: Option<String>,
    /// End with the first finding.
    pub first_only: bool,
}

/// What a campaign reports to.
pub trait Watch: Sync {
    /// From time to time.
    fn progress(&self, tally: &Tally, elapsed: Elapsed);
    /// A finding, after it is on the disk.
    fn found(&self, kept: &Kept);
    /// A flake, after it is on the disk: what an adapter showed, and not each time alone.
    fn flaked(&self, record: &Record, path: &Path);
    /// A finding that could not be written.
    fn unwritten(&self, record: &Record, error: &io::Error);
    /// A generator that broke, which no file could show.
    fn broken(&self, text: &str);
    /// The campaign could not be kept on the disk, told once: it goes on, but not in another
    /// process.
    fn unsaved(&self, error: &io::Error);
}

/// How long a campaign has run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elapsed {
    /// In processes before this one.
    pub before: Duration,
    /// In this one.
    pub now: Duration,
}

impl Elapsed {
    /// In all.
    pub fn all(self) -> Duration {
        self.before.saturating_add(self.now)
    }
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
    /// How many programs show it, as far as the campaign has come.
    pub members: u64,
}

/// What became of a finding that was shrunk.
pub(super) enum Found {
    /// It is kept.
    New(Box<Kept>),
    /// It has the cause of the one in this file.
    Member(String),
}

/// How a campaign ended.
pub struct Summary {
    /// Everything counted.
    pub tally: Tally,
    /// The findings that were kept before it went on.
    pub known: Vec<Known>,
    /// The findings that were kept since.
    pub kept: Vec<Kept>,
    /// How long it took.
    pub elapsed: Elapsed,
    /// How many programs counted before it went on.
    pub resumed: Option<u64>,
    /// It was ended from outside.
    pub stopped: bool,
    /// Panics outside of any engine: generators, workers.
    pub lost: Vec<String>,
    /// What ended it that is neither ours nor a program's.
    pub failed: Option<Failed>,
}

/// What a campaign does not survive.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// The folder of the findings is not the one any more that was claimed.
    #[error("the folder of the findings was removed, or another one is in its place")]
    Folder,
    /// The system starts no thread.
    #[error("a worker could not be started: {0}")]
    Thread(io::Error),
}

/// How often a campaign is kept on the disk.
const SAVE: Duration = Duration::from_secs(5);

/// How many panics outside of engines are kept.
const LOST: usize = 20;

/// What workers have in common.
pub(super) struct Campaign<'a> {
    pub(super) settings: &'a Settings,
    pub(super) stop: &'a Arc<AtomicBool>,
    pub(super) watch: &'a dyn Watch,
    options: Options,
    start: Instant,
    before: Duration,
    done: AtomicBool,
    progress: Mutex<Progress>,
    /// Whether it was told that the campaign cannot be kept. A worker that keeps it holds this, so that no
    /// older state takes the place of a newer one.
    unsaved: Mutex<bool>,
}

/// How far the campaign has come. All of it changes together, so that what is kept on the disk
/// fits together.
struct Progress {
    numbering: Numbering,
    tally: Tally,
    /// Of which findings that are alike one is shrunk just now.
    busy: BTreeSet<Alike>,
    /// How many members the file of a finding names.
    named: BTreeMap<String, u64>,
    /// How many flakes there were of each signature.
    flakes: BTreeMap<Signature, u64>,
    known: Vec<Known>,
    kept: Vec<Kept>,
    lost: Vec<String>,
    failed: Option<Failed>,
}

/// Runs a campaign until its time or programs are used up, or `stop` is set.
pub fn run(settings: &Settings, stop: &Arc<AtomicBool>, watch: &dyn Watch) -> Summary {
    let campaign = Campaign::new(settings, stop, watch);
    let resumed = settings.resumed.as_ref().map(|state| state.tally.programs);
    let before = lock(&campaign.progress).known.len();
    campaign.save();
    campaign.all_workers();
    campaign.save();
    let elapsed = campaign.elapsed();
    let progress = campaign.progress.into_inner().unwrap_or_else(PoisonError::into_inner);
    let Progress { tally, mut known, mut kept, lost, failed, .. } = progress;
    let members = causes::members(&known, &tally.alike);
    known.iter_mut().zip(members).for_each(|(known, members)| known.members = members);
    let new = known.split_off(before);
    kept.iter_mut().zip(new).for_each(|(kept, known)| kept.members = known.members);
    let stopped = stop.load(Ordering::Relaxed);
    Summary { tally, known, kept, elapsed, resumed, stopped, lost, failed }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Campaign<'a> {
    fn new(settings: &'a Settings, stop: &'a Arc<AtomicBool>, watch: &'a dyn Watch) -> Self {
        let state = settings.resumed.clone();
        let position = state.as_ref().map(|state| state.position.clone());
        let position = position.unwrap_or_else(|| Position::start(settings.first));
        let numbering = Numbering::new(position, settings.programs, Weights::of(settings.language));
        let (tally, known, lost, before) = match state {
            Some(State { tally, kept, lost, elapsed, .. }) => (tally, kept, lost, elapsed),
            None => Default::default(),
        };
        let flakes = tally.flakes.iter().map(|(signature, of)| (signature.clone(), of.programs));
        let flakes = flakes.collect();
        let progress = Progress {
            numbering,
            tally,
            busy: BTreeSet::new(),
            named: BTreeMap::new(),
            flakes,
            known,
            kept: Vec::new(),
            lost,
            failed: None,
        };
        Self {
            settings,
            stop,
            watch,
            options: Options::of(settings),
            start: Instant::now(),
            before,
            done: AtomicBool::new(false),
            progress: Mutex::new(progress),
            unsaved: Mutex::new(false),
        }
    }

    /// Lets the workers work, and looks on until they are done.
    fn all_workers(&self) {
        std::thread::scope(|scope| {
            let mut running = Vec::new();
            for number in 0..self.settings.threads.max(1) {
                let worker = std::thread::Builder::new()
                    .stack_size(crate::STACK)
                    .spawn_scoped(scope, move || self.one_worker(number));
                match worker {
                    Ok(worker) => running.push(worker),
                    Err(error) => {
                        self.fail(Failed::Thread(error));
                        break;
                    }
                }
            }
            let mut saved = Instant::now();
            while running.iter().any(|worker| !worker.is_finished()) {
                std::thread::sleep(Duration::from_millis(100));
                self.holds_folder();
                self.watch.progress(&lock(&self.progress).tally, self.elapsed());
                if saved.elapsed() >= SAVE {
                    self.save();
                    saved = Instant::now();
                }
            }
            for worker in running {
                if worker.join().is_err() {
                    self.lost("a worker was lost".to_owned());
                }
            }
        });
    }

    fn one_worker(&self, number: usize) {
        if let Err(text) = crate::panics::catch(|| Worker::new(self, number).work()) {
            lock(&self.progress).numbering.lost(number);
            self.lost(text);
        }
    }

    /// A panic outside of any engine.
    pub(super) fn lost(&self, text: String) {
        let lost = &mut lock(&self.progress).lost;
        if lost.len() < LOST {
            lost.push(text);
        }
    }

    pub(super) fn elapsed(&self) -> Elapsed {
        Elapsed { before: self.before, now: self.start.elapsed() }
    }

    /// No program is drawn any more.
    pub(super) fn over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.done.load(Ordering::Relaxed)
            || self.settings.time.is_some_and(|time| self.start.elapsed() >= time)
    }

    /// Lets the campaign be over.
    pub(super) fn end(&self) {
        self.done.store(true, Ordering::Relaxed);
    }

    /// It ends, since this happened.
    fn fail(&self, failed: Failed) {
        lock(&self.progress).failed.get_or_insert(failed);
        self.end();
    }

    /// Is the folder of the findings still the one that was claimed? If not the campaign ends, and writes nothing
    /// more.
    pub(super) fn holds_folder(&self) -> bool {
        let held = self.settings.claim.as_ref().is_none_or(|claim| claim.is_held());
        if !held {
            self.fail(Failed::Folder);
        }
        held
    }

    /// The next program of a worker.
    pub(super) fn next(&self, worker: usize) -> Next {
        if self.over() {
            return Next::Nothing;
        }
        let Progress { numbering, tally, .. } = &mut *lock(&self.progress);
        numbering.next(worker, &tally.rules)
    }

    /// Is this one of the first flakes of its signature, which are kept?
    pub(super) fn keeps_flake(&self, signature: Signature) -> bool {
        let count = &mut lock(&self.progress).flakes;
        let count = count.entry(signature).or_default();
        *count += 1;
        *count <= self.settings.keep
    }

    /// Shall a finding be shrunk that has this in common with others? Then no other worker shrinks one of them
    /// until it is [counted](Campaign::count) or [given up](Campaign::gives_up).
    pub(super) fn shrinks(&self, alike: &Alike) -> bool {
        let Progress { busy, known, .. } = &mut *lock(&self.progress);
        causes::is_shrunk(known, alike, self.settings.keep) && busy.insert(alike.clone())
    }

    /// A finding that was to be shrunk could not be kept.
    pub(super) fn gives_up(&self, alike: &Alike) {
        lock(&self.progress).busy.remove(alike);
    }

    /// The file of the finding that has this cause, if there is one.
    pub(super) fn known(&self, alike: &Alike, smallest: &str) -> Option<String> {
        let Progress { known, .. } = &*lock(&self.progress);
        let same = |known: &&Known| known.alike == *alike && known.smallest == smallest;
        known.iter().find(same).map(|known| known.file.clone())
    }

    /// Counts programs, and a finding of theirs that was shrunk.
    pub(super) fn count(&self, tally: Tally, programs: &[u64], found: Option<(&Alike, &Found)>) {
        let progress = &mut *lock(&self.progress);
        progress.tally.add(tally);
        programs.iter().for_each(|number| progress.numbering.counts(*number));
        let Some((alike, found)) = found else { return };
        progress.busy.remove(alike);
        match found {
            Found::New(kept) => {
                progress.known.push(Known::from(&**kept));
                progress.kept.push((**kept).clone());
            }
            Found::Member(file) => {
                let known = progress.known.iter_mut().find(|known| known.file == *file);
                known.into_iter().for_each(|known| known.members += 1);
            }
        }
    }

    /// Lets the files of findings say how many members they have. One that is not there any more, or is no
    /// finding, is left as it is.
    fn name_members(&self) {
        let changed: Vec<(String, u64)> = {
            let Progress { known, tally, named, .. } = &mut *lock(&self.progress);
            let files = known.iter().map(|known| known.file.clone());
            let members = files.zip(causes::members(known, &tally.alike));
            members.filter(|(file, now)| named.insert(file.clone(), *now) != Some(*now)).collect()
        };
        for (file, members) in changed {
            let path = self.settings.findings.join(file);
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            // What cannot be written now is said by the summary.
            let _ = with_members(&text, members).map(|text| file::replace(&path, &text));
        }
    }

    /// Keeps the campaign on the disk. One that ends with its first finding is not kept: there is
    /// nothing to go on with.
    pub(super) fn save(&self) {
        if self.settings.first_only || !self.holds_folder() {
            return;
        }
        let mut unsaved = lock(&self.unsaved);
        let state = {
            let Progress { numbering, tally, known, lost, .. } = &*lock(&self.progress);
            let options = self.options.clone();
            let elapsed = self.elapsed().all();
            let (position, tally) = (numbering.position(), tally.clone());
            State::new(options, position, elapsed, tally, known.clone(), lost.clone())
        };
        self.name_members();
        if let Err(error) = state.write(&self.settings.findings)
            && !*unsaved
        {
            *unsaved = true;
            self.watch.unsaved(&error);
        }
    }
}

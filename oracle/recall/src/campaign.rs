//! The campaign: programs drawn as `lockstep fuzz` draws them, each shown to every release that
//! has time left.
//!
//! A release's clock is the processor time that the campaign would have taken for it alone:
//! drawing, compiling and evaluating a program, writing its shaders, translating, executing and
//! comparing them. Only shrinking is not counted.

use crate::known::{self, Known};
use crate::lacks;
use crate::program::Program;
use crate::releases::Release;
use crate::shrinking::{Limit, Small, small};
use crate::signature::{Seen, Signature, Wrong};
use crate::subject::{Found, Subject};
use compiler::emit::style::Style;
use cpu_time::{ProcessTime, ThreadTime};
use oracle::campaign::{Drawn, draw};
use oracle::generate::Weights;
use oracle::panics::catch;
use oracle::rolls::Rolls;
use reference::translate::expand_memory::Form;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a campaign does.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The releases.
    pub releases: Vec<&'static Release>,
    /// Processor time for each.
    pub time: Duration,
    /// How many programs are drawn at most.
    pub programs: Option<u64>,
    /// The seed that they are drawn from.
    pub seed: u64,
    /// The number of the first.
    pub first: u64,
    /// How long one fault is shrunk.
    pub shrink: Duration,
}

/// A fault of a release.
#[derive(Clone, Debug, Serialize)]
pub struct Bucket {
    /// What makes it one.
    pub signature: Signature,
    /// What explains it, if something does.
    #[serde(serialize_with = "name_of")]
    pub known: Option<&'static Known>,
    /// How many programs showed it.
    pub programs: u64,
    /// How many programs the release had been shown when it showed first, that one included.
    pub after: u64,
    /// Its clock then, in seconds.
    pub seconds: f64,
    /// The number of that program.
    pub number: u64,
    /// The small program that shows it, by its place in [`Results::small`].
    pub small: Option<usize>,
}

fn name_of<S: serde::Serializer>(
    known: &Option<&'static Known>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    known.map(|known| known.name).serialize(serializer)
}

/// What came of one release.
#[derive(Clone, Debug, Serialize)]
pub struct OfRelease {
    /// Its version.
    pub version: &'static str,
    /// Programs that it was shown.
    pub programs: u64,
    /// Its clock, in seconds.
    pub seconds: f64,
    /// Its faults, in the order in which they were found.
    pub faults: Vec<Bucket>,
    /// What it lacks, and how many programs it was not shown or refused for that.
    pub lacks: BTreeMap<&'static str, u64>,
    /// Why its shaders could not be compared, and of how many programs.
    pub not_compared: BTreeMap<String, u64>,
}

/// What came of a campaign.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// Its seed.
    pub seed: u64,
    /// Programs drawn.
    pub programs: u64,
    /// Why programs were shown to no release, and how many.
    pub not_shown: BTreeMap<String, u64>,
    /// The releases, the oldest first.
    pub releases: Vec<OfRelease>,
    /// Small programs that show faults.
    pub small: Vec<(Signature, Small)>,
    /// The release and the program at which the campaign stood still, if it did.
    pub hung: Option<(String, u64)>,
}

impl Results {
    /// Was everything that was found explained?
    pub fn is_explained(&self) -> bool {
        let mut faults = self.releases.iter().flat_map(|release| &release.faults);
        self.hung.is_none() && faults.all(|bucket| bucket.known.is_some())
    }
}

/// What a campaign reports to.
pub trait Watch: Sync {
    /// A fault, shrunk.
    fn found(&self, version: &str, bucket: &Bucket, small: &Small);
    /// After each program.
    fn progress(&self, results: &Results);
}

/// What a release is given at the moment.
#[derive(Clone, Copy, Debug)]
pub struct Doing {
    /// Which it is.
    pub release: &'static Release,
    /// The number of the program.
    pub number: u64,
    /// Since when.
    pub since: Instant,
    /// The processor time of the process at that moment.
    pub clock: ProcessTime,
}

/// A campaign that others can look into while it runs.
pub struct Campaign {
    settings: Settings,
    results: Mutex<Results>,
    doing: Mutex<Option<Doing>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Campaign {
    /// A campaign that has not begun.
    pub fn new(settings: Settings) -> Self {
        let releases = settings.releases.iter().map(|release| OfRelease {
            version: release.version,
            programs: 0,
            seconds: 0.0,
            faults: Vec::new(),
            lacks: BTreeMap::new(),
            not_compared: BTreeMap::new(),
        });
        let results = Results {
            seed: settings.seed,
            programs: 0,
            not_shown: BTreeMap::new(),
            releases: releases.collect(),
            small: Vec::new(),
            hung: None,
        };
        Self { settings, results: Mutex::new(results), doing: Mutex::new(None) }
    }

    /// What came of it so far.
    pub fn results(&self) -> Results {
        lock(&self.results).clone()
    }

    /// What is being done, of the things that a release could hang in.
    pub fn doing(&self) -> Option<Doing> {
        *lock(&self.doing)
    }

    /// Notes that it stands still.
    pub fn hangs(&self, doing: Doing) {
        let hung = (doing.release.version.to_owned(), doing.number);
        lock(&self.results).hung = Some(hung);
    }

    /// Runs until every release has had its time, the programs are used up, or `stop` is set.
    /// Wants a stack of [`oracle::STACK`].
    pub fn run(&self, stop: &AtomicBool, watch: &dyn Watch) {
        let releases = self.settings.releases.iter();
        let mut subjects: Vec<Subject> = releases.map(|release| Subject::new(release)).collect();
        let mut rolls = Rolls::default();
        let mut number = self.settings.first;
        while !stop.load(Ordering::Relaxed)
            && self.settings.programs.is_none_or(|most| number - self.settings.first < most)
        {
            let running = self.running();
            if running.is_empty() {
                break;
            }
            self.program(number, &running, &mut subjects, &mut rolls, stop, watch);
            watch.progress(&lock(&self.results));
            number += 1;
        }
    }

    /// The releases that have time left, by their places.
    fn running(&self) -> Vec<usize> {
        let time = self.settings.time.as_secs_f64();
        let results = lock(&self.results);
        let releases = results.releases.iter().enumerate();
        releases.filter(|(_, release)| release.seconds < time).map(|(at, _)| at).collect()
    }

    /// Shows one program to the releases.
    fn program(
        &self,
        number: u64,
        running: &[usize],
        subjects: &mut [Subject],
        rolls: &mut Rolls,
        stop: &AtomicBool,
        watch: &dyn Watch,
    ) {
        let clock = ThreadTime::now();
        let drawn = catch(|| draw(self.settings.seed, number, &Weights::default()));
        // Both forms of expansion are compiled, turn by turn.
        let form = if number.is_multiple_of(2) { Form::Coalesced } else { Form::Paper };
        let made = drawn.and_then(|Drawn { case, style, .. }| {
            catch(|| Program::of(case, form, rolls)).and_then(|made| made).map(|made| (made, style))
        });
        let shared = clock.elapsed().as_secs_f64();
        {
            let mut results = lock(&self.results);
            results.programs += 1;
            running.iter().for_each(|at| results.releases[*at].seconds += shared);
        }
        let (program, style) = match made {
            Ok(made) => made,
            Err(why) => {
                *lock(&self.results).not_shown.entry(why).or_default() += 1;
                return;
            }
        };
        for at in running {
            let subject = &mut subjects[*at];
            let style = subject.masked(style);
            let release = subject.release;
            if let Some(lack) = lacks::of(release, &program) {
                *lock(&self.results).releases[*at].lacks.entry(lack.what).or_default() += 1;
                continue;
            }
            let begins = || {
                let (since, clock) = (Instant::now(), ProcessTime::now());
                *lock(&self.doing) = Some(Doing { release, number, since, clock });
            };
            begins();
            let clock = ThreadTime::now();
            let seen = subject.bare(&program, style);
            let found = match seen {
                Seen::Wrong(wrong) => self.sorted(*at, subject, &program, wrong, style),
                Seen::NotCompared(why) => {
                    let mut results = lock(&self.results);
                    *results.releases[*at].not_compared.entry(why).or_default() += 1;
                    None
                }
                Seen::Agrees => None,
            };
            let seconds = clock.elapsed().as_secs_f64();
            let new = {
                let mut results = lock(&self.results);
                let release = &mut results.releases[*at];
                release.seconds += seconds;
                release.programs += 1;
                found.filter(|found| counted(release, subject.release, found, number))
            };
            if let Some(found) = new {
                self.shrink(*at, subject, (&program, &found), rolls, (stop, &begins), watch);
            }
            *lock(&self.doing) = None;
        }
    }

    /// The fault that was seen, unless the release lacks what it refuses.
    fn sorted(
        &self,
        at: usize,
        subject: &mut Subject,
        program: &Program,
        wrong: Wrong,
        style: Style,
    ) -> Option<Found> {
        if let Some(lack) = subject.lacks(&wrong) {
            let mut results = lock(&self.results);
            *results.releases[at].lacks.entry(lack.what).or_default() += 1;
            return None;
        }
        Some(subject.found(program, wrong, style))
    }

    /// Keeps a small program that shows a new fault: one that another release showed it with, if
    /// that does, else the one at hand, shrunk. With each candidate something `begins` that may hang.
    fn shrink(
        &self,
        at: usize,
        subject: &mut Subject,
        (program, found): (&Program, &Found),
        rolls: &mut Rolls,
        (stop, begins): (&AtomicBool, &dyn Fn()),
        watch: &dyn Watch,
    ) {
        let known: Vec<(usize, Small)> = {
            let results = lock(&self.results);
            let of = results.small.iter().enumerate();
            let of = of.filter(|(_, (signature, _))| *signature == found.signature);
            of.map(|(place, (_, small))| (place, small.clone())).collect()
        };
        let again = known.iter().find_map(|(place, other)| {
            begins();
            Some((*place, other.on(subject, &found.signature, rolls)?))
        });
        let (place, small) = match again {
            Some((place, small)) => (place, small),
            None => {
                let limit = Limit { time: self.settings.shrink, stop, begins };
                let small = small(subject, program, found, &limit, rolls);
                let mut results = lock(&self.results);
                results.small.push((found.signature.clone(), small.clone()));
                (results.small.len() - 1, small)
            }
        };
        let bucket = {
            let mut results = lock(&self.results);
            let faults = &mut results.releases[at].faults;
            let of = faults.iter_mut().find(|bucket| bucket.signature == found.signature);
            let Some(bucket) = of else { return };
            bucket.small = Some(place);
            bucket.clone()
        };
        watch.found(subject.release.version, &bucket, &small);
    }
}

/// Counts a fault; is it new?
fn counted(of: &mut OfRelease, release: &Release, found: &Found, number: u64) -> bool {
    let same = of.faults.iter_mut().find(|bucket| bucket.signature == found.signature);
    if let Some(bucket) = same {
        bucket.programs += 1;
        return false;
    }
    of.faults.push(Bucket {
        signature: found.signature.clone(),
        known: known::explained(release, &found.signature),
        programs: 1,
        after: of.programs,
        seconds: of.seconds,
        number,
        small: None,
    });
    true
}

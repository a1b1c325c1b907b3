//! The state of a run that every room has: what it may still use, what it counts, how it stops.
//!
//! A room's evaluator holds a [`State`] beside its own values and implements [`Evaluator`]; its
//! rules then read as in the paper: `run.by(rule, subject, |run| { run.require(..)?; .. })`.

use super::derivation::Recorder;
use super::names::Names;
use super::outcome::{
    Broken, Budget, Cause, Ending, MAX_RACES, Outcome, Race, Site, Stats, Stuck, Unwritten, Value,
    Why, holds,
};
use super::rules::Roll;
use super::tap::Tap;
use super::text::Span;

/// Why a run does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// No rule applies.
    Stuck(Stuck),
    /// Beyond the budget, or not modelled.
    Unknown(Why),
    /// What runs the program broke.
    Broken(Broken),
}

/// A result that may stop the run. That is rare, so the reason is boxed.
pub type Eval<T = ()> = Result<T, Box<Stop>>;

impl From<Why> for Box<Stop> {
    #[cold]
    fn from(why: Why) -> Self {
        Box::new(Stop::Unknown(why))
    }
}

impl From<Broken> for Box<Stop> {
    fn from(broken: Broken) -> Self {
        Box::new(Stop::Broken(broken))
    }
}

impl From<Stuck> for Box<Stop> {
    fn from(stuck: Stuck) -> Self {
        Box::new(Stop::Stuck(stuck))
    }
}

impl Stop {
    /// The ending of a run that stops so.
    pub fn ending(self) -> Ending {
        match self {
            Stop::Stuck(stuck) => match stuck.site.cause.gives_up_at(&stuck.operands) {
                Some(why) => Ending::Unknown(why),
                None => Ending::Stuck(stuck),
            },
            Stop::Unknown(why) => Ending::Unknown(why),
            Stop::Broken(broken) => Ending::Broken(broken),
        }
    }
}

impl Stuck {
    /// Stuck at `site`, where the premise of `rule` that the cause of the site names failed.
    pub fn by(rule: impl Roll, site: Site, thread: Vec<i32>, operands: &[i64]) -> Self {
        Self { site, rule: rule.info().name.to_owned(), thread, operands: operands.to_vec() }
    }
}

/// What a run uses up, and what it observes beside its ending.
#[derive(Debug)]
pub struct Meter {
    /// What was counted.
    pub stats: Stats,
    /// The innermost statement that did not come to its end.
    pub stopped: Option<Span>,
    fuel: u64,
    /// Rounds of the running thread of an outermost kernel.
    rounds: u64,
    races: Vec<Race>,
    unwritten: Option<Unwritten>,
}

impl Meter {
    /// A run that starts with this budget.
    pub fn new(budget: &Budget) -> Self {
        let (stats, races) = (Stats::default(), Vec::new());
        Self { stats, stopped: None, fuel: budget.fuel, rounds: 0, races, unwritten: None }
    }

    /// Pays so many units of fuel.
    ///
    /// # Errors
    /// [`Why::Fuel`] if there are not so many left.
    #[inline]
    pub fn charge(&mut self, fuel: u64) -> Eval {
        match self.fuel.checked_sub(fuel) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => Err(Why::Fuel.into()),
        }
    }

    /// Pays for a statement, and counts it.
    ///
    /// # Errors
    /// [`Why::Fuel`]
    #[inline]
    pub fn statement(&mut self) -> Eval {
        self.charge(1)?;
        self.stats.statements += 1;
        Ok(())
    }

    /// The statement at `span` does not come to its end. Called from the inside outwards.
    #[cold]
    pub fn stops(&mut self, span: Span, stop: Box<Stop>) -> Box<Stop> {
        self.stopped.get_or_insert(span);
        stop
    }

    /// A thread starts; `depth` kernels are around its body. One of a nested kernel is a round of
    /// the outermost thread.
    #[inline]
    pub fn starts_thread(&mut self, depth: usize) {
        if depth == 1 {
            self.stats.threads += 1;
            self.rounds = 0;
        } else {
            self.rounds += 1;
        }
    }

    /// A round of a loop starts; `depth` kernels are around it.
    #[inline]
    pub fn starts_round(&mut self, depth: usize) {
        self.rounds += u64::from(depth > 0);
    }

    /// A thread ends; `depth` kernels are around its body.
    #[inline]
    pub fn ends_thread(&mut self, depth: usize) {
        if depth == 1 {
            self.stats.rounds = self.stats.rounds.max(self.rounds);
        }
    }

    /// A race was seen. The first [`MAX_RACES`] are kept.
    #[cold]
    pub fn saw(&mut self, race: impl FnOnce() -> Race) {
        if self.races.len() < MAX_RACES {
            self.races.push(race());
        }
    }

    /// Memory that nothing wrote was read. The first such read is kept.
    #[cold]
    pub fn lacked(&mut self, read: impl FnOnce() -> Unwritten) {
        self.unwritten.get_or_insert_with(read);
    }

    /// The outcome of a run that ended so.
    pub fn outcome(self, ended: Eval<Vec<Value>>) -> Outcome {
        let ending = ended.map_or_else(|stop| stop.ending(), Ending::Value);
        let stopped = self.stopped.filter(|_| matches!(ending, Ending::Unknown(_)));
        let Self { races, unwritten, stats, .. } = self;
        Outcome { stopped, races, unwritten, stats, ..ending.into() }
    }
}

/// A [`Meter`], and the recorder of derivations.
pub struct State<'a, R: Roll> {
    /// The names of the program, for texts.
    pub names: &'a Names,
    /// Which rules fired, and which premises failed.
    pub recorder: &'a mut Recorder<R>,
    /// What is used up and counted.
    pub meter: Meter,
}

impl<'a, R: Roll> State<'a, R> {
    /// A run that starts with this budget.
    pub fn new(names: &'a Names, recorder: &'a mut Recorder<R>, budget: &Budget) -> Self {
        Self { names, recorder, meter: Meter::new(budget) }
    }

    /// Tells the tap that the recorder carries, with the clock; most carry none.
    #[inline]
    pub fn tells(&mut self, tell: impl FnOnce(&mut dyn Tap, u64)) {
        if let Some(tap) = self.recorder.tap() {
            tell(tap, self.meter.stats.statements);
        }
    }

    /// Which thread or round from this one on is to run, by the tap: without one each.
    #[inline]
    pub fn next(&mut self, number: u64, ask: impl FnOnce(&mut dyn Tap) -> u64) -> u64 {
        self.recorder.tap().map_or(number, |tap| ask(tap))
    }

    /// The premise `cause` of `rule` failed, in the statement at `span`, in `thread`.
    #[cold]
    pub fn stuck(
        &mut self,
        rule: R,
        span: Span,
        cause: Cause,
        thread: Vec<i32>,
        operands: &[i64],
    ) -> Box<Stop> {
        self.recorder.fail(rule, cause.name());
        Stuck::by(rule, Site { span, cause }, thread, operands).into()
    }
}

/// What applies the rules of a room, one function a rule.
pub trait Evaluator<'a> {
    /// The roll of the room.
    type Rule: Roll;
    /// What rules are applied to, for example a statement.
    type Subject: ?Sized;

    /// The state of the run.
    fn state(&mut self) -> &mut State<'a, Self::Rule>;

    /// The text of a subject in a derivation.
    fn text(names: &Names, subject: &Self::Subject) -> String;

    /// How many kernels are around what runs.
    fn depth(&self) -> usize;

    /// The running thread: indices of the kernels around what runs, outermost first, from 1.
    fn thread(&self) -> Vec<i32>;

    /// Pays so many units of fuel.
    ///
    /// # Errors
    /// [`Why::Fuel`] if there are not so many left.
    #[inline]
    fn charge(&mut self, fuel: u64) -> Eval {
        self.state().meter.charge(fuel)
    }

    /// A thread of the innermost kernel starts.
    #[inline]
    fn starts_thread(&mut self) {
        let depth = self.depth();
        self.state().meter.starts_thread(depth);
    }

    /// A round of a loop starts.
    #[inline]
    fn starts_round(&mut self) {
        let depth = self.depth();
        self.state().meter.starts_round(depth);
    }

    /// A thread of the innermost kernel ends.
    #[inline]
    fn ends_thread(&mut self) {
        let depth = self.depth();
        self.state().meter.ends_thread(depth);
    }

    /// Opens a node of the derivation: `rule` is being applied to `subject`.
    #[inline]
    fn enter(&mut self, rule: Self::Rule, subject: &Self::Subject) {
        let state = self.state();
        let names = state.names;
        state.recorder.enter(rule, || Self::text(names, subject));
    }

    /// A node of the derivation: `rule` applied to `subject`, with its premises.
    ///
    /// # Errors
    /// Those of the premises.
    #[inline]
    fn by(
        &mut self,
        rule: Self::Rule,
        subject: &Self::Subject,
        premises: impl FnOnce(&mut Self) -> Eval,
    ) -> Eval {
        self.enter(rule, subject);
        premises(self)?;
        self.state().recorder.leave(String::new);
        Ok(())
    }

    /// The premise `cause` of `rule`: [`holds`] decides it.
    ///
    /// # Errors
    /// Stuck at `span`, if it fails.
    #[inline]
    fn require<const N: usize>(
        &mut self,
        rule: Self::Rule,
        span: Span,
        cause: Cause,
        operands: [i64; N],
    ) -> Eval {
        if holds(cause, &operands) { Ok(()) } else { self.stuck(rule, span, cause, &operands) }
    }

    /// The premise `cause` of `rule` failed.
    ///
    /// # Errors
    /// Always: stuck at `span`.
    #[cold]
    fn stuck<T>(
        &mut self,
        rule: Self::Rule,
        span: Span,
        cause: Cause,
        operands: &[i64],
    ) -> Eval<T> {
        let thread = self.thread();
        Err(self.state().stuck(rule, span, cause, thread, operands))
    }
}

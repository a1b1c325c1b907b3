//! What a program costs: by the whole run, or by a part of it where the whole is too long.
pub mod graph;
pub mod place;

use crate::profiles::reason;
use reference::cost::{Machine, Pricer, Report, Sampling, TooLarge, World};
use reference::kit::language::How;
use reference::kit::outcome::{Budget, Ending, Outcome, Value, Why};
use reference::kit::regular::Irregular;
use reference::languages::Artifact;

/// Statements that a run executes whole before it is priced by a part instead: about a second.
pub const WHOLE: u64 = 1 << 24;

/// Is a part of a run executed that stands for all of it?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Sample {
    /// If the whole takes more than some 16 million statements, and what it accesses does not depend on data
    #[default]
    Auto,
    /// If what it accesses does not depend on data
    Always,
    /// Never
    Never,
}

/// How programs are priced.
#[derive(Clone, Debug)]
pub struct Pricing {
    /// The machine.
    pub machine: Machine,
    /// Where kernels run. On the host nothing is left out.
    pub world: World,
    /// Is a part of the run executed?
    pub sample: Sample,
}

/// A run with what it costs.
pub struct Priced {
    /// The run. If a part of it was executed, its results are not those of the program: see [`Priced::results`].
    pub outcome: Outcome,
    /// What it costs, if it came to its end.
    pub report: Result<Report, TooLarge>,
    /// Was a part of it executed?
    pub sampled: bool,
    /// Why nothing was left out, where something would have been.
    pub irregular: Option<Irregular>,
}

impl Priced {
    /// The results of the program: only where all of it was executed.
    pub fn results(&self) -> Option<&[Value]> {
        match &self.outcome.ending {
            Ending::Value(values) if !self.sampled && self.report.is_ok() => Some(values),
            _ => None,
        }
    }

    /// What it costs.
    ///
    /// # Errors
    /// Why there is no price, in one sentence.
    pub fn price(&self) -> Result<&Report, String> {
        let report = self.report.as_ref();
        let report =
            report.map_err(|no| format!("its run is too large to be priced: {}", no.why))?;
        if !matches!(self.outcome.ending, Ending::Value(_)) {
            let why = match &self.irregular {
                None => String::new(),
                Some(no) => format!("; no part of it stands for the whole: {}", no.why),
            };
            return Err(format!("{}{why}", no_results(&self.outcome.ending)));
        }
        Ok(report)
    }
}

impl Pricing {
    /// Runs a program on an input that fits, by the semantics of its language, and prices it.
    pub fn price(&self, program: &Artifact, input: &[Value], how: How<'_>) -> Priced {
        let How { variant, schedule, budget, settings, planted, memory } = how;
        let mut run = |fuel: u64, sampling: Option<Sampling>| {
            let budget = Budget { fuel: fuel.min(budget.fuel), ..*budget };
            let how =
                How { variant, schedule, budget: &budget, settings, planted, memory: &mut *memory };
            let pricer = Pricer::new(self.machine.clone(), self.world);
            let pricer = match sampling {
                Some(sampling) => pricer.sampled(sampling),
                None => pricer,
            };
            let (outcome, pricer) = program.price(input, how, pricer);
            let report = pricer.report(outcome.stats.statements);
            let sampled = report.as_ref().is_ok_and(reference::cost::Report::is_sampled);
            Priced { outcome, report, sampled, irregular: None }
        };
        let fuel = budget.fuel;
        let may = self.world == World::Device && self.sample != Sample::Never;
        if !may {
            return run(fuel, None);
        }
        if self.sample == Sample::Auto {
            let whole = run(WHOLE, None);
            let long = whole.outcome.ending == Ending::Unknown(Why::Fuel) && WHOLE < fuel;
            if !long && whole.report.is_ok() {
                return whole;
            }
        }
        match program.regular() {
            Ok(loops) => {
                let priced = run(fuel, Some(Sampling::new(loops)));
                // Where a run is not even sampled to its end, its results are not there either.
                let ended = matches!(priced.outcome.ending, Ending::Value(_));
                Priced { sampled: priced.sampled || !ended, ..priced }
            }
            Err(irregular) => Priced { irregular: Some(irregular), ..run(fuel, None) },
        }
    }
}

/// That a run does not end with results, and how it ends.
pub fn no_results(ended: &Ending) -> String {
    let ended = match ended {
        Ending::Value(_) => "with results".to_owned(),
        Ending::Stuck(stuck) => format!("stuck: {}", stuck.sentence()),
        Ending::Unknown(why) => reason(why),
        Ending::Broken(broken) => format!("it broke: {broken:?}"),
    };
    format!("its run does not end with results: {ended}")
}

//! What a program costs by the graph that its semantics makes of a run.

use super::no_results;
use reference::cost::graph::Greedy;
use reference::kit::derivation::Recorder;
use reference::kit::names::Var;
use reference::kit::outcome::{Budget, Cause, Ending, Outcome, Value, Why};
use reference::lambda_g::eval::{Setting, Wanted, run_with_graph};
use reference::lambda_g::report::{Asked, Refused, Report, report};
use reference::lambda_g::syntax::Program;

/// A run that was priced.
pub struct Priced {
    /// The run.
    pub outcome: Outcome,
    /// What it costs, if it came to its end.
    pub report: Option<Report>,
    /// Why there is no report, if it is none of the above.
    pub refused: Option<TooMuch>,
}

/// Why a run has no price though it may have an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TooMuch {
    /// Its graph and its values take so many bytes.
    Graph {
        /// Bytes of the graph.
        graph: u64,
        /// Bytes of the values, with the input.
        values: u64,
    },
    /// The graph is too large to be scheduled, or does not allow the schedule that is given.
    Schedule(Refused),
}

/// Runs a program on an input that fits, and prices the run.
pub fn price(
    program: &Program,
    input: &[Value],
    setting: &Setting,
    budget: &Budget,
    asked: Asked<'_>,
) -> Priced {
    let run =
        |wanted| run_with_graph(program, input, setting, budget, &mut Recorder::counting(), wanted);
    let mut priced = run(Wanted::Space);
    let outcome = std::mem::replace(&mut priced.outcome, Outcome::from(Ending::Value(Vec::new())));
    match outcome.ending {
        Ending::Value(_) => match report(program, priced, setting, asked, budget.memory) {
            Ok(report) => Priced { outcome, report: Some(report), refused: None },
            Err(refused) => {
                Priced { outcome, report: None, refused: Some(TooMuch::Schedule(refused)) }
            }
        },
        // Was it the graph? Without it the values of the run are no more than they may be.
        Ending::Unknown(Why::Memory(_)) => {
            // What there is of the graph goes before it is measured.
            drop(priced);
            let measured = run(Wanted::Size);
            let alone = matches!(measured.outcome.ending, Ending::Unknown(Why::Memory(_)));
            let (graph, values) = (measured.size, measured.values);
            let refused = (!alone).then_some(TooMuch::Graph { graph, values });
            Priced { outcome, report: None, refused }
        }
        _ => Priced { outcome, report: None, refused: None },
    }
}

/// A run whose time alone was asked for.
pub struct Timed {
    /// Its time, or why it has none.
    pub time: Result<u64, String>,
    /// How it ends.
    pub ending: Ending,
    /// Its steps.
    pub steps: u64,
    /// The region of the device that was full, if it got stuck by that.
    pub full: Option<Var>,
}

impl Timed {
    /// What was not run.
    pub fn none() -> Self {
        Timed {
            time: Err("it was not run".to_owned()),
            ending: Ending::Unknown(Why::Fuel),
            steps: 0,
            full: None,
        }
    }
}

/// Runs a program on an input that fits, and finds the time that this schedule of the processors of the machine takes.
pub fn time(
    program: &Program,
    input: &[Value],
    setting: &Setting,
    budget: &Budget,
    greedy: Greedy,
) -> Timed {
    let mut to = Recorder::counting();
    let run = run_with_graph(program, input, setting, budget, &mut to, Wanted::Time);
    let Outcome { ending, stats, .. } = run.outcome;
    let time = match &ending {
        Ending::Value(_) => {
            let many = |vertices| format!("its graph has {vertices} vertices");
            let scheduled = run.graph.schedule(setting.machine.processors, greedy);
            scheduled.map(|scheduled| scheduled.time).map_err(many)
        }
        ended => Err(no_results(ended)),
    };
    let met = matches!(&ending, Ending::Stuck(stuck) if stuck.site.cause == Cause::RegionFull);
    Timed { time, ending, steps: stats.statements, full: run.full.filter(|_| met) }
}

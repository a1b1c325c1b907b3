//! What holds of every program of λG that has a type, beside what its rules say: of its ends, of its regions, and of what
//! it costs.

use super::eval::{Priced, Setting, Wanted, places, run, run_with_graph};
use super::infer::erase::erase;
use super::rules::Rule;
use super::syntax::Program;
use super::{parse, print, types};
use crate::cost::Mode;
use crate::cost::graph::{Graph, Greedy};
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::outcome::{Budget, Cause, Ending, Value};
use std::collections::BTreeSet;

/// Most vertices of a graph whose schedules are looked at.
const VERTICES: u64 = 20_000;

/// A law that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A program ends in another way than it is to.
    Ends(String),
    /// It costs something else than it is to.
    Costs(String),
}

/// Runs a program that has a type on an input that fits, in all modes, and holds the laws against these runs.
///
/// # Errors
/// The law that does not hold, with what was found.
///
/// # Panics
/// If the program has no type.
pub fn hold(
    program: &Program,
    input: &[Value],
    budget: &Budget,
    planted: Planted,
) -> Result<(), Broken> {
    let run = |setting: Setting, wanted: Wanted| {
        let setting = Setting { planted, ..setting };
        run_with_graph(program, input, &setting, budget, &mut Recorder::counting(), wanted)
    };
    let at_first = run(Setting::default(), Wanted::Space);
    if let Ending::Unknown(_) = at_first.outcome.ending {
        return Ok(());
    }
    theorems_hold(&at_first)?;
    let alone = run(Setting { host_alone: true, ..Setting::default() }, Wanted::Nothing);
    ends_alike(&at_first, &alone)?;
    for in_groups in [false, true] {
        let groups = if in_groups { places(program) } else { BTreeSet::new() };
        let [paper, umm] = [Mode::Paper, Mode::Umm].map(|mode| {
            let setting = Setting { mode, groups: groups.clone(), ..Setting::default() };
            run(setting, Wanted::Time)
        });
        for other in [&at_first, &paper, &umm] {
            same(&paper, other)?;
            of_graph(&other.graph).map_err(Broken::Costs)?;
        }
        at_least_paper(&paper, &umm)?;
    }
    Ok(())
}

/// Takes the annotations out of a program that has a type, and runs what inference makes of it: it ends as the program
/// does, but that its regions have other sizes. Inference refuses it only if something is too large, or with an instance
/// of an abstraction or an effect that covers a region that is not in it: what outlives one of an effect is not tried.
///
/// # Errors
/// The other end, or the refusal.
pub fn hold_without_annotations(
    program: &Program,
    input: &[Value],
    budget: &Budget,
    planted: Planted,
) -> Result<(), Broken> {
    let found = match parse::program(&print::program(&erase(program, &mut || false))) {
        Ok(found) => found,
        Err(refused) if refused.limit.is_some() => return Ok(()),
        Err(refused) if refused.rule == Some(("PLACE", "scope")) && may_find_no_region(program) => {
            return Ok(());
        }
        Err(refused) => {
            let said = refused.message;
            return Err(Broken::Ends(format!("without its annotations it is refused: {said}")));
        }
    };
    let [whole, found] = [program, &found].map(|program| {
        let setting = Setting { planted, ..Setting::default() };
        run(program, input, &setting, budget, &mut Recorder::counting()).ending
    });
    let alike = match (&whole, &found) {
        (Ending::Unknown(_), _) | (_, Ending::Unknown(_)) => true,
        (Ending::Stuck(stuck), _) | (_, Ending::Stuck(stuck))
            if stuck.site.cause == Cause::RegionFull =>
        {
            true
        }
        (Ending::Stuck(one), Ending::Stuck(other)) => {
            one.site.cause == other.site.cause && one.operands == other.operands
        }
        (one, other) => one == other,
    };
    if alike {
        return Ok(());
    }
    Err(Broken::Ends(format!(
        "with its annotations it ends as {whole:?}, and without them as {found:?}"
    )))
}

/// Whether inference may find no region in scope for a value of the program. That takes an effect that covers a region only
/// because that outlives one of the effect, or an instance of an abstraction, whose region may begin later than the value.
pub(super) fn may_find_no_region(program: &Program) -> bool {
    let mut recorder = Recorder::counting();
    types::check(program, &mut recorder).is_ok()
        && [Rule::ErOutlives, Rule::TInst].iter().any(|rule| recorder.coverage().fired(*rule) > 0)
}

/// No program that has a type comes to a region that is not there. What a run looks at besides is that regions outlive each
/// other as their constraints say (theorem 4.2, L58), and that values lie apart (theorem 4.4).
fn theorems_hold(run: &Priced) -> Result<(), Broken> {
    match &run.outcome.ending {
        Ending::Broken(broken) => Err(Broken::Ends(format!("the run ends as {broken:?}"))),
        Ending::Stuck(stuck) if stuck.site.cause == Cause::RegionGone => {
            Err(Broken::Ends("a region is not there, though the program has a type".to_owned()))
        }
        _ => Ok(()),
    }
}

/// What the device does the host does too, with regions that grow. Of a failure the cause, the place and the operands are
/// the same; the host has no threads.
fn ends_alike(both: &Priced, alone: &Priced) -> Result<(), Broken> {
    let alike = match (&both.outcome.ending, &alone.outcome.ending) {
        (Ending::Unknown(_), _) | (_, Ending::Unknown(_)) => true,
        (Ending::Stuck(stuck), _) if stuck.site.cause == Cause::RegionFull => true,
        (Ending::Stuck(one), Ending::Stuck(other)) => {
            one.site == other.site && one.operands == other.operands
        }
        (one, other) => one == other,
    };
    if alike {
        return Ok(());
    }
    let (both, alone) = (&both.outcome.ending, &alone.outcome.ending);
    Err(Broken::Ends(format!(
        "with the device it ends as {both:?}, and on the host alone as {alone:?}"
    )))
}

/// How costs are counted, and where the memory of the device lies, makes no difference to ends, but that some ways to count
/// take more memory.
fn same(one: &Priced, other: &Priced) -> Result<(), Broken> {
    let (one, other) = (&one.outcome.ending, &other.outcome.ending);
    let unknown = |ending: &Ending| matches!(ending, Ending::Unknown(_));
    if one == other || unknown(one) || unknown(other) {
        return Ok(());
    }
    Err(Broken::Ends(format!("in one mode it ends as {one:?}, and in another as {other:?}")))
}

/// What an `on` takes on the device in `umm` is at least what it takes in `paper`, where no warp diverges (L72). All work
/// groups of a small program run at once.
fn at_least_paper(paper: &Priced, umm: &Priced) -> Result<(), Broken> {
    for (paper, umm) in paper.ran.iter().zip(&umm.ran) {
        if umm.spent.parted == 0 && umm.device < paper.device {
            let text =
                format!("an `on` takes {} in umm, and {} in paper", umm.device, paper.device);
            return Err(Broken::Costs(text));
        }
    }
    Ok(())
}

/// What holds of every graph and schedule (L72): weighted depth <= time <= work; steps <= vertices / P + the longest path
/// in vertices; time <= heaviest edge × steps; live at the end <= space <= made. Large graphs are passed over.
///
/// # Errors
/// The law that does not hold.
pub fn of_graph(graph: &Graph) -> Result<(), String> {
    let (work, depth, vertices) = (graph.work(), graph.depth(), graph.vertices());
    let (made, left) = graph.words();
    if vertices > VERTICES {
        return Ok(());
    }
    let too_large = |_| "a small graph is too large for a schedule".to_owned();
    for processors in [1, 2, 3, 1000] {
        for greedy in [Greedy::DepthFirst, Greedy::BreadthFirst] {
            let found = graph.schedule(processors, greedy).map_err(too_large)?;
            let space = graph.space(processors, greedy).map_err(too_large)?;
            let holds = [
                ("depth <= time", depth <= found.time),
                ("time <= work", found.time <= work),
                ("steps", found.steps <= vertices / processors + graph.longest()),
                ("time <= heaviest edge × steps", found.time <= heaviest(graph) * found.steps),
                ("live at the end <= space", left <= space as i64),
                ("space <= made", space <= made),
            ];
            if let Some((law, _)) = holds.into_iter().find(|(_, holds)| !holds) {
                return Err(format!(
                    "{law} does not hold on {processors} processors, {greedy:?}: {found:?}, work {work}, depth {depth}, \
                     {vertices} vertices, space {space} of {made} words, {left} at the end"
                ));
            }
        }
    }
    Ok(())
}

/// The weight of the heaviest edge.
fn heaviest(graph: &Graph) -> u64 {
    match graph {
        Graph::Chain { edges: 0, .. } => 0,
        Graph::Chain { weight, .. } => *weight,
        Graph::Serial(parts) => {
            let edges = parts.iter().skip(1).map(|(weight, _)| *weight);
            edges.chain(parts.iter().map(|(_, part)| heaviest(part))).max().unwrap_or(0)
        }
        Graph::Parallel(parts) => parts.iter().map(heaviest).max().unwrap_or(0).max(1),
        Graph::Words { of, .. } => heaviest(of),
    }
}

//! What the laws of rewriting make of a program ends as the program does: its neighbours by one law, random members of
//! a small e-graph, and those that are cheapest by the estimate. Where a member differs, the steps to it are
//! walked to the law that is wrong.

use super::agree::{self, Difference, StuckPolicy};
use super::beside;
use super::look::Look;
use super::tester::{Depth, Tester};
use super::verdict::{Finding, Kind, Step, Verdict};
use crate::engine::{EngineId, StageId};
use crate::language::Listed;
use compiler::rewrite::explain::{Link, links};
use compiler::rewrite::search::{Limits, Searched, search, search_explained};
use compiler::rewrite::{Estimate, Found, Wanted, chaos, estimated, extract};
use reference::axes::apply::{self, Step as Applied, instance, matches};
use reference::axes::laws::{Law, book};
use reference::axes::syntax::{Program, Term};
use reference::axes::{Axes, Meant, print, types};
use reference::fun::Fun;
use reference::kit::derivation::Recorder;
use reference::kit::dice::Dice;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language};
use reference::kit::outcome::{Ending, Outcome};
use std::mem::take;
use std::time::Duration;

/// The stage that is blamed where the laws are right and what is taken out of the e-graph is not.
pub const SEARCH: StageId = StageId("search");

/// The stage that is blamed where a front of an e-graph says of a term that it costs what it does not.
pub const FRONT: StageId = StageId("front");

/// The pass to what a term means.
const TO_FUN: StageId = StageId("to_fun");

/// Sizes of tiles.
const TILES: [u32; 2] = [2, 3];
/// Neighbours that are run: by each law on a quick look, at most so many on a whole one.
const NEIGHBOURS: usize = 2;
const NEIGHBOURS_WHOLE: usize = 1_000;
/// Random members that are run.
const MEMBERS: u64 = 3;
const MEMBERS_WHOLE: u64 = 8;
/// Cheapest members that are run.
const CHEAPEST: usize = 3;
/// Nodes of the e-graph, and of the one that explains a member.
const NODES: usize = 300;
const NODES_EXPLAINED: usize = 2_000;

/// Holds what the laws make of a program against it.
///
/// # Errors
/// The law that is wrong.
pub(super) fn check(tester: &mut Tester, look: &mut Look, program: &Meant) -> Step {
    let mut dice = Dice::new(look.case.schedule);
    let term = program.program();
    let planted = tester.plan.planted;
    let mut steps = neighbours(term, planted);
    if look.depth == Depth::Whole {
        steps.truncate(NEIGHBOURS_WHOLE);
    } else {
        steps = chosen(steps, &mut dice);
    }
    for (law, step, neighbour) in steps {
        if let Some(difference) = differs(tester, look, &neighbour) {
            return Err(blamed(law, &step, difference));
        }
    }
    let without = book(planted).filter(|_| dice.below(2) == 0).map(|law| law.name.to_owned());
    let limits = Limits {
        nodes: NODES,
        time: Duration::from_secs(60),
        rounds: 5,
        budget: 80,
        tiles: TILES.to_vec(),
        without: without.collect(),
        planted,
        ..Limits::default()
    };
    let wanted = dice.below(3) == 0;
    let seed = dice.roll();
    if wanted || look.depth == Depth::Whole {
        members(tester, look, program, &limits, seed)?;
    }
    Ok(())
}

/// A few neighbours by each law.
fn chosen(mut steps: Vec<Neighbour>, dice: &mut Dice) -> Vec<Neighbour> {
    let mut chosen: Vec<Neighbour> = Vec::new();
    while !steps.is_empty() {
        let step = steps.swap_remove(dice.below(steps.len() as u64) as usize);
        if chosen.iter().filter(|(law, ..)| law.name == step.0.name).count() < NEIGHBOURS {
            chosen.push(step);
        }
    }
    chosen
}

/// Searches a little, and looks at members of the class of the program.
fn members(
    tester: &mut Tester,
    look: &mut Look,
    whole: &Meant,
    limits: &Limits,
    seed: u64,
) -> Step {
    let program = whole.program();
    let Ok(searched) = search(program, limits) else { return Ok(()) };
    let wanted = Wanted { keep: 2, planted: limits.planted, ..Wanted::default() };
    let count = if look.depth == Depth::Whole { MEMBERS_WHOLE } else { MEMBERS };
    let mut found: Vec<Program> =
        (0..count).filter_map(|nth| chaos::member(&searched, Dice::at(seed, nth + 1))).collect();
    let cheapest = extract(&searched, &wanted, None);
    cheapest.iter().try_for_each(|found| at_its_cost(&searched, &wanted, found))?;
    found.extend(cheapest.into_iter().take(CHEAPEST).map(|found| found.program));
    for member in &found {
        if let Some(difference) = differs(tester, look, member) {
            return Err(walked(tester, look, program, member, limits, difference));
        }
    }
    // The others are run by the semantics alone.
    let on_engines = if look.depth == Depth::Whole { found.len() } else { 1 };
    for member in found.into_iter().take(on_engines) {
        // Its nodes are not those of the file.
        let Ok(member) = whole.made(member) else { continue };
        let (meaning, artifact) = (Fun::artifact(member.meaning().clone()), Axes::artifact(member));
        // What is seen of them is no answer about the program itself, unless it is wrong.
        let (sides, skipped) = (look.seen.sides.len(), look.seen.skipped.len());
        beside::made(tester, look, &artifact)?;
        // A member may be stuck elsewhere than the program, and passes keep the place.
        if look.depth == Depth::Whole && matches!(look.wanted().ending, Ending::Value(_)) {
            beside::examine(tester, look, TO_FUN, meaning)?;
        }
        look.seen.sides.truncate(sides);
        look.seen.skipped.truncate(skipped);
    }
    Ok(())
}

/// Does a front say of a program what it is estimated to cost by its term alone?
fn at_its_cost(searched: &Searched, wanted: &Wanted, found: &Found) -> Step {
    let alone = estimated(searched, wanted, &found.program);
    if alone == Some(found.estimate) {
        return Ok(());
    }
    let cost = |of: Option<Estimate>| of.map_or("none".to_owned(), |of| format!("{of:?}"));
    let text = format!(
        "the front of the e-graph keeps the cost of something else: of {} it says {}, and that costs {}",
        print::term(&found.program.term),
        cost(Some(found.estimate)),
        cost(alone)
    );
    let engine = EngineId::own(Axes::LANG);
    Err(Verdict::Finding(Box::new(Finding::of(FRONT, engine, Kind::Cost, text))))
}

/// The law that is wrong on the way from a program to a member of its class that ends otherwise.
fn walked(
    tester: &mut Tester,
    look: &mut Look,
    program: &Program,
    member: &Program,
    limits: &Limits,
    difference: Difference,
) -> Verdict {
    let limits = Limits { nodes: NODES_EXPLAINED, ..limits.clone() };
    let searched = search_explained(program, &limits);
    let chain = match searched {
        Ok(mut searched) if searched.holds(&member.term) => links(&mut searched, member),
        _ => Err("the steps to it were not found again".to_owned()),
    };
    let text = match chain {
        Ok(chain) => {
            // A term on the way may bind a name twice though each law is right; so ends are asked first.
            for is_asked in [|kind| kind != Kind::Types, |kind| kind == Kind::Types] {
                for Link { step, term } in &chain {
                    let after = Program { params: program.params.clone(), term: term.clone() };
                    let law = Law::named(&step.law);
                    if let (Some(law), Some(difference)) = (law, differs(tester, look, &after))
                        && is_asked(difference.kind)
                    {
                        return blamed(law, step, difference);
                    }
                }
            }
            "no step to it is wrong".to_owned()
        }
        Err(why) => why,
    };
    let text = format!("a member of the e-graph ends otherwise: {}; {text}", difference.text);
    let engine = EngineId::own(Axes::LANG);
    Verdict::Finding(Box::new(Finding::between(SEARCH, engine, &difference, text)))
}

fn blamed(law: &'static Law, step: &Applied, difference: Difference) -> Verdict {
    let text = format!("law {step} changes how the program ends: {}", difference.text);
    let engine = EngineId::own(Axes::LANG);
    Verdict::Finding(Box::new(Finding::between(StageId(law.name), engine, &difference, text)))
}

/// How a program ends otherwise than the one that is looked at; two that are stuck are alike, wherever they are.
/// `None` too where it has no answer.
fn differs(tester: &mut Tester, look: &mut Look, program: &Program) -> Option<Difference> {
    if let Err(wrong) = types::check(program) {
        return Some(Difference::new(Kind::Types, format!("it is no term: {}", wrong.message)));
    }
    let outcome = end(tester, look, program)?;
    match (&look.wanted().ending, &outcome.ending) {
        (Ending::Stuck(_), Ending::Stuck(_)) => None,
        _ => agree::agree(look.wanted(), &outcome, StuckPolicy::Same).err(),
    }
}

/// How a program ends that takes the same input.
fn end(tester: &mut Tester, look: &Look, program: &Program) -> Option<Outcome> {
    let meant = Meant::of(program.clone()).ok()?;
    let case = look.case;
    let mut memory = take(&mut tester.memory);
    let how = How {
        variant: Axes::VARIANTS[0].name,
        schedule: case.schedule,
        budget: &case.budget,
        settings: &case.settings,
        planted: Planted::NONE,
        memory: &mut memory,
    };
    let outcome = Axes::run(&meant, &case.input, how, &mut Recorder::counting());
    tester.memory = memory;
    matches!(outcome.ending, Ending::Value(_) | Ending::Stuck(_)).then_some(outcome)
}

/// What one application of a law makes of a program.
pub type Neighbour = (&'static Law, Applied, Program);

/// What one law makes of a program, at any position, in both directions.
pub fn neighbours(program: &Program, planted: Planted) -> Vec<Neighbour> {
    let Ok(scope) = types::check(program) else { return Vec::new() };
    let mut found = Vec::new();
    let mut positions = Vec::new();
    list(&program.term, &mut Vec::new(), &mut positions);
    for (position, term) in positions {
        for law in book(planted) {
            let mut add = |parameter: u32, back: bool, right: Term| {
                let Some(term) = program.term.replaced(&position, right) else { return };
                let step = Applied {
                    law: law.name.to_owned(),
                    parameter,
                    back,
                    position: position.clone(),
                };
                found.push((law, step, Program { params: program.params.clone(), term }));
            };
            let parameters = match (law.tiles, law.words) {
                (true, _) => &TILES[..],
                (_, true) => &[1],
                _ => &[0],
            };
            for parameter in parameters {
                let mut scope = scope.clone();
                for right in apply::rights(law, *parameter, term, &mut scope) {
                    add(*parameter, false, right);
                }
            }
            let Some(pattern) = law.pattern().filter(|_| law.both) else { continue };
            let Some(left) =
                matches(pattern, term).and_then(|found| instance(&law.left[0], &found))
            else {
                continue;
            };
            if apply::rights(law, 0, &left, &mut scope.clone()).contains(term) {
                add(0, true, left);
            }
        }
    }
    found
}

fn list<'t>(term: &'t Term, position: &mut Vec<usize>, to: &mut Vec<(Vec<usize>, &'t Term)>) {
    to.push((position.clone(), term));
    for (nth, arg) in term.args.iter().enumerate() {
        position.push(nth);
        list(arg, position, to);
        position.pop();
    }
}

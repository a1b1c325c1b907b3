//! FCL has one semantics, at several locations: no ending depends on the location, nor on the order of chunks, nor on the
//! order of invocations that a program is run with where it is compiled for another location. What its types still take where a
//! program is changed a little keeps propositions 1 and 2.

use super::agree::{StuckPolicy, agree};
use super::judge::{Judge, variant};
use super::look::Look;
use super::order;
use super::tester::{Depth, Tester, broken};
use super::verdict::{Finding, Kind, Step};
use crate::engine::{Case, Engine, EngineId, Stage, StageId};
use crate::engines::LanguageEngine;
use crate::generate::fcl::near::{self, Change};
use crate::language::Listed;
use crate::panics::catch;
use crate::stages::{CHECKED, Stages};
use reference::device::Device;
use reference::fcl::eval::{Setting, Signature};
use reference::fcl::location::{LOCATION, Machine};
use reference::fcl::syntax::Program;
use reference::fcl::{Fcl, doubles, laws, print, types};
use reference::kit::derivation::Recorder;
use reference::kit::dice::Dice;
use reference::kit::language::Language;
use reference::kit::outcome::Budget;
use reference::kit::schedule::Order;

/// Locations that programs are run at besides their own: of few threads, of many, of numbers that are no powers of two.
const LOCATIONS: [&str; 8] =
    ["1x1x1", "2x2x2", "4x3x5", "8x1x2", "3x5x1", "1x64x3", "64x1x4", "32x4x2"];

/// How many of them a case.
const OTHERS: usize = 2;

/// Near misses that are drawn on a quick look, and of a whole one the most that are looked at.
const DRAWN: usize = 8;
const MOST: usize = 400;

/// What a near miss may use: most end at once.
const BUDGET: Budget = Budget { fuel: 4_000, memory: 1 << 20 };

/// Characters that are told of how a near miss breaks a proposition.
const MOST_TOLD: usize = 2_000;

/// So many terms of a near miss are passed over before one is typed again.
const EVERY: usize = 16;

impl Judge for Fcl {
    fn source(tester: &mut Tester, look: &mut Look, stage: &Stage) -> Step {
        let Some(program) = Fcl::of(&stage.artifact) else { return Ok(()) };
        let mut dice = Dice::new(look.case.schedule);
        locations(tester, look, (stage, program), &mut dice)?;
        orders(tester, look, stage, &mut dice)?;
        near_misses(tester, look, program, &mut dice)
    }

    fn behind(tester: &mut Tester, look: &mut Look) -> Step {
        let Some(program) = Fcl::of(&look.case.program) else { return Ok(()) };
        compiled_elsewhere(tester, look, program, &mut Dice::new(look.case.schedule))
    }
}

/// A location that the case is not run at, and the case with it.
struct Elsewhere {
    location: &'static str,
    case: Case,
}

/// Some other locations, each once.
fn elsewhere<const COUNT: usize>(case: &Case, dice: &mut Dice) -> [Elsewhere; COUNT] {
    let mut others = LOCATIONS.to_vec();
    others.retain(|location| *location != case.settings.get(&LOCATION));
    std::array::from_fn(|_| {
        let location = others.swap_remove(dice.below(others.len() as u64) as usize);
        let mut case = case.clone();
        let set = case.settings.set(Fcl::OPTIONS, LOCATION.name, location);
        set.unwrap_or_else(|told| unreachable!("the locations have the form: {told}"));
        Elsewhere { location, case }
    })
}

/// The program ends alike at other locations, unless it asks for sizes of groups.
fn locations(
    tester: &mut Tester,
    look: &mut Look,
    (stage, program): (&Stage, &Program),
    dice: &mut Dice,
) -> Step {
    if laws::asks_for_sizes(program) {
        return Ok(());
    }
    for Elsewhere { location, case } in elsewhere::<OTHERS>(look.case, dice) {
        let mut engine = LanguageEngine::of::<Fcl>();
        let outcome = engine.run(stage, &case, &mut tester.rolls);
        agree(look.wanted(), &outcome, StuckPolicy::Same).map_err(|difference| {
            let kind = match difference.kind {
                Kind::Value | Kind::Stuck => Kind::Order,
                broken => broken,
            };
            let text = format!("at the location {location} it ends otherwise: {}", difference.text);
            let finding = Finding::between(stage.id, engine.id(), &difference, text);
            Box::new(Finding { kind, ..finding.shown_by(&outcome) })
        })?;
    }
    Ok(())
}

/// The program ends alike in other orders of its chunks; on a quick look in one of them.
fn orders(tester: &mut Tester, look: &mut Look, stage: &Stage, dice: &mut Dice) -> Step {
    let mut others: Vec<EngineId> = EngineId::others(Fcl::LANG).collect();
    if look.depth == Depth::Quick {
        others = vec![others.swap_remove(dice.below(others.len() as u64) as usize)];
    }
    others.into_iter().try_for_each(|other| {
        let Some(at) = variant(tester, look, stage, other) else { return Ok(()) };
        Ok(order::check(tester, look, stage, (look.expected, at))?)
    })
}

/// Compiled for another location, and run in one of the orders of invocations that the device language has, the program
/// ends alike.
fn compiled_elsewhere(
    tester: &mut Tester,
    look: &Look,
    program: &Program,
    dice: &mut Dice,
) -> Step {
    if laws::asks_for_sizes(program) || !tester.asked(&EngineId::own(Device::LANG)) {
        return Ok(());
    }
    let order = Device::VARIANTS[dice.below(Device::VARIANTS.len() as u64) as usize].name;
    let engine = || LanguageEngine::new(Device::LANG, order);
    let [there] = elsewhere(look.case, dice);
    let plan = tester.plan.with(&there.case.settings);
    let last = Stages::ends(&there.case.program, plan, CHECKED);
    let Err(found) = there.ends(look, &last, &mut engine(), tester) else { return Ok(()) };
    // The first stage that ends otherwise is blamed.
    let all = Stages::up_to(&there.case.program, plan, CHECKED);
    let first = there.ends(look, &all, &mut engine(), tester).err();
    Err(first.unwrap_or(found).into())
}

impl Elsewhere {
    /// Each stage of the device language ends as the program does, and no pass breaks.
    fn ends(
        &self,
        look: &Look,
        stages: &Stages<'_>,
        engine: &mut LanguageEngine,
        tester: &mut Tester,
    ) -> Result<(), Box<Finding>> {
        let told = |text: &str| format!("compiled for the location {}, {text}", self.location);
        for stage in stages.list.iter().filter(|stage| stage.artifact.lang() == Device::LANG) {
            let outcome = engine.run(stage, &self.case, &mut tester.rolls);
            let found = match agree(look.wanted(), &outcome, StuckPolicy::Same) {
                Err(difference) => {
                    let text = told(&format!("it is wrong: {}", difference.text));
                    Finding::between(stage.id, engine.id(), &difference, text)
                }
                Ok(()) if !outcome.races.is_empty() => {
                    Finding::of(stage.id, engine.id(), Kind::Race, told("threads race"))
                }
                Ok(()) => continue,
            };
            return Err(Box::new(found.shown_by(&outcome)));
        }
        broken(stages)
    }
}

/// Near misses of the program that the rules of types take keep propositions 1 and 2.
fn near_misses(tester: &Tester, look: &Look, program: &Program, dice: &mut Dice) -> Step {
    let changes = near::changes(program);
    let chosen = match look.depth {
        Depth::Whole => changes.into_iter().take(MOST).collect(),
        Depth::Quick => drawn(changes, dice),
    };
    for change in chosen {
        if let Some(miss) = near::changed(program, change)
            && let Err((kind, text)) = keeps(tester, look.case, &miss)
        {
            // A term that it steps to may be far larger than the program.
            let text: String = text.chars().take(MOST_TOLD).collect();
            let text = format!("{text}, of the near miss\n{}", print::program(&miss));
            let own = EngineId::own(Fcl::LANG);
            return Err(Box::new(Finding::of(StageId::SOURCE, own, kind, text)).into());
        }
    }
    Ok(())
}

/// Some of the changes: as many of those that are rare as of the others, if there are.
fn drawn(changes: Vec<Change>, dice: &mut Dice) -> Vec<Change> {
    let (rare, others): (Vec<_>, Vec<_>) = changes.into_iter().partition(|change| change.is_rare);
    let mut chosen = Vec::with_capacity(DRAWN);
    for from in [rare, others].iter().filter(|from| !from.is_empty()) {
        chosen.extend((0..DRAWN / 2).map(|_| from[dice.below(from.len() as u64) as usize]));
    }
    chosen
}

/// A program that the rules of types take has the type of each term that it steps to, and steps.
fn keeps(tester: &Tester, case: &Case, miss: &Program) -> Result<(), (Kind, String)> {
    let planted = tester.plan.planted;
    let typed = catch(|| types::infer_with(miss, planted, &mut Recorder::counting()));
    let typed = match typed {
        Ok(Ok(typed)) => typed,
        Ok(Err(_)) => return Ok(()),
        Err(text) => return Err((Kind::Panic, format!("the rules of types broke: {text}"))),
    };
    let signature = Signature::from(typed);
    if !signature.fits(&case.input) {
        return Ok(());
    }
    let machine = Machine::parse(case.settings.get(&LOCATION)).unwrap_or_default();
    let doubles = doubles::Format::named(case.settings.get(&doubles::DOUBLES)).unwrap_or_default();
    let setting = Setting { machine, doubles, order: Order::InOrder, budget: BUDGET };
    let kept =
        catch(|| laws::preservation(miss, &signature, &case.input, &setting, EVERY, planted));
    match kept {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(text)) => Err((Kind::Types, format!("proposition 1 does not hold: {text}"))),
        Err(text) => Err((Kind::Types, format!("proposition 2 does not hold: {text}"))),
    }
}

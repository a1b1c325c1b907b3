//! FCL has one semantics, at several locations: no ending depends on the location. What its types still take where a
//! program is changed a little keeps propositions 1 and 2.

use super::agree::{StuckPolicy, agree};
use super::judge::Judge;
use super::look::Look;
use super::tester::{Depth, Tester};
use super::verdict::{Finding, Kind, Step};
use crate::engine::{Case, Engine, EngineId, Stage, StageId};
use crate::engines::LanguageEngine;
use crate::generate::fcl::near;
use crate::language::Listed;
use crate::panics::catch;
use reference::fcl::eval::{Setting, Signature};
use reference::fcl::location::{LOCATION, Machine};
use reference::fcl::syntax::Program;
use reference::fcl::{Fcl, doubles, laws, print, types};
use reference::kit::derivation::Recorder;
use reference::kit::dice::Dice;
use reference::kit::language::Language;
use reference::kit::outcome::Budget;

/// Locations that programs are run at besides their own: of few threads, of many, of numbers that are no powers of two.
const LOCATIONS: [&str; 8] =
    ["1x1x1", "2x2x2", "4x3x5", "8x1x2", "3x5x1", "1x64x3", "64x1x4", "32x4x2"];

/// How many of them a case.
const OTHERS: usize = 2;

/// Near misses that are drawn on a quick look, and of a whole one the most that are looked at.
const DRAWN: usize = 12;
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
        near_misses(tester, look, program, &mut dice)
    }
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
    let mut others = LOCATIONS.to_vec();
    others.retain(|location| *location != look.case.settings.get(&LOCATION));
    for _ in 0..OTHERS {
        let location = others.swap_remove(dice.below(others.len() as u64) as usize);
        let mut case = Case { settings: look.case.settings.clone(), ..look.case.clone() };
        let set = case.settings.set(Fcl::OPTIONS, LOCATION.name, location);
        set.unwrap_or_else(|told| unreachable!("the locations have the form: {told}"));
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

/// Near misses of the program that the rules of types take keep propositions 1 and 2.
fn near_misses(tester: &Tester, look: &Look, program: &Program, dice: &mut Dice) -> Step {
    let count = near::places(program) * near::WAYS;
    let numbers: Vec<usize> = match look.depth {
        Depth::Whole => (0..count.min(MOST)).collect(),
        Depth::Quick => (0..DRAWN).map(|_| dice.below(count.max(1) as u64) as usize).collect(),
    };
    for number in numbers {
        let miss = near::changed(program, number / near::WAYS, number % near::WAYS);
        if let Some(miss) = miss
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
    let setting = Setting { machine, doubles, budget: BUDGET };
    let kept =
        catch(|| laws::preservation(miss, &signature, &case.input, &setting, EVERY, planted));
    match kept {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(text)) => Err((Kind::Types, format!("proposition 1 does not hold: {text}"))),
        Err(text) => Err((Kind::Types, format!("proposition 2 does not hold: {text}"))),
    }
}

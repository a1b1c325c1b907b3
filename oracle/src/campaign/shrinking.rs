//! A finding made smaller, as long as it is the same finding: same stage, kind, cause and adapter,
//! and shown as surely.

use super::confirm::{Shown, alone};
use super::finding::Record;
use crate::check::{Depth, Kind, Signature, Tester};
use crate::engine::{Artifact, Case, StageId};
use crate::rolls::Rolls;
use crate::shrink::{self, Effort, Shrunk};
use reference::kit::outcome::Budget;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Makes the program of a finding and its input smaller, for at most `limit` and until `stop` is
/// set. The answer is the record of the smallest program that still shows the finding.
pub fn shrink(tester: &mut Tester, record: &Record, limit: Duration, stop: &AtomicBool) -> Record {
    let end = Instant::now() + limit;
    let over = || stop.load(Ordering::Relaxed) || Instant::now() >= end;
    if over() {
        return record.clone();
    }
    let wanted = record.finding.signature();
    // A smaller program does not execute more: one that does is on its way to run for ever.
    let executed = tester.examine(&record.case, Depth::Whole).stats().statements;
    let fuel = record.case.budget.fuel.min(executed.saturating_mul(4).saturating_add(10_000));
    let budget = Budget { fuel, ..record.case.budget };
    // What a quick look shows is looked for quickly.
    let depth = match same(tester, &record.case, Depth::Quick, &wanted) {
        Some(_) => Depth::Quick,
        None => Depth::Whole,
    };
    plainer(tester, &Case { budget, ..record.case.clone() }, depth, &wanted, &over);
    let (smallest, last) =
        smallest(tester, &Case { budget, ..record.case.clone() }, depth, &wanted, &over);
    let smallest = Case { budget: record.case.budget, ..smallest };
    // The smallest program says what each side answered to it, as it will be read, so that each
    // statement has a place of its own; where no side answers any more it is what was said last.
    let again = read_again(&smallest).and_then(|case| same(tester, &case, depth, &wanted));
    let again = again.or_else(|| same(tester, &smallest, depth, &wanted)).or(last);
    let again = again.unwrap_or_else(|| record.clone());
    let Record { fault, adapter, shown, members, .. } = record.clone();
    let mut smaller = Record { fault, adapter, shown, members, ..again };
    if shown != Shown::Always {
        smaller.shown = alone(tester, &smaller.case, &smaller.finding);
    }
    // What was shown on the way here may have been shown by chance.
    if smaller.shown.counts() { smaller } else { record.clone() }
}

/// The smallest program and input that still show what is wanted, and what the last that did so
/// said.
fn smallest(
    tester: &mut Tester,
    case: &Case,
    depth: Depth,
    wanted: &Signature,
    over: &dyn Fn() -> bool,
) -> (Case, Option<Record>) {
    // A rule that refuses too much or too little is shown by a program that is well typed or not, and what is smaller is
    // to be like it.
    let of_rules = wanted.kind == Kind::Types && wanted.stage == StageId::SOURCE.0;
    let ill_typed = of_rules && !is_well_typed(&case.program);
    let mut last = None;
    let mut still = |program: Artifact, input: &[_]| {
        if over() {
            return false;
        }
        if of_rules && is_well_typed(&program) == ill_typed {
            return false;
        }
        let case = Case { program, input: input.to_vec(), ..case.clone() };
        // What is ill typed may be nothing that a text says.
        if ill_typed && read_again(&case).is_none() {
            return false;
        }
        let again = same(tester, &case, depth, wanted);
        let shows = again.is_some();
        last = again.or(last.take());
        shows
    };
    let effort = Effort { ill_typed, ..Effort::default() };
    let mut shrinks = || shrink::artifact(&case.program, &case.input, &mut still, effort);
    if !ill_typed {
        let Shrunk { program, input, .. } = shrinks();
        return (Case { program, input, ..case.clone() }, last);
    }
    // Shrinkers are written for programs that are well typed: what one breaks on stays as large as it was.
    match crate::panics::catch(shrinks) {
        Ok(Shrunk { program, input, .. }) => (Case { program, input, ..case.clone() }, last),
        Err(_) => (case.clone(), last),
    }
}

/// Do the type rules of its language take a program?
fn is_well_typed(program: &Artifact) -> bool {
    crate::panics::catch(|| program.check(&mut Rolls::default())).is_ok_and(|told| told.is_ok())
}

/// The case with its program as it is read from its text.
fn read_again(case: &Case) -> Option<Case> {
    let program = case.program.lang().parse(&case.program.print()).ok()?;
    let program = program.under(&case.program.options());
    Some(Case { program, ..case.clone() })
}

/// Lets the tester compile as plainly as the finding is still shown: nothing drawn is decided, no law is applied, all of the
/// style is taken back, then one construct after the other.
fn plainer(
    tester: &mut Tester,
    case: &Case,
    depth: Depth,
    wanted: &Signature,
    over: &dyn Fn() -> bool,
) {
    let drawn = tester.plan.decisions.chaos.take();
    if drawn.is_some() && (over() || same(tester, case, depth, wanted).is_none()) {
        tester.plan.decisions.chaos = drawn;
    }
    let optimized = std::mem::take(&mut tester.plan.optimize);
    if optimized && (over() || same(tester, case, depth, wanted).is_none()) {
        tester.plan.optimize = true;
    }
    loop {
        let style = tester.plan.style;
        let plainer = style.smaller().into_iter().find(|smaller| {
            tester.plan.style = *smaller;
            !over() && same(tester, case, depth, wanted).is_some()
        });
        tester.plan.style = plainer.unwrap_or(style);
        if plainer.is_none() {
            return;
        }
    }
}

/// The record of a case that shows the finding that is wanted.
fn same(tester: &mut Tester, case: &Case, depth: Depth, wanted: &Signature) -> Option<Record> {
    let seen = tester.examine(case, depth);
    let finding = seen.finding()?;
    if finding.signature() != *wanted {
        return None;
    }
    Record::of(case, &seen, &tester.plan)
}

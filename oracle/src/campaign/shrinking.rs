//! A finding made smaller, as long as it is the same finding: same stage, kind and cause.

use super::finding::Record;
use crate::check::{Depth, Signature, Tester};
use crate::engine::{Artifact, Case};
use crate::shrink::{self, Effort};
use reference::kit::outcome::Budget;
use std::time::{Duration, Instant};

/// Makes the program of a finding and its input smaller, for at most `limit`. The answer is the
/// record of the smallest program that still shows the finding.
pub fn shrink(tester: &mut Tester, record: &Record, limit: Duration) -> Record {
    let end = Instant::now() + limit;
    let wanted = record.finding.signature();
    let mut smallest = record.clone();
    // A smaller program does not execute more: one that does is on its way to run for ever.
    let executed = tester.examine(&record.case, Depth::Whole).stats().statements;
    let fuel = record.case.budget.fuel.min(executed.saturating_mul(4).saturating_add(10_000));
    let budget = Budget { fuel, ..record.case.budget };
    // What a quick look shows is looked for quickly.
    let depth = match same(tester, &record.case, Depth::Quick, wanted) {
        Some(_) => Depth::Quick,
        None => Depth::Whole,
    };
    let still = |tester: &mut Tester, program: Artifact, input: &[_]| {
        if Instant::now() >= end {
            return None;
        }
        let case = Case { program, input: input.to_vec(), budget, ..record.case.clone() };
        same(tester, &case, depth, wanted)
    };
    match &record.case.program {
        Artifact::Fun(program) => {
            let mut test = |program: &_, input: &[_]| {
                still(tester, Artifact::Fun(Clone::clone(program)), input).is_some()
            };
            let found = shrink::shrink(program, &record.case.input, &mut test, Effort::default());
            let program = Artifact::Fun(found.program);
            smallest.case = Case { program, input: found.input, ..record.case.clone() };
        }
        Artifact::FunMem(program) => {
            let mut test = |program: &_, input: &[_]| {
                still(tester, Artifact::FunMem(Clone::clone(program)), input).is_some()
            };
            let found = shrink::shrink(program, &record.case.input, &mut test, Effort::default());
            let program = Artifact::FunMem(found.program);
            smallest.case = Case { program, input: found.input, ..record.case.clone() };
        }
        // Nothing generates these, and a file of them is a person's.
        Artifact::Imp(_) | Artifact::Device(_) => {}
    }
    // The smallest program says what each side answered to it.
    match same(tester, &smallest.case, depth, wanted) {
        Some(again) => {
            Record { fault: record.fault.clone(), adapter: record.adapter.clone(), ..again }
        }
        None => record.clone(),
    }
}

/// The record of a case that shows the finding that is wanted.
fn same(tester: &mut Tester, case: &Case, depth: Depth, wanted: Signature) -> Option<Record> {
    let seen = tester.examine(case, depth);
    let finding = seen.finding()?;
    if finding.signature() != wanted {
        return None;
    }
    Record::of(case, &seen, tester.plan.form)
}

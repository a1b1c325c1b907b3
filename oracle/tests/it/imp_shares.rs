//! What the generator of IMP makes, in shares, and what its shrinker leaves. `--nocapture` shows them all.
#![allow(clippy::print_stdout)]

use crate::shares::{any_bytes_make_programs, at_least};
use arbitrary::Unstructured;
use oracle::generate::imp::program;
use oracle::generate::{Intent, Made, Weights, case_bytes};
use oracle::language::{Artifact, Lang};
use oracle::shrink::{self, Effort};
use reference::imp::eval::{self, Order};
use reference::imp::rules::Rule;
use reference::imp::syntax::{Kind, Program, Stm};
use reference::imp::{parse, print, types};
use reference::kit::derivation::Recorder;
use reference::kit::outcome::{Budget, Ending, Outcome, Stuck, Value};
use reference::kit::same::same;
use std::collections::BTreeMap;

const PROGRAMS: u64 = 3_000;
const BUDGET: Budget = Budget { fuel: 10_000_000, memory: 64 << 20 };

fn made(seed: u64, index: u64, weights: &Weights) -> Made<Program> {
    program(&mut Unstructured::new(&case_bytes(seed, index)), weights)
}

fn run(program: &Program, input: &[Value], order: Order, to: &mut Recorder<Rule>) -> Outcome {
    eval::run(program, input, order, &BUDGET, to)
}

/// What evaluates, in percent of programs at least; the other rules fire in 0.5 % of them.
const SHARES: [(&str, f64); 8] = [
    ("E-IMP-KERNEL", 99.0),
    ("E-IMP-WRITE", 90.0),
    ("E-IMP-READ", 40.0),
    ("E-IMP-ALLOC", 40.0),
    ("E-IMP-FOR", 15.0),
    ("E-IMP-TRUE", 10.0),
    ("E-IMP-CHECK", 10.0),
    ("E-IMP-ASSIGN-MEM", 10.0),
];

#[test]
fn imp_programs_are_well_typed_and_do_what_they_are_made_for() {
    let mut fired: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut causes: BTreeMap<&'static str, u64> = BTreeMap::new();
    let [mut meant_to_run, mut ran, mut stuck, mut later, mut nested] = [0; 5];
    for index in 0..PROGRAMS {
        let made = made(7, index, &Weights::default());
        let text = print::program(&made.program);
        let mut recorder = Recorder::counting();
        if let Err(error) = types::check(&made.program, &mut recorder) {
            panic!("case {index}: {error}\n{text}");
        }
        eval::fit(&made.program, made.input.clone()).expect("the input fits");
        let parsed = parse::program(&text).expect("what is printed parses");
        assert!(same(&made.program, &parsed), "{text}");
        let outcome = run(&made.program, &made.input, Order::InOrder, &mut recorder);
        for (rule, times, _) in recorder.finish().0.lines() {
            *fired.entry(rule.name).or_default() += u64::from(times > 0);
        }
        nested += u64::from(kernels(&made.program.body) > 1);
        if made.intent == Intent::Runs {
            let good = matches!(outcome.ending, Ending::Value(_)) && outcome.races.is_empty();
            meant_to_run += 1;
            ran += u64::from(good);
            if !good {
                println!("{:?} {:?}\n{text}", outcome.ending, outcome.races.first());
            }
            let backwards =
                run(&made.program, &made.input, Order::Reversed, &mut Recorder::counting());
            assert!(!good || backwards.ending == outcome.ending, "{text}");
        }
        if let Ending::Stuck(at) = &outcome.ending {
            stuck += 1;
            later += u64::from(at.thread.iter().any(|thread| *thread > 1));
            *causes.entry(at.site.cause.name()).or_default() += 1;
        }
    }
    let percent = |count: u64| 100.0 * count as f64 / PROGRAMS as f64;
    at_least("of those meant to run do", 100.0 * ran as f64 / meant_to_run as f64, 100.0);
    at_least("stuck", percent(stuck), 10.0);
    at_least("stuck past a first thread", percent(later), 2.0);
    at_least("a kernel in a kernel", percent(nested), 10.0);
    for cause in ["division", "inside", "block", "size", "count", "index", "slice"] {
        at_least(&format!("stuck by {cause}"), percent(*causes.get(cause).unwrap_or(&0)), 0.1);
    }
    for (rule, count) in &fired {
        let least = SHARES.iter().find(|(name, _)| name == rule).map_or(0.5, |(_, least)| *least);
        at_least(rule, percent(*count), least);
    }
}

/// How deep kernels are nested.
fn kernels(body: &[Stm]) -> usize {
    let depth = |stm: &Stm| match &stm.kind {
        Kind::Kernel { body, .. } => 1 + kernels(body),
        Kind::For { body, .. } => kernels(body),
        Kind::If { then, orelse, .. } => kernels(then).max(kernels(orelse)),
        _ => 0,
    };
    body.iter().map(depth).max().unwrap_or(0)
}

fn stuck(program: &Program, input: &[Value]) -> Option<Stuck> {
    match run(program, input, Order::InOrder, &mut Recorder::counting()).ending {
        Ending::Stuck(stuck) => Some(stuck),
        _ => None,
    }
}

/// The statement of a write at the place, in whatever it stands, without its value or without its access.
fn without_part(body: &mut [Stm], at: reference::kit::text::Span, access: bool) -> bool {
    body.iter_mut().any(|stm| match &mut stm.kind {
        Kind::If { then, orelse, .. } => {
            without_part(then, at, access) || without_part(orelse, at, access)
        }
        Kind::Kernel { body, .. } | Kind::For { body, .. } => without_part(body, at, access),
        Kind::Write { value, .. } if stm.span == at && !access => {
            *value = 0.into();
            true
        }
        Kind::Write { value, .. } if stm.span == at => {
            let cause = reference::kit::outcome::Cause::NegativeSize;
            // It is evaluated, and holds whatever it is.
            let operand = reference::fun::syntax::Se::bin(
                reference::kit::scalar::BinOp::Max,
                value.clone(),
                0,
            );
            stm.kind = Kind::Check { cause, operands: vec![operand] };
            true
        }
        _ => false,
    })
}

/// Of the writes that get stuck many do so by their value as well as by their place, each alone: which of
/// them is told depends on the order of evaluation.
#[test]
fn two_parts_of_a_statement_fail() {
    let weights = Weights { stuck: 100, ..Weights::default() };
    let [mut writes, mut twice] = [0; 2];
    for index in 0..PROGRAMS / 3 {
        let made = made(5, index, &weights);
        let Some(at) = stuck(&made.program, &made.input) else { continue };
        let parts = [true, false].map(|access| {
            let mut program = made.program.clone();
            let found = without_part(&mut program.body, at.site.span, access);
            found.then(|| stuck(&program, &made.input).is_some_and(|s| s.site.span == at.site.span))
        });
        if let [Some(by_value), Some(by_place)] = parts {
            writes += 1;
            twice += u64::from(by_value && by_place);
        }
    }
    println!("{writes} writes");
    at_least("two parts fail", 100.0 * twice as f64 / writes as f64, 30.0);
}

#[test]
fn any_bytes_make_a_well_typed_imp_program() {
    any_bytes_make_programs::<reference::imp::Imp>();
}

/// A program that gets stuck is shrunk to one that gets stuck by the same cause, and what is read of its
/// text does so too.
#[test]
fn imp_programs_that_get_stuck_shrink_to_a_few_statements() {
    let weights = Weights { stuck: 100, ..Weights::default() };
    let found = (0..).filter_map(|index| {
        let made = made(9, index, &weights);
        stuck(&made.program, &made.input).map(|at| (made, at))
    });
    let mut left = Vec::new();
    for (made, at) in found.take(40) {
        let shows = |artifact: &Artifact, input: &[Value]| match artifact {
            Artifact::Imp(program) => {
                stuck(program, input).is_some_and(|now| now.site.cause == at.site.cause)
            }
            _ => false,
        };
        let small = shrink::artifact(
            &Artifact::Imp(made.program),
            &made.input,
            &mut |artifact, input| shows(&artifact, input),
            Effort::default(),
        );
        let text = small.program.print();
        let again = Lang::Imp.parse(&text).expect("what is printed parses");
        assert!(shows(&again, &small.input), "what is read shows it no longer:\n{text}");
        let statements = shrink::statements(&small.program);
        assert!(statements <= 8, "{} {}:\n{text}", at.site.cause.name(), statements);
        left.push(statements);
    }
    println!("{left:?} statements are left");
}

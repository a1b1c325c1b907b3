//! Programs with plans in the place of what enters of them give what the programs give: drawn ones, and those of the
//! corpus on all of their inputs, for which the sizes of the plan are right or not.
#![allow(clippy::print_stdout)]

use arbitrary::Unstructured;
use oracle::generate::{Weights, case_bytes, fcl, fun_case};
use oracle::optimize::small::rewritten;
use oracle::optimize::subject::Subject;
use oracle::rolls::Rolls;
use oracle::stages::Plan;
use reference::fcl::types;
use reference::fun::eval;
use reference::fun::syntax::{Fun, Program};
use reference::imp::{self, Imp};
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::header;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::kit::schedule::Order;
use reference::languages::{Artifact, Listed};

fn run(program: &Program<Fun>, input: &[Value]) -> Ending {
    eval::run(program, input, &Budget::default(), &mut Recorder::counting()).ending
}

/// What a plan gives.
fn planned(plan: &Artifact, input: &[Value]) -> Ending {
    let plan = Imp::of(plan).expect("a plan is in IMP");
    Imp::check(plan, &mut Recorder::counting())
        .unwrap_or_else(|no| panic!("{}\n{}", no.message, imp::print::program(plan)));
    let (budget, mut recorder) = (Budget::default(), Recorder::counting());
    imp::eval::run(plan, input, Order::InOrder, &budget, &mut recorder).ending
}

#[test]
fn drawn_programs_with_plans_give_what_they_give_without() {
    let (mut whole, mut parts) = (0, 0);
    for index in 0..600 {
        let made = fun_case(36, index, &Weights::default());
        let wanted = run(&made.program, &made.input);
        if !matches!(wanted, Ending::Value(_)) {
            continue;
        }
        let source = Fun::artifact(made.program.clone());
        let subject = Subject::Fun(made.program.clone());
        let Some(plan) = rewritten(&subject, &made.input, &Plan::default()) else { continue };
        let found = planned(&plan, &made.input);
        assert_eq!(wanted, found, "{}\n{}", source.print(), plan.print());
        let sizes = subject.sizes(&made.input);
        match compiler::rewrite::import::import(&made.program, &sizes) {
            Ok(_) => whole += 1,
            Err(_) => parts += 1,
        }
    }
    println!("{whole} whole programs, {parts} in parts");
    assert!(whole >= 50 && parts >= 50, "{whole} whole programs, {parts} in parts");
}

/// A plan of FCL is its own program, in IMP or in the device language.
#[test]
fn drawn_programs_of_fcl_with_plans_give_what_they_give_without() {
    let mut plans = 0;
    for index in 0..600 {
        let bytes = case_bytes(35, index);
        let made = fcl::program(&mut Unstructured::new(&bytes), &Weights::default());
        let subject = Subject::Fcl(made.program.clone(), Settings::default());
        if types::infer(&made.program, &mut Recorder::counting()).is_err() {
            continue;
        }
        let wanted = subject.run(&made.input, &Budget::default());
        if !matches!(wanted, Ending::Value(_)) {
            continue;
        }
        let Some(plan) = rewritten(&subject, &made.input, &Plan::default()) else { continue };
        plan.check(&mut Rolls::default()).unwrap_or_else(|no| panic!("{}", no.message));
        let how = How {
            variant: plan.lang().variants()[0].name,
            schedule: 0,
            budget: &Budget::default(),
            settings: &Settings::default(),
            planted: Planted::NONE,
            memory: &mut Memory::default(),
        };
        let found = plan.run(&made.input, how, &mut Rolls::default()).ending;
        let source = subject.artifact();
        assert_eq!(wanted, found, "{}\n{}", source.print(), plan.print());
        plans += 1;
    }
    println!("{plans} plans");
    assert!(plans >= 20, "{plans} plans");
}

#[test]
fn programs_of_the_corpus_with_plans_give_what_they_give_without() {
    let folder = format!("{}/../corpus/fun/pass", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("it is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "fun"))
        .collect();
    files.sort();
    let mut plans = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).expect("it can be read");
        let source = Fun::LANG.parse(&text).expect("a program");
        let program = Fun::of(&source).expect("it is FUN");
        let header = header::parse(&text, Fun::LANG.options()).expect("a header");
        let inputs: Vec<Vec<Value>> =
            header.cases.iter().filter_map(|case| source.fit(case.input.clone()).ok()).collect();
        for input in &inputs {
            let subject = Subject::Fun(program.clone());
            let Some(plan) = rewritten(&subject, input, &Plan::default()) else { continue };
            plans += 1;
            for input in &inputs {
                let wanted = run(program, input);
                if !matches!(wanted, Ending::Value(_)) {
                    continue;
                }
                let found = planned(&plan, input);
                assert_eq!(wanted, found, "{}\n{}", file.display(), plan.print());
            }
        }
    }
    assert!(plans >= 100, "only {plans} plans");
}

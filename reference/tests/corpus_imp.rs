//! Every program of `corpus/imp` does what its header says, in every order; together they fire
//! every rule of the roll and fail every premise.

use reference::imp;
use reference::imp::eval::{Order, fit, run};
use reference::imp::rules::Rule;
use reference::imp::syntax::Program;
use reference::kit::coverage::Coverage;
use reference::kit::derivation::Recorder;
use reference::kit::header::{self, Case, Header};
use reference::kit::outcome::{Budget, Ending, Outcome};
use reference::kit::same::same;
use reference::kit::text::Rejected;
use reference::kit::verdict::Verdict;
use std::fs;
use std::path::{Path, PathBuf};

const ORDERS: [Order; 6] = [
    Order::InOrder,
    Order::Reversed,
    Order::Shuffled(5),
    Order::Shuffled(6),
    Order::Interleaved(7),
    Order::Interleaved(8),
];

/// The programs in a folder: name, header, source.
fn programs(folder: &str) -> Vec<(String, Header, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/imp").join(folder);
    let files = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it is listed").path()).collect();
    files.sort();
    let read = |path: PathBuf| {
        let name = path.display().to_string();
        let source = fs::read_to_string(&path).expect("a program is text");
        let header = header::parse(&source).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(!header.about.is_empty(), "{name} does not say what it shows");
        let held = Verdict::named(folder).expect("a verdict").holds(&header);
        held.unwrap_or_else(|text| panic!("{name}: {text}"));
        (name, header, source)
    };
    files.into_iter().map(read).collect()
}

/// The program, if it is one. Its print parses to the same program.
fn accepted(source: &str, recorder: &mut Recorder<Rule>) -> Result<Program, Rejected> {
    let program = imp::parse::program(source)?;
    let text = imp::print::program(&program);
    let again = imp::parse::program(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert!(same(&program, &again), "{text}");
    imp::types::check(&program, recorder)?;
    Ok(program)
}

fn outcome(program: &Program, case: &Case, order: Order, recorder: &mut Recorder<Rule>) -> Outcome {
    let input = fit(program, case.input.clone());
    let input = input.unwrap_or_else(|error| panic!("line {}: {error:?}", case.line));
    run(program, &input, order, &Budget::default(), recorder)
}

/// Runs each case of an accepted program in each order.
fn judge(name: &str, header: &Header, program: &Program, recorder: &mut Recorder<Rule>) {
    assert!(header.rejects.is_none(), "{name} is accepted");
    for case in &header.cases {
        for order in ORDERS {
            let outcome = outcome(program, case, order, recorder);
            let place = format!("{name}:{}, {order:?}: {outcome:?}", case.line);
            if let Some(rule) = &case.race {
                assert_eq!(rule, "E-IMP-KERNEL", "{place}");
                assert!(!outcome.races.is_empty(), "{place}");
                continue;
            }
            assert_eq!(outcome.races, [], "{place}");
            match (&outcome.ending, &case.result, &case.stuck) {
                (Ending::Value(values), Some(result), None) => {
                    assert_eq!(values, result, "{place}")
                }
                (Ending::Stuck(stuck), None, Some(failure)) => {
                    let premise = failure.premise.as_deref();
                    assert_eq!(stuck.rule, failure.rule, "{place}");
                    assert_eq!(Some(stuck.site.cause.name()), premise, "{place}");
                }
                _ => panic!("{place}"),
            }
        }
    }
}

#[test]
fn programs_do_what_they_say() {
    let mut all = Coverage::new::<Rule>();
    let mut count = 0;
    for folder in ["pass", "stuck", "race", "reject"] {
        for (name, header, source) in programs(folder) {
            count += 1;
            let mut recorder = Recorder::counting();
            match accepted(&source, &mut recorder) {
                Ok(program) => judge(&name, &header, &program, &mut recorder),
                Err(error) => {
                    let said = header.rejects.as_ref();
                    let said = said.map(|it| (it.rule.as_str(), it.premise.as_deref()));
                    let rule = error.rule.map(|(rule, premise)| (rule, Some(premise)));
                    assert!(said.is_some() && rule == said, "{name}: {error:?}");
                }
            }
            let fired = |rule: &String| {
                recorder.coverage().lines().any(|(info, fired, _)| info.name == rule && fired > 0)
            };
            let silent: Vec<_> = header.fires.iter().filter(|rule| !fired(rule)).collect();
            assert!(silent.is_empty(), "{name}: {silent:?} did not fire");
            all.add(recorder.coverage());
        }
    }
    assert!(count >= 15, "{count}");
    assert_eq!(all.missing(), Vec::<String>::new());
}

/// Stuck in every order at the same place, by the same thread, with the same operands.
#[test]
fn every_order_gets_stuck_alike() {
    for (name, header, source) in programs("stuck") {
        let program = accepted(&source, &mut Recorder::counting()).expect("it is accepted");
        for case in &header.cases {
            let stuck = |order| match outcome(&program, case, order, &mut Recorder::counting()) {
                Outcome { ending: Ending::Stuck(stuck), .. } => stuck,
                other => panic!("{name}: {other:?}"),
            };
            let want = stuck(Order::InOrder);
            for order in ORDERS {
                assert_eq!(stuck(order), want, "{name}, {order:?}");
            }
        }
    }
}

/// In order the small steps equal the big step, with what they count.
#[test]
fn small_steps_in_order_equal_the_big_step() {
    for folder in ["pass", "stuck", "race"] {
        for (name, header, source) in programs(folder) {
            let program = accepted(&source, &mut Recorder::counting()).expect("it is accepted");
            for case in &header.cases {
                let input = fit(&program, case.input.clone()).expect("the input fits");
                let law = imp::laws::steps_equal_the_big_step(&program, &input, &Budget::default());
                assert!(law.is_ok(), "{name}: {law:?}");
            }
        }
    }
}

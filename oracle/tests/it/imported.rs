//! Drawn FUN programs as terms over named axes: what enters, and its plan, give what the program gives.
#![allow(clippy::print_stdout)]

use compiler::rewrite::import::{import, segments};
use compiler::rewrite::plan;
use oracle::generate::{Weights, fun_case};
use reference::axes::{meaning, parse, print};
use reference::fun::eval;
use reference::fun::syntax::{Fun, Program};
use reference::imp::{self, Imp};
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::kit::outcome::{Budget, Ending, Scalar, Value};
use reference::kit::schedule::Order;

fn run(program: &Program<Fun>, input: &[Value]) -> Ending {
    eval::run(program, input, &Budget::default(), &mut Recorder::counting()).ending
}

/// The FUN program that a term means, read back as it is printed.
fn meant(term: &reference::axes::syntax::Program) -> Program<Fun> {
    let text = print::program(term);
    let again = parse::program(&text).unwrap_or_else(|no| panic!("{}\n{text}", no.message));
    assert_eq!(&again, term, "{text}");
    let text = meaning::text(term);
    meaning::program(term).unwrap_or_else(|no| panic!("{}\n{text}", no.message))
}

/// What the plan of a term gives. IMP has no program without results, so there is no plan of one.
fn planned(term: &reference::axes::syntax::Program, input: &[Value]) -> Ending {
    if term.term.args.is_empty() {
        return Ending::Value(Vec::new());
    }
    let text = print::program(term);
    let plan = plan::plan(term).unwrap_or_else(|no| panic!("{no}\n{text}"));
    Imp::check(&plan, &mut Recorder::counting())
        .unwrap_or_else(|no| panic!("{}\n{text}", no.message));
    let input = Imp::takes(&plan).fit(input.to_vec()).expect("the input fits");
    let (budget, mut recorder) = (Budget::default(), Recorder::counting());
    imp::eval::run(&plan, &input, Order::InOrder, &budget, &mut recorder).ending
}

#[test]
fn what_enters_gives_what_the_program_gives() {
    let (mut whole, mut runs, mut statements, mut of) = (0, 0, 0, 0);
    for index in 0..2000 {
        let made = fun_case(34, index, &Weights::default());
        let (program, input) = (&made.program, &made.input);
        let sizes = program.params.iter().zip(input).filter_map(|(param, value)| match value {
            Value::Scalar(Scalar::I32(k)) => {
                Some((program.names.written(param.var).to_owned(), *k))
            }
            _ => None,
        });
        let sizes: Vec<(String, i32)> = sizes.collect();
        let source = || reference::fun::print::program(program);
        if let Ok(term) = import(program, &sizes) {
            let (wanted, found) = (run(program, input), run(&meant(&term), input));
            assert_eq!(wanted, found, "{}\n{}", source(), print::program(&term));
            assert_eq!(wanted, planned(&term, input), "{}\n{}", source(), print::program(&term));
            whole += 1;
        }
        let parts = segments(program, &sizes).unwrap_or_else(|out| panic!("{out}\n{}", source()));
        of += program.body.stms.len();
        for part in parts {
            let Ok(term) = &part.content else { continue };
            runs += 1;
            statements += part.statements.len();
            let until = |end: usize, results: &[reference::kit::names::Var]| {
                let mut program = program.clone();
                program.body.stms.truncate(end);
                program.body.results = results.iter().map(|var| (*var).into()).collect();
                program
            };
            let before = run(&until(part.statements.start, &part.inputs), input);
            let Ending::Value(values) = before else { continue };
            let wanted = run(&until(part.statements.end, &part.outputs), input);
            let found = run(&meant(term), &values);
            assert_eq!(wanted, found, "{}\n{}", source(), print::program(term));
            assert_eq!(wanted, planned(term, &values), "{}\n{}", source(), print::program(term));
        }
    }
    println!("{whole} of 2000 programs enter, and {runs} runs of {statements} of {of} statements");
    assert!(whole >= 200, "only {whole} programs enter");
}

//! A verdict, the types and a run do not depend on how a program calls its variables, functions and row variables, nor on
//! the order of the names in a row.

use super::written::write_rows;
use arbitrary::Unstructured;
use oracle::generate::minias::ill_typed::ill_typed;
use oracle::generate::{Made, Weights, case_bytes, minias};
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language};
use reference::kit::memory::Memory;
use reference::kit::names::{Names, Var};
use reference::kit::outcome::{Budget, Ending, Outcome, Value};
use reference::minias::launch::Launch;
use reference::minias::syntax::{Options, Program};
use reference::minias::{Minias, infer};

/// A word of letters for each number, which no keyword is.
fn word(mut number: usize) -> String {
    let mut word = String::from("q");
    loop {
        word.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return word;
        }
    }
}

/// The program with other names, those of the last variables first, and with the names in its rows the other way round.
fn renamed(program: &Program) -> (Program, String) {
    let count = program.names.len();
    let called = |at: usize| word(count - at);
    let mut other = program.clone();
    other.names = Names::of_distinct((0..count).map(called).collect());
    let kernel = program.kernels().next().expect("a kernel is drawn").name;
    let Launch { items, size, .. } = program.options.launch;
    let launch = Launch::of(other.names.text(kernel), items, size);
    other.options = Options { launch, mode: program.options.mode };
    let text = turned(&Minias::print(&other));
    let read = Minias::parse(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"));
    (Minias::under(read, &Minias::options_of(&other)), text)
}

/// The text with the names of each written row in the other order.
fn turned(text: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some((before, row)) = rest.split_once("ASpace {") {
        let (inside, after) = row.split_once('}').expect("a row is closed");
        let (names, end) = match inside.split_once('|') {
            Some((names, end)) => (names, format!(" | {}", end.trim())),
            None => (inside, String::new()),
        };
        let mut names: Vec<&str> = names.split(',').map(str::trim).collect();
        names.reverse();
        made += &format!("{before}ASpace {{{}{end}}}", names.join(", "));
        rest = after;
    }
    made + rest
}

/// The types, in which each name of the program is its number.
fn types(program: &Program) -> Result<Vec<String>, (&'static str, &'static str)> {
    let typed = infer::infer(program, program.options.mode, &mut Recorder::counting());
    let typed = typed.map_err(|no| no.rule.expect("a rule refuses it"))?;
    let numbered = typed.lines(&program.names).into_iter().zip(&typed.schemes);
    let line = |(line, (name, _)): (String, &(Var, _))| {
        line.replacen(program.names.written(*name), &format!("function {}", name.0), 1)
    };
    Ok(numbered.map(line).collect())
}

fn run(program: &Program, input: &[Value]) -> Outcome {
    let settings = Minias::options_of(program);
    let how = How {
        variant: "",
        schedule: 7,
        budget: &Budget { fuel: 1_000_000, memory: 1 << 24 },
        settings: &settings,
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    Minias::run(program, input, how, &mut Recorder::counting())
}

/// What a run ends with, without places, which other names move.
fn end(outcome: &Outcome) -> String {
    match &outcome.ending {
        Ending::Stuck(stuck) => format!(
            "{} {} {:?} {:?}",
            stuck.rule,
            stuck.site.cause.name(),
            stuck.thread,
            stuck.operands
        ),
        other => format!("{other:?}"),
    }
}

#[test]
fn names_and_the_order_of_rows_change_nothing() {
    let (mut written, mut several, mut accepted) = (0, 0, 0);
    for index in 0..400 {
        let bytes = case_bytes(45, index);
        let Made { program, input, .. } =
            minias::program(&mut Unstructured::new(&bytes), &Weights::default());
        let typed = infer::infer(&program, program.options.mode, &mut Recorder::counting());
        let typed = typed.unwrap_or_else(|no| panic!("{no:?}\n{}", Minias::print(&program)));
        let mut with_rows = program.clone();
        written += write_rows(&mut with_rows, &typed, true);
        for program in [program, with_rows] {
            let (other, text) = renamed(&program);
            several += usize::from(text != turned(&text));
            // The parser numbers names as it meets them, so the numbers are those of the text.
            let read = Minias::parse(&Minias::print(&program)).expect("it is printed to be read");
            let read = Minias::under(read, &Minias::options_of(&program));
            let wanted = types(&read);
            assert_eq!(wanted, types(&other), "{index}\n{text}");
            if wanted.is_ok() {
                accepted += 1;
                let [one, two] = [&read, &other].map(|program| run(program, &input));
                assert_eq!(end(&one), end(&two), "{index}\n{text}");
            }
        }
    }
    assert!(written > 500 && several > 100 && accepted > 500, "{written} {several} {accepted}");
}

#[test]
fn the_rule_that_refuses_does_not_depend_on_names() {
    for index in 0..400 {
        let broken = ill_typed(&case_bytes(46, index));
        // What the parser refuses is no program yet.
        let Ok(program) = broken.program::<Minias>() else { continue };
        let (other, text) = renamed(&program);
        assert_eq!(types(&other), Err((broken.rule, broken.premise)), "{index}\n{text}");
    }
}

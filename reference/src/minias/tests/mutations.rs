//! Changed programs of the corpus: parser, types and runs never panic, what has types ends as typing promises, and its
//! translations end so too, by the same accesses.

use super::translate::{READINGS, Ran, compared};
use crate::kit::coverage::Coverage;
use crate::kit::derivation::Recorder;
use crate::kit::dice::Dice;
use crate::kit::outcome::{Budget, Ending, Value};
use crate::kit::same::same;
use crate::kit::schedule::Order;
use crate::minias::infer;
use crate::minias::launch::Launch;
use crate::minias::rules::Rule;
use crate::minias::syntax::Program;
use crate::minias::translate::translate;
use crate::minias::types::Mode;
use crate::minias::{parse, print};
use std::fs;
use std::path::Path;

/// Words that a change may put in.
const WORDS: [&str; 24] = [
    "global",
    "local",
    "private",
    "constant",
    "generic",
    "int",
    "*",
    "&",
    "(",
    ")",
    "{",
    "}",
    ";",
    "NULL",
    "0",
    "=",
    "+",
    "p",
    "g",
    "ASpace r",
    "void",
    "-",
    "dynamic_cast<local int *>",
    "return",
];

fn sources() -> Vec<String> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/minias");
    let mut found = Vec::new();
    for folder in ["pass", "stuck", "race", "reject"] {
        for file in fs::read_dir(corpus.join(folder)).expect("the folder is there") {
            let source =
                fs::read_to_string(file.expect("it is listed").path()).expect("it is text");
            let lines = source.lines().filter(|line| !line.starts_with("--"));
            found.push(lines.collect::<Vec<_>>().join("\n"));
        }
    }
    found.sort();
    found
}

/// The source with some of its words left out, doubled, exchanged or replaced.
fn changed(source: &str, dice: &mut Dice) -> String {
    let mut words: Vec<&str> = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(length);
        words.push(word);
        rest = behind;
    }
    for _ in 0..=dice.below(2) {
        let at = dice.below(words.len() as u64) as usize;
        let other = dice.below(words.len() as u64) as usize;
        match dice.below(4) {
            0 => words[at] = "",
            1 => words[at] = WORDS[dice.below(WORDS.len() as u64) as usize],
            2 => words.swap(at, other),
            _ => words.insert(at, words[other]),
        }
    }
    words.concat()
}

/// An input of the first kernel.
fn input(program: &Program) -> Option<Vec<Value>> {
    let kernel = program.kernels().next()?;
    let value = |param: &crate::minias::syntax::Param| match param.ty.points_to() {
        Some(crate::minias::syntax::Space::Global | crate::minias::syntax::Space::Constant) => {
            crate::kit::value::parse_values("[3, 1, 2, 5]").expect("it is read").remove(0)
        }
        _ => 2.into(),
    };
    Some(kernel.params.iter().map(value).collect())
}

#[test]
fn changed_programs_are_read_typed_and_run_without_a_panic() {
    let sources = sources();
    let mut dice = Dice::new(3);
    let (mut typed, mut ran, mut answered) = (0, 0, 0);
    for round in 0..20_000 {
        let source = changed(&sources[round % sources.len()], &mut dice);
        let Ok(program) = parse::program(&source) else { continue };
        let text = print::program(&program);
        let again = parse::program(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"));
        assert!(same(&program, &again), "{text}");
        let mode = Mode::ALL[dice.below(4) as usize];
        let Ok(types) = infer::infer(&program, mode, &mut Recorder::counting()) else { continue };
        typed += 1;
        let targets =
            READINGS.map(|reading| translate(&program, &types, reading, &mut Recorder::counting()));
        let Some(input) = input(&program) else { continue };
        let kernel = program.kernels().next().expect("it has an input");
        let launch =
            Launch::read(&format!("{} 4 2", program.names.written(kernel.name))).expect("a launch");
        let input = launch.fit(&program, input).expect("it is made to fit");
        let budget = Budget { fuel: 2_000, memory: 1 << 20 };
        let order = Order::Shuffled(dice.roll());
        let ran_so = Ran { launch: &launch, input: &input, order, budget };
        let (outcome, wrong) = compared(&program, &targets, &ran_so, &mut Coverage::new::<Rule>());
        assert!(wrong.is_empty(), "{text}\n{}", wrong.join("\n"));
        answered += usize::from(!matches!(outcome.ending, Ending::Unknown(_)));
        ran += 1;
    }
    assert!(typed > 500 && ran > 400 && answered > 300, "{typed} {ran} {answered}");
}

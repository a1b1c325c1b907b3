//! Programs of the corpus in which a few words are other ones: read or refused, and what has a type does what its type says.

use crate::cost::{Machine, Mode};
use crate::kit::derivation::Recorder;
use crate::kit::language::Language;
use crate::kit::outcome::{Budget, Ending, Value};
use crate::kit::same::same;
use crate::lambda_g::eval::{Priced, Setting, Wanted, places, run_with_graph};
use crate::lambda_g::syntax::Program;
use crate::lambda_g::tests::programs;
use crate::lambda_g::{LambdaG, parse, print, types};
use std::collections::BTreeSet;

/// Random numbers, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// The words, numbers and symbols of a program.
fn words(source: &str) -> Vec<&str> {
    let (mut words, mut rest) = (Vec::new(), source);
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else {
            let pairs = ["=>", "->", "||", ">=", "<=", "==", "!="];
            if pairs.iter().any(|pair| rest.starts_with(pair)) { 2 } else { first.len_utf8() }
        };
        words.push(&rest[..length]);
        rest = &rest[length..];
    }
    words.retain(|word| !word.trim().is_empty());
    words
}

fn mutant(words: &[&str], dice: &mut Dice) -> String {
    let mut words = words.to_vec();
    for _ in 0..=dice.below(2) {
        let [to, from] = [dice.below(words.len()), dice.below(words.len())];
        match dice.below(4) {
            0 => drop(words.remove(to)),
            1 => words.insert(to, words[from]),
            // A word of one kind where another one stood.
            _ if is_name(words[to]) != is_name(words[from]) => {}
            _ => words[to] = words[from],
        }
    }
    words.join(" ")
}

fn is_name(word: &str) -> bool {
    word.starts_with(char::is_alphabetic)
}

/// What holds of a program with a type: it is printed and read again, and a run ends with a value, at a premise that may fail
/// in a program with a type, or for want of fuel; where the memory of the device lies makes no difference.
fn holds(program: &Program, input: Vec<Value>) -> bool {
    let text = print::program(program);
    let again = parse::program(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"));
    assert!(same(program, &again), "{text}");
    let Ok(input) = LambdaG::fit(program, input) else { return false };
    let run = |mode: Mode, in_groups: bool, wanted: Wanted| {
        let machine = Machine { block: 16, ..Machine::default() };
        let groups = if in_groups { places(program) } else { BTreeSet::new() };
        let setting = Setting { machine, mode, groups, ..Setting::default() };
        let budget = Budget { fuel: 10_000, memory: 1 << 22 };
        run_with_graph(program, &input, &setting, &budget, &mut Recorder::counting(), wanted)
    };
    let priced = run(Mode::Paper, false, Wanted::Space);
    if let Ending::Stuck(stuck) = &priced.outcome.ending {
        assert_ne!(stuck.site.cause.name(), "region_gone", "{text}");
    }
    let other = run(Mode::Paper, true, Wanted::Nothing);
    if !matches!(priced.outcome.ending, Ending::Unknown(_)) {
        assert_eq!(priced.outcome.ending, other.outcome.ending, "{text}");
        for in_groups in [false, true] {
            let [paper, umm] =
                [Mode::Paper, Mode::Umm].map(|mode| run(mode, in_groups, Wanted::Time));
            assert_eq!(paper.outcome.ending, umm.outcome.ending, "{text}");
            at_least_paper(&paper, &umm, &text);
        }
    }
    matches!(priced.outcome.ending, Ending::Value(_))
}

/// What an `on` takes on the device in `umm` is at least what it takes in `paper`, where all work groups run at once and no
/// warp diverges (L72).
fn at_least_paper(paper: &Priced, umm: &Priced, text: &str) {
    assert_eq!(paper.ran.len(), umm.ran.len(), "{text}");
    for (paper, umm) in paper.ran.iter().zip(&umm.ran) {
        assert_eq!(paper.site, umm.site, "{text}");
        let straight = umm.spent.parted == 0;
        assert!(!straight || umm.device >= paper.device, "{umm:?} {paper:?}\n{text}");
    }
}

#[test]
fn changed_programs_do_what_their_types_say() {
    let (mut dice, mut typed, mut valued) = (Dice(7), 0, 0);
    for (name, header, source) in ["pass", "stuck"].into_iter().flat_map(programs) {
        let text: Vec<&str> = source.lines().filter(|line| !line.starts_with("--")).collect();
        let text = text.join("\n");
        let words = words(&text);
        assert!(parse::program(&words.join(" ")).is_ok(), "{name}: {}", words.join(" "));
        for _ in 0..MUTANTS {
            let Ok(program) = parse::program(&mutant(&words, &mut dice)) else { continue };
            if types::check(&program, &mut Recorder::counting()).is_err() {
                continue;
            }
            typed += 1;
            valued += usize::from(holds(&program, header.cases[0].input.clone()));
        }
    }
    // Enough of them have a type, and come to a value.
    assert!(typed > 2000 && valued > typed / 2, "{typed} {valued}");
}

/// Changed programs for each one of the corpus.
const MUTANTS: usize = 300;

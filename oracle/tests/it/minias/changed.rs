//! Programs of the corpus with words changed: whatever is read and well typed is elaborated and run without a panic, and what
//! MiniSYCL is elaborated to is a program that MiniAS reads back.

use reference::kit::derivation::Recorder;
use reference::kit::dice::Dice;
use reference::kit::faults::Planted;
use reference::kit::header;
use reference::kit::language::{How, Language};
use reference::kit::memory::Memory;
use reference::kit::outcome::Budget;
use reference::kit::same::same;
use reference::minias::Minias;
use reference::sycl::{self, Sycl};
use std::fs;
use std::path::Path;

/// The texts of the corpus of a language.
pub(super) fn corpus(language: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(language);
    let mut texts = Vec::new();
    for verdict in ["pass", "stuck", "race", "reject"] {
        for file in fs::read_dir(folder.join(verdict)).expect("the folder is there") {
            texts.push(fs::read_to_string(file.expect("it is listed").path()).expect("it is text"));
        }
    }
    texts.sort();
    texts
}

/// The text, with a few of its words left out, doubled or put elsewhere.
fn changed(text: &str, dice: &mut Dice) -> String {
    let mut words: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    for _ in 0..=dice.below(2) {
        let at = dice.below(words.len() as u64) as usize;
        let other = dice.below(words.len() as u64) as usize;
        match dice.below(3) {
            0 => words[at] = "",
            1 => words.swap(at, other),
            _ => words[at] = words[other],
        }
    }
    words.concat()
}

/// Changed programs that are well typed are run; how many they are.
fn runs<L: Language>(rounds: usize, also: impl Fn(&L::Program)) -> usize {
    let texts = corpus(L::NAME);
    let mut dice = Dice::new(41);
    let mut ran = 0;
    for round in 0..rounds {
        let text = changed(&texts[round % texts.len()], &mut dice);
        let Ok(header) = header::parse(&text, L::OPTIONS) else { continue };
        let settings = header.settings(L::OPTIONS);
        let Ok(program) = L::parse(&text) else { continue };
        let program = L::under(program, &settings);
        if L::check(&program, &mut Recorder::counting()).is_err() {
            continue;
        }
        also(&program);
        for case in &header.cases {
            let Ok(input) = L::fit(&program, case.input.clone()) else { continue };
            for variant in L::VARIANTS {
                let how = How {
                    variant: variant.name,
                    schedule: 3,
                    budget: &Budget { fuel: 10_000, memory: 1 << 20 },
                    settings: &settings,
                    planted: Planted::NONE,
                    memory: &mut Memory::default(),
                };
                L::run(&program, &input, how, &mut Recorder::counting());
            }
            ran += 1;
        }
    }
    ran
}

#[test]
fn changed_programs_of_minisycl_run_without_a_panic() {
    let ran = runs::<Sycl>(20_000, |program| {
        let made = sycl::elaborated(program).expect("it is well typed");
        let text = Minias::print(&made);
        let read = Minias::parse(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"));
        assert!(same(&made, &read), "{text}");
    });
    assert!(ran > 1_000, "{ran}");
}

#[test]
fn changed_programs_of_minias_run_without_a_panic() {
    let ran = runs::<Minias>(10_000, |_| {});
    assert!(ran > 300, "{ran}");
}

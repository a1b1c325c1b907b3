//! Ill-typed programs are refused by the rule whose premise they break, in each mode in which it can fail; every premise of
//! types and of rows is broken.

use super::changed::corpus;
use oracle::generate::case_bytes;
use oracle::generate::minias::ill_typed::{broken, ill_typed, premises};
use oracle::generate::sycl;
use reference::kit::coverage::Coverage;
use reference::kit::derivation::Recorder;
use reference::kit::header;
use reference::kit::language::Language;
use reference::minias::Minias;
use reference::minias::rules::Rule;
use reference::minias::types::MODE;
use reference::sycl::Sycl;
use reference::sycl::rules::Rule as SyclRule;
use std::collections::BTreeSet;

/// Premises that fail when a program is run, not when its types are inferred: those of rules of these names.
const OF_RUNS: [&str; 2] = ["E-", "X-"];

#[test]
fn the_rule_that_is_broken_refuses() {
    let mut seen = BTreeSet::new();
    let mut failed = Coverage::new::<Rule>();
    for index in 0..6_000 {
        let broken = ill_typed(&case_bytes(40, index));
        let mut to = Recorder::counting();
        let checked =
            broken.program::<Minias>().and_then(|program| Minias::check(&program, &mut to));
        let text = format!("{index}, {}:\n{}", broken.settings.get(&MODE), broken.text);
        let no = checked.expect_err(&text);
        assert_eq!(no.rule, Some((broken.rule, broken.premise)), "{text}\n{no:?}");
        seen.insert((broken.settings.get(&MODE).to_owned(), broken.rule, broken.premise));
        to.rejected(&no);
        failed.add(to.coverage());
    }
    let wanted = premises().flat_map(|(rule, premise, modes)| {
        modes.iter().map(move |mode| (mode.name().to_owned(), rule, premise))
    });
    assert_eq!(seen, wanted.collect(), "what is broken, by mode");
    let of_types = |name: &str| !OF_RUNS.iter().any(|prefix| name.starts_with(prefix));
    for (info, _, counts) in failed.lines().filter(|(info, ..)| of_types(info.name)) {
        for (premise, count) in info.premises().iter().zip(counts) {
            assert!(*count > 0, "{} {premise} never fails", info.name);
        }
    }
}

#[test]
fn the_rule_that_is_broken_refuses_minisycl() {
    let mut seen = BTreeSet::new();
    let mut failed = Coverage::new::<SyclRule>();
    for index in 0..1_500 {
        let broken = sycl::ill_typed::ill_typed(&case_bytes(41, index));
        let mut to = Recorder::counting();
        let checked = broken.program::<Sycl>().and_then(|program| Sycl::check(&program, &mut to));
        let text = format!("{index}:\n{}", broken.text);
        let no = checked.expect_err(&text);
        assert_eq!(no.rule, Some((broken.rule, broken.premise)), "{text}\n{no:?}");
        seen.insert((broken.rule, broken.premise));
        failed.add(to.coverage());
    }
    assert_eq!(seen, sycl::ill_typed::premises().collect(), "what is broken");
    for (info, _, counts) in failed.lines() {
        for (premise, count) in info.premises().iter().zip(counts) {
            assert!(*count > 0, "{} {premise} never fails", info.name);
        }
    }
}

/// The programs of the corpus that are well typed.
fn well_typed<L: Language>() -> Vec<L::Program> {
    let read = |text: String| {
        let settings = header::parse(&text, L::OPTIONS).ok()?.settings(L::OPTIONS);
        let program = L::under(L::parse(&text).ok()?, &settings);
        L::check(&program, &mut Recorder::counting()).is_ok().then_some(program)
    };
    corpus(L::NAME).into_iter().filter_map(read).collect()
}

/// How many premises are broken of each program.
const EACH: u64 = 40;

#[test]
fn premises_of_programs_that_are_written_are_broken_too() {
    let programs = well_typed::<Minias>();
    assert!(programs.len() > 30, "{}", programs.len());
    for program in &programs {
        for seed in 0..EACH {
            let Some(broken) = broken(program, seed) else { continue };
            let checked = broken
                .program::<Minias>()
                .and_then(|program| Minias::check(&program, &mut Recorder::counting()));
            let no = checked.expect_err(&broken.text);
            let text = format!("{seed}, {}:\n{}", broken.settings.get(&MODE), broken.text);
            assert_eq!(no.rule, Some((broken.rule, broken.premise)), "{text}\n{no:?}");
        }
    }
    let programs = well_typed::<Sycl>();
    assert!(programs.len() > 15, "{}", programs.len());
    for program in &programs {
        for seed in 0..EACH {
            let Some(broken) = sycl::ill_typed::broken(program, seed) else { continue };
            let checked = broken
                .program::<Sycl>()
                .and_then(|program| Sycl::check(&program, &mut Recorder::counting()));
            let no = checked.expect_err(&broken.text);
            assert_eq!(no.rule, Some((broken.rule, broken.premise)), "{}\n{no:?}", broken.text);
        }
    }
}

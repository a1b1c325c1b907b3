//! Every program of `corpus/funmem` does what its header says, and together they cover the roll:
//! every rule fires and every premise fails.

use reference::funmem::rules::Rule;
use reference::funmem::syntax::{FunMem, Program};
use reference::funmem::{eval, parse, print, types, validity};
use reference::kit::coverage::Coverage;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::header::{self, Case, Header};
use reference::kit::outcome::{Budget, Ending};
use reference::kit::rules::Roll;
use reference::kit::same::same;
use reference::kit::text::Rejected;
use reference::kit::verdict::Verdict;
use std::fs;
use std::path::Path;

/// All that is wrong with the programs of the corpus.
#[derive(Default)]
struct Judge {
    coverage: Option<Coverage>,
    wrong: Vec<String>,
}

impl Judge {
    fn count(&mut self, coverage: &Coverage) {
        self.coverage.get_or_insert_with(Coverage::new::<Rule>).add(coverage);
    }

    fn folder(&mut self, folder: &str) -> usize {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/funmem").join(folder);
        let files = fs::read_dir(&corpus).unwrap_or_else(|error| panic!("{folder}: {error}"));
        let mut files: Vec<_> = files.map(|file| file.expect("it is listed").path()).collect();
        files.sort();
        for path in &files {
            let name = format!("{folder}/{}", path.file_name().expect("a file").to_string_lossy());
            let source = fs::read_to_string(path).expect("a program is text");
            let header = header::parse(&source).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert!(!header.about.is_empty(), "{name} does not say what it shows");
            if let Err(text) = Verdict::named(folder).expect("a verdict").holds(&header) {
                self.wrong.push(format!("{name}: {text}"));
            }
            for line in self.program(folder, &header, &source) {
                self.wrong.push(format!("{name}: {line}"));
            }
        }
        files.len()
    }

    fn program(&mut self, folder: &str, header: &Header, source: &str) -> Vec<String> {
        let mut recorder = Recorder::counting();
        let program = parse::program(source)
            .and_then(|program| types::check(&program, &mut recorder).map(|()| program));
        if let Err(Rejected { rule: Some(("T-VAR", "scope")), .. }) = &program {
            recorder.fail(Rule::TVar, "scope");
        }
        let mut wrong = Vec::new();
        match (&program, &header.rejects) {
            (Ok(_), None) => {}
            (Err(error), Some(wanted)) => {
                let premise = wanted.premise.as_deref();
                let fits = error.rule.is_some_and(|(rule, failed)| {
                    rule == wanted.rule && premise.is_none_or(|premise| premise == failed)
                });
                if !fits || folder != "reject" {
                    wrong.push(format!("{:?}: {}", error.rule, error.message));
                }
            }
            (Ok(_), Some(_)) => wrong.push("it is not rejected".to_owned()),
            (Err(error), None) => wrong.push(format!("{:?}: {}", error.rule, error.message)),
        }
        if let Ok(program) = &program {
            let text = print::program(program);
            match parse::program(&text) {
                Ok(again) if same(program, &again) => {}
                _ => wrong.push("print and parse are not inverse".to_owned()),
            }
            for case in &header.cases {
                if let Some(line) = judge(program, case, &mut recorder) {
                    wrong.push(format!("line {}: {line}", case.line));
                }
            }
            for rule in &header.fires {
                let lines: Vec<_> = recorder.coverage().lines().collect();
                if !lines.iter().any(|(info, fired, _)| info.name == rule && *fired > 0) {
                    wrong.push(format!("{rule} does not fire"));
                }
            }
        }
        self.count(recorder.coverage());
        wrong
    }
}

/// What differs between one run and what the header says of it.
fn judge(program: &Program<FunMem>, case: &Case, all: &mut Recorder<Rule>) -> Option<String> {
    let input = match eval::fit(program, case.input.clone()) {
        Ok(input) => input,
        Err(error) => return Some(error.message),
    };
    let failures = |recorder: &Recorder<Rule>, rule: &str, premise: &str| {
        let coverage = recorder.coverage();
        let counted = coverage.lines().find(|(info, ..)| info.name == rule);
        let (info, _, failed) = counted.expect("a rule of the roll");
        let at = info.premises.iter().position(|name| *name == premise);
        at.map_or(0, |at| failed[at])
    };
    let before = case.race.as_ref().map(|rule| failures(all, rule, "racefree"));
    let judged = validity::judge(program, &input, &Budget::default(), all, Planted::NONE);
    let heap = &judged.heap;
    let ending = match (&heap.ending, &case.result, &case.stuck) {
        (Ending::Value(values), Some(result), _) => values == result,
        (Ending::Stuck(stuck), None, Some(wanted)) => {
            let premise = wanted.premise.as_deref();
            stuck.rule == wanted.rule
                && premise.is_none_or(|premise| premise == stuck.site.cause.name())
        }
        (_, None, None) => true,
        _ => false,
    };
    let races = match (&case.race, before) {
        (Some(rule), Some(before)) => {
            !heap.races.is_empty() && failures(all, rule, "racefree") > before
        }
        _ => heap.races.is_empty(),
    };
    let invalid = judged.invalid.as_ref().map(ToString::to_string);
    // What raced, and what got stuck for want of memory, says enough.
    let valid = match &case.invalid {
        Some(_) => invalid == case.invalid,
        None => invalid.is_none() || case.race.is_some() || case.stuck.is_some(),
    };
    (!ending || !races || !valid).then(|| {
        let shown: String = format!("{:?}", heap.ending).chars().take(300).collect();
        format!("{shown}; races {:?}; invalid {invalid:?}", heap.races)
    })
}

#[test]
fn programs_do_what_they_say_and_cover_the_roll() {
    let mut judge = Judge::default();
    let counts: Vec<usize> = ["pass", "stuck", "race", "invalid", "reject"]
        .iter()
        .map(|folder| judge.folder(folder))
        .collect();
    assert!(judge.wrong.is_empty(), "\n{}", judge.wrong.join("\n"));
    assert!(counts[2] >= 10 && counts[3] >= 10, "races and invalid programs: {counts:?}");
    let coverage = judge.coverage.expect("there are programs");
    assert_eq!(coverage.missing(), Vec::<String>::new(), "{} rules", Rule::ALL.len());
}

//! Every program of `corpus/fun` does what its header says.

use reference::fun::rules::Rule;
use reference::fun::{eval, parse, print, types};
use reference::kit::derivation::Recorder;
use reference::kit::header::{self, Case, Header};
use reference::kit::outcome::{Budget, Ending, Stuck};
use reference::kit::text::Rejected;
use std::fs;
use std::path::{Path, PathBuf};

/// The programs in a folder of the corpus: name, header, source.
fn programs(folder: &str) -> Vec<(String, Header, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/fun").join(folder);
    let files = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it is listed").path()).collect();
    files.sort();
    let programs = files.into_iter().map(|path| {
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let source = fs::read_to_string(&path).expect("a program is text");
        let header = header::parse(&source).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(!header.about.is_empty(), "{name} does not say what it shows");
        (name, header, source)
    });
    programs.collect()
}

/// Text of values, cut where it gets long.
fn brief(text: String) -> String {
    text.chars().take(400).collect()
}

/// The verdict of one case, or what differs from the header.
fn differs(
    program: &reference::fun::syntax::Program<reference::fun::syntax::Fun>,
    case: &Case,
    recorder: &mut Recorder<Rule>,
) -> Option<String> {
    let input = match eval::fit(program, case.input.clone()) {
        Ok(input) => input,
        Err(error) => return Some(format!("{error:?}")),
    };
    let outcome = eval::run(program, &input, &Budget::default(), recorder);
    match (&outcome.ending, &case.result, &case.stuck) {
        (Ending::Value(values), Some(result), None) if values == result => None,
        (Ending::Stuck(Stuck { rule, site, .. }), None, Some(failure))
            if *rule == failure.rule
                && failure.premise.as_deref().is_none_or(|it| it == site.cause.name()) =>
        {
            None
        }
        (ending, _, _) => Some(brief(format!("{ending:?}"))),
    }
}

/// Parses, types and runs the programs of `folder`; all that is wrong, by name.
fn wrong(folder: &str, recorder: &mut Recorder<Rule>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut say = |name: &str, line: usize, what: String| {
        wrong.push(format!("{folder}/{name}.fun:{line}: {what}"));
    };
    for (name, header, source) in programs(folder) {
        let program = match accepted(&source, recorder) {
            Ok(program) => program,
            Err(error) => {
                let rule = error.rule.map(|(rule, premise)| (rule, Some(premise)));
                let said = header.rejects.as_ref();
                let said = said.map(|it| (it.rule.as_str(), it.premise.as_deref()));
                if rule != said || said.is_none() {
                    say(&name, 0, format!("{error:?}"));
                }
                continue;
            }
        };
        if header.rejects.is_some() {
            say(&name, 0, "accepted".to_owned());
        }
        if header.cases.is_empty() {
            say(&name, 0, "no case".to_owned());
        }
        let before: Vec<u64> = recorder.coverage().lines().map(|(_, fired, _)| fired).collect();
        for case in &header.cases {
            if case.result.is_some() != (folder == "pass") {
                say(&name, case.line, "the folder says something else".to_owned());
            }
            if let Some(difference) = differs(&program, case, recorder) {
                say(&name, case.line, difference);
            }
        }
        for rule in &header.fires {
            let mut lines = recorder.coverage().lines().zip(&before);
            if !lines.any(|((info, fired, _), before)| info.name == rule && fired > *before) {
                say(&name, 0, format!("{rule} does not fire"));
            }
        }
    }
    wrong
}

/// The program, if parser and types accept it. Its print parses to what prints the same.
fn accepted(
    source: &str,
    recorder: &mut Recorder<Rule>,
) -> Result<reference::fun::syntax::Program<reference::fun::syntax::Fun>, Rejected> {
    let program = parse::program(source)?;
    let text = print::program(&program);
    let again = parse::program(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert_eq!(print::program(&again), text);
    types::check(&program, recorder)?;
    Ok(program)
}

#[test]
fn programs_do_what_their_headers_say() {
    let mut recorder = Recorder::counting();
    let mut all = Vec::new();
    for folder in ["pass", "stuck", "reject"] {
        all.extend(wrong(folder, &mut recorder));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    let missing = recorder.coverage().missing();
    assert!(missing.is_empty(), "never seen: {}", missing.join(", "));
}

//! Every program of FUN's and IMP's corpus does what its header says, and the translations of
//! FUN's programs do the same. FUNMEM's corpus, which is judged by validity too, has a test of its
//! own.

use reference::kit::coverage::Coverage;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::header::{self, Case, Header};
use reference::kit::outcome::{Budget, Ending, Outcome, Value};
use reference::kit::rules::Roll;
use reference::kit::same::same;
use reference::kit::text::Rejected;
use reference::kit::verdict::Verdict;
use reference::{between, fun, funmem, imp};
use std::fs;
use std::path::{Path, PathBuf};

/// What the test asks of a room.
trait Room {
    type Rule: Roll;
    type Program: serde::Serialize;
    /// The folder of the corpus and the extension of its files.
    const FOLDER: &'static str;
    fn parse(source: &str) -> Result<Self::Program, Rejected>;
    fn print(program: &Self::Program) -> String;
    fn check(program: &Self::Program, recorder: &mut Recorder<Self::Rule>) -> Result<(), Rejected>;
    fn run(
        program: &Self::Program,
        input: Vec<Value>,
        recorder: &mut Recorder<Self::Rule>,
    ) -> Result<Outcome, Rejected>;
}

struct Fun;

impl Room for Fun {
    type Rule = fun::rules::Rule;
    type Program = fun::syntax::Program<fun::syntax::Fun>;
    const FOLDER: &'static str = "fun";

    fn parse(source: &str) -> Result<Self::Program, Rejected> {
        fun::parse::program(source)
    }

    fn print(program: &Self::Program) -> String {
        fun::print::program(program)
    }

    fn check(program: &Self::Program, recorder: &mut Recorder<Self::Rule>) -> Result<(), Rejected> {
        fun::types::check(program, recorder)
    }

    fn run(
        program: &Self::Program,
        input: Vec<Value>,
        recorder: &mut Recorder<Self::Rule>,
    ) -> Result<Outcome, Rejected> {
        let input = fun::eval::fit(program, input)?;
        Ok(fun::eval::run(program, &input, &Budget::default(), recorder))
    }
}

struct FunMem;

impl Room for FunMem {
    type Rule = funmem::rules::Rule;
    type Program = funmem::syntax::Program<funmem::syntax::FunMem>;
    const FOLDER: &'static str = "funmem";

    fn parse(source: &str) -> Result<Self::Program, Rejected> {
        funmem::parse::program(source)
    }

    fn print(program: &Self::Program) -> String {
        funmem::print::program(program)
    }

    fn check(program: &Self::Program, recorder: &mut Recorder<Self::Rule>) -> Result<(), Rejected> {
        funmem::types::check(program, recorder)
    }

    fn run(
        program: &Self::Program,
        input: Vec<Value>,
        recorder: &mut Recorder<Self::Rule>,
    ) -> Result<Outcome, Rejected> {
        let input = funmem::eval::fit(program, input)?;
        Ok(funmem::eval::run(program, &input, &Budget::default(), recorder, Planted::NONE))
    }
}

struct Imp;

impl Room for Imp {
    type Rule = imp::rules::Rule;
    type Program = imp::syntax::Program;
    const FOLDER: &'static str = "imp";

    fn parse(source: &str) -> Result<Self::Program, Rejected> {
        imp::parse::program(source)
    }

    fn print(program: &Self::Program) -> String {
        imp::print::program(program)
    }

    fn check(program: &Self::Program, recorder: &mut Recorder<Self::Rule>) -> Result<(), Rejected> {
        imp::types::check(program, recorder)
    }

    fn run(
        program: &Self::Program,
        input: Vec<Value>,
        recorder: &mut Recorder<Self::Rule>,
    ) -> Result<Outcome, Rejected> {
        let input = imp::eval::fit(program, input)?;
        Ok(imp::eval::run(program, &input, imp::eval::Order::InOrder, &Budget::default(), recorder))
    }
}

/// The programs in a folder of the corpus: name, header, source.
fn programs<R: Room>(folder: &str) -> Vec<(String, Header, String)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let path = corpus.join(R::FOLDER).join(folder);
    let files = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it is listed").path()).collect();
    files.sort();
    let programs = files.into_iter().map(|path| {
        assert_eq!(path.extension(), Some(R::FOLDER.as_ref()), "{}", path.display());
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let source = fs::read_to_string(&path).expect("a program is text");
        let header = header::parse(&source).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(!header.about.is_empty(), "{name} does not say what it shows");
        (name, header, source)
    });
    programs.collect()
}

/// What differs between the outcome of one case and the header.
fn difference<R: Room>(
    program: &R::Program,
    case: &Case,
    recorder: &mut Recorder<R::Rule>,
) -> Option<String> {
    let outcome = match R::run(program, case.input.clone(), recorder) {
        Ok(outcome) => outcome,
        Err(error) => return Some(format!("{error:?}")),
    };
    let as_said = match (&outcome.ending, &case.result, &case.stuck) {
        (Ending::Value(values), Some(result), None) => values == result,
        (Ending::Stuck(stuck), None, Some(failure)) => {
            let premise = failure.premise.as_deref().unwrap_or(stuck.site.cause.name());
            stuck.rule == failure.rule && stuck.site.cause.name() == premise
        }
        // After a race the values say nothing.
        (_, None, None) => case.race.is_some(),
        _ => false,
    };
    let shown = || format!("{:?}", outcome.ending).chars().take(400).collect();
    (!as_said || outcome.races.is_empty() == case.race.is_some()).then(shown)
}

/// Parses, types and runs the programs of `folder`; all that is wrong. `early` is credited with
/// the rejections that say which premise failed.
fn wrong<R: Room>(
    folder: &str,
    recorder: &mut Recorder<R::Rule>,
    early: &mut Coverage,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, header, source) in programs::<R>(folder) {
        let mut say = |line: usize, what: String| {
            wrong.push(format!("{folder}/{name}.{}:{line}: {what}", R::FOLDER));
        };
        if let Err(text) = Verdict::named(folder).expect("a verdict").holds(&header) {
            say(0, text);
        }
        let before: Vec<u64> = recorder.coverage().lines().map(|(_, fired, _)| fired).collect();
        let program = match accepted::<R>(&source, recorder) {
            Ok(program) => program,
            Err(error) => {
                early.rejected(&error);
                let rule = error.rule.map(|(rule, premise)| (rule, Some(premise)));
                let said = header.rejects.as_ref();
                let said = said.map(|it| (it.rule.as_str(), it.premise.as_deref()));
                if rule != said || said.is_none() {
                    say(0, format!("{error:?}"));
                }
                continue;
            }
        };
        if header.rejects.is_some() {
            say(0, "accepted".to_owned());
        }
        for case in &header.cases {
            if let Some(difference) = difference::<R>(&program, case, recorder) {
                say(case.line, difference);
            }
        }
        for rule in &header.fires {
            let mut lines = recorder.coverage().lines().zip(&before);
            if !lines.any(|((info, fired, _), before)| info.name == rule && fired > *before) {
                say(0, format!("{rule} does not fire"));
            }
        }
    }
    wrong
}

/// The program, if parser and types accept it. Its print parses to the same program.
fn accepted<R: Room>(
    source: &str,
    recorder: &mut Recorder<R::Rule>,
) -> Result<R::Program, Rejected> {
    let program = R::parse(source)?;
    let text = R::print(&program);
    let again = R::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert!(same(&program, &again), "{text}");
    R::check(&program, recorder)?;
    Ok(program)
}

/// The folders say what their programs do; answers with what none of them showed.
fn check<R: Room>(folders: &[&str]) -> Vec<String> {
    let mut recorder = Recorder::counting();
    let mut coverage = Coverage::new::<R::Rule>();
    let all: Vec<String> =
        folders.iter().flat_map(|it| wrong::<R>(it, &mut recorder, &mut coverage)).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
    coverage.add(recorder.coverage());
    coverage.missing()
}

#[test]
fn programs_of_fun() {
    let missing = check::<Fun>(&["pass", "stuck", "reject"]);
    assert!(missing.is_empty(), "never seen: {}", missing.join(", "));
}

/// The same case in the room of `R`: typed, run, as the header says but for the rule's name.
fn later<R: Room>(program: &R::Program, case: &Case, first: &Outcome) -> Result<(), String> {
    let mut recorder = Recorder::counting();
    R::check(program, &mut recorder).map_err(|error| format!("{error:?}"))?;
    let outcome = R::run(program, case.input.clone(), &mut recorder);
    let outcome = outcome.map_err(|error| format!("{error:?}"))?;
    let agree = match (&first.ending, &outcome.ending) {
        (Ending::Stuck(one), Ending::Stuck(other)) => one.agrees(other),
        (one, other) => one == other,
    };
    if agree && outcome.races.is_empty() {
        return Ok(());
    }
    let shown = format!("{:?} {:?}\n{}", outcome.ending, outcome.races, R::print(program));
    Err(shown.chars().take(4000).collect())
}

#[test]
fn translations_agree_on_programs_of_fun() {
    let mut wrong = Vec::new();
    for folder in ["pass", "stuck"] {
        for (name, header, source) in programs::<Fun>(folder) {
            let program = fun::parse::program(&source).expect("the other test parses it too");
            let memory = between::fun_to_funmem::transform_program(&program, Planted::NONE);
            let code = between::funmem_to_imp::translate(&memory, Planted::NONE);
            for case in &header.cases {
                let first = Fun::run(&program, case.input.clone(), &mut Recorder::counting())
                    .expect("the other test runs it too");
                let stages = [
                    ("funmem", later::<FunMem>(&memory, case, &first)),
                    ("imp", later::<Imp>(&code, case, &first)),
                ];
                for (stage, verdict) in stages {
                    if let Err(shown) = verdict {
                        wrong.push(format!("{folder}/{name}:{} {stage}: {shown}", case.line));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_of_imp() {
    let missing = check::<Imp>(&["pass", "stuck", "race", "reject"]);
    assert!(missing.is_empty(), "never seen: {}", missing.join(", "));
}

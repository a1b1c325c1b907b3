//! Every device program of the corpus does what its header says, in every order of invocations,
//! and together they make every rule fire and every premise fail.

use reference::device::eval::{Order, run};
use reference::device::rules::Rule;
use reference::device::syntax::Program;
use reference::device::{parse, print, validate};
use reference::kit::coverage::Coverage;
use reference::kit::derivation::Recorder;
use reference::kit::header::{self, Case};
use reference::kit::outcome::{Budget, Ending};
use reference::kit::same::same;
use reference::kit::text::Rejected;
use reference::kit::verdict::Verdict;
use std::fs;
use std::path::Path;

const ORDERS: [Order; 4] =
    [Order::InOrder, Order::Reversed, Order::Shuffled(7), Order::Shuffled(1 << 40)];

/// Programs of a folder: name and source.
fn programs(folder: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/device").join(folder);
    let mut programs: Vec<_> = fs::read_dir(&path)
        .expect("the corpus has the folder")
        .map(|entry| entry.expect("it is listed").path())
        .map(|path| {
            assert!(path.extension().is_some_and(|it| it == "dev"), "{}", path.display());
            let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
            (format!("{folder}/{name}"), fs::read_to_string(&path).expect("it is text"))
        })
        .collect();
    programs.sort();
    programs
}

/// Parses and validates. What is printed parses to the same program.
fn accepted(source: &str, recorder: &mut Recorder<Rule>) -> Result<Program, Rejected> {
    let program = parse::program(source)?;
    let text = print::program(&program);
    let again = parse::program(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert!(same(&program, &again), "{text}");
    validate::check(&program, recorder)?;
    Ok(program)
}

/// What differs from the header.
fn difference(
    program: &Program,
    case: &Case,
    order: Order,
    recorder: &mut Recorder<Rule>,
) -> Option<String> {
    let outcome = run(program, &case.input, order, &Budget::default(), recorder);
    let ending = match (&outcome.ending, &case.result, &case.stuck) {
        (Ending::Value(values), Some(result), _) => values == result,
        // What a race computes depends on the order.
        (Ending::Value(_), None, None) => case.race.is_some(),
        (Ending::Stuck(stuck), _, Some(failure)) => {
            let premise = stuck.site.cause.name();
            stuck.rule == failure.rule && failure.premise.as_deref() == Some(premise)
        }
        _ => false,
    };
    if ending && outcome.races.is_empty() == case.race.is_none() {
        return None;
    }
    Some(format!("{order:?}: {:?}, races {:?}", outcome.ending, outcome.races))
}

#[test]
fn programs_do_what_they_say() {
    let mut coverage = Coverage::new::<Rule>();
    let mut wrong = Vec::new();
    let mut count = 0;
    for folder in ["pass", "stuck", "race", "reject"] {
        for (name, source) in programs(folder) {
            count += 1;
            let header = header::parse(&source).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert!(!header.about.is_empty(), "{name} does not say what it shows");
            if let Err(text) = Verdict::named(folder).expect("a verdict").holds(&header) {
                wrong.push(format!("{name}: {text}"));
            }
            let mut mine = Recorder::counting();
            let program = match accepted(&source, &mut mine) {
                Ok(program) => program,
                Err(error) => {
                    let said = header.rejects.as_ref();
                    let said = said.and_then(|it| Some((it.rule.as_str(), it.premise.as_deref()?)));
                    if error.rule != said || said.is_none() || folder != "reject" {
                        wrong.push(format!("{name}: {error:?}"));
                    }
                    // Parsers reject by rules too.
                    coverage.rejected(&error);
                    coverage.add(mine.coverage());
                    continue;
                }
            };
            if header.rejects.is_some() {
                wrong.push(format!("{name}: accepted"));
            }
            for case in &header.cases {
                for order in ORDERS {
                    let difference = difference(&program, case, order, &mut mine);
                    wrong.extend(difference.map(|it| format!("{name}:{}: {it}", case.line)));
                }
            }
            for rule in &header.fires {
                if !mine.coverage().lines().any(|(info, fired, _)| info.name == rule && fired > 0) {
                    wrong.push(format!("{name}: {rule} does not fire"));
                }
            }
            coverage.add(mine.coverage());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let missing = coverage.missing();
    assert!(missing.is_empty(), "of {count} programs none showed {}", missing.join(", "));
}

//! The corpus: what the headers say, printed and read again, run in three orders, and each rule and premise shown.

use super::translate::{READINGS, Ran, compared};
use crate::kit::coverage::Coverage;
use crate::kit::derivation::Recorder;
use crate::kit::header::{self, Case, Header};
use crate::kit::outcome::{Budget, Ending, Outcome};
use crate::kit::same::same;
use crate::kit::schedule::Order;
use crate::kit::text::Rejected;
use crate::kit::verdict::Verdict;
use crate::minias::infer;
use crate::minias::launch::{LAUNCH, Launch};
use crate::minias::rules::Rule;
use crate::minias::syntax::Program;
use crate::minias::translate::translate;
use crate::minias::types::{self, MODE, Mode};
use crate::minias::{parse, print, target};
use std::fs;
use std::path::Path;

const ORDERS: [Order; 4] =
    [Order::InOrder, Order::Reversed, Order::Shuffled(7), Order::Shuffled(1 << 40)];

#[test]
fn programs_do_what_their_headers_say() {
    let mut coverage = Coverage::new::<Rule>();
    let (mut wrong, mut count) = (Vec::new(), 0);
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/minias");
    for verdict in Verdict::ALL {
        let Ok(files) = fs::read_dir(corpus.join(verdict.folder())) else { continue };
        for file in files {
            count += 1;
            let path = file.expect("it is listed").path();
            let source = fs::read_to_string(&path).expect("a program is text");
            let header = header::parse(&source, &[MODE, LAUNCH]).expect("it has a header");
            let mut found: Vec<String> = verdict.holds(&header).err().into_iter().collect();
            found.extend(differences(&source, &header, &mut coverage));
            wrong.extend(found.into_iter().map(|text| format!("{}: {text}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let missing = coverage.missing();
    assert!(missing.is_empty(), "none of {count} programs shows {missing:?}");
}

fn differences(source: &str, header: &Header, coverage: &mut Coverage) -> Vec<String> {
    let settings = header.settings(&[MODE, LAUNCH]);
    let mode = Mode::named(settings.get(&MODE)).expect("it is one of the values");
    let launch = Launch::read(settings.get(&LAUNCH)).expect("it is of the form");
    let (program, targets) = match (accepted(source, mode, coverage), &header.rejects) {
        (Ok(found), None) => found,
        (Ok(_), Some(_)) => return vec!["it is not rejected".to_owned()],
        (Err(no), said) => {
            let said = said
                .as_ref()
                .map(|said| (&*said.rule, said.premise.as_deref().unwrap_or_default()));
            return if no.rule == said { Vec::new() } else { vec![format!("{no:?}")] };
        }
    };
    let mut found = Vec::new();
    for case in &header.cases {
        let input = launch.fit(&program, case.input.clone()).expect("the input fits");
        for order in ORDERS {
            let ran = Ran { launch: &launch, input: &input, order, budget: Budget::default() };
            let (outcome, wrong) = compared(&program, &targets, &ran, coverage);
            found.extend(wrong);
            if !as_said(case, &outcome) {
                found.push(format!(
                    "line {}, {order:?}: {:?}, races {:?}",
                    case.line, outcome.ending, outcome.races
                ));
            }
        }
    }
    found
}

/// The program and its translations, if parser and types accept it. Its print is read as the same program, with the same
/// types.
fn accepted(
    source: &str,
    mode: Mode,
    coverage: &mut Coverage,
) -> Result<(Program, Vec<target::Program>), Rejected> {
    let program = parse::program(source).inspect_err(|no| coverage.rejected(no))?;
    let text = print::program(&program);
    let again = parse::program(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"));
    assert!(same(&program, &again), "{text}");
    let mut recorder = Recorder::counting();
    let typed = infer::infer(&program, mode, &mut recorder);
    coverage.add(recorder.coverage());
    let typed = typed?;
    let mut targets = Vec::new();
    for reading in READINGS {
        let mut recorder = Recorder::counting();
        targets.push(translate(&program, &typed, reading, &mut recorder));
        coverage.add(recorder.coverage());
    }
    let printed =
        infer::infer(&again, mode, &mut Recorder::counting()).expect("it is the same program");
    let schemes = |typed: &types::Typed| -> Vec<String> {
        typed.schemes.iter().map(|(_, scheme)| scheme.text()).collect()
    };
    assert_eq!(schemes(&typed), schemes(&printed), "{text}");
    Ok((program, targets))
}

fn as_said(case: &Case, outcome: &Outcome) -> bool {
    let ending = match (&outcome.ending, &case.stuck) {
        (Ending::Value(values), None) => case.result.as_ref().is_none_or(|said| said == values),
        (Ending::Stuck(stuck), Some(said)) => {
            stuck.rule == said.rule && said.premise.as_deref() == Some(stuck.site.cause.name())
        }
        _ => false,
    };
    ending && case.race.is_some() != outcome.races.is_empty()
}

//! The programs of the corpus: printed and read again, with a type or without as they say; together they show each static
//! rule and premise.

use crate::kit::coverage::Coverage;
use crate::kit::derivation::Recorder;
use crate::kit::header::{self, Header};
use crate::kit::rules::Roll;
use crate::kit::same::same;
use crate::lambda_g::rules::Rule;
use crate::lambda_g::{parse, print, types};
use std::fs;
use std::path::Path;

/// The programs of a folder: name, header and source.
pub(in crate::lambda_g) fn programs(folder: &str) -> Vec<(String, Header, String)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/lambda_g");
    let files = fs::read_dir(corpus.join(folder)).expect("the folder is there");
    let mut programs: Vec<_> = files
        .map(|file| {
            let path = file.expect("it is listed").path();
            assert_eq!(path.extension(), Some("lg".as_ref()), "{}", path.display());
            let source = fs::read_to_string(&path).expect("a program is text");
            let name = path.display().to_string();
            let header = header::parse(&source, &[]).unwrap_or_else(|no| panic!("{name}: {no:?}"));
            assert!(!header.about.is_empty(), "{name} does not say what it shows");
            (name, header, source)
        })
        .collect();
    programs.sort_by(|a, b| a.0.cmp(&b.0));
    programs
}

#[test]
fn programs_have_types_or_are_rejected_as_they_say() {
    let mut coverage = Coverage::new::<Rule>();
    let mut wrong = Vec::new();
    for (name, header, source) in ["pass", "stuck", "reject"].into_iter().flat_map(programs) {
        let mut recorder = Recorder::counting();
        let checked = parse::program(&source).and_then(|program| {
            let text = print::program(&program);
            let again = parse::program(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"));
            assert!(same(&program, &again), "{text}");
            types::check(&program, &mut recorder)
        });
        let found = checked.err().map(|refused| {
            if recorder.coverage().lines().all(|(_, fired, _)| fired == 0) {
                coverage.rejected(&refused);
            }
            refused.rule.unwrap_or_default()
        });
        coverage.add(recorder.coverage());
        let said = header.rejects.as_ref();
        let said = said.map(|said| (&*said.rule, said.premise.as_deref().unwrap_or_default()));
        if found != said {
            wrong.push(format!("{name}: {found:?}, and not {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let is_static = |name: &String| {
        Rule::ALL.iter().any(|rule| {
            let info = rule.info();
            name.split(' ').next() == Some(info.name) && !info.name.starts_with("E-")
        })
    };
    let missing: Vec<String> = coverage.missing().into_iter().filter(is_static).collect();
    assert!(missing.is_empty(), "no program shows {missing:?}");
}

//! The corpus, as every language's is judged: what its headers say, printed and read again, and each static
//! rule and premise shown.

use crate::fcl::rules::Rule;
use crate::fcl::{Fcl, parse, print};
use crate::kit::coverage::Coverage;
use crate::kit::derivation::Recorder;
use crate::kit::header;
use crate::kit::language::Language;
use crate::kit::same::same;
use std::fs;
use std::path::Path;

#[test]
fn programs_have_types_or_are_rejected_as_they_say() {
    let mut coverage = Coverage::new::<Rule>();
    let mut wrong = Vec::new();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/fcl");
    for folder in ["pass", "stuck", "reject"] {
        for file in fs::read_dir(corpus.join(folder)).expect("the folder is there") {
            let path = file.expect("it is listed").path();
            let source = fs::read_to_string(&path).expect("a program is text");
            let header = header::parse(&source, Fcl::OPTIONS).expect("it has a header");
            let mut recorder = Recorder::counting();
            let checked = parse::program(&source).and_then(|program| {
                let text = print::program(&program);
                let again = parse::program(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"));
                assert!(same(&program, &again), "{text}");
                Fcl::check(&program, &mut recorder)?;
                header
                    .cases
                    .iter()
                    .try_for_each(|case| Fcl::fit(&program, case.input.clone()).map(drop))
            });
            let found = checked.err().map(|refused| {
                coverage.rejected(&refused);
                refused.rule.unwrap_or_default()
            });
            coverage.add(recorder.coverage());
            let said = header.rejects.as_ref();
            let said = said.map(|said| (&*said.rule, said.premise.as_deref().unwrap_or_default()));
            if found != said {
                wrong.push(format!("{}: {found:?}, and not {said:?}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let of_types = |rule: &&String| ["K-", "I-", "T-"].iter().any(|start| rule.starts_with(start));
    let missing = coverage.missing();
    let missing: Vec<&String> = missing.iter().filter(of_types).collect();
    assert!(missing.is_empty(), "no program shows {missing:?}");
}

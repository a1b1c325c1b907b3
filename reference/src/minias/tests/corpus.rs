//! The corpus: what the headers say, printed and read again, and each rule and premise shown.

use crate::kit::coverage::Coverage;
use crate::kit::derivation::Recorder;
use crate::kit::header;
use crate::kit::rules::Roll;
use crate::kit::same::same;
use crate::kit::verdict::Verdict;
use crate::minias::rules::Rule;
use crate::minias::types::{self, MODE, Mode};
use crate::minias::{parse, print};
use std::fs;
use std::path::Path;

#[test]
fn programs_have_types_or_are_rejected_as_they_say() {
    let mut coverage = Coverage::new::<Rule>();
    let mut wrong = Vec::new();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/minias");
    for verdict in Verdict::ALL {
        let Ok(files) = fs::read_dir(corpus.join(verdict.folder())) else { continue };
        for file in files {
            let path = file.expect("it is listed").path();
            let source = fs::read_to_string(&path).expect("a program is text");
            let header = header::parse(&source, &[MODE]).expect("it has a header");
            let holds = verdict.holds(&header).err();
            wrong.extend(holds.map(|why| format!("{}: {why}", path.display())));
            let mode = header.settings(&[MODE]);
            let mode = Mode::named(mode.get(&MODE)).expect("it is one of the values");
            let mut recorder = Recorder::counting();
            let checked = parse::program(&source).and_then(|program| {
                let text = print::program(&program);
                let again = parse::program(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"));
                assert!(same(&program, &again), "{text}");
                types::infer(&program, mode, &mut recorder)
            });
            let found = checked.as_ref().err().map(|refused| {
                // What typing refuses is counted there, with what led to it.
                if recorder.coverage().missing().len() == Coverage::new::<Rule>().missing().len() {
                    coverage.rejected(refused);
                }
                refused.rule.unwrap_or_default()
            });
            coverage.add(recorder.coverage());
            let said = header.rejects.as_ref();
            let said = said.map(|said| (&*said.rule, said.premise.as_deref().unwrap_or_default()));
            if found != said {
                let why = checked.err().map_or(String::new(), |refused| refused.message);
                wrong.push(format!("{}: {found:?}, and not {said:?}: {why}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let missing = coverage.missing();
    assert!(missing.is_empty(), "no program shows {missing:?} of {}", Rule::ROOM);
}

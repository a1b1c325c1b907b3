//! The facts of the corpus: each is as its source says, or names the reading by which it is not.

use crate::minias::facts::{self, Found};
use std::fs;
use std::path::Path;

#[test]
fn facts_are_as_their_sources_say_or_name_a_reading() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/minias/facts");
    let (mut wrong, mut passed, mut otherwise, mut no_programs) = (Vec::new(), 0, 0, 0);
    for file in fs::read_dir(folder).expect("there are facts") {
        let path = file.expect("it is listed").path();
        let text = fs::read_to_string(&path).expect("facts are text");
        let facts = facts::parse(&text).unwrap_or_else(|no| panic!("{}: {no:?}", path.display()));
        for fact in facts {
            match fact.judge() {
                Found::Passed => passed += 1,
                Found::Otherwise(_) => otherwise += 1,
                Found::NotExpressible => no_programs += 1,
                Found::Wrong(told) => wrong.push(format!("{}: {told}", fact.id)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((passed, otherwise, no_programs), (193, 12, 13));
}

#[test]
fn what_is_no_fact_is_refused() {
    let no = |text: &str| facts::parse(text).expect_err("it is refused");
    assert_eq!(no("A1").0, 1);
    assert_eq!(no("A1 Q infer: x").1, "there is no frame `Q`");
    assert_eq!(no("A1 F infer: x\n;\n;").0, 3);
    assert_eq!(no("A1 F infer: x\n;\ndecides reject").1, "expected `decides VERDICT by READING`");
    assert_eq!(no("A1 F infer: x\nsays accept").1, "the fact `A1` has no program");
    assert_eq!(no("A1 F infer: x\n;").1, "the fact `A1` does not say what its source says");
    let twice = "A1 F infer: x\n;\nsays accept\n\n".repeat(2);
    assert_eq!(no(&twice), (5, "there is a fact `A1` already".to_owned()));
    assert!(facts::parse("A1 - 000: x\nwhy it is no program").is_ok());
    let facts =
        facts::parse("A1 F infer: x\nint *a = g;\nsays infer a: {local}").expect("it is a fact");
    assert_eq!(
        facts[0].judge(),
        Found::Wrong("infer a: {global}, and not infer a: {local}".into())
    );
}

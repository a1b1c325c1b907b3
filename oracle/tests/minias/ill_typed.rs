//! Ill-typed programs are refused by the rule whose premise they break.

use oracle::generate::case_bytes;
use oracle::generate::minias::ill_typed::ill_typed;
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::minias::Minias;
use std::collections::BTreeSet;

#[test]
fn the_rule_that_is_broken_refuses() {
    let mut seen = BTreeSet::new();
    for index in 0..3_000 {
        let broken = ill_typed(&case_bytes(40, index));
        let text = Minias::print(&broken.program);
        let no = Minias::check(&broken.program, &mut Recorder::counting());
        let no = no.expect_err(&text);
        assert_eq!(no.rule, Some((broken.rule, broken.premise)), "{index}: {no:?}\n{text}");
        seen.insert((broken.rule, broken.premise));
    }
    assert_eq!(seen.len(), 17, "{seen:?}");
}

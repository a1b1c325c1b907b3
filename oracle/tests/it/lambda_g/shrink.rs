//! Drawn programs are made small, and what is shrunk has a type.

use super::shares::{drawn, run};
use oracle::generate::Made;
use oracle::language::{Artifact, Listed};
use oracle::shrink::{self, Effort};
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::kit::outcome::Ending;
use reference::lambda_g::LambdaG;
use reference::lambda_g::syntax::Program;

fn cause(program: &Program, input: &[reference::kit::outcome::Value]) -> Option<&'static str> {
    match run(program, input).ending {
        Ending::Stuck(stuck) => Some(stuck.site.cause.name()),
        _ => None,
    }
}

/// Of programs that get stuck little more is left than what gets stuck. A region of some words is full of what is put there
/// before, and at times no single step makes both smaller.
#[test]
fn programs_that_get_stuck_become_small() {
    let (mut shrunk, mut large) = (0, Vec::new());
    for index in 0..400 {
        let Made { program, input, .. } = drawn(42, index);
        let input = LambdaG::fit(&program, input).expect("the input fits");
        let Some(wanted) = cause(&program, &input) else { continue };
        let mut shows = |program: Artifact, input: &[_]| {
            let program = LambdaG::of(&program).expect("it is of the same language");
            let checked = LambdaG::check(program, &mut Recorder::counting());
            assert!(checked.is_ok(), "{checked:?}\n{}", LambdaG::print(program));
            cause(program, input) == Some(wanted)
        };
        let effort = Effort { tests: 1_500, ..Effort::default() };
        let whole = LambdaG::artifact(program);
        let small = shrink::artifact(&whole, &input, &mut shows, effort);
        let most = if wanted == "region_full" { 12 } else { 8 };
        let (left, text) = (shrink::statements(&small.program), small.program.print());
        let is_small = left <= most;
        assert!(is_small || wanted == "region_full", "{index}: {left} expressions:\n{text}");
        if !is_small {
            large.push(format!("{index}: {left} expressions:\n{text}"));
        }
        shrunk += 1;
    }
    assert!(shrunk > 20, "{shrunk}");
    assert!(20 * large.len() <= shrunk, "of {shrunk}: {}", large.join("\n"));
}

//! Programs that are drawn, without their annotations.

use super::shares::drawn;
use oracle::generate::Made;
use reference::kit::faults::Planted;
use reference::kit::language::Language;
use reference::kit::outcome::Budget;
use reference::lambda_g::{LambdaG, laws};

const BUDGET: Budget = Budget { fuel: 100_000, memory: 1 << 24 };

/// Inference finds what they leave out, and they do what they did.
#[test]
fn what_is_drawn_does_the_same_without_annotations() {
    let mut wrong = Vec::new();
    for index in 0..3_000 {
        let Made { program, input, .. } = drawn(42, index);
        let input = LambdaG::fit(&program, input).expect("the input fits");
        let held = laws::hold_without_annotations(&program, &input, &BUDGET, Planted::NONE);
        if let Err(broken) = held {
            wrong.push(format!("{index}: {broken:?}\n{}", LambdaG::print(&program)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

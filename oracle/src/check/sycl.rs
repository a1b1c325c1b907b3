//! MiniSYCL has one semantics, the MiniAS program that it is. Where all is looked at, that program is judged as one of its own:
//! in all orders, by both translations, and compiled with evidence.

use super::beside;
use super::judge::Judge;
use super::look::Look;
use super::tester::{Depth, Tester};
use super::verdict::Step;
use crate::engine::StageId;
use crate::language::Listed;
use reference::minias::Minias;
use reference::sycl::{Sycl, elaborated};

/// The pass that makes a MiniAS program.
const ELABORATE: StageId = StageId("elaborate");

impl Judge for Sycl {
    fn behind(tester: &mut Tester, look: &mut Look) -> Step {
        let Some(program) = Sycl::of(&look.case.program) else { return Ok(()) };
        match (look.depth, elaborated(program)) {
            (Depth::Whole, Ok(made)) => {
                beside::examine(tester, look, ELABORATE, Minias::artifact(made))
            }
            _ => Ok(()),
        }
    }
}

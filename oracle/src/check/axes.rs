//! A program over named axes is run as the FUN program that it means. Laws are applied to it, and what they make is
//! held against it. Its plan, in IMP or for work groups in the device language, is looked at on a route of its own.

use super::judge::Judge;
use super::laws;
use super::look::Look;
use super::tester::Tester;
use super::verdict::Step;
use crate::engine::Stage;
use crate::language::Listed;
use reference::axes::Axes;

impl Judge for Axes {
    fn source(tester: &mut Tester, look: &mut Look, stage: &Stage) -> Step {
        match Axes::of(&stage.artifact) {
            Some(program) => laws::check(tester, look, program),
            None => Ok(()),
        }
    }
}

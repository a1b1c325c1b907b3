//! Both sides of an instance, run.

use crate::generate::axes::Instance;
use reference::axes::syntax::{Program, Term};
use reference::axes::{meaning, types};
use reference::fun::Fun;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Value};

/// What a run of a side may use.
const BUDGET: Budget = Budget { fuel: 2_000_000, memory: 64 << 20 };

/// An instance whose sides are not equal.
#[derive(Clone, Debug, PartialEq)]
pub struct Refuted {
    /// The program with the left side.
    pub left: Program,
    /// The program with the right side.
    pub right: Program,
    /// Where the sides stand.
    pub position: Vec<usize>,
    /// The size of a tile; 0 for a law that takes none.
    pub parameter: u32,
    /// One value for each parameter.
    pub input: Vec<Value>,
    /// What is not equal.
    pub difference: Difference,
}

/// What of two programs is not equal.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// They end differently, each as it is told.
    Ends(String, String),
    /// The right side is no term.
    NoTerm(String),
}

/// Runs programs in the memory of earlier runs.
#[derive(Default)]
pub(super) struct Sides {
    memory: Memory,
    settings: Settings,
}

impl Sides {
    /// Is the instance, which is a term, refuted with this right side? `None` where a side has no
    /// answer.
    pub(super) fn differ(&mut self, instance: &Instance, right: Term) -> Option<Option<Refuted>> {
        let left = &instance.program;
        let term = left.term.replaced(&instance.position, right)?;
        let right = Program { params: left.params.clone(), term };
        let difference = match types::check(&right) {
            Err(wrong) => Some(Difference::NoTerm(wrong.message)),
            Ok(_) => {
                let one = self.end(left, &instance.input)?;
                let other = self.end(&right, &instance.input)?;
                let same = match (&one, &other) {
                    (Ending::Value(one), Ending::Value(other)) => one == other,
                    (Ending::Stuck(_), Ending::Stuck(_)) => true,
                    _ => false,
                };
                (!same).then(|| Difference::Ends(told(&one), told(&other)))
            }
        };
        Some(difference.map(|difference| Refuted {
            left: left.clone(),
            right,
            position: instance.position.clone(),
            parameter: instance.parameter,
            input: instance.input.clone(),
            difference,
        }))
    }

    /// How the FUN program that a program means ends: with values, or stuck. `None` for no answer.
    fn end(&mut self, program: &Program, input: &[Value]) -> Option<Ending> {
        let fun = meaning::program(program).ok()?;
        let input = Fun::fit(&fun, input.to_vec()).ok()?;
        let how = How {
            variant: Fun::VARIANTS[0].name,
            schedule: 0,
            budget: &BUDGET,
            settings: &self.settings,
            planted: Planted::NONE,
            memory: &mut self.memory,
        };
        let mut recorder = Recorder::counting();
        Fun::check(&fun, &mut recorder).ok()?;
        let ending = Fun::run(&fun, &input, how, &mut recorder).ending;
        matches!(ending, Ending::Value(_) | Ending::Stuck(_)).then_some(ending)
    }
}

/// What of two programs is not equal on an input; `None` if all is, or there is no answer.
pub fn difference(left: &Program, right: &Program, input: &[Value]) -> Option<Difference> {
    let instance = Instance {
        program: left.clone(),
        position: Vec::new(),
        parameter: 0,
        input: input.to_vec(),
    };
    let refuted = Sides::default().differ(&instance, right.term.clone())??;
    Some(refuted.difference)
}

fn told(ending: &Ending) -> String {
    match ending {
        Ending::Value(values) => {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        Ending::Stuck(stuck) => format!("stuck: {}", stuck.sentence()),
        Ending::Unknown(_) | Ending::Broken(_) => "no answer".to_owned(),
    }
}

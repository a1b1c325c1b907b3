//! What a run of the host consists of: values, the environment, and how a run ends early.

use super::machine::Halt;
use crate::device::scalar::{Cell, words};
use crate::device::syntax::Sc;
use crate::kit::names::Var;
use crate::kit::outcome::{Broken, Ending, Stuck, Why};

/// A host value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A scalar.
    Scalar(Sc, Cell),
    /// A block: type of the elements, address in words, length in elements. Address 0 is no
    /// block.
    Block(Sc, u32, u32),
}

impl Value {
    /// Appends the words that stand for it as an argument of a launch.
    pub fn argument(self, args: &mut Vec<u32>) {
        match self {
            Value::Scalar(sc, cell) => {
                args.extend(&words(sc, cell)[..sc.words() as usize]);
            }
            Value::Block(_, base, length) => args.extend([base, length]),
        }
    }
}

/// The environment: a slot for each variable of the program. Lookups are total, since the
/// program was validated.
#[derive(Clone, Debug)]
pub struct Env {
    slots: Vec<Option<Value>>,
}

impl Env {
    /// Nothing bound.
    pub fn new(variables: usize) -> Self {
        Self { slots: vec![None; variables] }
    }

    /// Binds or assigns a variable.
    pub fn bind(&mut self, var: Var, value: Value) {
        self.slots[var.slot()] = Some(value);
    }

    /// The value of a variable.
    ///
    /// # Panics
    /// If it is not bound.
    pub fn value(&self, var: Var) -> Value {
        self.slots[var.slot()].expect("validated: a variable is bound before it is used")
    }
}

/// Why a run of the host ends before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// No rule applies.
    Stuck(Stuck),
    /// The machine, or the budget.
    Halt(Halt),
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Stop::Halt(halt)
    }
}

impl From<Why> for Stop {
    fn from(why: Why) -> Self {
        Stop::Halt(Halt::Unknown(why))
    }
}

impl From<Broken> for Stop {
    fn from(broken: Broken) -> Self {
        Stop::Halt(Halt::Broken(broken))
    }
}

impl Stop {
    /// The ending of the run.
    pub fn ending(self) -> Ending {
        match self {
            Stop::Stuck(stuck) => match stuck.site.cause.gives_up() {
                Some(why) => Ending::Unknown(why),
                None => Ending::Stuck(stuck),
            },
            Stop::Halt(Halt::Unknown(why)) => Ending::Unknown(why),
            Stop::Halt(Halt::Broken(broken)) => Ending::Broken(broken),
        }
    }
}

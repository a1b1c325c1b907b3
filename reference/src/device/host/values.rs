//! What a run of the host consists of: values and the environment.

use super::machine::Halt;
use crate::device::scalar::{Cell, words};
use crate::device::syntax::{Element, Sc};
use crate::kit::names::Var;
use crate::kit::run::Stop;

/// A host value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A scalar.
    Scalar(Sc, Cell),
    /// A block: its elements, base in words of its region, length in elements. Base 0 is no block.
    Block(Element, u32, u32),
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

    /// Unbinds a variable that is no longer in scope.
    pub fn forget(&mut self, var: Var) {
        self.slots[var.slot()] = None;
    }

    /// The value of a variable, if it is bound.
    pub fn bound(&self, var: Var) -> Option<Value> {
        self.slots[var.slot()]
    }

    /// The value of a variable.
    ///
    /// # Panics
    /// If it is not bound.
    pub fn value(&self, var: Var) -> Value {
        self.slots[var.slot()].expect("validated: a variable is bound before it is used")
    }
}

impl From<Halt> for Box<Stop> {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Unknown(why) => why.into(),
            Halt::Broken(broken) => broken.into(),
        }
    }
}

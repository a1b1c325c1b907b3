//! The syntax of the toy language.

use crate::kit::names::{Names, Var};
use serde::{Deserialize, Serialize};

/// `param x … let y = s … in s`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Every name; each variable is bound at one place.
    pub names: Names,
    /// The parameters.
    pub params: Vec<Var>,
    /// The bindings.
    pub lets: Vec<(Var, Sum)>,
    /// The result.
    pub result: Sum,
}

/// `t + … + t`, at least one term; it wraps.
pub type Sum = Vec<Term>;

/// A term of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Term {
    /// A variable that is bound earlier.
    Var(Var),
    /// A number, not negative.
    Int(i32),
}

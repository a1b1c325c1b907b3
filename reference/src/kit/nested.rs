//! Types of nested values, and such values as words: how values that are neither scalars nor rectangular arrays lie in memory.
//!
//! | type | value | words |
//! |---|---|---|
//! | an int | `7` | itself |
//! | a bool | `true` | 1, and 0 for `false` |
//! | a pair | `(a, b)` | those of `a`, then those of `b` |
//! | a vector | an array if its elements are ints or bools, a list otherwise | its length, then those of its elements |
//! | a function | `<closure>` | none |

use super::outcome::{Cells, Scalar, Value};
use super::value::ScalarType;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The type of a nested value. Its text is as the device language writes it: `[(i32, bool)]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Nested {
    /// A 32-bit int.
    Int,
    /// A bool.
    Bool,
    /// Two values.
    Pair(Box<[Nested; 2]>),
    /// Any number of values.
    Vector(Box<Nested>),
    /// A function, of which only that it is one is seen.
    Function,
}

impl Nested {
    /// The fewest words of a value.
    pub fn least_words(&self) -> u64 {
        match self {
            Nested::Int | Nested::Bool | Nested::Vector(_) => 1,
            Nested::Pair(parts) => parts.iter().map(Nested::least_words).sum(),
            Nested::Function => 0,
        }
    }

    /// Is it a function, or has a value of it one in it?
    pub fn has_function(&self) -> bool {
        match self {
            Nested::Int | Nested::Bool => false,
            Nested::Pair(parts) => parts.iter().any(Nested::has_function),
            Nested::Vector(of) => of.has_function(),
            Nested::Function => true,
        }
    }

    /// How many types stand in one another.
    pub fn depth(&self) -> usize {
        match self {
            Nested::Int | Nested::Bool | Nested::Function => 1,
            Nested::Pair(parts) => 1 + parts.iter().map(Nested::depth).max().unwrap_or(0),
            Nested::Vector(of) => 1 + of.depth(),
        }
    }

    /// The type of the cells of an array of such values, if vectors of them are arrays.
    pub fn cells(&self) -> Option<ScalarType> {
        match self {
            Nested::Int => Some(ScalarType::I32),
            Nested::Bool => Some(ScalarType::Bool),
            Nested::Pair(_) | Nested::Vector(_) | Nested::Function => None,
        }
    }

    /// The vector of these values of the type.
    ///
    /// # Panics
    /// If one is of another type.
    pub fn vector(&self, values: Vec<Value>) -> Value {
        let Some(ty) = self.cells() else { return Value::List(values) };
        let mut cells = Cells::none(ty);
        for value in &values {
            let Value::Scalar(scalar) = value else { unreachable!("the elements are scalars") };
            cells.push(*scalar).unwrap_or_else(|_| unreachable!("the elements have one type"));
        }
        Value::Array { shape: vec![values.len()], cells }
    }
}

impl fmt::Display for Nested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Nested::Int => f.write_str("i32"),
            Nested::Bool => f.write_str("bool"),
            Nested::Pair(parts) => write!(f, "({}, {})", parts[0], parts[1]),
            Nested::Vector(of) => write!(f, "[{of}]"),
            Nested::Function => f.write_str("fn"),
        }
    }
}

/// The words of a value.
///
/// # Panics
/// If no nested type has it.
pub fn words(value: &Value) -> Vec<i32> {
    let mut words = Vec::new();
    write(value, &mut words);
    words
}

fn write(value: &Value, words: &mut Vec<i32>) {
    let scalar = |scalar| match scalar {
        Scalar::Bool(truth) => i32::from(truth),
        Scalar::I32(k) => k,
        other => unreachable!("{other:?} is of no nested type"),
    };
    match value {
        Value::Scalar(value) => words.push(scalar(*value)),
        Value::Array { cells, .. } => {
            words.push(cells.len() as i32);
            words.extend(cells.iter().map(scalar));
        }
        Value::List(parts) => {
            words.push(parts.len() as i32);
            parts.iter().for_each(|part| write(part, words));
        }
        Value::Tuple(parts) => parts.iter().for_each(|part| write(part, words)),
        Value::Opaque(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::value::parse_values;

    #[test]
    fn values_as_words() {
        let values = parse_values("7, (true, -1), [3, 4], {(1, {}), (2, {[true], []})}, <closure>");
        let words: Vec<Vec<i32>> = values.expect("they are values").iter().map(words).collect();
        let rows = vec![2, 1, 0, 2, 2, 1, 1, 0];
        assert_eq!(words, [vec![7], vec![1, -1], vec![2, 3, 4], rows, vec![]]);
    }

    #[test]
    fn types_have_fewest_words() {
        let vector = |of| Nested::Vector(Box::new(of));
        let pair = |a, b| Nested::Pair(Box::new([a, b]));
        let ty = pair(pair(Nested::Int, Nested::Function), vector(vector(Nested::Bool)));
        assert_eq!(ty.to_string(), "((i32, fn), [[bool]])");
        assert_eq!((ty.least_words(), ty.depth(), ty.has_function()), (2, 4, true));
        assert!(!vector(pair(Nested::Int, Nested::Bool)).has_function());
        assert_eq!(vector(Nested::Function).least_words(), 1);
    }
}

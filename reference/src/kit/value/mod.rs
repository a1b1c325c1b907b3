//! Values as a user writes them: inputs and results of programs.
//!
//! | value | text |
//! |---|---|
//! | bool, i32, f32 | `true`, `7`, `1.5`, `nan`, `-inf` |
//! | u32, i64, f64 | `7u32`, `7i64`, `1.5f64` |
//! | an array: rectangular, its cells of one type | `[[1, 2], [3, 4]]`, `[1.5f64]`, `[]`, `empty[0][3]`, `empty[0]f32` |
//! | a tuple | `(1, [2])`, `(1,)`, `()` |
//! | a list of any values, ragged ones too | `{[1], [2, 3]}`, `{(1, true)}`, `{}` |
//! | an opaque value, of which only the kind is seen | `<closure>` |
//!
//! A number has the type of its suffix; without one it is an i32, or an f32 if it has a point, an
//! exponent or no digits. What is printed is read back as the same value. A NaN is kept as a NaN,
//! without its payload.

mod agree;
mod text;

pub use agree::{Difference, Tolerance, agree, agree_all, same_elements};
pub use text::{index_of, parse_values};

use serde::{Deserialize, Serialize};
use std::fmt::{self, Debug, Display, Formatter};

/// A value. Its `Debug` form is its text too.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Value {
    /// `k`
    Scalar(Scalar),
    /// A rectangular array: there are as many `cells`, row-major, as the product of `shape`, which
    /// has at least one extent.
    Array {
        /// Extents, outermost first.
        shape: Vec<usize>,
        /// The elements, row-major.
        cells: Cells,
    },
    /// A fixed number of values of any types.
    Tuple(Vec<Value>),
    /// Any number of values, for example arrays of different lengths.
    List(Vec<Value>),
    /// A value that has no text, such as a closure or a pointer: what kind of value it is.
    Opaque(String),
}

/// An f32, by its bits; all NaN are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct F32(u32);

/// An f64, by its bits; all NaN are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct F64(u64);

impl F32 {
    /// The number.
    pub fn get(self) -> f32 {
        f32::from_bits(self.0)
    }
}

impl F64 {
    /// The number.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl From<f32> for F32 {
    fn from(x: f32) -> Self {
        Self(if x.is_nan() { f32::NAN } else { x }.to_bits())
    }
}

impl From<f64> for F64 {
    fn from(x: f64) -> Self {
        Self(if x.is_nan() { f64::NAN } else { x }.to_bits())
    }
}

/// The scalar types, each with its cells: what is written once for all of them.
macro_rules! scalars {
    ($($name:ident: $of:ty, $text:literal, $a:literal;)*) => {
        /// A scalar.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Scalar { $(#[doc = $text] $name($of)),* }

        /// The type of a scalar.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum ScalarType { $(#[doc = $text] $name),* }

        /// Elements of an array, all of one type.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Cells { $(#[doc = $text] $name(Vec<$of>)),* }

        impl ScalarType {
            /// All of them.
            pub const ALL: &'static [ScalarType] = &[$(ScalarType::$name),*];

            /// Its name, which is the suffix of its numbers.
            pub fn name(self) -> &'static str {
                match self { $(ScalarType::$name => $text),* }
            }

            /// With an article: `an int`.
            pub fn described(self) -> &'static str {
                match self { $(ScalarType::$name => $a),* }
            }
        }

        impl Scalar {
            /// Its type.
            pub fn ty(self) -> ScalarType {
                match self { $(Scalar::$name(_) => ScalarType::$name),* }
            }
        }

        impl Cells {
            /// No cells of this type.
            pub fn none(ty: ScalarType) -> Self {
                match ty { $(ScalarType::$name => Cells::$name(Vec::new())),* }
            }

            /// Their type.
            pub fn ty(&self) -> ScalarType {
                match self { $(Cells::$name(_) => ScalarType::$name),* }
            }

            /// How many there are.
            pub fn len(&self) -> usize {
                match self { $(Cells::$name(cells) => cells.len()),* }
            }

            /// The cell at `at`, counted from 0.
            pub fn get(&self, at: usize) -> Option<Scalar> {
                match self { $(Cells::$name(cells) => cells.get(at).copied().map(Scalar::$name)),* }
            }

            /// One more cell.
            ///
            /// # Errors
            /// The scalar, if it is of another type.
            pub fn push(&mut self, cell: Scalar) -> Result<(), Scalar> {
                match (self, cell) {
                    $((Cells::$name(cells), Scalar::$name(cell)) => cells.push(cell),)*
                    (_, cell) => return Err(cell),
                }
                Ok(())
            }
        }

        $(
            impl From<Vec<$of>> for Cells {
                fn from(cells: Vec<$of>) -> Self {
                    Cells::$name(cells)
                }
            }

            impl From<$of> for Scalar {
                fn from(scalar: $of) -> Self {
                    Scalar::$name(scalar)
                }
            }

            impl From<$of> for Value {
                fn from(scalar: $of) -> Self {
                    Value::Scalar(Scalar::$name(scalar))
                }
            }
        )*
    };
}

scalars! {
    Bool: bool, "bool", "a bool";
    I32: i32, "i32", "an int";
    U32: u32, "u32", "a u32";
    I64: i64, "i64", "an i64";
    F32: F32, "f32", "an f32";
    F64: F64, "f64", "an f64";
}

impl Cells {
    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cells, in order.
    pub fn iter(&self) -> impl Iterator<Item = Scalar> + '_ {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// The cells, each changed to one of the same type.
    ///
    /// # Panics
    /// If `change` changes the type.
    #[must_use]
    pub fn map(&self, mut change: impl FnMut(usize, Scalar) -> Scalar) -> Self {
        let mut changed = Self::none(self.ty());
        for (at, cell) in self.iter().enumerate() {
            changed.push(change(at, cell)).expect("a cell keeps its type");
        }
        changed
    }
}

impl Scalar {
    /// The number `k` as a scalar of type `ty`: as a bool, whether it is not 0; as a u32, modulo
    /// 2³²; as an f32, the nearest one.
    pub fn of(ty: ScalarType, k: i32) -> Self {
        match ty {
            ScalarType::Bool => Scalar::Bool(k != 0),
            ScalarType::I32 => Scalar::I32(k),
            ScalarType::U32 => Scalar::U32(k as u32),
            ScalarType::I64 => Scalar::I64(k.into()),
            ScalarType::F32 => Scalar::F32((k as f32).into()),
            ScalarType::F64 => Scalar::F64(f64::from(k).into()),
        }
    }
}

impl Debug for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl Value {
    /// An array of ints. `data` is row-major and as long as the product of `shape`.
    pub fn ints(shape: Vec<usize>, data: Vec<i32>) -> Self {
        Value::Array { shape, cells: Cells::I32(data) }
    }

    /// The number, if it is an i32.
    pub fn as_int(&self) -> Option<i32> {
        match self {
            Value::Scalar(Scalar::I32(k)) => Some(*k),
            _ => None,
        }
    }

    /// The elements, row-major, if it is an array of i32.
    pub fn as_ints(&self) -> Option<&[i32]> {
        match self {
            Value::Array { cells: Cells::I32(data), .. } => Some(data),
            _ => None,
        }
    }

    /// What it is, with an article, for messages: `an int`, `an array of f32`.
    pub fn described(&self) -> String {
        match self {
            Value::Scalar(scalar) => scalar.ty().described().to_owned(),
            Value::Array { cells: Cells::I32(_), .. } => "an array".to_owned(),
            Value::Array { cells, .. } => format!("an array of {}", cells.ty().name()),
            Value::Tuple(_) => "a tuple".to_owned(),
            Value::List(_) => "a list".to_owned(),
            Value::Opaque(kind) => format!("a {kind}"),
        }
    }

    /// All scalars in it, in the order of its text.
    pub fn scalars(&self) -> Vec<Scalar> {
        match self {
            Value::Scalar(scalar) => vec![*scalar],
            Value::Array { cells, .. } => cells.iter().collect(),
            Value::Tuple(parts) | Value::List(parts) => {
                parts.iter().flat_map(Value::scalars).collect()
            }
            Value::Opaque(_) => Vec::new(),
        }
    }
}

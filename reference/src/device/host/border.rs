//! The border of a program: the values that a user gives and is shown, and the scalars that they are in the
//! program.
//!
//! Each type is the one of its name, but a bool is an i32 in the program ([`Sc::inside`]): `true` is given as 1
//! and `false` as 0, and what is not 0 is shown as `true`. An f64 that is given
//! for an f32 is rounded ([`fit`](crate::kit::fit::fit)).

use crate::device::scalar::{Cell, double, float, from_words, literal, words};
use crate::device::syntax::{Lit, Sc, Wide};
use crate::kit::value::{Cells, Scalar, ScalarType};

/// The type that values of `sc` have for a user.
pub fn scalar_type(sc: Sc) -> ScalarType {
    match sc {
        Sc::Bool => ScalarType::Bool,
        Sc::I32 => ScalarType::I32,
        Sc::U32 => ScalarType::U32,
        Sc::I64 => ScalarType::I64,
        Sc::F32 => ScalarType::F32,
        Sc::F64 => ScalarType::F64,
    }
}

/// What a scalar that a user gives is in the program.
pub fn given(scalar: Scalar) -> Lit {
    match scalar {
        Scalar::Bool(truth) => Lit::I32(truth.into()),
        Scalar::I32(k) => Lit::I32(k),
        Scalar::U32(k) => Lit::U32(k),
        Scalar::I64(k) => Lit::I64(Wide(k)),
        Scalar::F32(x) => Lit::F32(x.get().to_bits()),
        Scalar::F64(x) => Lit::F64(Wide(x.get().to_bits() as i64)),
    }
}

/// What a user is shown of a scalar of type `sc` at the border.
pub fn shown(sc: Sc, cell: Cell) -> Scalar {
    match sc {
        Sc::Bool => Scalar::Bool(cell != 0),
        Sc::I32 => Scalar::I32(cell as i32),
        Sc::U32 => Scalar::U32(cell as u32),
        Sc::I64 => Scalar::I64(cell as i64),
        Sc::F32 => Scalar::F32(float(cell).into()),
        Sc::F64 => Scalar::F64(double(cell).into()),
    }
}

/// The words of a block that holds these elements.
pub(super) fn given_words(cells: &Cells) -> Vec<u32> {
    if let Cells::I32(data) = cells {
        return data.iter().map(|k| *k as u32).collect();
    }
    let one = |scalar| {
        let lit = given(scalar);
        let sc = lit.sc();
        words(sc, literal(lit)).into_iter().take(sc.words() as usize)
    };
    cells.iter().flat_map(one).collect()
}

/// What a user is shown of the element `at` of a block with these words, as one of type `sc` at the border.
pub(super) fn shown_element(sc: Sc, words: &[u32], at: usize) -> Scalar {
    let stored = sc.inside();
    let first = at * stored.words() as usize;
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    shown(sc, from_words(stored, word(first), word(first + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::value::parse_values;

    /// What is given is shown again, bit by bit.
    #[test]
    fn values_come_back() {
        let text =
            "true, false, -7, 4294967295u32, -9223372036854775808i64, 1.5, -0.0, 1e-45, nan, inf";
        for value in parse_values(text).expect("they are values") {
            let scalar = value.scalars()[0];
            let lit = given(scalar);
            let sc = match scalar.ty() {
                ScalarType::Bool => Sc::Bool,
                _ => lit.sc(),
            };
            assert_eq!(lit.sc(), sc.inside());
            assert_eq!(scalar_type(sc), scalar.ty());
            assert_eq!(shown(sc, literal(lit)), scalar);
            let mut cells = Cells::none(scalar.ty());
            for cell in [Scalar::of(scalar.ty(), 1), scalar] {
                cells.push(cell).expect("they are of one type");
            }
            assert_eq!(shown_element(sc, &given_words(&cells), 1), scalar);
        }
        assert_eq!(shown(Sc::Bool, 2), Scalar::Bool(true));
    }
}

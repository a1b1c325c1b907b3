//! When two values agree.

use super::text::index_of;
use super::{Cells, F64, Scalar, ScalarType, Value};
use serde::{Deserialize, Serialize};

/// How far the floats of a result may be from what the semantics say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Which result, from 0.
    pub result: usize,
    /// For each scalar of the result, in the order of its text, the largest difference that still
    /// agrees; it is not looked at where the scalar is no float.
    pub bounds: Vec<F64>,
}

/// Where two values do not agree, and how: `is 7 instead of 6`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference(pub String);

/// Do the values agree? Integers, bools and opaque values by equality; floats, be they f32 or f64, if both are NaN, if
/// they are equal, so that zeros of either sign agree, or if they are no further apart than the
/// bound beside the scalar ([`Tolerance::bounds`]).
///
/// # Errors
/// The first place where they differ.
pub fn agree(expected: &Value, found: &Value, bounds: &[F64]) -> Result<(), Difference> {
    if expected == found {
        return Ok(());
    }
    let mut comparison = Comparison { bounds, scalars: 0 };
    comparison.values(expected, found).map_err(Difference)
}

/// Do all results of two runs agree, each within the wider of the bounds that the runs give for it?
///
/// # Errors
/// The first result that differs, and how.
pub fn agree_all(
    expected: &[Value],
    found: &[Value],
    tolerances: [&[Tolerance]; 2],
) -> Result<(), Difference> {
    if expected.len() != found.len() {
        let (have, want) = (found.len(), expected.len());
        return Err(Difference(format!("{have} results instead of {want}")));
    }
    for (number, (expected, found)) in expected.iter().zip(found).enumerate() {
        let mut bounds: Vec<F64> = Vec::new();
        let given = tolerances.into_iter().flatten();
        for Tolerance { bounds: given, .. } in given.filter(|given| given.result == number) {
            bounds.resize(bounds.len().max(given.len()), 0.0.into());
            for (bound, given) in bounds.iter_mut().zip(given) {
                *bound = bound.get().max(given.get()).into();
            }
        }
        agree(expected, found, &bounds)
            .map_err(|Difference(how)| Difference(format!("result {} {how}", number + 1)))?;
    }
    Ok(())
}

/// Are both arrays of one shape with the same outermost elements, each as often, in whatever order? An element is a
/// scalar of an array of rank 1, and a row of a matrix. Zeros of either sign are the same.
pub fn same_elements(a: &Value, b: &Value) -> bool {
    let (Value::Array { shape, cells: a }, Value::Array { shape: other, cells: b }) = (a, b) else {
        return false;
    };
    if shape != other || a.ty() != b.ty() {
        return false;
    }
    let row = shape[1..].iter().product::<usize>().max(1);
    sorted(a, row) == sorted(b, row)
}

/// The rows of so many cells, by the texts of their cells, in one order for all arrays of these rows.
fn sorted(cells: &Cells, row: usize) -> Vec<Vec<String>> {
    let text = |cell: Scalar| match cell {
        Scalar::F32(zero) if zero.get() == 0.0 => "0.0".to_owned(),
        Scalar::F64(zero) if zero.get() == 0.0 => "0.0f64".to_owned(),
        cell => Value::Scalar(cell).to_string(),
    };
    let texts: Vec<String> = cells.iter().map(text).collect();
    let mut rows: Vec<Vec<String>> = texts.chunks(row).map(<[String]>::to_vec).collect();
    rows.sort_unstable();
    rows
}

/// May scalars of these types agree? Floats may, for a device may compute in f32 what the semantics compute in f64.
fn compare(a: ScalarType, b: ScalarType) -> bool {
    let is_float = |ty| matches!(ty, ScalarType::F32 | ScalarType::F64);
    a == b || is_float(a) && is_float(b)
}

struct Comparison<'b> {
    bounds: &'b [F64],
    /// How many scalars were compared.
    scalars: usize,
}

impl Comparison<'_> {
    fn values(&mut self, expected: &Value, found: &Value) -> Result<(), String> {
        match (expected, found) {
            (Value::Scalar(a), Value::Scalar(b)) if compare(a.ty(), b.ty()) => {
                if self.scalar(*a, *b) {
                    Ok(())
                } else {
                    Err(format!("is {found} instead of {expected}"))
                }
            }
            (Value::Array { shape: wanted, cells: a }, Value::Array { shape, cells: b })
                if compare(a.ty(), b.ty()) =>
            {
                if wanted != shape {
                    return Err(format!("has the extents {shape:?} instead of {wanted:?}"));
                }
                self.cells(shape, a, b)
            }
            (Value::Tuple(a), Value::Tuple(b)) | (Value::List(a), Value::List(b)) => {
                if a.len() != b.len() {
                    return Err(format!("has {} parts instead of {}", b.len(), a.len()));
                }
                for (number, (a, b)) in a.iter().zip(b).enumerate() {
                    let number = number + 1;
                    self.values(a, b).map_err(|how| format!("{how}, in part {number}"))?;
                }
                Ok(())
            }
            (Value::Opaque(a), Value::Opaque(b)) if a == b => Ok(()),
            _ => Err("is of another type".to_owned()),
        }
    }

    fn cells(&mut self, shape: &[usize], a: &Cells, b: &Cells) -> Result<(), String> {
        for (at, (a, b)) in a.iter().zip(b.iter()).enumerate() {
            if !self.scalar(a, b) {
                let (a, b) = (Value::Scalar(a), Value::Scalar(b));
                return Err(format!("has {b} instead of {a} at {:?}", index_of(at, shape)));
            }
        }
        Ok(())
    }

    fn scalar(&mut self, a: Scalar, b: Scalar) -> bool {
        let bound = self.bounds.get(self.scalars).map_or(0.0, |bound| bound.get());
        self.scalars += 1;
        let near = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= bound;
        match (a, b) {
            (Scalar::F32(a), Scalar::F32(b)) => near(a.get().into(), b.get().into()),
            (Scalar::F64(a), Scalar::F64(b)) => near(a.get(), b.get()),
            (Scalar::F64(a), Scalar::F32(b)) => near(a.get(), b.get().into()),
            (Scalar::F32(a), Scalar::F64(b)) => near(a.get().into(), b.get()),
            _ => a == b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::value::parse_values;

    fn how(expected: &str, found: &str, bounds: &[f64]) -> Option<String> {
        let value = |text| parse_values(text).expect("it parses").remove(0);
        let bounds: Vec<F64> = bounds.iter().copied().map(F64::from).collect();
        agree(&value(expected), &value(found), &bounds).err().map(|difference| difference.0)
    }

    #[test]
    fn floats_agree_by_value_and_within_bounds() {
        assert_eq!(how("0.0", "-0.0", &[]), None);
        assert_eq!(how("[nan, -inf]", "[nan, -inf]", &[]), None);
        assert_eq!(how("1.0", "1.5", &[0.5]), None);
        assert_eq!(how("1.0", "1.5", &[0.25]).as_deref(), Some("is 1.5 instead of 1.0"));
        assert_eq!(how("nan", "1.0", &[1e9]).as_deref(), Some("is 1.0 instead of nan"));
        assert_eq!(how("inf", "1.0", &[1e9]).as_deref(), Some("is 1.0 instead of inf"));
        assert_eq!(how("(7, [1.0, 2.0])", "(7, [1.0, 2.5])", &[0.0, 0.0, 0.5]), None);
    }

    #[test]
    fn the_wider_bound_of_two_runs_counts() {
        let values = |text| parse_values(text).expect("it parses");
        let (a, b) = (values("1.0, [2.0, 3.0]"), values("1.0, [2.5, 3.5]"));
        let tolerance = |bounds: [f64; 2]| Tolerance {
            result: 1,
            bounds: bounds.into_iter().map(F64::from).collect(),
        };
        let (left, right) = ([tolerance([0.5, 0.0])], [tolerance([0.0, 0.5])]);
        assert_eq!(agree_all(&a, &b, [&left, &right]), Ok(()));
        let how = agree_all(&a, &b, [&left, &[]]).expect_err("the second bound is 0").0;
        assert_eq!(how, "result 2 has 3.5 instead of 3.0 at [2]");
        let how = agree_all(&a, &b[..1], [&[], &[]]).expect_err("one is missing").0;
        assert_eq!(how, "1 results instead of 2");
    }

    #[test]
    fn rows_stay_whole_in_whatever_order() {
        let same = |a: &str, b: &str| {
            let value = |text| parse_values(text).expect("it parses").remove(0);
            same_elements(&value(a), &value(b))
        };
        assert!(same("[1, 2, 2]", "[2, 1, 2]"));
        assert!(!same("[1, 2, 2]", "[2, 1, 1]"));
        assert!(!same("[1, 2]", "[1, 2, 2]"));
        assert!(!same("[1, 2]", "[1u32, 2u32]"));
        assert!(same("[[1, 2], [3, 4]]", "[[3, 4], [1, 2]]"));
        assert!(!same("[[1, 2], [3, 4]]", "[[1, 4], [3, 2]]"));
        assert!(same("[0.0, 1.5]", "[1.5, -0.0]"));
        assert!(same("empty[0]", "empty[0]"));
        assert!(!same("7", "7"));
    }

    #[test]
    fn all_else_agrees_by_equality() {
        assert_eq!(how("7", "8", &[9.0]).as_deref(), Some("is 8 instead of 7"));
        assert_eq!(how("7", "7u32", &[]).as_deref(), Some("is of another type"));
        assert_eq!(how("[1]", "[1i64]", &[]).as_deref(), Some("is of another type"));
        assert_eq!(how("true", "false", &[]).as_deref(), Some("is false instead of true"));
        assert_eq!(how("<closure>", "<pointer>", &[]).as_deref(), Some("is of another type"));
        assert_eq!(
            how("[[1, 2], [3, 4]]", "[[1, 2], [3, 5]]", &[]).as_deref(),
            Some("has 5 instead of 4 at [2, 2]")
        );
        assert_eq!(
            how("{[1], [2, 3]}", "{[1], [2]}", &[]).as_deref(),
            Some("has the extents [1] instead of [2], in part 2")
        );
    }
}

//! Values are read back as they are printed, and what is no value is refused with its place.

use super::*;
use expect_test::{Expect, expect};

/// The values of `text` and their text.
fn check(text: &str, expected: Expect) {
    let shown = match parse_values(text) {
        Ok(values) => {
            let texts: Vec<String> = values.iter().map(Value::to_string).collect();
            let text = texts.join(", ");
            assert_eq!(parse_values(&text).as_ref(), Ok(&values));
            text
        }
        Err(error) => {
            let at = (error.span.start, error.span.end);
            format!("{} at {at:?}: {}", error.message, error.label)
        }
    };
    expected.assert_eq(&shown);
}

#[test]
fn values() {
    check("", expect![""]);
    check(" 2,3 , [[7, -4, 9],\n[1, 0, 5]]", expect!["2, 3, [[7, -4, 9], [1, 0, 5]]"]);
    check("-2147483648, 2147483647", expect!["-2147483648, 2147483647"]);
    check(
        "[], empty[0], [[]], [[], []], empty[0][3], empty[2][0][3]",
        expect!["[], [], empty[1][0], empty[2][0], empty[0][3], empty[2][0][3]"],
    );
    check("[[[1]], [[2]]]", expect!["[[[1]], [[2]]]"]);
}

#[test]
fn values_of_every_type() {
    check("true, false,[true, false]", expect!["true, false, [true, false]"]);
    check("7u32, -7i64, 4294967295u32", expect!["7u32, -7i64, 4294967295u32"]);
    check("1.5, -0.0, 1e30, nan, -inf, 2f32", expect!["1.5, -0.0, 1e30, nan, -inf, 2.0"]);
    check("1.5f64, 1f64, nanf64, -inff64", expect!["1.5f64, 1.0f64, nanf64, -inff64"]);
    check("[[1.5], [2.0]], empty[0]f32", expect!["[[1.5], [2.0]], empty[0]f32"]);
    check("(1, [2]), (1,), (), ((1, 2), true)", expect!["(1, [2]), (1,), (), ((1, 2), true)"]);
    check("{[1], [2, 3]}, {}, {(1, 1.5)}", expect!["{[1], [2, 3]}, {}, {(1, 1.5)}"]);
    check("<closure>, {<pointer>}", expect!["<closure>, {<pointer>}"]);
}

#[test]
fn what_is_no_value_of_its_type() {
    check("4294967296u32", expect!["a number out of range at (0, 13): does not fit"]);
    check("-1u32", expect!["a number out of range at (0, 5): does not fit"]);
    check("1.5u32", expect!["`1.5u32` is no value at (0, 6): neither a number nor a word"]);
    check("truth", expect!["`truth` is no value at (0, 5): neither a number nor a word"]);
    check("1.5.2", expect!["`1.5.2` is no value at (0, 5): neither a number nor a word"]);
    check("1bool", expect!["`1bool` is no value at (0, 5): neither a number nor a word"]);
    check(
        "[1, 2.5]",
        expect!["the elements of this array differ in type at (4, 7): an f32 behind an int"],
    );
    check("(1)", expect!["a tuple of one value wants a comma at (0, 3): like (1,)"]);
    check("(1 2)", expect!["`2` is not expected in a value at (3, 4): expected `,` or `)`"]);
    check("{1", expect!["a value ends too early at (2, 2): expected `,` or `}`"]);
    check("<", expect!["a value ends too early at (1, 1): expected a kind of value"]);
    check(
        &"(".repeat(200_000),
        expect!["more than 256 values in one another at (256, 257): one too many"],
    );
}

#[test]
fn what_is_no_value() {
    check("2147483648", expect!["a number out of range at (0, 10): does not fit"]);
    check("[1, 2", expect!["a value ends too early at (5, 5): expected `,` or `]`"]);
    check("[1, ]", expect!["`]` is not expected in a value at (4, 5): expected a number or `[`"]);
    check("[1]]", expect!["`]` is not expected in a value at (3, 4): expected a comma or the end"]);
    check("1 2", expect!["`2` is not expected in a value at (2, 3): expected a comma or the end"]);
    check("1,", expect!["a value ends too early at (2, 2): expected a number or `[`"]);
    check("-", expect!["a value ends too early at (1, 1): expected a number"]);
    check(
        "[[1, 2], [3]]",
        expect!["the rows of this array differ in length at (9, 12): not like the first row"],
    );
    check(
        "[[1], 2]",
        expect!["the rows of this array differ in length at (6, 7): not like the first row"],
    );
    check(
        "[[], 2]",
        expect!["the rows of this array differ in length at (5, 6): not like the first row"],
    );
    check("empty[1]", expect!["an `empty` array with elements at (0, 8): no extent is 0"]);
    check("empty", expect!["an `empty` array with elements at (0, 5): no extent is 0"]);
    check("empty[-1][0]", expect!["a negative extent at (6, 8): less than 0"]);
    check("empty[99999999999]", expect!["a number out of range at (6, 17): does not fit"]);
    check(
        "elephant",
        expect!["`e` is not expected in a value at (0, 1): expected a number, `[` or `empty`"],
    );
    check("é", expect!["`é` is not expected in a value at (0, 2): expected a number or `[`"]);
    check(
        &"[".repeat(200_000),
        expect!["an array of more than 16 dimensions at (16, 17): one too many"],
    );
    check(
        &"[0], ".repeat(3),
        expect!["a value ends too early at (15, 15): expected a number or `[`"],
    );
}

/// Any value, of parts that are at most so deep.
fn any(g: &mut quickcheck::Gen, depth: u32) -> Value {
    use quickcheck::Arbitrary;
    fn array<T: Arbitrary, C>(g: &mut quickcheck::Gen, cell: fn(T) -> C) -> Value
    where
        Cells: From<Vec<C>>,
    {
        let shape: Vec<usize> =
            (0..1 + u8::arbitrary(g) % 3).map(|_| usize::arbitrary(g) % 4).collect();
        let count: usize = shape.iter().product();
        let cells: Vec<C> = (0..count).map(|_| cell(T::arbitrary(g))).collect();
        Value::Array { shape, cells: cells.into() }
    }
    let parts = |g: &mut quickcheck::Gen| -> Vec<Value> {
        (0..u8::arbitrary(g) % 4).map(|_| any(g, depth - 1)).collect()
    };
    match u8::arbitrary(g) % if depth == 0 { 12 } else { 14 } {
        0 => bool::arbitrary(g).into(),
        1 => i32::arbitrary(g).into(),
        2 => u32::arbitrary(g).into(),
        3 => i64::arbitrary(g).into(),
        4 => crate::kit::value::F32::from(f32::from_bits(u32::arbitrary(g))).into(),
        5 => crate::kit::value::F64::from(f64::from_bits(u64::arbitrary(g))).into(),
        6 => array(g, |cell: bool| cell),
        7 => array(g, |cell: i32| cell),
        8 => array(g, |cell: u32| cell),
        9 => array(g, |cell: f32| crate::kit::value::F32::from(cell)),
        10 => array(g, |cell: f64| crate::kit::value::F64::from(cell)),
        11 => Value::Opaque("closure".to_owned()),
        12 => Value::Tuple(parts(g)),
        _ => Value::List(parts(g)),
    }
}

#[test]
fn what_is_printed_is_read_back() {
    #[derive(Clone, Debug)]
    struct Any(Value);
    impl quickcheck::Arbitrary for Any {
        fn arbitrary(g: &mut quickcheck::Gen) -> Self {
            Any(any(g, 3))
        }
    }
    fn property(Any(value): Any) -> bool {
        parse_values(&value.to_string()) == Ok(vec![value])
    }
    quickcheck::QuickCheck::new().tests(5000).quickcheck(property as fn(Any) -> bool);
}

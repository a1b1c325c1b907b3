//! The text of values, both ways: `7`, `[[1, 2], [3, 4]]`, `[]`, and `empty[0][3]` for an array
//! without elements whose shape brackets would not show.

use super::lex::out_of_range;
use super::outcome::Value;
use super::text::{Limit, MAX_RANK, Rejected, Span};
use std::fmt::{self, Display, Formatter};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(k) => write!(f, "{k}"),
            Value::Array { shape, .. } if shape.as_slice() == [0] => f.write_str("[]"),
            Value::Array { shape, data } if data.is_empty() => {
                f.write_str("empty")?;
                shape.iter().try_for_each(|extent| write!(f, "[{extent}]"))
            }
            Value::Array { shape, data } => rows(f, shape, data),
        }
    }
}

fn rows(f: &mut Formatter<'_>, shape: &[usize], data: &[i32]) -> fmt::Result {
    let Some((_, inner)) = shape.split_first() else { return write!(f, "{}", data[0]) };
    let size = inner.iter().product();
    f.write_str("[")?;
    for (nth, row) in data.chunks(size).enumerate() {
        if nth > 0 {
            f.write_str(", ")?;
        }
        rows(f, inner, row)?;
    }
    f.write_str("]")
}

/// The index, from 1 in each dimension, of the element that stands at `at` in row-major order.
///
/// # Panics
/// If an extent is 0: such an array has no element.
pub fn index_of(mut at: usize, shape: &[usize]) -> Vec<usize> {
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&extent| {
            let here = at % extent + 1;
            at /= extent;
            here
        })
        .collect();
    index.reverse();
    index
}

/// The values, with commas between them, that `text` writes; none for an empty text.
///
/// # Errors
/// What is no value, a number out of range, and an array whose rows differ. The span counts from
/// the start of `text`.
pub fn parse_values(text: &str) -> Result<Vec<Value>, Rejected> {
    let mut reader = Reader { text, at: 0 };
    let mut values = Vec::new();
    if reader.peek().is_none() {
        return Ok(values);
    }
    loop {
        values.push(reader.value()?);
        match reader.peek() {
            None => return Ok(values),
            Some(_) => reader.take(b',', "a comma or the end")?,
        }
    }
}

struct Reader<'s> {
    text: &'s str,
    at: usize,
}

/// An array that is being read: shape of the rows so far, and how many there are.
struct Open {
    start: usize,
    row: Option<Vec<usize>>,
    rows: usize,
}

impl Reader<'_> {
    /// The next byte that is not white.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8, wanted: &str) -> Result<(), Rejected> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.expected(wanted))
    }

    fn expected(&self, wanted: &str) -> Rejected {
        let next = self.text.get(self.at..).and_then(|rest| rest.chars().next());
        let end = self.at + next.map_or(0, char::len_utf8);
        let message = match next {
            Some(c) => format!("`{c}` is not expected in a value"),
            None => "a value ends too early".to_owned(),
        };
        Rejected::new(Span::new(self.at, end), message, format!("expected {wanted}"))
            .help("values look like 7, [1, 2], [[1, 2], [3, 4]], [] and empty[0][3]")
    }

    /// One value. Arrays are read without recursion.
    fn value(&mut self) -> Result<Value, Rejected> {
        if self.peek() == Some(b'e') {
            return self.empty();
        }
        let mut open: Vec<Open> = Vec::new();
        let mut data = Vec::new();
        loop {
            // A value starts here, or an array ends before its first row.
            match self.peek() {
                Some(b'[') => {
                    if open.len() == MAX_RANK {
                        let message = format!("an array of more than {MAX_RANK} dimensions");
                        let span = Span::new(self.at, self.at + 1);
                        return Err(Rejected::new(span, message, "one too many")
                            .by_limit(Limit::Dimensions));
                    }
                    open.push(Open { start: self.at, row: None, rows: 0 });
                    self.at += 1;
                    if self.peek() != Some(b']') {
                        continue;
                    }
                }
                Some(b'-' | b'0'..=b'9') => {
                    let start = self.at;
                    let k = self.int()?;
                    let Some(array) = open.last_mut() else { return Ok(Value::Int(k)) };
                    data.push(k);
                    array.row(Vec::new(), Span::new(start, self.at))?;
                }
                _ => return Err(self.expected("a number or `[`")),
            }
            // A row ended; arrays may end with it.
            loop {
                match self.peek() {
                    Some(b']') => {
                        self.at += 1;
                        let array = open.pop().expect("only an open array gets here");
                        let span = Span::new(array.start, self.at);
                        let mut shape = vec![array.rows];
                        shape.extend(array.row.unwrap_or_default());
                        match open.last_mut() {
                            Some(outer) => outer.row(shape, span)?,
                            None => return Ok(Value::Array { shape, data }),
                        }
                    }
                    Some(b',') => {
                        self.at += 1;
                        break;
                    }
                    _ => return Err(self.expected("`,` or `]`")),
                }
            }
        }
    }

    fn int(&mut self) -> Result<i32, Rejected> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += usize::from(bytes.get(self.at) == Some(&b'-'));
        let digits = self.at;
        while bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == digits {
            return Err(self.expected("a number"));
        }
        self.text[start..self.at]
            .parse()
            .map_err(|_| out_of_range(Span::new(start, self.at), 1 << 31))
    }

    /// `empty[0][3]`
    fn empty(&mut self) -> Result<Value, Rejected> {
        let start = self.at;
        if !self.text[self.at..].starts_with("empty") {
            return Err(self.expected("a number, `[` or `empty`"));
        }
        self.at += "empty".len();
        let mut shape = Vec::new();
        while self.peek() == Some(b'[') {
            self.at += 1;
            self.peek();
            let number = self.at;
            let extent = self.int()?;
            let span = Span::new(number, self.at);
            let Ok(extent) = usize::try_from(extent) else {
                return Err(Rejected::new(span, "a negative extent", "less than 0"));
            };
            shape.push(extent);
            self.take(b']', "`]`")?;
        }
        let span = Span::new(start, self.at);
        if !shape.contains(&0) {
            return Err(Rejected::new(span, "an `empty` array with elements", "no extent is 0")
                .help("one extent of `empty[0][3]` must be 0"));
        }
        if shape.len() > MAX_RANK {
            let message = format!("an array of more than {MAX_RANK} dimensions");
            return Err(Rejected::new(span, message, "too many").by_limit(Limit::Dimensions));
        }
        Ok(Value::Array { shape, data: Vec::new() })
    }
}

impl Open {
    /// One more row, of shape `row`.
    fn row(&mut self, row: Vec<usize>, span: Span) -> Result<(), Rejected> {
        self.rows += 1;
        match &self.row {
            Some(first) if *first != row => {
                let message = "the rows of this array differ in length";
                Err(Rejected::new(span, message, "not like the first row"))
            }
            Some(_) => Ok(()),
            None => {
                self.row = Some(row);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
    fn what_is_no_value() {
        check("2147483648", expect!["a number out of range at (0, 10): does not fit"]);
        check("[1, 2", expect!["a value ends too early at (5, 5): expected `,` or `]`"]);
        check(
            "[1, ]",
            expect!["`]` is not expected in a value at (4, 5): expected a number or `[`"],
        );
        check(
            "[1]]",
            expect!["`]` is not expected in a value at (3, 4): expected a comma or the end"],
        );
        check(
            "1 2",
            expect!["`2` is not expected in a value at (2, 3): expected a comma or the end"],
        );
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
}

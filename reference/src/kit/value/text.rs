//! The text of values, both ways.

use super::{Cells, Scalar, ScalarType, Value};
use crate::kit::lex::out_of_range;
use crate::kit::text::{Limit, MAX_NESTING, MAX_RANK, Rejected, Span};
use std::fmt::{self, Display, Formatter, Write};

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(truth) => write!(f, "{truth}"),
            Scalar::I32(k) => write!(f, "{k}"),
            Scalar::U32(k) => write!(f, "{k}u32"),
            Scalar::I64(k) => write!(f, "{k}i64"),
            Scalar::F32(x) if x.get().is_nan() => f.write_str("nan"),
            Scalar::F32(x) => write!(f, "{:?}", x.get()),
            Scalar::F64(x) if x.get().is_nan() => f.write_str("nanf64"),
            Scalar::F64(x) => write!(f, "{:?}f64", x.get()),
        }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Scalar(scalar) => scalar.fmt(f),
            Value::Array { shape, cells: Cells::I32(_) } if shape.as_slice() == [0] => {
                f.write_str("[]")
            }
            Value::Array { shape, cells } if cells.is_empty() => {
                f.write_str("empty")?;
                shape.iter().try_for_each(|extent| write!(f, "[{extent}]"))?;
                match cells.ty() {
                    ScalarType::I32 => Ok(()),
                    ty => f.write_str(ty.name()),
                }
            }
            Value::Array { shape, cells } => rows(f, shape, &mut cells.iter()),
            Value::Tuple(parts) if parts.len() == 1 => write!(f, "({},)", parts[0]),
            Value::Tuple(parts) => list(f, '(', parts, ')'),
            Value::List(parts) => list(f, '{', parts, '}'),
            Value::Opaque(kind) => write!(f, "<{kind}>"),
        }
    }
}

fn rows(
    f: &mut Formatter<'_>,
    shape: &[usize],
    cells: &mut impl Iterator<Item = Scalar>,
) -> fmt::Result {
    let Some((extent, inner)) = shape.split_first() else {
        return cells.next().map_or(Ok(()), |cell| cell.fmt(f));
    };
    f.write_str("[")?;
    for nth in 0..*extent {
        if nth > 0 {
            f.write_str(", ")?;
        }
        rows(f, inner, cells)?;
    }
    f.write_str("]")
}

fn list(f: &mut Formatter<'_>, open: char, parts: &[Value], close: char) -> fmt::Result {
    f.write_char(open)?;
    for (nth, part) in parts.iter().enumerate() {
        if nth > 0 {
            f.write_str(", ")?;
        }
        part.fmt(f)?;
    }
    f.write_char(close)
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
    let mut reader = Reader { text, at: 0, depth: 0 };
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
    /// How many tuples and lists are open.
    depth: usize,
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
            .help("values look like 7, true, 1.5, [1, 2], [[1, 2], [3, 4]], [], empty[0][3], (1, [2]) and {[1], [2, 3]}")
    }

    /// One value. Arrays are read without recursion.
    fn value(&mut self) -> Result<Value, Rejected> {
        match self.peek() {
            Some(b'e') => self.empty(),
            Some(b'(') => self.tuple(),
            Some(b'{') => self.parts(b'}').map(|(parts, _)| Value::List(parts)),
            Some(b'<') => self.opaque(),
            Some(b'[') => self.array(),
            Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'i') => {
                self.scalar().map(Value::Scalar)
            }
            _ => Err(self.expected("a number or `[`")),
        }
    }

    /// `(1, [2])`
    fn tuple(&mut self) -> Result<Value, Rejected> {
        let start = self.at;
        let (parts, comma) = self.parts(b')')?;
        if parts.len() == 1 && !comma {
            let span = Span::new(start, self.at);
            return Err(Rejected::new(span, "a tuple of one value wants a comma", "like (1,)"));
        }
        Ok(Value::Tuple(parts))
    }

    /// Values up to a bracket, and whether a comma stands before it.
    fn parts(&mut self, close: u8) -> Result<(Vec<Value>, bool), Rejected> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            let message = format!("more than {MAX_NESTING} values in one another");
            let span = Span::new(self.at, self.at + 1);
            return Err(Rejected::new(span, message, "one too many").by_limit(Limit::Dimensions));
        }
        self.at += 1;
        let (mut parts, mut comma) = (Vec::new(), true);
        loop {
            if self.peek() == Some(close) {
                self.at += 1;
                self.depth -= 1;
                return Ok((parts, comma));
            }
            if !comma {
                return Err(self.expected(if close == b')' { "`,` or `)`" } else { "`,` or `}`" }));
            }
            parts.push(self.value()?);
            comma = self.peek() == Some(b',');
            self.at += usize::from(comma);
        }
    }

    /// `<closure>`
    fn opaque(&mut self) -> Result<Value, Rejected> {
        self.at += 1;
        let start = self.at;
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_- ".contains(byte);
        while self.text.as_bytes().get(self.at).is_some_and(is_word) {
            self.at += 1;
        }
        let kind = self.text[start..self.at].to_owned();
        if kind.is_empty() {
            return Err(self.expected("a kind of value"));
        }
        self.take(b'>', "`>`")?;
        Ok(Value::Opaque(kind))
    }

    /// A row-major array of scalars of one type.
    fn array(&mut self) -> Result<Value, Rejected> {
        let mut open: Vec<Open> = Vec::new();
        let mut cells: Option<Cells> = None;
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
                Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'i') => {
                    let start = self.at;
                    let cell = self.scalar()?;
                    let span = Span::new(start, self.at);
                    let cells = cells.get_or_insert_with(|| Cells::none(cell.ty()));
                    cells.push(cell).map_err(|cell| {
                        let message = "the elements of this array differ in type";
                        let (this, first) = (cell.ty().described(), cells.ty().described());
                        Rejected::new(span, message, format!("{this} behind {first}"))
                    })?;
                    let array = open.last_mut().expect("it starts with a bracket");
                    array.row(Vec::new(), span)?;
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
                            None => {
                                let cells = cells.unwrap_or(Cells::none(ScalarType::I32));
                                return Ok(Value::Array { shape, cells });
                            }
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

    /// A number with its suffix, or a word.
    fn scalar(&mut self) -> Result<Scalar, Rejected> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += usize::from(bytes.get(self.at) == Some(&b'-'));
        let is_part = |at: usize| {
            let exponent = at > 0 && bytes[at - 1] == b'e' && matches!(bytes[at], b'-' | b'+');
            bytes[at].is_ascii_alphanumeric() || bytes[at] == b'.' || exponent
        };
        let word = self.at;
        while self.at < bytes.len() && is_part(self.at) {
            self.at += 1;
        }
        let (text, span) = (&self.text[start..self.at], Span::new(start, self.at));
        if word == self.at {
            return Err(self.expected("a number"));
        }
        let suffixed = |ty: &&ScalarType| text.ends_with(ty.name());
        let suffix = ScalarType::ALL.iter().find(suffixed).copied();
        let number = &text[..text.len() - suffix.map_or(0, |ty| ty.name().len())];
        let is_float = number.contains(['.', 'e', 'n']);
        let ty = suffix.unwrap_or(if is_float { ScalarType::F32 } else { ScalarType::I32 });
        let digits = number.strip_prefix('-').unwrap_or(number);
        let is_number =
            matches!(digits, "inf" | "nan") || digits.starts_with(|c: char| c.is_ascii_digit());
        let scalar = match (text, ty) {
            ("true", _) => Some(Scalar::Bool(true)),
            ("false", _) => Some(Scalar::Bool(false)),
            _ if !is_number => None,
            (_, ScalarType::I32) => number.parse().ok().map(Scalar::I32),
            (_, ScalarType::U32) => number.parse().ok().map(Scalar::U32),
            (_, ScalarType::I64) => number.parse().ok().map(Scalar::I64),
            (_, ScalarType::F32) => number.parse::<f32>().ok().map(|x| Scalar::F32(x.into())),
            (_, ScalarType::F64) => number.parse::<f64>().ok().map(|x| Scalar::F64(x.into())),
            (_, ScalarType::Bool) => None,
        };
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        scalar.ok_or_else(|| match ty {
            ScalarType::I32 if is_integer => out_of_range(span, 1 << 31),
            ty if is_integer && ty != ScalarType::Bool => {
                Rejected::new(span, "a number out of range", "does not fit")
            }
            _ => {
                Rejected::new(span, format!("`{text}` is no value"), "neither a number nor a word")
            }
        })
    }

    /// An extent.
    fn int(&mut self) -> Result<i32, Rejected> {
        let start = self.at;
        match self.scalar()? {
            Scalar::I32(k) => Ok(k),
            _ => {
                let span = Span::new(start, self.at);
                Err(Rejected::new(span, "an extent that is no int", "not an int"))
            }
        }
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
        let suffixed = |ty: &&ScalarType| self.text[self.at..].starts_with(ty.name());
        let ty = ScalarType::ALL.iter().find(suffixed).copied();
        self.at += ty.map_or(0, |ty| ty.name().len());
        if shape.len() > MAX_RANK {
            let message = format!("an array of more than {MAX_RANK} dimensions");
            return Err(Rejected::new(span, message, "too many").by_limit(Limit::Dimensions));
        }
        Ok(Value::Array { shape, cells: Cells::none(ty.unwrap_or(ScalarType::I32)) })
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
mod tests;

//! Are two core programs the same, up to the numbering of their variables and to spans? Then print
//! and parse kept the program. That two texts are equal says less: a printer that drops
//! parentheses prints `1 - (2 - 3)` and what is read of it alike.
//!
//! The cores of all rooms are trees that serde walks, so one walk serves them: it writes each as a
//! sequence of words, with a variable as the number of its first occurrence. Left out are spans,
//! the table of names, and the numbers of sites, which stand for a span and a cause: the causes
//! are in the text.

use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use std::collections::HashMap;
use std::fmt;

/// Are the programs the same but for the numbering of variables and for spans?
pub fn same<P: Serialize>(one: &P, other: &P) -> bool {
    words(one) == words(other)
}

/// A digest (FNV-1a) that programs have in common if they are the same in this sense.
pub fn digest<P: Serialize>(program: &P) -> u64 {
    let words = words(program).into_iter().map(|word| format!("{word:?};"));
    words.fold(0xcbf2_9ce4_8422_2325, |digest, word| {
        word.bytes()
            .fold(digest, |digest, byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    })
}

/// The words of a program. Counts and names of constructors keep two trees from having the same.
fn words<P: Serialize>(program: &P) -> Vec<Word> {
    let mut walk = Walk::default();
    match program.serialize(&mut walk) {
        Ok(()) => walk.words,
        Err(Never(text)) => unreachable!("a core program has only derived walks: {text}"),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Word {
    /// A constructor, a field or the end of a sequence.
    Tag(&'static str),
    Number(i128),
    Bits(u64),
    Text(String),
    /// A variable, by its first occurrence.
    Var(usize),
}

#[derive(Default)]
struct Walk {
    words: Vec<Word>,
    vars: HashMap<u64, usize>,
    /// Is the number that comes next that of a variable?
    var: bool,
}

/// What no walk over a core program meets.
#[derive(Debug)]
struct Never(String);

impl fmt::Display for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Never {}

impl ser::Error for Never {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Never(text.to_string())
    }
}

type Walked = Result<(), Never>;

/// Fields that say nothing of what a program is.
const LEFT_OUT: [&str; 7] = ["names", "declared", "inferred", "span", "site", "sites", "options"];

/// What serde calls [`Var`](super::names::Var).
const VAR: &str = "Var";

impl Walk {
    fn word(&mut self, word: Word) -> Walked {
        self.words.push(word);
        Ok(())
    }

    fn number(&mut self, number: i128) -> Walked {
        if std::mem::take(&mut self.var) {
            let next = self.vars.len();
            let first = *self.vars.entry(number as u64).or_insert(next);
            return self.word(Word::Var(first));
        }
        self.word(Word::Number(number))
    }

    fn open(&mut self, tag: &'static str) -> Result<&mut Self, Never> {
        self.word(Word::Tag(tag))?;
        Ok(self)
    }

    fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Walked {
        if LEFT_OUT.contains(&key) {
            return Ok(());
        }
        self.word(Word::Tag(key))?;
        value.serialize(self)
    }

    fn close(&mut self) -> Walked {
        self.word(Word::Tag("end"))
    }
}

macro_rules! numbers {
    ($($method:ident: $ty:ty),*) => {
        $(fn $method(self, number: $ty) -> Walked { self.number(number.into()) })*
    };
}

macro_rules! variants {
    ($($method:ident),*) => {
        $(fn $method(
            self,
            _: &'static str,
            _: u32,
            variant: &'static str,
            _: usize,
        ) -> Result<Self, Never> {
            self.open(variant)
        })*
    };
}

impl<'w> Serializer for &'w mut Walk {
    type Ok = ();
    type Error = Never;
    type SerializeSeq = &'w mut Walk;
    type SerializeTuple = &'w mut Walk;
    type SerializeTupleStruct = &'w mut Walk;
    type SerializeTupleVariant = &'w mut Walk;
    type SerializeMap = &'w mut Walk;
    type SerializeStruct = &'w mut Walk;
    type SerializeStructVariant = &'w mut Walk;

    numbers!(serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64);
    variants!(serialize_tuple_variant, serialize_struct_variant);

    fn serialize_bool(self, value: bool) -> Walked {
        self.word(Word::Tag(if value { "true" } else { "false" }))
    }

    fn serialize_f32(self, value: f32) -> Walked {
        self.word(Word::Bits(value.to_bits().into()))
    }

    fn serialize_f64(self, value: f64) -> Walked {
        self.word(Word::Bits(value.to_bits()))
    }

    fn serialize_char(self, value: char) -> Walked {
        self.word(Word::Text(value.into()))
    }

    fn serialize_str(self, value: &str) -> Walked {
        self.word(Word::Text(value.to_owned()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Walked {
        value.serialize(self)
    }

    fn serialize_none(self) -> Walked {
        self.word(Word::Tag("none"))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Walked {
        self.word(Word::Tag("some"))?;
        value.serialize(self)
    }

    fn serialize_unit(self) -> Walked {
        self.word(Word::Tag("unit"))
    }

    fn serialize_unit_struct(self, name: &'static str) -> Walked {
        self.word(Word::Tag(name))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Walked {
        self.word(Word::Tag(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Walked {
        self.var = name == VAR;
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Walked {
        self.word(Word::Tag(variant))?;
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Never> {
        self.open("sequence")
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Never> {
        self.open("tuple")
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Self, Never> {
        self.open(name)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Never> {
        self.open("map")
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self, Never> {
        self.open(name)
    }
}

/// What holds values one after the other.
macro_rules! rows {
    ($($of:ident: $method:ident),*) => {
        $(impl $of for &mut Walk {
            type Ok = ();
            type Error = Never;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Walked {
                value.serialize(&mut **self)
            }

            fn end(self) -> Walked {
                self.close()
            }
        })*
    };
}

rows!(SerializeSeq: serialize_element, SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field, SerializeTupleVariant: serialize_field);

/// What holds fields with names.
macro_rules! records {
    ($($of:ident),*) => {
        $(impl $of for &mut Walk {
            type Ok = ();
            type Error = Never;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Walked {
                self.field(key, value)
            }

            fn end(self) -> Walked {
                self.close()
            }
        })*
    };
}

records!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for &mut Walk {
    type Ok = ();
    type Error = Never;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Walked {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Walked {
        value.serialize(&mut **self)
    }

    fn end(self) -> Walked {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use super::same;
    use crate::fun::parse::program;

    fn alike(one: &str, other: &str) -> bool {
        let parsed = |source| program(source).expect("it is a program");
        same(&parsed(one), &parsed(other))
    }

    #[test]
    fn names_and_places_do_not_count() {
        let one = "param (n : int) let (x : int) = n - 1 in (x)";
        let other = "param (k : int)\n\nlet (result : int) = k - 1\nin (result)";
        assert!(alike(one, other));
    }

    #[test]
    fn which_variable_it_is_counts() {
        let one = "param (n : int) (k : int) in (n - k)";
        assert!(!alike(one, "param (n : int) (k : int) in (k - n)"));
        assert!(alike(one, "param (k : int) (n : int) in (k - n)"));
    }

    /// The text of either prints as itself when it is read, so texts cannot show the difference.
    #[test]
    fn parentheses_count() {
        assert!(!alike("in (1 - (2 - 3))", "in (1 - 2 - 3)"));
        assert!(!alike("in (-(1 + 2))", "in (-1 + 2)"));
        assert!(alike("in ((1 - 2) - 3)", "in (1 - 2 - 3)"));
    }
}

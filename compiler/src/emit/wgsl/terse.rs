//! Terse text, of bare forms: what nobody but a compiler reads. It takes as long for the parts of a text
//! that only people need, and reads the first word of an operand again for each level of its grammar.
//!
//! Names are letters, an argument stands where it is used, unless that would be converted more than once, no
//! blanks stand where no words would grow together, a number has its type, so that none is looked for, and
//! a variable that begins with zero has none. The words of a launch come in vectors of four, of which a
//! letter is a word: an index would be an expression of its own. What is used often has a name of its own.

use super::arguments::{GROUPS, INVOCATIONS};
use super::held::push_number;
use super::{Writer, scalar};
use crate::pass::quiet::Uses;
use reference::device::syntax::{Exp, Lit, Ty};
use std::fmt::Write as _;

/// First letters of variables. The others begin our own names (functions, the number of the invocation, its
/// numbers in three dimensions, the launch, its vectors, temporaries, the words of the arena) or types, as
/// in `i32` and `u32`.
const LETTERS: &[u8] = b"abcdehjknopqrsvxyz";

/// Adds the name of the variable with this number to a text: a letter, and a number where there are more.
/// With the letter of a part behind it, it is that of no other, and no word of WGSL.
pub(super) fn push_name(text: &mut String, number: u32) {
    let letters = LETTERS.len() as u32;
    text.push(char::from(LETTERS[(number % letters) as usize]));
    if number >= letters {
        push_number(text, number / letters);
    }
}

/// How often a word is used that has a name of its own: the line that binds it takes as long as so many
/// parts of a vector.
const OFTEN: u32 = 4;

/// How often the number of the invocation is used at most where it has none.
pub(super) const SELDOM: u32 = 3;

/// Words of a vector.
const VECTOR: u32 = 4;

/// Adds the name of a vector of a launch to a text.
fn push_vector(text: &mut String, vector: u32) {
    text.push('m');
    if vector > 0 {
        push_number(text, vector);
    }
}

/// Adds the word with this number, of those that a launch brings along, to a text.
pub(super) fn push_part(text: &mut String, number: u32) {
    push_vector(text, number / VECTOR);
    text.push_str([".x", ".y", ".z", ".w"][(number % VECTOR) as usize]);
}

impl Writer<'_> {
    /// The text of the arena.
    pub(super) fn arena(&self) -> &'static str {
        if self.terse { "w" } else { "arena" }
    }

    /// The text of the number of the invocation.
    pub(super) fn global_id(&self) -> &'static str {
        match (self.terse, self.names_id) {
            (false, _) => "global_id",
            (true, true) => "g",
            (true, false) => "i.x",
        }
    }

    /// What is put in front of base and length of a block.
    pub(super) fn pair(&self) -> &'static str {
        if self.terse { "vec2u" } else { "vec2<u32>" }
    }

    /// Only words that are read are brought along.
    pub(super) fn brings_read(&mut self, uses: &Uses) {
        self.terse = self.is_plain();
        // In text of other styles they stand where they always do.
        self.read = Some(if self.terse { Vec::new() } else { vec![INVOCATIONS, GROUPS] });
        self.held.dense = self.terse;
        for (var, asked) in &mut self.asked {
            asked.once = self.terse && uses.is_once(*var, 0);
            asked.often = self.terse && uses.times(*var) >= OFTEN;
        }
    }

    /// How many vectors a launch brings along, so far.
    fn vectors(&self) -> u32 {
        self.read.as_ref().map_or(0, |read| (read.len() as u32).div_ceil(VECTOR))
    }

    /// Declares the words of the launch.
    pub(super) fn declare_vectors(&mut self) {
        self.text.push_str(match self.vectors() {
            0 => return,
            1 => "@group(0i)@binding(1i)var<storage>l:vec4u;\n",
            _ => "@group(0i)@binding(1i)var<storage>l:array<vec4u>;\n",
        });
    }

    /// Binds the words of the launch.
    pub(super) fn bind_vectors(&mut self) {
        let vectors = self.vectors();
        for vector in 0..vectors {
            self.text.push_str("let ");
            push_vector(&mut self.text, vector);
            let _ = match vectors {
                1 => writeln!(self.text, "=l;"),
                _ => writeln!(self.text, "=l[{vector}i];"),
            };
        }
    }

    /// The type of a variable that begins with this value, if to declare its type is enough: naga 30, which
    /// reads it, makes it zero in each round of a loop, older ones do not.
    pub(super) fn zeroed(&self, ty: &Ty, value: &Exp) -> Option<&'static str> {
        if !self.terse || self.forgets_zero() {
            return None;
        }
        match (ty, value) {
            (Ty::Scalar(sc), value) if is_zero(value) => Some(scalar(*sc)),
            (Ty::Block(_), Exp::Block(_, parts)) if parts.iter().all(is_zero) => Some("vec2u"),
            _ => None,
        }
    }
}

fn is_zero(exp: &Exp) -> bool {
    let Exp::Lit(lit) = exp else { return false };
    match lit {
        Lit::Bool(value) => !*value,
        Lit::I32(value) => *value == 0,
        Lit::U32(bits) | Lit::F32(bits) => *bits == 0,
        Lit::I64(_) => false,
    }
}

/// Adds a part to a text without the blanks in it that keep nothing apart, and tells how many these are.
/// Each line stays one.
pub(super) fn add_dense(text: &mut String, part: &str) -> isize {
    if !part.bytes().any(|c| c == b' ') {
        text.push_str(part);
        return 0;
    }
    let mut left_out = 0;
    for (number, piece) in part.split(' ').enumerate() {
        left_out += isize::from(number > 0);
        if piece.is_empty() {
            continue;
        }
        if number > 0
            && let (Some(last), Some(first)) = (text.bytes().last(), piece.bytes().next())
            && (is_word(last) && is_word(first) || is_operator(last) && is_operator(first))
        {
            text.push(' ');
            left_out -= 1;
        }
        text.push_str(piece);
    }
    left_out
}

/// Are all blanks of a text such as keep something apart?
pub(super) fn is_dense(text: &str) -> bool {
    let mut dense = String::new();
    add_dense(&mut dense, text) == 0
}

pub(super) fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

pub(super) fn is_operator(c: u8) -> bool {
    matches!(c, b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^')
        || matches!(c, b'<' | b'>' | b'=' | b'!' | b'~')
}

#[cfg(test)]
mod tests {
    use super::{add_dense, is_zero, push_name};
    use reference::device::syntax::{Exp, Lit};
    use std::collections::HashSet;

    fn name(number: u32) -> String {
        let mut name = String::new();
        push_name(&mut name, number);
        name
    }

    #[test]
    fn names_are_different_and_none_of_ours() {
        let names: Vec<String> = (0..5000).map(name).collect();
        let parts = names.iter().flat_map(|name| [format!("{name}x"), format!("{name}y")]);
        let all: HashSet<String> = parts.chain(names.iter().cloned()).collect();
        assert_eq!(all.len(), 3 * names.len());
        for name in all {
            assert!(!"fgilmtuw".contains(&name[..1]), "{name}");
            assert!(!["as", "do", "of"].contains(&name.as_str()), "{name} is a word of WGSL");
        }
    }

    /// -0 is another value.
    #[test]
    fn zeros_are_told_by_their_bits() {
        for lit in [Lit::Bool(false), Lit::I32(0), Lit::U32(0), Lit::F32(0)] {
            assert!(is_zero(&Exp::Lit(lit)), "{lit:?}");
        }
        for lit in [Lit::Bool(true), Lit::I32(1), Lit::U32(1), Lit::F32((-0.0_f32).to_bits())] {
            assert!(!is_zero(&Exp::Lit(lit)), "{lit:?}");
        }
    }

    #[test]
    fn only_what_would_grow_together_is_kept_apart() {
        for (text, short) in [
            ("    let a = b + 1u;\n", "let a=b+1u;\n"),
            ("a = -b - -1i * (c  + !d);\n", "a= -b- -1i*(c+ !d);\n"),
            (
                "fn main(@builtin(x) g: vec3u) {\n    return a;\n}\n",
                "fn main(@builtin(x)g:vec3u){\nreturn a;\n}\n",
            ),
            ("a & &b; a / *p; a < b; a <= b;", "a& &b;a/ *p;a<b;a<=b;"),
        ] {
            let mut dense = String::new();
            let left_out = add_dense(&mut dense, text);
            assert_eq!(dense, short);
            assert_eq!(left_out, text.len() as isize - short.len() as isize);
        }
    }
}

//! Terse text, of bare forms: what nobody but a compiler reads. It takes as long for the parts of a text
//! that only people need, and reads the first word of an operand again for each level of its grammar.
//!
//! Names are letters, an argument that is used once stands where it is used, and no blanks stand where
//! no words would grow together.

use super::Writer;
use crate::pass::quiet::Uses;

/// First letters of variables. The others begin our own names (functions, the number of the invocation,
/// the launch, fields, temporaries, the words of the arena) or types, as in `i32` and `u32`.
const LETTERS: &[u8] = b"abcdehjknopqrsvxyz";

/// The name of the variable with this number: a letter, and a number where there are more. With the
/// letter of a part behind it, it is that of no other, and no word of WGSL.
pub(super) fn name(number: usize) -> String {
    let mut name = char::from(LETTERS[number % LETTERS.len()]).to_string();
    if let more @ 1.. = number / LETTERS.len() {
        name.push_str(&more.to_string());
    }
    name
}

impl Writer<'_> {
    /// The text of the arena.
    pub(super) fn arena(&self) -> &'static str {
        if self.terse { "w" } else { "arena" }
    }

    /// The text of the launch.
    pub(super) fn launch(&self) -> &'static str {
        if self.terse { "l" } else { "launch" }
    }

    /// The text of the number of the invocation.
    pub(super) fn global_id(&self) -> &'static str {
        if self.terse { "g" } else { "global_id" }
    }

    /// Only words that are read are brought along. In plain text an argument that is used once, and in
    /// no loop, stands where it is used.
    pub(super) fn brings_read(&mut self, uses: &Uses) {
        self.read = Some(Vec::new());
        self.terse = self.is_plain();
        for (var, asked) in &mut self.asked {
            asked.once = self.terse && uses.is_once(*var, 0);
        }
    }
}

/// The text without blanks that keep nothing apart. Each line stays one.
pub(super) fn dense(text: &str) -> String {
    let mut dense = String::with_capacity(text.len());
    for part in text.split(' ').filter(|part| !part.is_empty()) {
        if let (Some(last), Some(first)) = (dense.bytes().last(), part.bytes().next())
            && (is_word(last) && is_word(first) || is_operator(last) && is_operator(first))
        {
            dense.push(' ');
        }
        dense.push_str(part);
    }
    dense
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

fn is_operator(c: u8) -> bool {
    matches!(c, b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^')
        || matches!(c, b'<' | b'>' | b'=' | b'!' | b'~')
}

#[cfg(test)]
mod tests {
    use super::{dense, name};
    use std::collections::HashSet;

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
            assert_eq!(dense(text), short);
        }
    }
}

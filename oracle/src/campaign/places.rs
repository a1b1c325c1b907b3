//! Where the statements of a program stand in the text that it is printed as. A program that was
//! generated, or made smaller, has no text before.

use crate::engine::Artifact;
use crate::language;
use reference::kit::text::{Span, place};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

/// A program as it is printed, and where each of its statements stands there.
pub(super) struct Places {
    /// The text.
    pub(super) text: String,
    printed: HashMap<Span, Span>,
}

impl Places {
    /// Prints a program and reads it again. Where what is read is not of the same form, which is a
    /// finding of its own, no place is known.
    pub(super) fn of(program: &Artifact) -> Self {
        let text = language::print(program);
        let mut printed = HashMap::new();
        if let Ok(again) = program.lang().parse(&text) {
            let (own, there) = (spans(program), spans(&again));
            if own.len() == there.len() {
                // A statement that was copied stands where its first copy does.
                for (own, there) in own.into_iter().zip(there) {
                    printed.entry(own).or_insert(there);
                }
            }
        }
        Self { text, printed }
    }

    /// `21:3`: line and column of a statement, where so many lines stand before the program.
    pub(super) fn place(&self, span: Span, lines: usize) -> Option<String> {
        let told = place(&self.text, self.printed.get(&span)?.start);
        let (line, column) = told.split_once(':')?;
        Some(format!("{}:{column}", line.parse::<usize>().ok()? + lines))
    }
}

/// The places that a program holds, in an order that depends on its form alone: every language
/// writes them as `span`.
fn spans(program: &Artifact) -> Vec<Span> {
    fn go(value: &Value, found: &mut Vec<Span>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| go(value, found)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    match name.as_str() {
                        "span" => found.extend(Span::deserialize(value)),
                        _ => go(value, found),
                    }
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    if let Ok(value) = serde_json::to_value(program) {
        go(&value, &mut found);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Places, spans};
    use crate::language::Lang;

    /// The first word of what stands behind so many bytes.
    fn word(text: &str, at: usize) -> &str {
        text[at..].split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
    }

    /// A program of each language, as nobody prints it: what stood at a place stands where it is
    /// said to.
    #[test]
    fn statements_stand_where_they_are_said_to() {
        let sources = [
            (
                Lang::Fun,
                "param (n : int) let (xs : [n]) = kernel i <= n do let (x : int) = i * 2\n\n in (x)
                let (y : int) = xs[1] in (xs, y)",
            ),
            (
                Lang::FunMem,
                "let (m : mem) = alloc 3 let (xs : [3] @ m -> R(3)) =\n\n kernel i <= 3 do in (i)
                let (x : int) = xs[1] in (x)",
            ),
            (
                Lang::Imp,
                "param (n : int) (xs : mem [n]) var a : mem; a <- xs; kernel i <= n do\n\n a[i - 1] <- 1
                done; a[0] <- 1 results (xs : [n] @ 0 + {(n : 1)})",
            ),
            (
                Lang::Device,
                "kernel k(xs : block[i32]) group 4 { let x : i32 = xs.[0];\n\n if x < 1 { xs.[0] = 1; } }
                param xs : [8]; launch k(xs) for 8; result xs : [8] at 0 strides (1);",
            ),
        ];
        for (lang, source) in sources {
            let program = lang.parse(source).unwrap_or_else(|error| panic!("{lang}: {error:?}"));
            let places = Places::of(&program);
            let all = spans(&program);
            assert!(all.len() > 2, "{lang}: {all:?}");
            for span in all {
                let place = places.place(span, 0).expect("a place");
                let (line, column) = place.split_once(':').expect("line and column");
                let line = places.text.lines().nth(line.parse::<usize>().expect("a line") - 1);
                let column = column.parse::<usize>().expect("a column") - 1;
                let there = word(line.expect("a line of the text"), column);
                assert_eq!(there, word(source, span.start as usize), "{lang}, {place}");
            }
        }
    }
}

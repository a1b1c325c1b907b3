//! Where the statements of a program stand in the text that it is printed as. A program that was
//! generated, or made smaller, has no text before.

use crate::engine::Artifact;
use reference::kit::text::Span;
use reference::languages::place;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

/// A program as it is printed, and where each of its statements stands there.
pub(super) struct SourceMap {
    /// The text.
    pub(super) text: String,
    /// None where several statements have the span.
    printed: HashMap<Span, Option<Span>>,
}

impl SourceMap {
    /// Prints a program and reads it again. Where what is read is not of the same form, which is a
    /// finding of its own, no place is known, nor where a span stands for several statements, as that
    /// of a derived form does.
    pub(super) fn of(program: &Artifact) -> Self {
        let text = program.print();
        let mut printed = HashMap::new();
        if let Ok(again) = program.lang().parse(&text) {
            let (own, there) = (spans(program), spans(&again));
            if own.len() == there.len() {
                for (own, there) in own.into_iter().zip(there) {
                    printed.entry(own).and_modify(|known| *known = None).or_insert(Some(there));
                }
            }
        }
        Self { text, printed }
    }

    /// `21:3`: line and column of a statement, where so many lines stand before the program.
    pub(super) fn place(&self, span: Span, lines: usize) -> Option<String> {
        let told = place(&self.text, (*self.printed.get(&span)?)?.start);
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
    use super::{SourceMap, spans};
    use crate::campaign::draw;
    use crate::engine::Artifact;
    use crate::generate::Weights;
    use crate::language::Lang;
    use reference::device::syntax::{Block, Kind};
    use reference::device::visit;
    use reference::fun::syntax::{Body, Dialect};
    use reference::kit::names::Names;
    use reference::kit::text::Span;

    /// What stands in the printed text where the span is said to be.
    fn there(places: &SourceMap, span: Span) -> &str {
        let place = places.place(span, 0).unwrap_or_else(|| panic!("{span:?}: {}", places.text));
        let (line, column) = place.split_once(':').expect("line and column");
        let line = places.text.lines().nth(line.parse::<usize>().expect("a line") - 1);
        &line.expect("a line of the text")[column.parse::<usize>().expect("a column") - 1..]
    }

    /// The printer does not print these programs as they are written: what stood at a place stands where it is
    /// said to.
    #[test]
    fn statements_of_every_language_stand_where_they_are_said_to() {
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
                "param (n : int) (xs : mem [n]) var a : mem; a <- xs; kernel i <= n do\n\n xs[i - 1] <- 1
                done; a[0] <- 1 results (xs : [n] @ 0 + {(n : 1)})",
            ),
            (
                Lang::Device,
                "kernel k(b : block[i32]) group 4 { let x : i32 = b.[0];\n\n if x < 1 { b.[0] = 1; } }
                param xs : [8]; launch k(xs) for 8; result xs : [8] at 0 strides (1);",
            ),
        ];
        for (lang, source) in sources {
            let program = lang.parse(source).unwrap_or_else(|error| panic!("{lang}: {error:?}"));
            let places = SourceMap::of(&program);
            let all = spans(&program);
            assert!(all.len() > 2, "{lang}: {all:?}");
            for span in all {
                // As far as no blank is set or left out.
                let start = |text: &str| text.split(['=', ';', '\n']).next().map(str::to_owned);
                let (was, is) = (&source[span.start as usize..], there(&places, span));
                let (was, is) = (start(was).unwrap_or_default(), start(is).unwrap_or_default());
                assert!(was.starts_with(is.trim()) || is.starts_with(was.trim()), "{was} {is}");
            }
        }
    }

    /// Every statement and body of what is drawn has a place of its own, at which it stands.
    #[test]
    fn statements_that_are_drawn_stand_where_they_are_said_to() {
        fn look<D: Dialect>(body: &Body<D>, names: &Names, places: &SourceMap) -> usize {
            assert!(there(places, body.span).starts_with("in ("));
            let mut seen = body.stms.len();
            for stm in &body.stms {
                let first = stm.pattern.first().expect("a name");
                let starts = format!("let ({} ", names.text(first.var));
                assert!(there(places, stm.span).starts_with(&starts), "{starts}");
                seen +=
                    stm.exp.bodies().iter().map(|body| look(body, names, places)).sum::<usize>();
            }
            seen
        }
        fn look_at_device(body: &Block, names: &Names, places: &SourceMap) -> usize {
            let mut seen = 0;
            visit::stms(body, &mut |stm| {
                if let Kind::Let(var, ..) | Kind::Var(var, ..) = &stm.kind {
                    let word = if matches!(stm.kind, Kind::Let(..)) { "let" } else { "var" };
                    // A name such as `i32`, a letter and a number, is a type: the printer gives another one.
                    let name = match names.text(*var) {
                        "i32" | "i64" | "u32" | "u64" | "f32" | "f64" => String::new(),
                        name => format!("{name} "),
                    };
                    let starts = format!("{word} {name}");
                    assert!(there(places, stm.span).starts_with(&starts), "{starts}");
                    seen += 1;
                }
            });
            seen
        }
        let mut seen = [0; 3];
        for number in 0..300 {
            let program = draw(7, number, &Weights::default()).case.program;
            let places = SourceMap::of(&program);
            match &program {
                Artifact::Fun(program) => seen[0] += look(&program.body, &program.names, &places),
                Artifact::FunMem(program) => {
                    seen[1] += look(&program.body, &program.names, &places);
                }
                Artifact::Device(program) => {
                    let bodies = program.kernels.iter().map(|kernel| &kernel.body);
                    let all = bodies.map(|body| look_at_device(body, &program.names, &places));
                    seen[2] += all.sum::<usize>();
                }
                // Other languages are looked at in tests of their own.
                _ => {}
            }
        }
        assert!(seen.iter().all(|statements| *statements > 200), "{seen:?}");
    }

    /// A derived form becomes several statements with one place in the source: none of them is it.
    #[test]
    fn a_span_of_several_statements_has_no_place() {
        let source = "let (x : int) = 1\nlet (y : int) = 2\nin (x)";
        let mut program = Lang::Fun.parse(source).expect("a program");
        let Artifact::Fun(fun) = &mut program else { unreachable!("it is FUN") };
        let (one, other) = (fun.body.stms[0].span, fun.body.span);
        fun.body.stms[1].span = one;
        let places = SourceMap::of(&program);
        assert_eq!(places.place(one, 0), None);
        assert!(places.place(other, 0).is_some());
    }
}

//! From text to MiniAS: recursive descent, since `(` opens a cast where a type stands behind it. Every name becomes a
//! variable at once; those that are not in scope, or bound twice, are refused here by the rule that says so.

mod exps;
mod items;
mod scope;
mod stmts;
mod types;

use super::cursor::{self, Foreign, Parsed, too_tall};
use super::lex;
use super::syntax::{Options, Program};
use crate::kit::text::{Rejected, Span};
use scope::Scope;

/// The program that `source` writes.
///
/// # Errors
/// Wrong syntax, names that are not in scope or bound twice, numbers out of range, sources that are too long or too deep.
pub fn program(source: &str) -> Result<Program, Rejected> {
    let tokens = lex::tokens(source)?;
    let end = source.trim_end().len();
    let mut parser = Parser::new(tokens, end, Scope::new());
    parser.outermost_names();
    let mut items = Vec::new();
    while parser.token(0).is_some() {
        items.push(parser.item()?);
    }
    if items.is_empty() {
        let message = match source.trim().is_empty() {
            true => "the source is empty",
            false => "there is no definition in the source",
        };
        return Err(Rejected::new(Span::default(), message, "expected a function or a kernel")
            .help("for example `kernel void k(global int *g) { g[get_global_id(0)] = 1; }`"));
    }
    Ok(Program { names: parser.scope.names, items, options: Options::default() })
}

type Parser<'s> = cursor::Parser<'s, Scope<'s>>;

impl Foreign for Scope<'_> {
    fn foreign(word: &str, span: Span) -> Option<Rejected> {
        match word {
            "bool" => Some(
                Rejected::new(span, "`bool` is no type of MiniAS", "expected `int`")
                    .help("conditions are int or pointers (reading M1)"),
            ),
            "do" => Some(
                Rejected::new(span, "MiniAS has no `do`", "not a statement")
                    .help("loops are `while (e) s` and `for (s; e; s) s`"),
            ),
            _ => None,
        }
    }
}

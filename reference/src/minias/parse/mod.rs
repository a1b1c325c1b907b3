//! From text to MiniAS: recursive descent, since `(` opens a cast where a type stands behind it. Every name becomes a
//! variable at once; those that are not in scope, or bound twice, are refused here by the rule that says so.

mod exps;
mod items;
mod scope;
mod stmts;
mod types;

use super::lex;
use super::syntax::Program;
use crate::kit::lex::{Token, describe, too_deep};
use crate::kit::text::{Limit, MAX_NESTING, Rejected, Span};
use scope::Scope;

type Parsed<T> = Result<T, Rejected>;

/// The program that `source` writes.
///
/// # Errors
/// Wrong syntax, names that are not in scope or bound twice, numbers out of range, sources that are too long or too deep.
pub fn program(source: &str) -> Result<Program, Rejected> {
    let tokens = lex::tokens(source)?;
    let end = source.trim_end().len();
    let mut parser = Parser { scope: Scope::new(), tokens, at: 0, end, depth: 0 };
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
    Ok(Program { names: parser.scope.names, items })
}

struct Parser<'s> {
    tokens: Vec<(Token<'s>, Span)>,
    at: usize,
    /// Where the source ends.
    end: usize,
    /// How many types, expressions and statements are being read.
    depth: usize,
    scope: Scope<'s>,
}

impl<'s> Parser<'s> {
    fn token(&self, ahead: usize) -> Option<Token<'s>> {
        self.tokens.get(self.at + ahead).map(|(token, _)| *token)
    }

    fn span(&self) -> Span {
        let end = Span::new(self.end.saturating_sub(1), self.end);
        self.tokens.get(self.at).map_or(end, |(_, span)| *span)
    }

    /// The place of what was read last.
    fn last(&self) -> Span {
        self.at.checked_sub(1).map_or(Span::default(), |at| self.tokens[at].1)
    }

    fn is(&self, symbol: &str) -> bool {
        self.token(0) == Some(Token::Symbol(symbol))
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let there = self.is(symbol);
        self.at += usize::from(there);
        there
    }

    fn takes_keyword(&mut self, word: &str) -> bool {
        let there = self.token(0) == Some(Token::Keyword(word));
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.takes(symbol) { Ok(()) } else { Err(self.wanted(&format!("`{symbol}`"))) }
    }

    /// What stands here is not what is wanted.
    fn wanted(&self, what: &str) -> Rejected {
        let message = match self.token(0) {
            Some(Token::Keyword("bool")) => {
                return Rejected::new(self.span(), "`bool` is no type of MiniAS", "expected `int`")
                    .help("conditions are int or pointers (reading M1)");
            }
            Some(Token::Keyword("do")) => {
                return Rejected::new(self.span(), "MiniAS has no `do`", "not a statement")
                    .help("loops are `while (e) s` and `for (s; e; s) s`");
            }
            Some(token) => describe(&token),
            None => "the source ends too early".to_owned(),
        };
        Rejected::new(self.span(), message, format!("expected {what}"))
    }

    /// A name and its place.
    fn name(&mut self, what: &str) -> Parsed<(&'s str, Span)> {
        match self.token(0) {
            Some(Token::Name(name)) => {
                self.at += 1;
                Ok((name, self.last()))
            }
            _ => Err(self.wanted(what)),
        }
    }

    /// Reads what may hold itself.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(too_deep(self.span()).help("make a function of a part of it"));
        }
        let result = read(self)?;
        self.depth -= 1;
        Ok(result)
    }

    /// `[part {"," part}] close`
    fn list<T>(
        &mut self,
        close: &str,
        mut part: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut parts = Vec::new();
        if self.takes(close) {
            return Ok(parts);
        }
        loop {
            parts.push(part(self)?);
            if self.takes(close) {
                return Ok(parts);
            }
            if !self.takes(",") {
                return Err(self.wanted(&format!("`,` or `{close}`")));
            }
        }
    }
}

/// Too tall a tree, of brackets and prefixes or of a long sum.
fn too_tall(span: Span) -> Rejected {
    let message = format!("more than {MAX_NESTING} operators in one another");
    Rejected::new(span, message, "one operator too many")
        .by_limit(Limit::Operators)
        .help("`a + b + c` is `(a + b) + c`; give a part of it a variable of its own")
}

//! The parser: text to syntax, with each name bound.
//!
//! [`exp`] reads expressions, [`types`] regions, effects and types, [`scope`] says what names stand for. A name
//! that nothing binds has no place in the syntax, so it is refused here, by the rule whose premise fails.

mod exp;
mod scope;
mod types;

use super::hole::Holes;
use super::rules::Rule;
use super::syntax::{Exp, Kind, Param, Program};
use super::{infer, lex, print};
use crate::kit::lex::{Token, describe, too_deep};
use crate::kit::rules::Roll;
use crate::kit::text::{Limit, MAX_NESTING, Rejected, Span};
use scope::Scope;

type Parsed<T> = Result<T, Rejected>;

/// Reads a program. What it leaves out is found by [`infer`].
///
/// # Errors
/// What is wrong with the syntax or the names, and where; what cannot be left out.
pub fn program(source: &str) -> Result<Program, Rejected> {
    let tokens = lex::tokens(source)?;
    let end = source.trim_end().len();
    let mut parser =
        Parser { tokens, at: 0, end, depth: 0, scope: Scope::default(), holes: Holes::default() };
    let mut params = Vec::new();
    while parser.takes_keyword("param") {
        let param = parser.param(&params)?;
        params.push(param);
    }
    let body = parser.exp()?.exp;
    if parser.token(0).is_some() {
        return Err(parser.wanted("the end of the program"));
    }
    let whole = parser.holes.is_empty();
    let program = Program { names: parser.scope.names(), params, body, inferred: false };
    if whole { Ok(program) } else { found(program) }
}

/// The program with what it leaves out, which can be written and read as any other.
fn found(program: Program) -> Parsed<Program> {
    let found = infer::whole(program)?;
    match self::program(&print::program(&found)) {
        Ok(_) => Ok(found),
        Err(refused) if refused.limit.is_some() => {
            let help = "types and `letregion`s that are left out count: write regions, so that fewer are made";
            Err(too_deep(found.body.span).help(help))
        }
        Err(refused) => unreachable!("what is printed is read: {refused:?}"),
    }
}

/// An expression, and how tall a tree it is, at most [`MAX_NESTING`].
struct Tall {
    exp: Exp,
    height: usize,
}

struct Parser<'s> {
    tokens: Vec<(Token<'s>, Span)>,
    at: usize,
    /// Where the source ends.
    end: usize,
    /// How many expressions or types are being read.
    depth: usize,
    scope: Scope<'s>,
    /// What is left out.
    holes: Holes,
}

impl<'s> Parser<'s> {
    /// `param x : τ ;`
    fn param(&mut self, before: &[Param]) -> Parsed<Param> {
        let (name, span) = self.name("the name of a parameter")?;
        if let Some(first) = before.iter().find(|of| self.scope.text(of.var) == name) {
            let refused =
                Rejected::new(span, format!("there is a parameter `{name}` already"), "said again");
            let refused = refused.with(first.span, "the first one");
            return Err(refused.help("values are given by name, so call one of them otherwise"));
        }
        self.expect(":")?;
        let ty = self.ty()?;
        self.expect(";")?;
        Ok(Param { span, var: self.scope.bind(name), ty })
    }

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

    fn is_keyword(&self, word: &str) -> bool {
        self.token(0) == Some(Token::Keyword(word))
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let there = self.is(symbol);
        self.at += usize::from(there);
        there
    }

    fn takes_keyword(&mut self, word: &str) -> bool {
        let there = self.is_keyword(word);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.takes(symbol) { Ok(()) } else { Err(self.wanted(&format!("`{symbol}`"))) }
    }

    fn expect_keyword(&mut self, word: &str) -> Parsed<()> {
        if self.takes_keyword(word) { Ok(()) } else { Err(self.wanted(&format!("`{word}`"))) }
    }

    /// What stands here is not what is wanted.
    fn wanted(&self, what: &str) -> Rejected {
        let message = match self.token(0) {
            Some(token) => describe(&token),
            None if self.tokens.is_empty() => "the source is empty".to_owned(),
            None => "the source ends too early".to_owned(),
        };
        let refused = Rejected::new(self.span(), message, format!("expected {what}"));
        match self.token(0) {
            Some(Token::Keyword(word @ ("fst" | "snd" | "not" | "iota" | "length" | "parmap"))) => {
                refused.help(format!("an operand or argument goes in parentheses: `({word} …)`"))
            }
            _ => refused,
        }
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
            return Err(too_deep(self.span()).help(SHORTER));
        }
        let result = read(self)?;
        self.depth -= 1;
        Ok(result)
    }

    /// `part {"," part}`
    fn list<T>(&mut self, mut part: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut parts = vec![part(self)?];
        while self.takes(",") {
            parts.push(part(self)?);
        }
        Ok(parts)
    }

    /// The expression, unless it is too tall.
    fn tall(&self, span: Span, kind: Kind, parts: impl IntoIterator<Item = usize>) -> Parsed<Tall> {
        let height = 1 + parts.into_iter().max().unwrap_or(0);
        if height > MAX_NESTING {
            let message = format!("more than {MAX_NESTING} expressions in one another");
            return Err(Rejected::new(span, message, "one too many")
                .by_limit(Limit::Operators)
                .help(SHORTER));
        }
        Ok(Tall { exp: Exp { span, kind }, height })
    }
}

/// What mends a program that is nested too deeply.
const SHORTER: &str =
    "bodies of `let` and `letregion` count, and `a + b at r + c at r` is `(a + b at r) + c at r`";

/// A refusal by a premise of a rule.
fn by(rule: Rule, premise: &'static str, refused: Rejected) -> Rejected {
    debug_assert!(rule.info().premises().contains(&premise), "{rule:?} {premise}");
    refused.by_rule(rule.info().name, premise)
}

//! From text to FCL: recursive descent, since whether `<` compares or opens levels is seen behind it.
//!
//! Every name becomes a variable of its own at once. What the paper writes otherwise than the core becomes
//! core here ([`syntax`](super::syntax)), and the definitions of the prelude that a program uses are put before it.

mod exp;
pub mod prelude;
mod scope;
mod types;

use super::lex;
use super::syntax::{Def, Exp, Kind, Program, Scheme, Type};
use crate::kit::lex::{Token, describe, too_deep};
use crate::kit::text::{Limit, MAX_NESTING, Rejected, Span};
use prelude::Prelude;
use scope::Scope;
use types::Quantified;

type Parsed<T> = Result<T, Rejected>;

/// The most `let`s, functions and operators in one another. The body of a `let` counts here only, for a
/// program may have many in a row.
pub const MAX_DEPTH: usize = 4 * MAX_NESTING;

/// The program that `source` writes, with the definitions of the prelude that it uses.
///
/// # Errors
/// Wrong syntax, names that are not bound, numbers out of range, sources that are too long or too deep.
pub fn program(source: &str) -> Result<Program, Rejected> {
    let (defs, scope) = definitions(source, 0, Some(prelude::prelude()))?;
    if defs.is_empty() {
        let message = if source.trim().is_empty() {
            "the source is empty"
        } else {
            "there is no definition in the source"
        };
        return Err(Rejected::new(Span::default(), message, "expected `sig`, `fun` or `val`")
            .help("a program is its last definition, or `main`: `fun main xs = push <grid> xs`"));
    }
    Ok(scope.program(defs))
}

/// The definitions that `source` writes; its first byte has the place `base`.
fn definitions<'s>(
    source: &'s str,
    base: u32,
    prelude: Option<&'static Prelude>,
) -> Parsed<(Vec<Def>, Scope<'s>)> {
    let tokens = lex::tokens(source, base)?;
    let end = base as usize + source.trim_end().len();
    let mut parser =
        Parser { tokens, at: 0, end, depth: 0, scope: Scope::new(prelude), quantified: None };
    parser.scope.later = parser.defined();
    let mut defs = Vec::new();
    while parser.token(0).is_some() {
        defs.push(parser.def()?);
    }
    Ok((defs, parser.scope))
}

/// An expression, and how tall it is.
struct Tall {
    exp: Exp,
    /// Without the bodies of `let`s, at most [`MAX_NESTING`].
    height: usize,
    /// With them, at most [`MAX_DEPTH`].
    depth: usize,
}

struct Parser<'s> {
    tokens: Vec<(Token<'s>, Span)>,
    at: usize,
    /// Where the source ends.
    end: usize,
    /// How many expressions or types are being read.
    depth: usize,
    scope: Scope<'s>,
    /// The variables of the scheme that is being read.
    quantified: Option<Quantified<'s>>,
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

    fn expect_keyword(&mut self, word: &str) -> Parsed<()> {
        if self.takes_keyword(word) { Ok(()) } else { Err(self.wanted(&format!("`{word}`"))) }
    }

    /// `>`, also where it runs into a `=` or `>` behind it.
    fn expect_close(&mut self) -> Parsed<()> {
        let rest = match self.token(0) {
            Some(Token::Symbol(">=")) => "=",
            Some(Token::Symbol(">>")) => ">",
            _ => return self.expect(">"),
        };
        let (token, span) = &mut self.tokens[self.at];
        *token = Token::Symbol(rest);
        span.start += 1;
        Ok(())
    }

    /// What stands here is not what is wanted.
    fn wanted(&self, what: &str) -> Rejected {
        let message = match self.token(0) {
            Some(Token::Keyword(word @ ("do" | "kernel"))) => {
                return other_version(word, self.span());
            }
            Some(token) => describe(&token),
            None => "the source ends too early".to_owned(),
        };
        Rejected::new(self.span(), message, format!("expected {what}"))
    }

    /// A name and its place. Names of types do not count.
    fn name(&mut self, what: &str) -> Parsed<(&'s str, Span)> {
        match self.token(0) {
            Some(Token::Name(name)) if !name.starts_with('\'') => {
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
            return Err(too_deep(self.span()));
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

    /// The names of all definitions.
    fn defined(&self) -> Vec<&'s str> {
        let pairs = self.tokens.windows(2).filter_map(|pair| match pair {
            [(Token::Keyword("fun" | "val"), _), (Token::Name(name), _)] => Some(*name),
            _ => None,
        });
        pairs.collect()
    }

    /// `["sig" x ":" σ] ("fun" x [lvars] pat {pat} | "val" x [lvars]) "=" e`
    fn def(&mut self) -> Parsed<Def> {
        let sig = if self.takes_keyword("sig") { Some(self.signature()?) } else { None };
        let function = match self.token(0) {
            Some(Token::Keyword("fun")) => true,
            Some(Token::Keyword("val")) => false,
            _ if sig.is_some() => return Err(self.wanted("the `fun` or `val` of this `sig`")),
            _ => return Err(self.wanted("`sig`, `fun` or `val`")),
        };
        self.at += 1;
        let (name, span) = self.name("a name")?;
        self.scope.defines(name, span)?;
        let sig = match sig {
            Some((of, place, _)) if of != name => {
                let message = format!("a `sig` of `{of}` stands before the definition of `{name}`");
                return Err(Rejected::new(place, message, "not the name that is defined")
                    .help("a `sig` stands before its `fun` or `val`"));
            }
            sig => sig.map(|(_, _, scheme)| scheme),
        };
        let mut levels = self.level_names()?;
        if let (true, Some(scheme)) = (function, &sig) {
            levels.extend(self.left_out(scheme, levels.len(), span));
        }
        let body = if function {
            self.function(levels, span, Self::body)?
        } else {
            self.levels(levels, span, Self::body)?
        };
        let name = self.scope.define(name);
        Ok(Def { span, name, prelude: false, sig, body: body.exp })
    }

    /// `"=" e`
    fn body(&mut self) -> Parsed<Tall> {
        self.expect("=")?;
        self.exp()
    }

    /// `x ":" σ`
    fn signature(&mut self) -> Parsed<(&'s str, Span, Scheme)> {
        let (name, span) = self.name("a name")?;
        self.expect(":")?;
        Ok((name, span, self.scheme()?))
    }

    /// The levels that a `sig` begins with, but for the first `given`.
    fn left_out(&self, scheme: &Scheme, given: usize, span: Span) -> Vec<(&'s str, Span)> {
        let (mut ty, mut names) = (&scheme.ty, Vec::new());
        while let Type::LevelFn(var, inner) = ty {
            names.push((self.scope.text(*var), span));
            ty = inner;
        }
        names.split_off(given.min(names.len()))
    }

    /// `["<" x {"," x} ">"]`
    fn level_names(&mut self) -> Parsed<Vec<(&'s str, Span)>> {
        if !self.takes("<") {
            return Ok(Vec::new());
        }
        let names = self.list(Self::level_name)?;
        self.expect_close()?;
        Ok(names)
    }

    /// A level variable where it is bound.
    fn level_name(&mut self) -> Parsed<(&'s str, Span)> {
        let (name, span) = self.name("a level variable")?;
        if types::LEVELS.iter().any(|(level, _)| *level == name) {
            let message = format!("`{name}` is a level, not a variable");
            return Err(Rejected::new(span, message, "bound here").help("call it otherwise"));
        }
        Ok((name, span))
    }

    /// The expression, unless it is too tall.
    fn tall(&self, span: Span, kind: Kind, parts: &[(usize, usize)]) -> Parsed<Tall> {
        let height = 1 + parts.iter().map(|(height, _)| *height).max().unwrap_or(0);
        let depth = 1 + parts.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
        if height > MAX_NESTING {
            let message = format!("more than {MAX_NESTING} operators and functions in one another");
            return Err(Rejected::new(span, message, "one too many")
                .by_limit(Limit::Operators)
                .help("`a + b + c` is `(a + b) + c`; name a part of it with a `let`"));
        }
        if depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} `let`s and operators in one another");
            return Err(Rejected::new(span, message, "one too many")
                .by_limit(Limit::Operators)
                .help("make definitions of some of them"));
        }
        Ok(Tall { exp: Exp::new(span, kind), height, depth })
    }
}

impl Tall {
    fn size(&self) -> (usize, usize) {
        (self.height, self.depth)
    }
}

/// `do` and `kernel` are of other versions of FCL.
fn other_version(word: &str, span: Span) -> Rejected {
    let message = format!("`{word}` is of another version of FCL");
    let refused = Rejected::new(span, message, "not in the paper's FCL");
    match word {
        "do" => refused.help(
            "there are no programs in sequence: bind what is forced with `let`, as in \
             `let ys = force (push <block> xs) in push <block> (f ys)`",
        ),
        _ => refused.help(
            "write `fun f x = …` for `kernel f x = …`; `--set location=…` says how large blocks are",
        ),
    }
}

//! What recursive descent needs in MiniAS and in MiniSYCL: where it stands, what comes next, and how deep it is.

use crate::kit::lex::{Token, describe, too_deep};
use crate::kit::text::{Limit, MAX_NESTING, Rejected, Span};

/// What was read, or why not.
pub(super) type Parsed<T> = Result<T, Rejected>;

/// What a language knows of names while it is read.
pub(super) trait Foreign {
    /// What is said of a keyword that only another language has a use for.
    fn foreign(word: &str, span: Span) -> Option<Rejected>;
}

/// A parser, and what it knows of names.
pub(super) struct Parser<'s, S> {
    pub(super) tokens: Vec<(Token<'s>, Span)>,
    pub(super) at: usize,
    /// Where the source ends.
    end: usize,
    /// How many types, expressions and statements are being read.
    depth: usize,
    pub(super) scope: S,
}

impl<'s, S: Foreign> Parser<'s, S> {
    /// A parser of these tokens of a source that ends at `end`.
    pub(super) fn new(tokens: Vec<(Token<'s>, Span)>, end: usize, scope: S) -> Self {
        Self { tokens, at: 0, end, depth: 0, scope }
    }

    /// The token so many ahead.
    pub(super) fn token(&self, ahead: usize) -> Option<Token<'s>> {
        self.tokens.get(self.at + ahead).map(|(token, _)| *token)
    }

    /// Where the next token stands; at the end of the source, its last character.
    pub(super) fn span(&self) -> Span {
        let end = Span::new(self.end.saturating_sub(1), self.end);
        self.tokens.get(self.at).map_or(end, |(_, span)| *span)
    }

    /// The place of what was read last.
    pub(super) fn last(&self) -> Span {
        self.at.checked_sub(1).map_or(Span::default(), |at| self.tokens[at].1)
    }

    /// Does this symbol stand here?
    pub(super) fn is(&self, symbol: &str) -> bool {
        self.token(0) == Some(Token::Symbol(symbol))
    }

    /// Takes this symbol, if it is there.
    pub(super) fn takes(&mut self, symbol: &str) -> bool {
        let there = self.is(symbol);
        self.at += usize::from(there);
        there
    }

    /// Takes this keyword, if it is there.
    pub(super) fn takes_keyword(&mut self, word: &str) -> bool {
        let there = self.token(0) == Some(Token::Keyword(word));
        self.at += usize::from(there);
        there
    }

    /// Takes this symbol.
    pub(super) fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.takes(symbol) { Ok(()) } else { Err(self.wanted(&format!("`{symbol}`"))) }
    }

    /// What stands here is not what is wanted.
    pub(super) fn wanted(&self, what: &str) -> Rejected {
        if let Some(Token::Keyword(word)) = self.token(0)
            && let Some(refused) = S::foreign(word, self.span())
        {
            return refused;
        }
        let message = match self.token(0) {
            Some(token) => describe(&token),
            None => "the source ends too early".to_owned(),
        };
        Rejected::new(self.span(), message, format!("expected {what}"))
    }

    /// A name and its place.
    pub(super) fn name(&mut self, what: &str) -> Parsed<(&'s str, Span)> {
        match self.token(0) {
            Some(Token::Name(name)) => {
                self.at += 1;
                Ok((name, self.last()))
            }
            _ => Err(self.wanted(what)),
        }
    }

    /// Reads what may hold itself.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(too_deep(self.span()).help("make a function of a part of it"));
        }
        let result = read(self)?;
        self.depth -= 1;
        Ok(result)
    }

    /// `[part {"," part}] close`
    pub(super) fn list<T>(
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

    /// The place from `start` to what was read last.
    pub(super) fn from(&self, start: Span) -> Span {
        start.to(self.last())
    }
}

/// Too tall a tree, of brackets and prefixes or of a long sum.
pub(super) fn too_tall(span: Span) -> Rejected {
    let message = format!("more than {MAX_NESTING} operators in one another");
    Rejected::new(span, message, "one operator too many")
        .by_limit(Limit::Operators)
        .help("`a + b + c` is `(a + b) + c`; give a part of it a variable of its own")
}

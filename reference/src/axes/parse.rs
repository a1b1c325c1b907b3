//! From text to terms: parenthesized, an operator or a word first, and indices in braces.
//!
//! ```text
//! param (n : int = 64) (xs : [64][64])
//! (out
//!   (build grid i 64 (red + k 64 (* 2 (get xs i {63 - k}))))
//!   i)
//! ```

use super::index::{Index, Sizes};
use super::syntax::{Head, KEYWORDS, Kind, Level, Name, Param, Place, Program, Term};
use super::types::{self, Scope};
use crate::kit::lex::{self, Lexicon, Token};
use crate::kit::scalar::{BinOp, Notation};
use crate::kit::text::{Limit, Rejected, Span};
use std::sync::LazyLock;

static LEXICON: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon { keywords: &KEYWORDS, opens: &[], closes: &[], largest: 1 << 31 });

/// Where the nodes of a term stand.
#[derive(Clone, Debug)]
struct Places {
    span: Span,
    args: Vec<Places>,
}

impl Places {
    /// All places, outer ones first.
    fn list(&self, to: &mut Vec<Span>) {
        to.push(self.span);
        self.args.iter().for_each(|arg| arg.list(to));
    }
}

/// The program that `source` writes.
///
/// # Errors
/// Wrong syntax, or a rule of [`types`] that does not hold, with its place.
pub fn program(source: &str) -> Result<Program, Rejected> {
    placed(source).map(|(program, _)| program)
}

/// The program that `source` writes, and where the nodes of its term stand, outer ones first.
///
/// # Errors
/// As of [`program`].
pub fn placed(source: &str) -> Result<(Program, Vec<Span>), Rejected> {
    let mut parser = Parser::new(source, false)?;
    let mut params = Vec::new();
    if parser.takes_keyword("param") {
        while parser.looks_at(1, Token::Symbol(":")) || params.is_empty() {
            params.push(parser.param()?);
        }
    }
    parser.params.clone_from(&params);
    parser.sizes = sizes_in(&parser.tokens);
    let (term, places) = parser.term()?;
    parser.end()?;
    let program = Program { params, term };
    types::check(&program).map_err(|wrong| {
        let place = wrong.position.iter().try_fold(&places, |at, nth| at.args.get(*nth));
        let span = place.unwrap_or(&places).span;
        Rejected { span, ..wrong.rejected() }
    })?;
    let mut spans = Vec::new();
    places.list(&mut spans);
    Ok((program, spans))
}

/// A pattern: every name that is no word is a hole.
///
/// # Errors
/// Wrong syntax.
pub fn pattern(source: &str) -> Result<Term, Rejected> {
    let mut parser = Parser::new(source, true)?;
    let (term, _) = parser.term()?;
    parser.end()?;
    Ok(term)
}

/// A pattern with its names: each is a hole, and stands at this place of the text.
///
/// # Errors
/// Wrong syntax.
pub fn named_pattern(source: &str) -> Result<(Term, Vec<(Name, Span)>), Rejected> {
    let term = pattern(source)?;
    let tokens = Parser::new(source, true)?.tokens.into_iter();
    let names = tokens.filter_map(|(start, token, end)| match token {
        Token::Name(name) => Some((Name::new(name), Span::new(start, end))),
        _ => None,
    });
    Ok((term, names.collect()))
}

/// The sizes that binders of the text give their axes: an index may be read before it is known
/// what stands around it.
fn sizes_in(tokens: &[(usize, Token<'_>, usize)]) -> Sizes {
    let mut sizes = Sizes::new();
    for at in 0..tokens.len() {
        let token = |ahead: usize| tokens.get(at + ahead).map(|(_, token, _)| *token);
        let binds = matches!(token(0), Some(Token::Keyword("build" | "red" | "seq")));
        if let (true, Some(Token::Name(axis)), Some(Token::Int(size))) = (binds, token(2), token(3))
        {
            sizes.insert(Name::new(axis), u32::try_from(size).unwrap_or(u32::MAX));
        }
    }
    let merges = tokens.windows(4).filter_map(|window| match window {
        [
            (_, Token::Keyword("merge"), _),
            (_, Token::Name(a), _),
            (_, Token::Name(b), _),
            (_, Token::Name(c), _),
        ] => Some((Name::new(a), Name::new(b), Name::new(c))),
        _ => None,
    });
    let merges: Vec<_> = merges.collect();
    for (axis, outer, inner) in merges.iter().rev() {
        if let (Some(a), Some(b)) = (sizes.get(outer), sizes.get(inner)) {
            sizes.insert(axis.clone(), a.saturating_mul(*b));
        }
    }
    sizes
}

struct Parser<'s> {
    tokens: Vec<(usize, Token<'s>, usize)>,
    at: usize,
    length: usize,
    params: Vec<Param>,
    sizes: Sizes,
    /// The axes and states in scope.
    axes: Vec<Name>,
    states: Vec<Name>,
    pattern: bool,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str, pattern: bool) -> Result<Self, Rejected> {
        let tokens = lex::tokens(source, &LEXICON).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let tokens = tokens.map_err(|no| match no.limit {
            Some(Limit::Nesting) => no.help("a term has no names for its parts: write a lower one"),
            _ => no,
        })?;
        Ok(Parser {
            tokens,
            at: 0,
            length: source.len(),
            params: Vec::new(),
            sizes: Sizes::new(),
            axes: Vec::new(),
            states: Vec::new(),
            pattern,
        })
    }

    fn token(&self, ahead: usize) -> Option<Token<'s>> {
        self.tokens.get(self.at + ahead).map(|(_, token, _)| *token)
    }

    fn span(&self) -> Span {
        match self.tokens.get(self.at) {
            Some((start, _, end)) => Span::new(*start, *end),
            None => Span::new(self.length, self.length),
        }
    }

    fn looks_at(&self, ahead: usize, token: Token<'_>) -> bool {
        self.token(ahead + 1) == Some(token) && self.token(0) == Some(Token::Symbol("("))
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let there = self.token(0) == Some(Token::Symbol(symbol));
        self.at += usize::from(there);
        there
    }

    fn takes_keyword(&mut self, word: &str) -> bool {
        let there = self.token(0) == Some(Token::Keyword(word));
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, symbol: &str) -> Result<(), Rejected> {
        match self.takes(symbol) {
            true => Ok(()),
            false => Err(self.wanted(&format!("`{symbol}`"))),
        }
    }

    fn wanted(&self, what: &str) -> Rejected {
        let found = match self.token(0) {
            Some(token) => format!("`{token}`"),
            None => "the end".to_owned(),
        };
        Rejected::new(self.span(), format!("{what} is wanted, and here is {found}"), "here")
    }

    fn end(&self) -> Result<(), Rejected> {
        match self.token(0) {
            None => Ok(()),
            Some(_) => Err(self.wanted("the end")),
        }
    }

    fn name(&mut self) -> Result<Name, Rejected> {
        match self.token(0) {
            Some(Token::Name(name)) => {
                self.at += 1;
                Ok(Name::new(name))
            }
            _ => Err(self.wanted("a name")),
        }
    }

    fn natural(&mut self) -> Result<u32, Rejected> {
        match self.token(0) {
            Some(Token::Int(n)) if n <= i32::MAX as u64 => {
                self.at += 1;
                Ok(n as u32)
            }
            _ => Err(self.wanted("a size")),
        }
    }

    fn int(&mut self) -> Result<i32, Rejected> {
        let minus = self.takes("-");
        match self.token(0) {
            Some(Token::Int(n)) => {
                let n = if minus { -(n as i64) } else { n as i64 };
                let n = i32::try_from(n).map_err(|_| lex::out_of_range(self.span(), 1 << 31))?;
                self.at += 1;
                Ok(n)
            }
            _ => Err(self.wanted("a number")),
        }
    }

    /// `(n : int)`, `(n : int = 8)`, `(xs : [8][4])`
    fn param(&mut self) -> Result<Param, Rejected> {
        self.expect("(")?;
        let name = self.name()?;
        self.expect(":")?;
        let kind = if self.takes_keyword("int") {
            Kind::Int(if self.takes("=") { Some(self.int()?) } else { None })
        } else {
            let mut sizes = Vec::new();
            while self.takes("[") {
                sizes.push(self.natural()?);
                self.expect("]")?;
            }
            if sizes.is_empty() {
                return Err(self.wanted("`int` or a size in brackets"));
            }
            Kind::Array(sizes)
        };
        self.expect(")")?;
        Ok(Param { name, kind })
    }

    fn term(&mut self) -> Result<(Term, Places), Rejected> {
        let start = self.span();
        match self.token(0) {
            Some(Token::Symbol("(")) => {
                self.at += 1;
                let (term, args) = self.node()?;
                let end = self.span();
                self.expect(")")?;
                Ok((term, Places { span: start.to(end), args }))
            }
            Some(Token::Symbol("{")) => {
                self.at += 1;
                let index = self.index()?;
                let end = self.span();
                self.expect("}")?;
                Ok((Term::index(index), Places { span: start.to(end), args: Vec::new() }))
            }
            Some(Token::Int(_) | Token::Symbol("-")) => {
                let k = self.int()?;
                Ok((Term::constant(k), Places { span: start, args: Vec::new() }))
            }
            Some(Token::Name(text)) => {
                self.at += 1;
                let name = Name::new(text);
                Ok((self.named(name), Places { span: start, args: Vec::new() }))
            }
            _ => Err(self.wanted("a term")),
        }
    }

    /// What a name stands for. One that nothing binds is taken for a scalar, which the rules refuse.
    fn named(&self, name: Name) -> Term {
        if self.pattern {
            return Term::leaf(Head::Hole(name));
        }
        if self.axes.contains(&name) {
            return Term::at(&name);
        }
        let array = self.params.iter().any(|p| p.name == name && matches!(p.kind, Kind::Array(_)));
        Term::leaf(if array && !self.states.contains(&name) {
            Head::Array(name)
        } else {
            Head::Scalar(name)
        })
    }

    /// What stands behind an opening parenthesis.
    fn node(&mut self) -> Result<(Term, Vec<Places>), Rejected> {
        let mut args = Args::default();
        let word = match self.token(0) {
            Some(Token::Keyword(word)) => Head::begun_by(word),
            _ => None,
        };
        let Some(head) = word else {
            self.leaf(&mut args, Self::operator)?;
            self.rest(&mut args, Some(2))?;
            return Ok(args.node(Head::Apply));
        };
        self.at += 1;
        let scope = (self.axes.len(), self.states.len());
        match head {
            Head::If => self.rest(&mut args, Some(3))?,
            Head::Keep => self.rest(&mut args, Some(1))?,
            Head::Build => {
                self.leaf(&mut args, Self::level)?;
                self.binder(&mut args)?;
                self.rest(&mut args, Some(1))?;
            }
            Head::Red => {
                self.leaf(&mut args, Self::operator)?;
                self.binder(&mut args)?;
                self.rest(&mut args, Some(1))?;
            }
            Head::Seq => {
                self.leaf(&mut args, |parser| Ok(Head::State(parser.name()?)))?;
                self.leaf(&mut args, Self::axis)?;
                self.leaf(&mut args, |parser| Ok(Head::Size(parser.natural()?)))?;
                self.rest(&mut args, Some(1))?;
                if let Head::State(state) = &args.terms[0].head {
                    self.states.push(state.clone());
                }
                self.axes.extend(args.terms[1].as_axis().cloned());
                self.rest(&mut args, Some(1))?;
            }
            Head::Merge => {
                (0..3).try_for_each(|_| self.leaf(&mut args, Self::axis))?;
                self.rest(&mut args, Some(1))?;
            }
            Head::Store => {
                self.leaf(&mut args, Self::place)?;
                self.rest(&mut args, Some(1))?;
                self.layout(&mut args)?;
            }
            Head::Out => {
                self.rest(&mut args, Some(1))?;
                self.layout(&mut args)?;
            }
            // `get` and `results` take as many as there are.
            _ => self.rest(&mut args, None)?,
        }
        self.axes.truncate(scope.0);
        self.states.truncate(scope.1);
        Ok(args.node(head.clone()))
    }

    /// An axis and its size, in scope from here on.
    fn binder(&mut self, args: &mut Args) -> Result<(), Rejected> {
        self.leaf(args, Self::axis)?;
        self.leaf(args, |parser| Ok(Head::Size(parser.natural()?)))?;
        let axis = args.terms[args.terms.len() - 2].as_axis().cloned();
        self.axes.extend(axis);
        Ok(())
    }

    fn layout(&mut self, args: &mut Args) -> Result<(), Rejected> {
        while matches!(self.token(0), Some(Token::Name(_))) {
            self.leaf(args, Self::axis)?;
        }
        Ok(())
    }

    /// Terms: so many, or all that are there.
    fn rest(&mut self, args: &mut Args, count: Option<usize>) -> Result<(), Rejected> {
        let mut taken = 0;
        while count.is_none_or(|count| taken < count) {
            if count.is_none() && self.token(0) == Some(Token::Symbol(")")) {
                break;
            }
            let (term, places) = self.term()?;
            args.terms.push(term);
            args.places.push(places);
            taken += 1;
        }
        Ok(())
    }

    /// A leaf; in a pattern it may be a hole.
    fn leaf(
        &mut self,
        args: &mut Args,
        read: impl FnOnce(&mut Self) -> Result<Head, Rejected>,
    ) -> Result<(), Rejected> {
        let span = self.span();
        let head = match self.token(0) {
            Some(Token::Name(_)) if self.pattern => Head::Hole(self.name()?),
            _ => read(self)?,
        };
        args.terms.push(Term::leaf(head));
        args.places.push(Places { span, args: Vec::new() });
        Ok(())
    }

    fn axis(&mut self) -> Result<Head, Rejected> {
        Ok(Head::Axis(self.name()?))
    }

    fn level(&mut self) -> Result<Head, Rejected> {
        for level in Level::ALL {
            if self.takes_keyword(level.word()) {
                return Ok(Head::Level(level));
            }
        }
        Err(self.wanted("a level"))
    }

    fn place(&mut self) -> Result<Head, Rejected> {
        for place in Place::ALL {
            if self.takes_keyword(place.word()) {
                let padded = place == (Place::Group { pad: 0 }) && self.takes("+");
                let pad = if padded { self.natural()? } else { 0 };
                return Ok(Head::Place(if padded { Place::Group { pad } } else { place }));
            }
        }
        Err(self.wanted("a place"))
    }

    fn operator(&mut self) -> Result<Head, Rejected> {
        for op in BinOp::ALL {
            let there = match op.notation() {
                Notation::Infix(symbol, _) => self.takes(symbol),
                Notation::Call(name) => self.takes_keyword(name),
            };
            if there {
                return Ok(Head::Op(op));
            }
        }
        Err(self.wanted("an operator or a word such as `build`"))
    }

    /// `product + product - …`
    fn index(&mut self) -> Result<Index, Rejected> {
        let mut sum = Index::number(0);
        let mut sign = if self.takes("-") { -1 } else { 1 };
        loop {
            let span = self.span();
            let part = self.product()?;
            sum = sum.plus(&part, sign).ok_or_else(|| too_large(span))?;
            sign = match (self.takes("+"), self.token(0)) {
                (true, _) => 1,
                (false, Some(Token::Symbol("-"))) => {
                    self.at += 1;
                    -1
                }
                _ => return Ok(sum),
            };
        }
    }

    /// A number or an axis, times and divided by numbers.
    fn product(&mut self) -> Result<Index, Rejected> {
        let mut of = self.factor()?;
        loop {
            let span = self.span();
            if self.takes("*") {
                let with = self.factor()?;
                let (number, other) = match (of.constant(), with.constant()) {
                    (Some(k), _) => (k, &with),
                    (None, Some(k)) => (k, &of),
                    _ => {
                        return Err(Rejected::new(
                            span,
                            "an axis times an axis is no index",
                            "here",
                        ));
                    }
                };
                of = other.times(i64::from(number)).ok_or_else(|| too_large(span))?;
            } else if self.takes("/") {
                let by = self.natural()?;
                of = self.divided(&of, by, span)?.0;
            } else if self.takes("%") {
                let by = self.natural()?;
                of = self.divided(&of, by, span)?.1;
            } else {
                return Ok(of);
            }
        }
    }

    fn divided(&self, of: &Index, by: u32, span: Span) -> Result<(Index, Index), Rejected> {
        of.divided(by, &self.sizes).ok_or_else(|| {
            Rejected::new(
                span,
                "what is divided in an index is never negative, and not by 0",
                "here",
            )
        })
    }

    fn factor(&mut self) -> Result<Index, Rejected> {
        match self.token(0) {
            Some(Token::Symbol("(")) => {
                self.at += 1;
                let index = self.index()?;
                self.expect(")")?;
                Ok(index)
            }
            Some(Token::Name(_)) => Ok(Index::axis(&self.name()?)),
            Some(Token::Int(_)) => Ok(Index::number(self.int()?)),
            _ => Err(self.wanted("an axis or a number")),
        }
    }
}

fn too_large(span: Span) -> Rejected {
    Rejected::new(span, "this index is too large", "here")
}

#[derive(Default)]
struct Args {
    terms: Vec<Term>,
    places: Vec<Places>,
}

impl Args {
    fn node(self, head: Head) -> (Term, Vec<Places>) {
        (Term::new(head, self.terms), self.places)
    }
}

/// The scope of the program that `source` writes, beside it.
///
/// # Errors
/// As [`program`].
pub fn scoped(source: &str) -> Result<(Program, Scope), Rejected> {
    let program = program(source)?;
    let scope = Scope::of(&program).expect("it was checked");
    Ok((program, scope))
}

//! The tokens of FCL. Its names hold `#` and `'`, its comments nest, and it has operators that no other
//! language has, so it has a lexer of its own; limits and refusals are those of [`kit::lex`](crate::kit::lex).

use crate::kit::lex::{Token, no_token, out_of_range, too_deep};
use crate::kit::text::{Limit, MAX_NESTING, MAX_SOURCE, Rejected, Span};
use logos::Logos;

/// Words that are no names. `do` and `kernel` are of other versions of FCL.
pub(super) const KEYWORDS: [&str; 19] = [
    "sig", "fun", "val", "let", "in", "fn", "if", "then", "else", "true", "false", "forall", "int",
    "double", "bool", "div", "mod", "do", "kernel",
];

/// What names are made of, where a letter starts no token.
fn no_name(refused: Rejected) -> Rejected {
    match refused.help {
        Some(ref help) if help.starts_with("names are made") => refused.help(
            "names are made of the letters a to z and A to Z, digits, `_`, `#` and `'`, and start with no digit",
        ),
        _ => refused,
    }
}

/// The absolute value of the smallest int.
const LARGEST: u64 = 1 << 31;

#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip(r"[ \t\r\n\f]+"))]
#[logos(skip(r"--[^\n]*", allow_greedy = true))]
enum Raw {
    #[regex(r"[A-Za-z_#][A-Za-z0-9_#']*")]
    #[regex(r"'[A-Za-z_#][A-Za-z0-9_#']*")]
    Word,
    #[regex(r"[0-9]+")]
    Int,
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")]
    Double,
    #[regex(r"[0-9]+[A-Za-z_#'][A-Za-z0-9_#']*")]
    NumberWord,
    #[regex("\"[^\"\n]*\"?")]
    Text,
    #[token("(*")]
    Comment,
    #[token("(")]
    #[token("[")]
    #[token("{")]
    Open,
    #[token(")")]
    #[token("]")]
    #[token("}")]
    Close,
    /// `>` and `=>`, as in `fn <α>=>`.
    #[token(">=>")]
    CloseArrow,
    #[token(",")]
    #[token(":")]
    #[token(";")]
    #[token(".")]
    #[token("=")]
    #[token("==")]
    #[token("!=")]
    #[token("<")]
    #[token("<=")]
    #[token(">")]
    #[token(">=")]
    #[token("<<")]
    #[token(">>")]
    #[token("+")]
    #[token("-")]
    #[token("*")]
    #[token("/")]
    #[token("%")]
    #[token("&")]
    #[token("&&")]
    #[token("||")]
    #[token("|>")]
    #[token("->")]
    #[token("<-")]
    #[token("=>")]
    Symbol,
}

/// The tokens of `source`, whose first byte has the place `base`.
///
/// # Errors
/// A source that is too long, nested too deeply, or holds what is no token.
pub(super) fn tokens(source: &str, base: u32) -> Result<Vec<(Token<'_>, Span)>, Rejected> {
    if source.len() > MAX_SOURCE {
        let most = MAX_SOURCE >> 20;
        return Err(Rejected::new(Span::default(), "the source is too long", "starts here")
            .by_limit(Limit::Length)
            .help(format!("a source has at most {most} MiB")));
    }
    let mut raw = Raw::lexer(source);
    let (mut tokens, mut depth) = (Vec::new(), 0_usize);
    while let Some(token) = raw.next() {
        let (range, text) = (raw.span(), raw.slice());
        let span = Span::new(range.start, range.end);
        let placed = Span::new(range.start + base as usize, range.end + base as usize);
        let token = token.map_err(|()| no_name(no_token(source, span)))?;
        match token {
            Raw::Open => depth += 1,
            Raw::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return Err(too_deep(span));
        }
        let token = match token {
            Raw::Comment => {
                let length = comment(raw.remainder()).ok_or_else(|| {
                    Rejected::new(span, "a comment that does not end", "starts here")
                        .help("comments nest: each `(*` has a `*)`")
                })?;
                raw.bump(length);
                continue;
            }
            Raw::CloseArrow => {
                let middle = placed.start as usize + 1;
                tokens.push((Token::Symbol(">"), Span::new(placed.start as usize, middle)));
                (Token::Symbol("=>"), Span::new(middle, placed.end as usize))
            }
            Raw::Word if KEYWORDS.contains(&text) => (Token::Keyword(text), placed),
            Raw::Word => (Token::Name(text), placed),
            Raw::Int => match text.parse::<u64>() {
                Ok(k) if k <= LARGEST => (Token::Int(k), placed),
                _ => return Err(out_of_range(span, LARGEST)),
            },
            Raw::Double => (Token::Float(text), placed),
            Raw::Open | Raw::Close | Raw::Symbol => (Token::Symbol(text), placed),
            Raw::NumberWord => {
                let label = "neither a number nor a name";
                return Err(Rejected::new(span, "a number runs into a name", label)
                    .help("a name starts with a letter; put a space behind a number"));
            }
            Raw::Text => {
                return Err(Rejected::new(span, "FCL has no texts", "in quotes")
                    .help("input is given beside the program, and a type variable is `'a`"));
            }
        };
        tokens.push(token);
    }
    Ok(tokens)
}

/// How long the rest of a comment is, behind its `(*`.
fn comment(rest: &str) -> Option<usize> {
    let (bytes, mut at, mut open) = (rest.as_bytes(), 0, 1);
    while open > 0 {
        match bytes.get(at..at + 2)? {
            b"(*" => (at, open) = (at + 2, open + 1),
            b"*)" => (at, open) = (at + 2, open - 1),
            _ => at += 1,
        }
    }
    Some(at)
}

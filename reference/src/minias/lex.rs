//! The tokens of MiniAS, which has C's operators and comments from `//` on beside those from `--` on. Limits and refusals
//! are those of [`kit::lex`](crate::kit::lex).

use crate::kit::lex::{Token, no_token, out_of_range, too_deep};
use crate::kit::text::{Limit, MAX_NESTING, MAX_SOURCE, Rejected, Span};
use logos::Logos;

/// Words that are no names.
pub(super) const KEYWORDS: [&str; 19] = [
    "int",
    "void",
    "kernel",
    "global",
    "local",
    "private",
    "constant",
    "generic",
    "ASpace",
    "return",
    "if",
    "else",
    "while",
    "for",
    "barrier",
    "NULL",
    "dynamic_cast",
    "bool",
    "do",
];

/// The absolute value of the smallest int.
pub(super) const LARGEST: u64 = 1 << 31;

#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip(r"[ \t\r\n\f]+"))]
#[logos(skip(r"(--|//)[^\n]*", allow_greedy = true))]
enum Raw {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex(r"[0-9]+")]
    Int,
    #[regex(r"[0-9]+[A-Za-z_][A-Za-z0-9_]*")]
    NumberWord,
    #[token("/*")]
    Comment,
    #[token("(")]
    #[token("[")]
    #[token("{")]
    Open,
    #[token(")")]
    #[token("]")]
    #[token("}")]
    Close,
    #[token(",")]
    #[token(";")]
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
    #[token("|")]
    #[token("||")]
    #[token("^")]
    #[token("~")]
    #[token("!")]
    #[token("?")]
    #[token(":")]
    Symbol,
}

/// The tokens of `source`.
///
/// # Errors
/// A source that is too long, nested too deeply, or holds what is no token.
pub(super) fn tokens(source: &str) -> Result<Vec<(Token<'_>, Span)>, Rejected> {
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
        let token = match token.map_err(|()| no_token(source, span))? {
            Raw::Word => match KEYWORDS.iter().find(|word| **word == text) {
                Some(word) => Token::Keyword(word),
                None => Token::Name(text),
            },
            Raw::Int => match text.parse::<u64>() {
                Ok(k) if k <= LARGEST => Token::Int(k),
                _ => return Err(out_of_range(span, LARGEST)),
            },
            Raw::NumberWord => {
                let label = "neither a number nor a name";
                return Err(Rejected::new(span, "a number runs into a name", label)
                    .help("a name starts with a letter; put a space behind a number"));
            }
            Raw::Comment => {
                return Err(Rejected::new(
                    span,
                    "MiniAS has no comments in brackets",
                    "starts here",
                )
                .help("a comment goes from `//` or `--` to the end of its line"));
            }
            Raw::Open => {
                depth += 1;
                if depth > MAX_NESTING {
                    let help = match text {
                        "{" => "make a function of a part of it",
                        _ => "give a part of it a variable of its own",
                    };
                    return Err(too_deep(span).help(help));
                }
                Token::Symbol(text)
            }
            Raw::Close => {
                depth = depth.saturating_sub(1);
                Token::Symbol(text)
            }
            Raw::Symbol => Token::Symbol(text),
        };
        tokens.push((token, span));
    }
    Ok(tokens)
}

//! The tokens of MiniSYCL: those of C++ that it needs. A text in quotes is a symbol that begins with one. `cl::` and
//! `sycl::` say nothing and are left out. `>>` is two tokens, since each may close a list of types. Comments from `--` on are there for the headers of the corpus.

use crate::kit::lex::{Token, no_token, out_of_range, too_deep};
use crate::kit::text::{Limit, MAX_NESTING, MAX_SOURCE, Rejected, Span};
use crate::minias::lex::LARGEST;
use logos::Logos;

/// Words that are no names.
pub(super) const KEYWORDS: [&str; 24] = [
    "int",
    "bool",
    "void",
    "auto",
    "decltype",
    "const",
    "template",
    "typename",
    "struct",
    "kernel",
    "return",
    "if",
    "else",
    "while",
    "for",
    "do",
    "barrier",
    "NULL",
    "nullptr",
    "static_assert",
    "dynamic_cast",
    "address_space_cast",
    "dynamic_addrspace_cast",
    "multi_ptr",
];

#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip(r"[ \t\r\n\f]+"))]
#[logos(skip(r"(--|//)[^\n]*", allow_greedy = true))]
#[logos(skip(r"/\*([^*]|\*+[^*/])*\*+/"))]
enum Raw {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex(r"[0-9]+")]
    Int,
    #[regex(r"[0-9]+[A-Za-z_][A-Za-z0-9_]*")]
    NumberWord,
    #[token("/*")]
    Comment,
    #[regex(r#""[^"\n]*""#)]
    Text,
    #[token("(")]
    #[token("[")]
    #[token("{")]
    Open,
    #[token(")")]
    #[token("]")]
    #[token("}")]
    Close,
    #[token("::")]
    Scope,
    #[token(",")]
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
                return Err(Rejected::new(span, "a comment without an end", "starts here"));
            }
            Raw::Scope => match tokens.last() {
                Some((Token::Name("cl" | "sycl"), _)) => {
                    tokens.pop();
                    continue;
                }
                _ => Token::Symbol(text),
            },
            Raw::Open => {
                depth += 1;
                if depth > MAX_NESTING {
                    return Err(too_deep(span).help("make a function of a part of it"));
                }
                Token::Symbol(text)
            }
            Raw::Close => {
                depth = depth.saturating_sub(1);
                Token::Symbol(text)
            }
            Raw::Text | Raw::Symbol => Token::Symbol(text),
        };
        tokens.push((token, span));
    }
    Ok(tokens)
}

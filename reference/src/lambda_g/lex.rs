//! The tokens of λG: those of the [kit](crate::kit::lex), and two of its symbols side by side, `=>` and `||`, as one.

use crate::kit::lex::{self, Lexicon, Token};
use crate::kit::text::{Rejected, Span};

const WORDS: Lexicon = Lexicon {
    keywords: &[
        "param",
        "bool",
        "int",
        "Vec",
        "Pi",
        "host",
        "fn",
        "rfn",
        "fix",
        "letregion",
        "of",
        "let",
        "in",
        "if",
        "then",
        "else",
        "on",
        "at",
        "or",
        "and",
        "not",
        "min",
        "max",
        "fst",
        "snd",
        "iota",
        "length",
        "parmap",
        "true",
        "false",
    ],
    opens: &[],
    closes: &[],
    largest: 1 << 31,
};

/// The tokens of `source`.
///
/// # Errors
/// A source that is too long, nested too deeply, or holds what is no token.
pub(super) fn tokens(source: &str) -> Result<Vec<(Token<'_>, Span)>, Rejected> {
    let mut tokens: Vec<(Token<'_>, Span)> = Vec::new();
    for token in lex::tokens(source, &WORDS)? {
        let (start, token, end) = token?;
        let span = Span::new(start, end);
        if let Some((Token::Symbol(before), place)) = tokens.last_mut()
            && place.end as usize == start
            && matches!((*before, token), ("=", Token::Symbol(">")) | ("|", Token::Symbol("|")))
        {
            *place = place.to(span);
            *before = &source[place.start as usize..end];
            continue;
        }
        tokens.push((token, span));
    }
    Ok(tokens)
}

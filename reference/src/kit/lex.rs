//! The lexer of every language: names, numbers, symbols and comments from `--` to the end of
//! the line. It refuses what no parser should see, so that a parser needs no limits of its own:
//! sources that are too long, characters that mean nothing, numbers out of range, and nesting
//! deeper than [`MAX_NESTING`].

use super::text::{Limit, MAX_NESTING, MAX_SOURCE, Rejected, Span};
use logos::{Lexer, Logos};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'s> {
    /// One of the language's reserved words.
    Keyword(&'s str),
    /// Punctuation or an operator.
    Symbol(&'s str),
    /// Any other word.
    Name(&'s str),
    /// A number without a sign, at most [`Lexicon::largest`].
    Int(u64),
    /// A number with a decimal point, as it is written.
    Float(&'s str),
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Keyword(text) | Token::Symbol(text) | Token::Name(text) | Token::Float(text) => {
                f.write_str(text)
            }
            Token::Int(k) => write!(f, "{k}"),
        }
    }
}

/// What the lexer must know of a language.
#[derive(Clone, Copy, Debug)]
pub struct Lexicon {
    /// Reserved words.
    pub keywords: &'static [&'static str],
    /// Keywords that open a body. Brackets open one anyway.
    pub opens: &'static [&'static str],
    /// Keywords that close the innermost body.
    pub closes: &'static [&'static str],
    /// The largest number. It is the absolute value of the smallest int, which a grammar then
    /// accepts behind a minus only.
    pub largest: u64,
}

/// The tokens themselves, before keywords are told from names.
#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip(r"[ \t\r\n\f]+"))]
#[logos(skip(r"--[^\n]*", allow_greedy = true))]
enum Raw {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex(r"[0-9]+")]
    Int,
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")]
    Float,
    #[regex(r"[0-9]+[A-Za-z_][A-Za-z0-9_]*")]
    NumberWord,
    #[token("(")]
    #[token("[")]
    #[token("{")]
    Open,
    #[token(")")]
    #[token("]")]
    #[token("}")]
    Close,
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
    #[token("|")]
    #[token("^")]
    #[token("~")]
    #[token("!")]
    #[token("@")]
    #[token("#")]
    #[token("->")]
    #[token("<-")]
    Symbol,
}

/// Tokens with the bytes where they start and end, as a generated parser takes them.
#[derive(Clone)]
pub struct Tokens<'s> {
    raw: Lexer<'s, Raw>,
    lexicon: &'static Lexicon,
    depth: usize,
}

/// The tokens of `source`, all of them known to be good: the iterator gives no errors.
///
/// # Errors
/// A source that is too long, nested too deeply, or holds what is no token.
pub fn tokens<'s>(source: &'s str, lexicon: &'static Lexicon) -> Result<Tokens<'s>, Rejected> {
    if source.len() > MAX_SOURCE {
        let megabytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        return Err(Rejected::new(
            Span::new(0, 0),
            format!("the source is too long: {:.1} MiB", megabytes(source.len())),
            "starts here",
        )
        .by_limit(Limit::Length)
        .help(format!("a source has at most {:.0} MiB", megabytes(MAX_SOURCE))));
    }
    let tokens = Tokens { raw: Raw::lexer(source), lexicon, depth: 0 };
    for token in tokens.clone() {
        token?;
    }
    Ok(tokens)
}

impl<'s> Iterator for Tokens<'s> {
    type Item = Result<(usize, Token<'s>, usize), Rejected>;

    fn next(&mut self) -> Option<Self::Item> {
        let raw = self.raw.next()?;
        let range = self.raw.span();
        let span = Span::new(range.start, range.end);
        Some(self.token(raw, span).map(|token| (range.start, token, range.end)))
    }
}

impl<'s> Tokens<'s> {
    fn token(&mut self, raw: Result<Raw, ()>, span: Span) -> Result<Token<'s>, Rejected> {
        let text = self.raw.slice();
        let Ok(raw) = raw else { return Err(no_token(self.raw.source(), span)) };
        Ok(match raw {
            Raw::Word => match self.lexicon.keywords.iter().find(|word| **word == text) {
                Some(word) => {
                    if self.lexicon.opens.contains(word) {
                        self.open(span)?;
                    }
                    if self.lexicon.closes.contains(word) {
                        self.depth = self.depth.saturating_sub(1);
                    }
                    Token::Keyword(word)
                }
                None => Token::Name(text),
            },
            Raw::Int => match text.parse::<u64>() {
                Ok(k) if k <= self.lexicon.largest => Token::Int(k),
                _ => return Err(out_of_range(span, self.lexicon.largest)),
            },
            Raw::Float => Token::Float(text),
            Raw::NumberWord => {
                let label = "neither a number nor a name";
                return Err(Rejected::new(span, "a number runs into a name", label)
                    .help("a name starts with a letter; put a space behind a number"));
            }
            Raw::Open => {
                self.open(span)?;
                Token::Symbol(text)
            }
            Raw::Close => {
                self.depth = self.depth.saturating_sub(1);
                Token::Symbol(text)
            }
            Raw::Symbol => Token::Symbol(text),
        })
    }

    fn open(&mut self, span: Span) -> Result<(), Rejected> {
        self.depth += 1;
        if self.depth > MAX_NESTING { Err(too_deep(span)) } else { Ok(()) }
    }
}

/// The source is nested too deeply at `span`.
pub fn too_deep(span: Span) -> Rejected {
    Rejected::new(span, format!("nested deeper than {MAX_NESTING}"), "one level too many")
        .by_limit(Limit::Nesting)
        .help("name a part of it with a `let` of its own")
}

/// The expression at `span` is too tall a tree: of brackets and prefixes, or of a long sum, since
/// each `+` has what stands before it for its operand.
pub fn too_tall(span: Span) -> Rejected {
    let message = format!("more than {MAX_NESTING} operators in one another");
    Rejected::new(span, message, "one operator too many")
        .by_limit(Limit::Operators)
        .help("`a + b + c` is `(a + b) + c`; name a part of it with a `let` of its own")
}

/// The number at `span` is out of range; `largest` is the absolute value of the smallest int.
pub fn out_of_range(span: Span, largest: u64) -> Rejected {
    let smaller = largest - 1;
    Rejected::new(span, "a number out of range", "does not fit")
        .help(format!("ints go from -{largest} to {smaller}"))
}

/// What stands at `span` starts no token.
pub(crate) fn no_token(source: &str, span: Span) -> Rejected {
    let at = source.get(span.start as usize..).and_then(|rest| rest.chars().next());
    let what = match at {
        Some(char::REPLACEMENT_CHARACTER) => "a byte that is no text".to_owned(),
        Some(c) if c.is_control() => format!("the control character {:#04x}", u32::from(c)),
        Some('\u{FEFF}') => "a byte order mark, U+FEFF,".to_owned(),
        Some(c) if is_invisible(c) => format!("the invisible character U+{:04X}", u32::from(c)),
        Some(c) => format!("the character `{c}`"),
        None => "the end".to_owned(),
    };
    let end = span.start as usize + at.map_or(0, char::len_utf8);
    let refused = Rejected::new(
        Span::new(span.start as usize, end),
        format!("{what} means nothing here"),
        "not understood",
    );
    match at {
        Some(c) if c.is_alphabetic() => {
            refused.help("names are made of the letters a to z and A to Z, digits and `_`")
        }
        Some('\u{2010}'..='\u{2015}' | '\u{2212}') => refused.help("minus is written `-`"),
        _ => refused,
    }
}

/// Has the character no width of its own, or is it a blank that is none of ours?
fn is_invisible(c: char) -> bool {
    let format = ['\u{AD}', '\u{61C}', '\u{180E}', '\u{FEFF}'];
    c.is_whitespace()
        || format.contains(&c)
        || ('\u{200B}'..='\u{200F}').contains(&c)
        || ('\u{202A}'..='\u{202E}').contains(&c)
        || ('\u{2060}'..='\u{206F}').contains(&c)
}

/// The error of a generated parser as a refusal; `source` is what was parsed.
pub fn unexpected(
    error: lalrpop_util::ParseError<usize, Token<'_>, Rejected>,
    source: &str,
) -> Rejected {
    use lalrpop_util::ParseError as E;
    let (span, message, expected) = match error {
        E::User { error } => return error,
        E::InvalidToken { location } => {
            return no_token(source, Span::new(location, location + 1));
        }
        E::UnrecognizedEof { expected, .. } => {
            let end = source.trim_end().len();
            let message = match source.trim().is_empty() {
                true => "the source is empty".to_owned(),
                false => "the source ends too early".to_owned(),
            };
            (Span::new(end.saturating_sub(1), end), message, expected)
        }
        E::UnrecognizedToken { token: (start, token, end), expected } => {
            (Span::new(start, end), describe(&token), expected)
        }
        E::ExtraToken { token: (start, token, end) } => {
            (Span::new(start, end), describe(&token), Vec::new())
        }
    };
    let wanted = words(&expected);
    let label = if wanted.is_empty() { "not expected".to_owned() } else { wanted };
    Rejected::new(span, message, label)
}

/// What is wrong with a token that a parser does not expect.
pub(crate) fn describe(token: &Token<'_>) -> String {
    match token {
        Token::Keyword(word) => format!("the keyword `{word}` is not expected here"),
        Token::Symbol(symbol) => format!("`{symbol}` is not expected here"),
        Token::Name(name) if name.len() > 40 => "this name is not expected here".to_owned(),
        Token::Name(name) => format!("the name `{name}` is not expected here"),
        Token::Int(_) | Token::Float(_) => "a number is not expected here".to_owned(),
    }
}

/// `expected a name, "let" or an operator`, from the terminals of a generated parser.
fn words(expected: &[String]) -> String {
    const OPERATORS: [&str; 16] =
        ["|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "/", "%"];
    let plain: Vec<&str> = expected.iter().map(|text| text.trim_matches('"')).collect();
    const STARTS: [&str; 13] = [
        "name",
        "number",
        "(",
        "[",
        "-",
        "~",
        "min",
        "max",
        "transpose",
        "copy",
        "iota",
        "replicate",
        "concat",
    ];
    // A minus may start an operand too; a product only goes between two.
    let infix = plain.contains(&"*");
    let expression = plain.contains(&"number") && plain.contains(&"(");
    let mut seen = Vec::new();
    for (text, word) in expected.iter().zip(&plain) {
        let entry = match *word {
            operator if infix && OPERATORS.contains(&operator) => "an operator".to_owned(),
            start if expression && STARTS.contains(&start) => "an expression".to_owned(),
            word if text.starts_with('"') => format!("`{word}`"),
            "name" => "a name".to_owned(),
            "number" => "a number".to_owned(),
            word => word.to_owned(),
        };
        if !seen.contains(&entry) {
            seen.push(entry);
        }
    }
    // Words before symbols, so that the kinds of thing come first.
    seen.sort_by_key(|entry| entry.starts_with('`'));
    match seen.split_last() {
        None => String::new(),
        Some((only, [])) => format!("expected {only}"),
        Some((last, rest)) => format!("expected {} or {last}", rest.join(", ")),
    }
}

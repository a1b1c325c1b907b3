//! From text to programs of the toy language.

use super::syntax::{Program, Sum, Term};
use crate::kit::lex::{Lexicon, Token, tokens};
use crate::kit::names::{Names, Var};
use crate::kit::text::{Rejected, Span};
use std::collections::HashMap;

const WORDS: Lexicon = Lexicon {
    keywords: &["param", "let", "in"],
    opens: &[],
    closes: &[],
    largest: i32::MAX as u64,
};

/// Reads a program.
///
/// # Errors
/// What is wrong, and where.
pub fn program(text: &str) -> Result<Program, Rejected> {
    let mut tokens: Vec<_> = tokens(text, &WORDS)?.collect::<Result<_, _>>()?;
    tokens.reverse();
    let mut reader = Reader { tokens, end: text.len(), scope: HashMap::new() };
    let mut program = Program::default();
    if reader.takes(Token::Keyword("param")) {
        while let Some(&(_, Token::Name(name), _)) = reader.tokens.last() {
            reader.tokens.pop();
            program.params.push(reader.bind(name, &mut program.names));
        }
    }
    while reader.takes(Token::Keyword("let")) {
        let Some((_, Token::Name(name), _)) = reader.tokens.pop() else {
            return Err(reader.unexpected("a name"));
        };
        reader.wants(Token::Symbol("="))?;
        let sum = reader.sum()?;
        let var = reader.bind(name, &mut program.names);
        program.lets.push((var, sum));
    }
    reader.wants(Token::Keyword("in"))?;
    program.result = reader.sum()?;
    if reader.tokens.is_empty() { Ok(program) } else { Err(reader.unexpected("the end")) }
}

/// The tokens that are left, the next one last, and the names in scope.
struct Reader<'s> {
    tokens: Vec<(usize, Token<'s>, usize)>,
    end: usize,
    scope: HashMap<&'s str, Var>,
}

impl<'s> Reader<'s> {
    fn takes(&mut self, wanted: Token<'_>) -> bool {
        self.tokens.pop_if(|(_, token, _)| *token == wanted).is_some()
    }

    fn wants(&mut self, wanted: Token<'_>) -> Result<(), Rejected> {
        if self.takes(wanted) { Ok(()) } else { Err(self.unexpected(&format!("`{wanted}`"))) }
    }

    fn unexpected(&self, wanted: &str) -> Rejected {
        let (start, _, end) = *self.tokens.last().unwrap_or(&(self.end, Token::Int(0), self.end));
        Rejected::new(Span::new(start, end), format!("expected {wanted}"), "here")
    }

    fn bind(&mut self, name: &'s str, names: &mut Names) -> Var {
        let var = names.fresh(name.to_owned());
        self.scope.insert(name, var);
        var
    }

    fn sum(&mut self) -> Result<Sum, Rejected> {
        let mut sum = Sum::new();
        loop {
            sum.push(match self.tokens.pop() {
                Some((_, Token::Int(k), _)) => Term::Int(k as i32),
                Some((start, Token::Name(name), end)) => match self.scope.get(name) {
                    Some(var) => Term::Var(*var),
                    None => {
                        let message = format!("`{name}` is not in scope");
                        let rejected = Rejected::new(Span::new(start, end), message, "not bound");
                        return Err(rejected.by_rule("T-TOY-VAR", "scope"));
                    }
                },
                other => {
                    self.tokens.extend(other);
                    return Err(self.unexpected("a name or a number"));
                }
            });
            if !self.takes(Token::Symbol("+")) {
                return Ok(sum);
            }
        }
    }
}

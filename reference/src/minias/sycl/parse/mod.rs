//! From text to MiniSYCL: recursive descent. As in C++, what a name stands for decides how it is read: `f<` opens types
//! behind the name of a template, and a struct or a parameter of a template begins a type.

mod exps;
mod items;
mod stmts;
mod types;

use super::lex;
use super::syntax::{Item, Name, Options, Program};
use crate::kit::lex::Token;
use crate::kit::names::Names;
use crate::kit::text::{Rejected, Span};
use crate::minias::cursor::{self, Foreign, Parsed};
use std::collections::HashSet;

/// The program that `source` writes.
///
/// # Errors
/// Wrong syntax, numbers out of range, sources that are too long or too deep.
pub fn program(source: &str) -> Result<Program, Rejected> {
    let tokens = lex::tokens(source)?;
    let mut parser = Parser::new(tokens, source.trim_end().len(), Known::default());
    parser.announce();
    let mut items = Vec::new();
    while parser.token(0).is_some() {
        items.push(parser.item()?);
    }
    if items.is_empty() {
        let message = match source.trim().is_empty() {
            true => "the source is empty",
            false => "there is no definition in the source",
        };
        return Err(Rejected::new(Span::default(), message, "expected a function or a kernel")
            .help("for example `kernel void k(global_ptr<int> g) { int *p = g; *p = 1; }`"));
    }
    Ok(Program { names: names(&items), items, options: Options::default() })
}

/// The names of the parameters of kernels, in order.
fn names(items: &[Item]) -> Names {
    let mut names = Names::new();
    for item in items {
        if let Item::Function(function) = item
            && function.kernel
        {
            for param in &function.params {
                names.fresh(param.name.as_ref().map_or("unnamed", |name| &name.text).to_owned());
            }
        }
    }
    names
}

type Parser<'s> = cursor::Parser<'s, Known<'s>>;

/// What is known of names.
#[derive(Default)]
struct Known<'s> {
    /// Structs, and templates of structs.
    structs: HashSet<&'s str>,
    /// Templates of functions.
    templates: HashSet<&'s str>,
    /// The parameters of the template that is read.
    types: Vec<&'s str>,
    /// The height of the tallest expression so far.
    tallest: usize,
}

impl Foreign for Known<'_> {
    fn foreign(word: &str, span: Span) -> Option<Rejected> {
        (word == "do").then(|| {
            Rejected::new(span, "MiniSYCL has no `do`", "not a statement")
                .help("loops are `while (e) s` and `for (s; e; s) s`")
        })
    }
}

impl Parser<'_> {
    /// Puts the names of structs and of templates in scope.
    fn announce(&mut self) {
        let symbol = |at: usize, text| matches!(self.tokens.get(at), Some((Token::Symbol(there), _)) if *there == text);
        let mut template = false;
        for (at, (token, _)) in self.tokens.iter().enumerate() {
            match token {
                Token::Keyword("template") => template = true,
                Token::Keyword("struct") => {
                    if let Some((Token::Name(name), _)) = self.tokens.get(at + 1) {
                        self.scope.structs.insert(name);
                    }
                    template = false;
                }
                Token::Name(name) if template && symbol(at + 1, "(") => {
                    self.scope.templates.insert(name);
                    template = false;
                }
                Token::Symbol("{") => template = false,
                _ => {}
            }
        }
    }

    /// A name where it stands.
    fn named(&mut self, what: &str) -> Parsed<Name> {
        let (text, span) = self.name(what)?;
        Ok(Name { span, text: text.to_owned() })
    }

    /// Takes this name, if it is there.
    fn takes_name(&mut self, name: &str) -> bool {
        let there = matches!(self.token(0), Some(Token::Name(found)) if found == name);
        self.at += usize::from(there);
        there
    }

    /// What is read, and the height of the tallest expression in it.
    fn measured<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<(T, usize)> {
        let before = std::mem::replace(&mut self.scope.tallest, 0);
        let result = read(self)?;
        let inside = self.scope.tallest;
        self.scope.tallest = before.max(inside);
        Ok((result, inside))
    }
}

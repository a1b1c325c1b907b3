//! Types and rows.

use super::{Parsed, Parser};
use crate::kit::lex::{Token, too_deep};
use crate::kit::text::{MAX_NESTING, Rejected};
use crate::minias::syntax::{Space, SpaceAt, Spaces, Type, Written};

/// Keywords that a type begins with.
const STARTS: [&str; 9] =
    ["int", "void", "global", "local", "private", "constant", "generic", "ASpace", "bool"];

impl Parser<'_> {
    /// Does a type begin so many tokens ahead?
    pub(super) fn type_starts(&self, ahead: usize) -> bool {
        matches!(self.token(ahead), Some(Token::Keyword(word)) if STARTS.contains(&word))
    }

    /// `"void" | [space] "int" {"*" [space]}`
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.span();
        if self.takes_keyword("void") {
            if self.is("*") {
                let message = "there is no `void *`: pointees are int or pointers";
                return Err(Rejected::new(self.span(), message, "a pointer to nothing")
                    .help("write `int *` (reading M2)"));
            }
            let lies = SpaceAt { span: start, written: Written::Elided };
            return Ok(Type { span: start, void: true, stars: Vec::new(), lies });
        }
        let mut last = self.space()?;
        if self.is("*") {
            let message = "a star stands before `int`";
            let space = last.map_or(String::new(), |space| format!("{} ", self.written(space)));
            return Err(Rejected::new(self.span(), message, "not here")
                .help(format!("as in C, it is `{space}int *` (reading M1)")));
        }
        if !self.takes_keyword("int") {
            return Err(self.no_type("a type"));
        }
        let mut lies = last.take().unwrap_or(SpaceAt { span: start, written: Written::Elided });
        let mut stars = Vec::new();
        while self.takes("*") {
            let star = self.last();
            if stars.len() == MAX_NESTING {
                return Err(too_deep(star).help("a type has at most 256 stars"));
            }
            stars.push(lies);
            lies = self.space()?.unwrap_or(SpaceAt { span: star, written: Written::Elided });
        }
        Ok(Type { span: start.to(self.last()), void: false, stars, lies })
    }

    /// No type begins here. A name before `int` is meant to be a space.
    pub(super) fn no_type(&self, wanted: &str) -> Rejected {
        match (self.token(0), self.token(1)) {
            (Some(Token::Name(name)), Some(Token::Keyword("int"))) => {
                let message = format!("there is no space `{name}`");
                Rejected::new(self.span(), message, "no space")
                    .help("the spaces are global, local, private and constant")
            }
            _ => self.wanted(wanted),
        }
    }

    /// A type of a result, a cast or the like, where nothing lies.
    pub(super) fn type_of_value(&mut self) -> Parsed<Type> {
        let ty = self.ty()?;
        if ty.lies.written != Written::Elided {
            let message = "a value lies in no space";
            let refused = Rejected::new(ty.lies.span, message, "behind the last star");
            return Err(refused.help("a space before a star says where that star points"));
        }
        Ok(ty)
    }

    /// `name | "generic" | "ASpace" row`
    fn space(&mut self) -> Parsed<Option<SpaceAt>> {
        let Some(Token::Keyword(word)) = self.token(0) else { return Ok(None) };
        let start = self.span();
        let written = if word == "generic" {
            self.at += 1;
            Written::Generic
        } else if let Some(space) = Space::named(word) {
            self.at += 1;
            Written::Name(space)
        } else if word == "ASpace" {
            self.at += 1;
            self.row()?
        } else {
            return Ok(None);
        };
        Ok(Some(SpaceAt { span: start.to(self.last()), written }))
    }

    /// `ID | "{" [name {"," name}] ["|" ID] "}"`
    fn row(&mut self) -> Parsed<Written> {
        let (mut names, mut twice) = (Spaces::NONE, None);
        if !self.takes("{") {
            let (name, _) = self.name("a row variable or `{`")?;
            return Ok(Written::Row { names, twice, end: Some(self.scope.row(name)) });
        }
        while let Some(Token::Keyword(word)) = self.token(0) {
            let Some(space) = Space::named(word) else { break };
            self.at += 1;
            if names.has(space) {
                twice.get_or_insert(space);
            }
            names = names.with(space);
            if !self.takes(",") {
                break;
            }
            if !matches!(self.token(0), Some(Token::Keyword(word)) if Space::named(word).is_some())
            {
                return Err(self.wanted("`global`, `local`, `private` or `constant`"));
            }
        }
        let mut end = None;
        if self.takes("|") {
            let (name, _) = self.name("a row variable")?;
            end = Some(self.scope.row(name));
        }
        if !self.takes("}") {
            return Err(self.wanted("a space, `|` or `}`"));
        }
        Ok(Written::Row { names, twice, end })
    }

    /// A space as it is written, for a message.
    fn written(&self, space: SpaceAt) -> String {
        crate::minias::print::space(&self.scope.names, space.written)
    }

    /// Is what stands at this place a declaration, `type ID =`?
    pub(super) fn declares(&mut self) -> bool {
        let at = self.at;
        let declares = self.ty().is_ok() && matches!(self.token(0), Some(Token::Name(_)));
        self.at = at;
        declares
    }
}

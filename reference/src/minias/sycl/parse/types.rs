//! Types.

use super::{Parsed, Parser};
use crate::kit::lex::{Token, too_deep};
use crate::kit::text::{MAX_NESTING, Rejected};
use crate::minias::sycl::syntax::{Base, Behind, Name, Place, Type};
use crate::minias::syntax::Space;

/// Keywords that a type begins with.
const STARTS: [&str; 8] =
    ["int", "bool", "void", "auto", "decltype", "const", "typename", "multi_ptr"];

/// The space of `a_ptr`, `a_space`.
fn space_of(name: &str, ending: &str) -> Option<Place> {
    let space = name.strip_suffix(ending)?;
    if space == "generic" { Some(Place::Generic) } else { Space::named(space).map(Place::Named) }
}

impl Parser<'_> {
    /// Does a name end so that it is meant to be the type of a pointer, `a_ptr<τ>`, whose space there is not?
    pub(super) fn has_no_space(&self) -> bool {
        let named = matches!(self.token(0), Some(Token::Name(name)) if name.ends_with("_ptr"));
        named && self.token(1) == Some(Token::Symbol("<")) && !self.type_starts(0)
    }

    /// The space is none that there is.
    pub(super) fn no_space(&self, ending: &str, example: &str) -> Rejected {
        let Some(Token::Name(name)) = self.token(0) else { return self.wanted("a space") };
        let message = format!("there is no space `{}`", name.strip_suffix(ending).unwrap_or(name));
        Rejected::new(self.span(), message, "no space").help(format!(
            "the spaces are global, local, private and constant, for example `{example}`"
        ))
    }

    /// Does a type begin so many tokens ahead?
    pub(super) fn type_starts(&self, ahead: usize) -> bool {
        match self.token(ahead) {
            Some(Token::Keyword(word)) => STARTS.contains(&word),
            Some(Token::Name(name)) => {
                let known = self.scope.structs.contains(name) || self.scope.types.contains(&name);
                known || space_of(name, "_ptr").is_some()
            }
            _ => false,
        }
    }

    /// `["const"] base {"*" | "&"}`
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.nested(|parser| {
            let start = parser.span();
            let is_const = parser.takes_keyword("const");
            parser.takes_keyword("typename");
            let base = parser.base()?;
            let mut behind = Vec::new();
            loop {
                let next = match parser.token(0) {
                    Some(Token::Symbol("*")) => Behind::Star,
                    Some(Token::Symbol("&")) => Behind::Reference,
                    _ => break,
                };
                let at = parser.span();
                if behind.len() == MAX_NESTING {
                    return Err(too_deep(at).help("a type has at most 256 stars"));
                }
                if behind.last() == Some(&Behind::Reference) {
                    let message = "there is nothing behind a reference";
                    return Err(Rejected::new(at, message, "a pointer or reference to one"));
                }
                parser.at += 1;
                behind.push(next);
            }
            Ok(Type { span: parser.from(start), is_const, base, behind })
        })
    }

    fn base(&mut self) -> Parsed<Base> {
        let token = self.token(0);
        let simple = match token {
            Some(Token::Keyword("int")) => Some(Base::Int),
            Some(Token::Keyword("bool")) => Some(Base::Bool),
            Some(Token::Keyword("void")) => Some(Base::Void),
            Some(Token::Keyword("auto")) => Some(Base::Auto),
            _ => None,
        };
        if let Some(base) = simple {
            self.at += 1;
            return Ok(base);
        }
        if self.takes_keyword("decltype") {
            self.expect("(")?;
            let exp = self.exp()?.exp;
            self.expect(")")?;
            return Ok(Base::Decltype(Box::new(exp)));
        }
        if self.takes_keyword("multi_ptr") {
            self.expect("<")?;
            let ty = self.ty()?;
            self.expect(",")?;
            let place = self.place()?;
            self.expect(">")?;
            return Ok(Base::Pointer(place, Box::new(ty)));
        }
        let Some(Token::Name(text)) = token else { return Err(self.wanted("a type")) };
        if let Some(place) = space_of(text, "_ptr") {
            if place == Place::Generic {
                let help = "it is `multi_ptr<int, generic_space>`";
                return Err(self.wanted("a type").help(help));
            }
            self.at += 1;
            self.expect("<")?;
            let ty = self.ty()?;
            self.expect(">")?;
            return Ok(Base::Pointer(place, Box::new(ty)));
        }
        if self.has_no_space() {
            return Err(self.no_space("_ptr", "global_ptr<int>"));
        }
        if !self.type_starts(0) {
            return Err(self.wanted("a type").help(format!("no struct is called `{text}`")));
        }
        self.at += 1;
        let name = Name { span: self.last(), text: text.to_owned() };
        let types = if self.takes("<") { self.types()? } else { Vec::new() };
        Ok(Base::Named(name, types))
    }

    /// `type {"," type} ">"`
    pub(super) fn types(&mut self) -> Parsed<Vec<Type>> {
        if self.is(">") {
            return Err(self.wanted("a type"));
        }
        self.list(">", Self::ty)
    }

    /// `name"_space"`
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let place = match self.token(0) {
            Some(Token::Name(name)) => space_of(name, "_space"),
            _ => None,
        };
        match place {
            Some(place) => {
                self.at += 1;
                Ok(place)
            }
            None if matches!(self.token(0), Some(Token::Name(name)) if name.ends_with("_space")) => {
                Err(self.no_space("_space", "global_space"))
            }
            None => Err(self.wanted("a space, for example `global_space`")),
        }
    }
}

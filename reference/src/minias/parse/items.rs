//! Constants, functions, prototypes and kernels.

use super::scope::As;
use super::{Parsed, Parser};
use crate::kit::lex::Token;
use crate::kit::text::{Rejected, Span};
use crate::minias::rules::Rule;
use crate::minias::syntax::{Decl, Exp, Function, Init, Item, Kind, Param, Space, Type, Written};

impl<'s> Parser<'s> {
    /// Puts the names of all functions and constants in scope: those with no bracket around them and `(`, `[` or `=` behind.
    pub(super) fn outermost_names(&mut self) {
        let mut depth = 0_usize;
        let tokens = &self.tokens;
        for (at, (token, _)) in tokens.iter().enumerate() {
            match token {
                Token::Symbol("(" | "[" | "{") => depth += 1,
                Token::Symbol(")" | "]" | "}") => depth = depth.saturating_sub(1),
                Token::Name(name) if depth == 0 => {
                    let next = tokens.get(at + 1).map(|(token, _)| *token);
                    if let Some(Token::Symbol("(" | "[" | "=")) = next {
                        self.scope.announce(name);
                    }
                }
                _ => {}
            }
        }
    }

    /// `const | proto | function | kernel`
    pub(super) fn item(&mut self) -> Parsed<Item> {
        let start = self.span();
        let kernel = self.takes_keyword("kernel");
        if !kernel && !self.type_starts(0) {
            return Err(self.no_type("a function, a kernel or a constant"));
        }
        let ty = self.ty()?;
        let (name, at) = self.name("a name")?;
        if !self.is("(") {
            if kernel {
                return Err(self.wanted("`(` and the parameters of the kernel"));
            }
            return self.constant(start, ty, name, at);
        }
        self.function(start, kernel, ty, name, at)
    }

    /// `["[" INT "]"] "=" init ";"`, behind the name.
    fn constant(&mut self, start: Span, ty: Type, name: &'s str, at: Span) -> Parsed<Item> {
        let refuse = |refused: Rejected| {
            Rule::TConst
                .refuses("constant", refused.help("for example `constant int t[2] = {3, 5};`"))
        };
        if ty.void || !ty.stars.is_empty() || ty.lies.written != Written::Name(Space::Constant) {
            let message = format!("`{name}` is not a constant int");
            return Err(refuse(Rejected::new(
                ty.span,
                message,
                "outside of functions there are constants only",
            )));
        }
        let (extent_at, extent) = (self.span(), self.extent()?);
        if !self.takes("=") {
            if self.is(";") {
                let message = format!("the constant `{name}` has no value");
                return Err(refuse(Rejected::new(at, message, "declared here")));
            }
            return Err(self.wanted("`=`"));
        }
        let init = self.init()?;
        if let Some(exp) = init.exps().iter().find(|exp| !matches!(exp.kind, Kind::Int(_))) {
            let message = format!("the constant `{name}` starts with what is not a literal");
            return Err(refuse(Rejected::new(exp.span, message, "not a number")));
        }
        let fits = match (&init, extent) {
            (Init::One(_), None) => true,
            (Init::Many(exps), Some(extent)) => exps.len() <= extent as usize,
            _ => false,
        };
        if !fits {
            let message = format!("the values of `{name}` are not those that it has room for");
            let last = init.exps().last().map_or(at, |exp: &Exp| exp.span);
            return Err(refuse(
                Rejected::new(
                    last,
                    message,
                    "one value for an int, at most as many as elements for an array",
                )
                .with(extent_at, "this is its room"),
            ));
        }
        self.expect(";")?;
        let var = self.scope.define(name, at, As::Definition)?;
        Ok(Item::Constant(Decl { span: self.from(start), var, ty, extent, init: Some(init) }))
    }

    fn function(
        &mut self,
        start: Span,
        kernel: bool,
        result: Type,
        name: &'s str,
        at: Span,
    ) -> Parsed<Item> {
        if result.lies.written != Written::Elided {
            let message = "a result lies in no space";
            return Err(Rejected::new(result.lies.span, message, "before the name of a function")
                .help("a space before a star says where that star points"));
        }
        if kernel && !result.void {
            let message = "a kernel has no result";
            return Err(Rejected::new(result.span, message, "expected `void`"));
        }
        self.at += 1;
        let body_follows = self.has_body();
        let how = if body_follows { As::Definition } else { As::Prototype };
        let var = self.scope.define(name, at, how)?;
        self.scope.open();
        let params = self.list(")", Self::param)?;
        let span = self.from(start);
        let body = if self.takes("{") {
            if let Some(param) = params.iter().find(|param| param.var.is_none()) {
                let message = "a parameter without a name";
                return Err(Rejected::new(param.span, message, "of a function with a body")
                    .help("only prototypes leave names out"));
            }
            Some(self.stmts()?)
        } else if kernel {
            return Err(self.wanted("`{` and the body of the kernel"));
        } else {
            if !self.takes(";") {
                return Err(self.wanted("`{` or `;`"));
            }
            None
        };
        self.scope.close();
        Ok(Item::Function(Function { span, name: var, kernel, result, params, body }))
    }

    /// Does `{` follow the parameters, whose bracket is read?
    fn has_body(&self) -> bool {
        let mut depth = 1_usize;
        let mut tokens = self.tokens[self.at..].iter().map(|(token, _)| *token);
        for token in tokens.by_ref() {
            match token {
                Token::Symbol("(" | "[" | "{") => depth += 1,
                Token::Symbol(")" | "]" | "}") => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        tokens.next() == Some(Token::Symbol("{"))
    }

    /// `type [ID]`
    fn param(&mut self) -> Parsed<Param> {
        let start = self.span();
        if !self.type_starts(0) {
            return Err(self.no_type("the type of a parameter"));
        }
        let ty = self.ty()?;
        if ty.void {
            let message = "`void` is the type of a result only";
            return Err(Rejected::new(ty.span, message, "of a parameter")
                .help("a function without parameters is declared with `()`"));
        }
        let var = match self.token(0) {
            Some(Token::Name(name)) => {
                self.at += 1;
                Some(self.scope.bind(name, self.last(), Rule::TFunction)?)
            }
            _ => None,
        };
        if self.is("[") {
            let message = "a parameter is no array";
            return Err(Rejected::new(self.span(), message, "not here")
                .help("pass a pointer to its first element: `int *p`"));
        }
        Ok(Param { span: self.from(start), var, ty })
    }
}

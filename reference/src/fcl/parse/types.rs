//! Levels, types and schemes.

use super::scope::Space;
use super::{Parsed, Parser};
use crate::fcl::syntax::{Level, MAX_LEVEL, Scheme, Type};
use crate::kit::lex::{Token, too_deep};
use crate::kit::names::Var;
use crate::kit::text::{Limit, MAX_NESTING, Rejected, Span};
use rustc_hash::FxHashMap;

/// The levels that have names.
pub(super) const LEVELS: [(&str, Level); 5] = [
    ("Z", Level::THREAD),
    ("thread", Level::THREAD),
    ("warp", Level::WARP),
    ("block", Level::BLOCK),
    ("grid", Level::GRID),
];

/// The variables of a scheme.
#[derive(Default)]
pub(super) struct Quantified<'s> {
    /// Does a `forall` list them?
    listed: bool,
    vars: Vec<Var>,
    types: FxHashMap<&'s str, Var>,
    levels: FxHashMap<&'s str, Var>,
}

impl<'s> Parser<'s> {
    /// Do a list of levels and `>` follow the `<` here?
    pub(super) fn levels_follow(&self) -> bool {
        let (mut at, mut open) = (1, 0);
        loop {
            // Before a level.
            match (self.token(at), self.token(at + 1)) {
                (Some(Token::Int(1)), Some(Token::Symbol("+"))) => at += 2,
                (Some(Token::Symbol("(")), _) => (at, open) = (at + 1, open + 1),
                (Some(Token::Name(_)), _) => {
                    at += 1;
                    while open > 0 && self.token(at) == Some(Token::Symbol(")")) {
                        (at, open) = (at + 1, open - 1);
                    }
                    match self.token(at) {
                        Some(Token::Symbol(",")) if open == 0 => at += 1,
                        Some(Token::Symbol(">")) if open == 0 => return true,
                        _ => return false,
                    }
                }
                _ => return false,
            }
        }
    }

    /// `γ`
    pub(super) fn level(&mut self) -> Parsed<Level> {
        let (start, mut succs) = (self.span(), 0);
        while self.token(0) == Some(Token::Int(1)) {
            self.at += 1;
            self.expect("+")?;
            succs += 1;
        }
        let level = if self.takes("(") {
            let level = self.nested(Self::level)?;
            self.expect(")")?;
            level
        } else {
            let (name, span) = self.name("a level")?;
            match LEVELS.iter().find(|(level, _)| *level == name) {
                Some((_, level)) => *level,
                None => Level::var(self.level_var(name, span)?),
            }
        };
        let succs = level.succs.saturating_add(succs);
        if succs > MAX_LEVEL {
            let span = start.to(self.last());
            let message = format!("a level above {MAX_LEVEL}");
            return Err(Rejected::new(span, message, "too high").by_limit(Limit::Nesting));
        }
        Ok(Level { succs, ..level })
    }

    /// `K-VAR` and its premise: a level variable that is bound around here, or else of the scheme.
    fn level_var(&mut self, name: &'s str, span: Span) -> Parsed<Var> {
        if let Some(var) = self.scope.level(name) {
            return Ok(var);
        }
        let Some(scheme) = &mut self.quantified else { return Err(unbound(name, span, "level")) };
        if scheme.types.contains_key(name) {
            return Err(both(name, span));
        }
        match scheme.levels.get(name) {
            Some(var) => Ok(*var),
            None if scheme.listed => Err(unbound(name, span, "level")),
            None => {
                let var = self.scope.fresh(name);
                scheme.levels.insert(name, var);
                scheme.vars.push(var);
                Ok(var)
            }
        }
    }

    /// `["forall" [lvars] {tyvar} "."] τ`
    pub(super) fn scheme(&mut self) -> Parsed<Scheme> {
        let start = self.span();
        let mut scheme = Quantified::default();
        if self.takes_keyword("forall") {
            scheme.listed = true;
            for (name, _) in self.level_names()? {
                let var = self.scope.fresh(name);
                scheme.levels.insert(name, var);
                scheme.vars.push(var);
            }
            while !self.takes(".") {
                let Some(Token::Name(name)) = self.token(0) else {
                    return Err(self.wanted("a type variable or `.`"));
                };
                self.at += 1;
                let name = name.trim_start_matches('\'');
                if scheme.levels.contains_key(name) {
                    return Err(both(name, self.last()));
                }
                let var = self.scope.fresh_type(name);
                scheme.types.insert(name, var);
                scheme.vars.push(var);
            }
        }
        self.quantified = Some(scheme);
        let ty = self.ty()?;
        let vars = self.quantified.take().map(|scheme| scheme.vars).unwrap_or_default();
        Ok(Scheme { span: start.to(self.last()), vars, ty })
    }

    /// `simple ["->" τ] | lvars "->" τ`
    fn ty(&mut self) -> Parsed<Type> {
        self.nested(|parser| {
            if parser.is("<") {
                let names = parser.level_names()?;
                parser.expect("->")?;
                return parser.level_function(&names);
            }
            let from = parser.simple()?;
            if !parser.takes("->") {
                return Ok(from);
            }
            let to = parser.ty()?;
            Ok(Type::Fn(Box::new([from, to])))
        })
    }

    /// `<α> -> … τ`
    fn level_function(&mut self, names: &[(&'s str, Span)]) -> Parsed<Type> {
        let vars: Vec<Var> =
            names.iter().map(|(name, _)| self.scope.bind(Space::Level, name)).collect();
        if self.depth + names.len() > MAX_NESTING {
            return Err(too_deep(self.span()));
        }
        self.depth += names.len();
        let ty = self.ty()?;
        self.depth -= names.len();
        names.iter().for_each(|(name, _)| self.scope.leave(Space::Level, name));
        Ok(vars.into_iter().rev().fold(ty, |ty, var| Type::LevelFn(var, Box::new(ty))))
    }

    fn simple(&mut self) -> Parsed<Type> {
        let (token, span) = (self.token(0), self.span());
        self.at += 1;
        match token {
            Some(Token::Keyword("int")) => Ok(Type::Int),
            Some(Token::Keyword("double")) => Ok(Type::Double),
            Some(Token::Keyword("bool")) => Ok(Type::Bool),
            Some(Token::Name(name)) => self.type_var(name, span),
            Some(Token::Symbol("(")) => {
                let first = self.ty()?;
                let ty =
                    if self.takes(",") { Type::Pair(Box::new([first, self.ty()?])) } else { first };
                if self.is(",") {
                    return Err(self
                        .wanted("`)`")
                        .help("nest pairs for more: `(int, (int, int))`"));
                }
                self.expect(")")?;
                Ok(ty)
            }
            Some(Token::Symbol("[")) => {
                let element = Box::new(self.ty()?);
                self.expect("]")?;
                if !self.takes("<") {
                    return Ok(Type::Pull(element));
                }
                let level = self.level()?;
                self.expect_close()?;
                Ok(Type::Push(element, level))
            }
            _ => {
                self.at -= 1;
                Err(self.wanted("a type"))
            }
        }
    }

    /// `K-VAR` and its premise.
    fn type_var(&mut self, written: &'s str, span: Span) -> Parsed<Type> {
        let refused = |message: String| Rejected::new(span, message, "no type of FCL");
        match written {
            "Program" => {
                return Err(refused("`Program` is of another version of FCL".to_owned()).help(
                    "write `[a]<lvl>` for `Program <lvl> [a]<lvl>`, and `[a]` for what is forced",
                ));
            }
            "string" | "char" | "unit" | "float" => {
                return Err(refused(format!("there is no type `{written}`"))
                    .help("scalars are `int`, `double` and `bool`"));
            }
            _ => {}
        }
        let name = written.trim_start_matches('\'');
        let Some(scheme) = &mut self.quantified else { return Err(unbound(name, span, "type")) };
        if scheme.levels.contains_key(name) {
            return Err(both(name, span));
        }
        match scheme.types.get(name) {
            Some(var) => Ok(Type::Var(*var)),
            None if scheme.listed => Err(unbound(name, span, "type")),
            None => {
                let var = self.scope.fresh_type(name);
                scheme.types.insert(name, var);
                scheme.vars.push(var);
                Ok(Type::Var(var))
            }
        }
    }
}

fn unbound(name: &str, span: Span, what: &str) -> Rejected {
    let help = match what {
        "level" => {
            "levels are `thread`, `warp`, `block`, `grid`, `1 + l`, or a variable that `fn <l> =>`, \
             `fun f <l>` or the `sig` binds"
        }
        _ => "list it behind `forall`, or leave `forall` out",
    };
    let message = format!("the {what} variable `{name}` is not in scope");
    Rejected::new(span, message, "not bound").by_rule("K-VAR", "scope").help(help)
}

fn both(name: &str, span: Span) -> Rejected {
    let message = format!("`{name}` stands for a type and for a level");
    Rejected::new(span, message, "here as the other one").help("give them two names")
}

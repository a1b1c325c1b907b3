//! Regions, effects and types.

use super::{Parsed, Parser};
use crate::kit::lex::Token;
use crate::kit::text::{Rejected, Span};
use crate::lambda_g::syntax::{Binder, Boxed, Effect, Item, Region, Type, World};

impl<'s> Parser<'s> {
    /// `["@C" | "@G"]`
    fn world(&mut self) -> Parsed<Option<World>> {
        if !self.takes("@") {
            return Ok(None);
        }
        let world = match self.token(0) {
            Some(Token::Name("C")) => World::C,
            Some(Token::Name("G")) => World::G,
            _ => return Err(self.wanted("`C`, the host, or `G`, the device")),
        };
        self.at += 1;
        Ok(Some(world))
    }

    /// `ρ` where it is used.
    pub(super) fn region(&mut self) -> Parsed<Region> {
        let (name, span) = self.name("a region")?;
        let var = self.scope.region(name, span)?;
        let world = self.world()?;
        Ok(Region { span: span.to(self.last()), var, world })
    }

    /// `"at" ρ`
    pub(super) fn at(&mut self) -> Parsed<Region> {
        if !self.takes_keyword("at") {
            return Err(self.wanted("`at` and the region of the value"));
        }
        self.region()
    }

    /// `ρ` where it is bound, and its name. It is in scope behind it.
    pub(super) fn binder(&mut self) -> Parsed<(&'s str, Binder)> {
        let (name, span, world) = self.binder_name()?;
        let var = self.scope.bind_region(name, span)?;
        Ok((name, Binder { span, var, world }))
    }

    fn binder_name(&mut self) -> Parsed<(&'s str, Span, Option<World>)> {
        let (name, span) = self.name("the name of a region")?;
        let world = self.world()?;
        Ok((name, span.to(self.last()), world))
    }

    /// `ρ ">=" φ' "!" φ`, after which `ρ` is in scope; it is in `φ` and not in `φ'`.
    pub(super) fn bounded(&mut self) -> Parsed<(&'s str, Binder, Effect, Effect)> {
        let (name, span, world) = self.binder_name()?;
        self.expect(">=")?;
        let bound = self.effect()?;
        let var = self.scope.bind_region(name, span)?;
        self.expect("!")?;
        let latent = self.effect()?;
        Ok((name, Binder { span, var, world }, bound, latent))
    }

    /// `"{" [item {"," item}] "}"`
    pub(super) fn effect(&mut self) -> Parsed<Effect> {
        let start = self.span();
        if !self.takes("{") {
            return Err(self.wanted("an effect, as in `{r0}`"));
        }
        let items = if self.is("}") { Vec::new() } else { self.list(Self::item)? };
        self.expect("}")?;
        Ok(Effect { span: start.to(self.last()), items })
    }

    fn item(&mut self) -> Parsed<Item> {
        if self.takes_keyword("host") {
            return Ok(Item::Host { span: self.last() });
        }
        self.region().map(Item::Region)
    }

    /// `τ`
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.span();
        if self.takes_keyword("bool") {
            return Ok(Type::Bool { span: start });
        }
        if matches!(self.token(0), Some(Token::Keyword("int" | "Vec"))) {
            let word = self.token(0).map_or_else(String::new, |token| token.to_string());
            let message = format!("`{word}` is boxed, so it has a region");
            return Err(Rejected::new(start, message, "no region")
                .help("write `(int, r0)`, `(Vec (int, r0), r0)`"));
        }
        if !self.takes("(") {
            return Err(self.wanted("a type: `bool`, or as `(int, r0)`"));
        }
        self.nested(|parser| {
            let of = Box::new(parser.boxed()?);
            parser.expect(",")?;
            let region = parser.region()?;
            parser.expect(")")?;
            Ok(Type::Boxed { span: start.to(parser.last()), of, region })
        })
    }

    /// `μ`
    fn boxed(&mut self) -> Parsed<Boxed> {
        if self.takes_keyword("int") {
            return Ok(Boxed::Int);
        }
        if self.takes_keyword("Vec") {
            return Ok(Boxed::Vec(self.ty()?));
        }
        if self.takes_keyword("Pi") {
            let (name, region, bound, latent) = self.bounded()?;
            self.expect(".")?;
            let ty = self.ty()?;
            self.scope.leave(name);
            return Ok(Boxed::Pi(region, bound, latent, ty));
        }
        let first = self.ty()?;
        if self.takes("*") {
            return Ok(Boxed::Pair(first, self.ty()?));
        }
        if self.takes("->") {
            let latent = self.effect()?;
            return Ok(Boxed::Fn(first, latent, self.ty()?));
        }
        Err(self.wanted("`*` or `->`"))
    }
}

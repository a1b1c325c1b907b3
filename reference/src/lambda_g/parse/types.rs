//! Regions, effects and types.

use super::{Parsed, Parser};
use crate::kit::lex::Token;
use crate::kit::text::{Rejected, Span};
use crate::lambda_g::hole;
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

    /// `["at" ρ]` behind what begins there
    pub(super) fn at(&mut self, start: Span) -> Parsed<Region> {
        if self.takes_keyword("at") {
            return self.region();
        }
        Ok(self.holes.region(start.to(self.last())))
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

    /// `ρ ">=" φ' ["!" φ]`, after which `ρ` is in scope; it is in `φ` and not in `φ'`.
    pub(super) fn bounded(&mut self) -> Parsed<(&'s str, Binder, Effect, Effect)> {
        let (name, span, world) = self.binder_name()?;
        self.expect(">=")?;
        let bound = self.effect()?;
        let var = self.scope.bind_region(name, span)?;
        let latent = self.latent()?;
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

    /// `["!" φ]`
    pub(super) fn latent(&mut self) -> Parsed<Effect> {
        if self.takes("!") { self.effect() } else { Ok(self.holes.effect(self.last())) }
    }

    /// `τ`: `part ["*" part] ["->" [φ] τ]`, or `"Pi" …`
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.span();
        if self.is_keyword("Pi") {
            return self.nested(|parser| parser.pi(start));
        }
        let from = self.pair()?;
        self.arrow(start, from)
    }

    /// `["->" [φ] τ]` behind what a function takes
    fn arrow(&mut self, start: Span, from: Type) -> Parsed<Type> {
        if !self.takes("->") {
            return Ok(from);
        }
        let latent = match self.is("{") {
            true => self.effect()?,
            false => self.holes.effect(self.last()),
        };
        let place = self.span();
        let to = self.pair()?;
        let to = match self.is("->") {
            true => self.nested(|parser| parser.arrow(place, to))?,
            false => to,
        };
        Ok(self.boxed(start, Boxed::Fn(from, latent, to)))
    }

    /// `part ["*" part]`
    fn pair(&mut self) -> Parsed<Type> {
        let start = self.span();
        let first = self.part()?;
        if !self.takes("*") {
            return Ok(first);
        }
        let second = self.part()?;
        if self.is("*") {
            let refused = Rejected::new(self.span(), "a pair has two parts", "a third one");
            return Err(refused.help("nest pairs for more: `a * (b * c)`"));
        }
        Ok(self.boxed(start, Boxed::Pair(first, second)))
    }

    /// `"bool" | "int" | "Vec" part | "(" τ ["," ρ] ")"`
    fn part(&mut self) -> Parsed<Type> {
        let start = self.span();
        if self.takes_keyword("bool") {
            return Ok(Type::Bool { span: start });
        }
        if self.takes_keyword("int") {
            return Ok(self.boxed(start, Boxed::Int));
        }
        if self.takes_keyword("Vec") {
            let of = if self.is("(") { self.part()? } else { self.nested(Self::part)? };
            return Ok(self.boxed(start, Boxed::Vec(of)));
        }
        if !self.takes("(") {
            return Err(self.wanted("a type: `bool`, `int`, or as `(int, r0)`"));
        }
        let ty = self.nested(Self::ty)?;
        if !self.takes(",") {
            self.expect(")")?;
            return Ok(ty);
        }
        let region = self.region()?;
        self.expect(")")?;
        self.in_region(start, ty, region)
    }

    /// `(τ, ρ)`, if nothing says yet where `τ` lies.
    fn in_region(&mut self, start: Span, ty: Type, at: Region) -> Parsed<Type> {
        let span = start.to(self.last());
        match ty {
            Type::Bool { .. } => Err(Rejected::new(span, "a `bool` lies in no region", "a `bool`")
                .help("write `bool` alone")),
            Type::Boxed { of, region, .. } if hole::no_region(region) => {
                self.holes.is_filled();
                Ok(Type::Boxed { span, of, region: at })
            }
            Type::Boxed { region, .. } => {
                let refused = Rejected::new(span, "a type lies in one region", "a second region");
                Err(refused.with(region.span, "the first one"))
            }
        }
    }

    /// A type without its region.
    fn boxed(&mut self, start: Span, of: Boxed) -> Type {
        let span = start.to(self.last());
        Type::Boxed { span, of: Box::new(of), region: self.holes.region(span) }
    }

    /// `"Pi" ρ ">=" φ' ["!" φ] "." τ`
    fn pi(&mut self, start: Span) -> Parsed<Type> {
        self.at += 1;
        let (name, region, bound, latent) = self.bounded()?;
        self.expect(".")?;
        let ty = self.ty()?;
        self.scope.leave(name);
        Ok(self.boxed(start, Boxed::Pi(region, bound, latent, ty)))
    }
}

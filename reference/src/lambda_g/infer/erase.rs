//! The way back: a program that leaves things out.

use crate::kit::names::Var;
use crate::kit::text::Span;
use crate::lambda_g::hole::Holes;
use crate::lambda_g::syntax::{Boxed, Effect, Exp, Item, Kind, Program, Region, Type};
use crate::lambda_g::visit;
use rustc_hash::FxHashSet;

/// Leaves out each region, effect and type of a function or its parameter of which `keeps` says no, and each `letregion` without
/// a size whose region is then nowhere. What has to be written stays: the bounds of region abstractions, the regions that
/// they are given, and those that they bind.
///
/// What is printed of the result is a program that leaves the same out. It is no program for anything else.
pub fn erase(program: &Program, keeps: &mut dyn FnMut() -> bool) -> Program {
    let mut program = program.clone();
    let mut erase = Erase {
        keeps,
        holes: Holes::default(),
        named: FxHashSet::default(),
        abstracted: FxHashSet::default(),
    };
    program.params.iter_mut().for_each(|param| erase.ty(&mut param.ty, false));
    erase.exp(&mut program.body);
    let named = erase.named;
    unbind(&mut program.body, &named);
    program
}

struct Erase<'k> {
    keeps: &'k mut dyn FnMut() -> bool,
    holes: Holes,
    /// The regions that are still named.
    named: FxHashSet<Var>,
    /// The regions that `rfn` or `Pi` binds.
    abstracted: FxHashSet<Var>,
}

impl Erase<'_> {
    fn exp(&mut self, e: &mut Exp) {
        let span = e.span;
        match &mut e.kind {
            Kind::Fn(lambda) => {
                self.ty(&mut lambda.ty, true);
                self.effect(&mut lambda.latent);
                self.at(&mut lambda.at, span);
            }
            Kind::RegionFn(lambda) => {
                self.abstracted.insert(lambda.region.var);
                self.names(&lambda.bound);
                self.effect(&mut lambda.latent);
                self.at(&mut lambda.at, span);
            }
            Kind::Fix(_, ty, _) => self.ty(ty, true),
            Kind::Instance(_, region) => {
                self.named.insert(region.var);
            }
            Kind::Int(_, at)
            | Kind::Binary(_, _, at)
            | Kind::Pair(_, at)
            | Kind::Par(_, at)
            | Kind::Vector(_, at)
            | Kind::ParMap(_, _, at)
            | Kind::On(_, at)
            | Kind::Length(_, at)
            | Kind::Iota(_, at) => self.at(at, span),
            _ => {}
        }
        visit::parts_mut(e).into_iter().for_each(|part| self.exp(part));
    }

    fn at(&mut self, region: &mut Region, span: Span) {
        if self.abstracted.contains(&region.var) {
            return;
        }
        match (self.keeps)() {
            true => {
                self.named.insert(region.var);
            }
            false => *region = self.holes.region(span),
        }
    }

    fn names(&mut self, effect: &Effect) {
        self.named.extend(effect.items.iter().filter_map(|item| match item {
            Item::Region(region) => Some(region.var),
            Item::Host { .. } => None,
        }));
    }

    fn effect(&mut self, effect: &mut Effect) {
        match (self.keeps)() {
            true => self.names(effect),
            false => *effect = self.holes.effect(effect.span),
        }
    }

    fn ty(&mut self, ty: &mut Type, whole: bool) {
        if whole && !self.is_abstract(ty) && !(self.keeps)() {
            *ty = self.holes.ty(ty.span());
            return;
        }
        let Type::Boxed { of, region, span } = ty else { return };
        self.at(region, *span);
        match &mut **of {
            Boxed::Int => {}
            Boxed::Vec(of) => self.ty(of, false),
            Boxed::Pair(a, b) => {
                self.ty(a, false);
                self.ty(b, false);
            }
            Boxed::Fn(from, latent, to) => {
                self.ty(from, false);
                self.effect(latent);
                self.ty(to, false);
            }
            Boxed::Pi(binder, bound, latent, of) => {
                self.abstracted.insert(binder.var);
                self.names(bound);
                self.effect(latent);
                self.ty(of, false);
            }
        }
    }

    /// Does the type have to be written? What is applied to a region has to be known to be an abstraction, and its
    /// instances differ only where the region that it binds is named.
    fn is_abstract(&self, ty: &Type) -> bool {
        let Type::Boxed { of, region, .. } = ty else { return false };
        if self.abstracted.contains(&region.var) {
            return true;
        }
        match &**of {
            Boxed::Int => false,
            Boxed::Vec(of) => self.is_abstract(of),
            Boxed::Pair(a, b) | Boxed::Fn(a, _, b) => self.is_abstract(a) || self.is_abstract(b),
            Boxed::Pi(..) => true,
        }
    }
}

/// Takes away each `letregion` of a region that nothing names.
fn unbind(e: &mut Exp, named: &FxHashSet<Var>) {
    while let Kind::LetRegion(binder, None, body) = &mut e.kind
        && !named.contains(&binder.var)
    {
        let hollow = Exp { span: e.span, kind: Kind::Bool(true) };
        *e = std::mem::replace(&mut **body, hollow);
    }
    visit::parts_mut(e).into_iter().for_each(|part| unbind(part, named));
}

//! What is in scope where an expression is made, and the parts that it is made of.

use super::types::{Mu, Phi, Ty};
use crate::generate::Draw;
use reference::kit::names::{Names, Var};
use reference::kit::text::Span;
use reference::lambda_g::syntax::{
    Binder, Boxed, Comparison, Effect, Exp, Item, Kind, Lambda, Op, R0, Region, RegionLambda, Type,
    World,
};

/// A region variable in scope.
struct InScope {
    var: Var,
    /// The regions that it is said to be outlived by.
    bound: Vec<Var>,
}

/// A variable in scope.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) var: Var,
    pub(super) ty: Ty,
    /// If it is a vector: so many elements at least.
    pub(super) least: usize,
}

/// A program that is being made.
pub(super) struct Build<'u, 'b> {
    pub(super) draw: Draw<'u, 'b>,
    pub(super) names: Names,
    spans: u32,
    regions: Vec<InScope>,
    pub(super) vars: Vec<Known>,
    pub(super) phi: Phi,
    pub(super) world: World,
    /// Are worlds written behind regions?
    pub(super) marks: bool,
    /// How many expressions may still be more than a leaf.
    pub(super) left: usize,
}

impl<'u, 'b> Build<'u, 'b> {
    pub(super) fn new(draw: Draw<'u, 'b>) -> Self {
        let mut names = Names::new();
        let r0 = names.fresh("r0");
        debug_assert_eq!(r0, R0);
        Self {
            draw,
            names,
            spans: 0,
            regions: vec![InScope { var: R0, bound: Vec::new() }],
            vars: Vec::new(),
            phi: Phi { host: true, ..Phi::of([R0]) },
            world: World::C,
            marks: false,
            left: 0,
        }
    }

    /// A place that no other expression has.
    pub(super) fn span(&mut self) -> Span {
        self.spans += 1;
        Span::nth(self.spans)
    }

    pub(super) fn e(&mut self, kind: Kind) -> Exp {
        Exp { span: self.span(), kind }
    }

    pub(super) fn region(&mut self, var: Var) -> Region {
        Region { span: self.span(), var, world: self.marks.then_some(self.world) }
    }

    pub(super) fn binder(&mut self, var: Var) -> Binder {
        Binder { span: self.span(), var, world: None }
    }

    pub(super) fn effect(&mut self, phi: &Phi) -> Effect {
        let mut items: Vec<Item> =
            phi.regions.iter().map(|var| Item::Region(self.region(*var))).collect();
        if phi.host {
            items.push(Item::Host { span: self.span() });
        }
        Effect { span: self.span(), items }
    }

    /// The type as it is written, with binders of its own.
    pub(super) fn written(&mut self, ty: &Ty) -> Type {
        let span = self.span();
        let Ty::Boxed(mu, at) = ty else { return Type::Bool { span } };
        let of = match &**mu {
            Mu::Int => Boxed::Int,
            Mu::Vec(of) => Boxed::Vec(self.written(of)),
            Mu::Pair(a, b) => Boxed::Pair(self.written(a), self.written(b)),
            Mu::Fn(a, phi, b) => {
                let from = self.written(a);
                let phi = self.effect(phi);
                Boxed::Fn(from, phi, self.written(b))
            }
            Mu::Pi(var, bound, latent, of) => {
                let new = self.names.fresh("p");
                let binder = self.binder(new);
                let bound = self.effect(bound);
                let latent = self.effect(&latent.with(*var, new));
                Boxed::Pi(binder, bound, latent, self.written(&of.with(*var, new)))
            }
        };
        let region = self.region(*at);
        Type::Boxed { span, of: Box::new(of), region }
    }

    // Regions.

    /// `ρ >= ρ'`
    pub(super) fn outlived(&self, region: Var, by: Var) -> bool {
        region == by || self.bound(region).iter().any(|next| self.outlived(*next, by))
    }

    fn bound(&self, region: Var) -> &[Var] {
        let known = self.regions.iter().find(|known| known.var == region);
        known.map_or(&[], |known| &known.bound)
    }

    /// `φ ∋ ρ`
    pub(super) fn covers(&self, phi: &Phi, region: Var) -> bool {
        phi.regions.contains(&region)
            || phi.regions.iter().any(|other| self.outlived(*other, region))
    }

    /// `φ ⊇ φ'` for the effect here
    pub(super) fn includes(&self, latent: &Phi) -> bool {
        latent.regions.iter().all(|region| self.covers(&self.phi, *region))
            && (self.phi.host || !latent.host)
    }

    /// The regions that an expression may read and write here, the oldest first.
    pub(super) fn open(&self) -> Vec<Var> {
        let all = self.regions.iter().map(|known| known.var);
        all.filter(|var| self.covers(&self.phi, *var)).collect()
    }

    /// All regions in scope.
    pub(super) fn all_regions(&self) -> Vec<Var> {
        self.regions.iter().map(|known| known.var).collect()
    }

    /// One of the regions that are open here.
    pub(super) fn place(&mut self) -> Var {
        let open = self.open();
        self.draw.pick(&open)
    }

    /// Can a value of the type be made from nothing where this is the effect?
    pub(super) fn is_makeable(&self, ty: &Ty, phi: &Phi) -> bool {
        let Ty::Boxed(mu, at) = ty else { return true };
        self.covers(phi, *at)
            && match &**mu {
                Mu::Int => true,
                Mu::Vec(of) => self.is_makeable(of, phi),
                Mu::Pair(a, b) => self.is_makeable(a, phi) && self.is_makeable(b, phi),
                Mu::Fn(_, latent, to) => {
                    (self.world == World::C || !latent.host) && self.is_makeable(to, latent)
                }
                Mu::Pi(..) => false,
            }
    }

    /// The same on the device.
    pub(super) fn is_makeable_there(&mut self, ty: &Ty) -> bool {
        let outer = std::mem::replace(&mut self.world, World::G);
        let makeable = self.is_makeable(ty, &self.phi);
        self.world = outer;
        makeable
    }

    /// Something made where a region is in scope besides.
    pub(super) fn in_region<T>(
        &mut self,
        var: Var,
        bound: Vec<Var>,
        make: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.regions.push(InScope { var, bound });
        let made = make(self);
        self.regions.pop();
        made
    }

    /// Something made where this is the effect.
    pub(super) fn under<T>(&mut self, phi: Phi, make: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.phi, phi);
        let made = make(self);
        self.phi = outer;
        made
    }

    /// Something made where a variable is in scope besides.
    pub(super) fn knowing<T>(&mut self, known: Known, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.vars.len();
        self.vars.push(known);
        let made = make(self);
        self.vars.truncate(before);
        made
    }

    // Expressions.

    pub(super) fn var(&mut self, var: Var) -> Exp {
        self.e(Kind::Var(var))
    }

    pub(super) fn int(&mut self, k: i32, at: Var) -> Exp {
        let at = self.region(at);
        self.e(Kind::Int(k, at))
    }

    pub(super) fn binary(&mut self, op: Op, a: Exp, b: Exp, at: Var) -> Exp {
        let at = self.region(at);
        self.e(Kind::Binary(op, Box::new([a, b]), at))
    }

    pub(super) fn compare(&mut self, op: Comparison, a: Exp, b: Exp) -> Exp {
        self.e(Kind::Compare(op, Box::new([a, b])))
    }

    pub(super) fn if_(&mut self, cond: Exp, then: Exp, other: Exp) -> Exp {
        self.e(Kind::If(Box::new([cond, then, other])))
    }

    pub(super) fn let_(&mut self, var: Var, bound: Exp, body: Exp) -> Exp {
        self.e(Kind::Let(var, Box::new([bound, body])))
    }

    pub(super) fn app(&mut self, f: Exp, argument: Exp) -> Exp {
        self.e(Kind::App(Box::new([f, argument])))
    }

    pub(super) fn pair(&mut self, a: Exp, b: Exp, at: Var) -> Exp {
        let at = self.region(at);
        self.e(Kind::Pair(Box::new([a, b]), at))
    }

    pub(super) fn fst(&mut self, of: Exp) -> Exp {
        self.e(Kind::Fst(Box::new(of)))
    }

    pub(super) fn snd(&mut self, of: Exp) -> Exp {
        self.e(Kind::Snd(Box::new(of)))
    }

    pub(super) fn index(&mut self, of: Exp, at: Exp) -> Exp {
        self.e(Kind::Index(Box::new([of, at])))
    }

    /// `fn (x : τ) ! φ => e at ρ`
    pub(super) fn lambda(
        &mut self,
        (from, latent, at): (&Ty, &Phi, Var),
        body: impl FnOnce(&mut Self, Var) -> Exp,
    ) -> Exp {
        let param = self.names.fresh("x");
        let (ty, effect) = (self.written(from), self.effect(latent));
        let known = Known { var: param, ty: from.clone(), least: 0 };
        let body = self.under(latent.clone(), |b| b.knowing(known, |b| body(b, param)));
        let at = self.region(at);
        self.e(Kind::Fn(Box::new(Lambda { param, ty, latent: effect, body, at })))
    }

    /// `rfn ρ' >= φ' ! φ => e at ρ`
    pub(super) fn abstraction(
        &mut self,
        var: Var,
        (bound, latent, at): (&Phi, &Phi, Var),
        body: impl FnOnce(&mut Self) -> Exp,
    ) -> Exp {
        let region = self.binder(var);
        let bounds = self.effect(bound);
        let olders = bound.regions.iter().copied().collect();
        let (latent, body) =
            self.in_region(var, olders, |b| (b.effect(latent), b.under(latent.clone(), body)));
        let at = self.region(at);
        self.e(Kind::RegionFn(Box::new(RegionLambda { region, bound: bounds, latent, body, at })))
    }

    /// `letregion ρ of i in e`
    pub(super) fn letregion(
        &mut self,
        of: Option<u32>,
        body: impl FnOnce(&mut Self, Var) -> Exp,
    ) -> Exp {
        let var = self.names.fresh("q");
        let binder = self.binder(var);
        let bound = self.phi.regions.iter().copied().collect();
        let mut phi = self.phi.clone();
        phi.regions.insert(var);
        let body = self.in_region(var, bound, |b| b.under(phi, |b| body(b, var)));
        self.e(Kind::LetRegion(binder, of, Box::new(body)))
    }

    /// `on e at ρ`
    pub(super) fn on(&mut self, at: Var, body: impl FnOnce(&mut Self) -> Exp) -> Exp {
        let region = self.region(at);
        let phi = Phi { host: false, ..self.phi.clone() };
        self.world = World::G;
        let body = self.under(phi, body);
        self.world = World::C;
        self.e(Kind::On(Box::new(body), region))
    }

    /// `e₁ || e₂ at ρ`
    pub(super) fn par(&mut self, a: Exp, b: Exp, at: Var) -> Exp {
        let at = self.region(at);
        self.e(Kind::Par(Box::new([a, b]), at))
    }
}

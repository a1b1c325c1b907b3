//! What the bindings of a program are for: each step is an expression that is made to show something, and its type.

use super::build::Build;
use super::types::{Mu, Phi, Ty};
use reference::kit::names::Var;
use reference::lambda_g::syntax::{Exp, Kind, Op, Over};

/// How deep the expressions of a step are.
pub(super) const DEPTH: usize = 3;

impl Build<'_, '_> {
    /// Any expression of any type.
    pub(super) fn any(&mut self) -> (Exp, Ty) {
        let ty = self.ty(2);
        (self.exp(&ty, DEPTH), ty)
    }

    /// A region abstraction of a function.
    pub(super) fn polymorphic(&mut self) -> (Exp, Ty) {
        if self.draw.chance(25) {
            return self.recursive_abstraction(DEPTH - 1);
        }
        let p = self.names.fresh("p");
        let open = self.open();
        let mut bound = vec![open[0]];
        for other in &open[1..] {
            if self.draw.chance(30) {
                bound.push(*other);
            }
        }
        let (at, mut phi) = (self.place(), self.phi.clone());
        phi.regions.insert(p);
        let (from, to, effect) = self.in_region(p, bound.clone(), |b| {
            b.under(phi, |b| {
                let (from, to) = (Ty::int(p), b.ty(1));
                let effect = b.latent(&from, &to);
                (from, to, effect)
            })
        });
        let (bound, latent) = (Phi::of(bound), Phi::of([at]));
        let inner = Ty::function(from.clone(), effect.clone(), to.clone(), at);
        let e = self.abstraction(p, (&bound, &latent, at), |b| {
            b.lambda((&from, &effect, at), |b, _| b.exp(&to, DEPTH - 1))
        });
        (e, Ty::boxed(Mu::Pi(p, bound, latent, inner), at))
    }

    /// `on e at ρ`
    pub(super) fn device(&mut self) -> (Exp, Ty) {
        let ty = self.boxed(2);
        let at = ty.at().unwrap_or_else(|| unreachable!("it is boxed"));
        (self.on(at, |b| b.constructor(&ty, DEPTH)), ty)
    }

    /// A boxed type of which values can be made on both sides.
    fn boxed(&mut self, depth: usize) -> Ty {
        let ty = self.ty(depth);
        match ty.at() {
            Some(_) if self.is_makeable_there(&ty) => ty,
            _ => Ty::int(self.place()),
        }
    }

    /// An `on` that makes values in two regions.
    pub(super) fn two_regions(&mut self, one: Var, other: Var) -> (Exp, Ty) {
        let ty = self.boxed(1);
        let at = ty.at().unwrap_or_else(|| unreachable!("it is boxed"));
        let e = self.on(at, |b| {
            let first = b.constructor(&Ty::int(one), 2);
            b.bind(Ty::int(one), first, 0, |b| {
                let second = b.constructor(&Ty::int(other), 2);
                b.bind(Ty::int(other), second, 0, |b| b.exp(&ty, DEPTH))
            })
        });
        (e, ty)
    }

    /// A function of one side that is applied on the other one.
    pub(super) fn across(&mut self) -> (Exp, Ty) {
        let (from, at) = (self.ty(1), self.place());
        let to = self.boxed(1);
        let latent = Phi { host: false, ..self.latent(&from, &to) };
        let f = Ty::function(from.clone(), latent.clone(), to.clone(), at);
        let lies = to.at().unwrap_or_else(|| unreachable!("it is boxed"));
        let there = self.is_makeable_there(&from) && self.is_makeable_there(&f);
        if there && self.draw.chance(50) {
            let made = self.constructor(&f, DEPTH - 1);
            let e = self.bind(f, made, 0, |b| {
                let f = b.vars.last().unwrap_or_else(|| unreachable!("it is bound")).var;
                b.on(lies, |b| b.applied(f, &from, &to, lies))
            });
            return (e, to);
        }
        let made = match self.is_makeable_there(&f) {
            true => self.on(at, |b| b.constructor(&f, DEPTH - 1)),
            false => self.leaf(&f),
        };
        let e = self.bind(f, made, 0, |b| {
            let f = b.vars.last().unwrap_or_else(|| unreachable!("it is bound")).var;
            b.applied(f, &from, &to, lies)
        });
        (e, to)
    }

    /// `f e`, or one of the results of `f` for several.
    fn applied(&mut self, f: Var, from: &Ty, to: &Ty, place: Var) -> Exp {
        let f = self.var(f);
        if self.draw.chance(60) {
            let argument = self.exp(from, 2);
            return self.app(f, argument);
        }
        let elements = vec![self.exp(from, 1), self.leaf(from)];
        let at = self.region(place);
        let over = Box::new(Over::Elements(elements));
        let all = self.e(Kind::ParMap(Box::new(f), over, at));
        let _ = to;
        let index = self.draw.below(2) as i32;
        let index = self.int(index, place);
        self.index(all, index)
    }

    /// A function that applies itself, applied.
    pub(super) fn recursion(&mut self) -> (Exp, Ty) {
        let (at, place) = (self.place(), self.place());
        let to = self.ty(1);
        let loops = self.draw.chance(40);
        let count = Ty::int(place);
        let from = if loops { Ty::pair(count, to.clone(), at) } else { count };
        let mut latent = Phi { host: false, ..self.latent(&from, &to) };
        latent.regions.extend([at, place]);
        let make = |b: &mut Self| {
            let f = b.recursive((&from, &latent, &to, at), DEPTH - 1);
            let times = b.draw.between(1, 7) as i32;
            let times = b.int(times, place);
            if !loops {
                return b.app(f, times);
            }
            let start = b.exp(&to, 1);
            let argument = b.pair(times, start, at);
            b.app(f, argument)
        };
        let there = self.is_makeable_there(&to) && self.is_makeable_there(&from);
        let e = match to.at() {
            Some(lies) if there && self.draw.chance(35) => self.on(lies, make),
            _ => make(self),
        };
        (e, to)
    }

    /// Branches in branches, on one side.
    pub(super) fn branches(&mut self) -> (Exp, Ty) {
        let (at, inner) = (self.place(), self.place());
        let of = Ty::int(self.place());
        let there = self.draw.chance(55);
        let row = match self.draw.chance(70) {
            true => Ty::vec(of, inner),
            false => Ty::pair(of, Ty::int(inner), inner),
        };
        let ty = match self.draw.chance(70) {
            true => Ty::vec(row.clone(), at),
            false => Ty::pair(row.clone(), Ty::int(at), at),
        };
        let e = if there { self.on(at, |b| b.split(&ty, 2)) } else { self.split(&ty, 2) };
        (e, ty)
    }

    /// A `parmap` for a vector and a `||` for a pair, so many in one another.
    fn split(&mut self, ty: &Ty, levels: usize) -> Exp {
        let (Some(mu), Some(at)) = (ty.mu(), ty.at()) else { return self.exp(ty, 1) };
        match mu {
            Mu::Vec(of) if levels > 0 => {
                let from = Ty::int(self.place());
                let latent = Phi { host: false, ..self.latent(&from, of) };
                let place = self.place();
                let f = self.lambda((&from, &latent, place), |b, _| b.split(of, levels - 1));
                self.mapped(f, &from, at, 1).0
            }
            Mu::Pair(a, b) if levels > 0 => {
                let (a, b) = (self.split(a, levels - 1), self.exp(b, 2));
                self.par(a, b, at)
            }
            _ => self.exp(ty, 2),
        }
    }

    /// Both sides put values into a region: the device in one branch, the host in a later one, and the device again.
    pub(super) fn both(&mut self, region: Var) -> (Exp, Ty) {
        let place = self.place();
        let ty = Ty::int(region);
        let device = self.on(region, |b| b.constructor(&ty, 2));
        let host = self.constructor(&ty, 2);
        let pair = Ty::pair(ty.clone(), ty.clone(), place);
        let e = match self.draw.below(4) {
            0 => self.par(device, host, place),
            1 => {
                let again = self.on(region, |b| b.constructor(&ty, 2));
                let rest = self.par(host, again, place);
                let whole = Ty::pair(ty, pair, place);
                return (self.par(device, rest, place), whole);
            }
            2 => {
                let host = self.par(host, device, place);
                let again = self.on(region, |b| b.constructor(&ty, 1));
                let whole = Ty::pair(pair, ty, place);
                return (self.par(host, again, place), whole);
            }
            _ => {
                let from = Ty::int(place);
                let latent = Phi { host: true, ..self.phi.clone() };
                let f = self.lambda((&from, &latent, place), |b, _| {
                    let device = b.on(region, |b| b.constructor(&ty, 2));
                    let host = b.constructor(&ty, 1);
                    b.binary(Op::Add, device, host, region)
                });
                let (map, _) = self.mapped(f, &from, place, 1);
                return (map, Ty::vec(ty, place));
            }
        };
        (e, pair)
    }

    /// An expression that gets stuck, on the host, on the device, or in one of its threads.
    pub(super) fn stuck(&mut self) -> (Exp, Ty) {
        let (at, place) = (self.place(), self.place());
        let ty = Ty::int(at);
        match self.draw.below(4) {
            0 => (self.fails(at, None), ty),
            1 => (self.on(at, |b| b.fails(at, None)), ty),
            which => {
                let from = Ty::int(place);
                let latent = Phi { host: false, ..self.phi.clone() };
                let whole = Ty::vec(ty, place);
                let make = |b: &mut Self| {
                    let f = b.lambda((&from, &latent, place), |b, x| b.fails(at, Some((x, place))));
                    let count = b.draw.between(3, 6) as i32;
                    let count = b.int(count, place);
                    let region = b.region(place);
                    let vector = b.e(Kind::Iota(Box::new(count), region));
                    let region = b.region(place);
                    let over = Box::new(Over::Vector(vector));
                    b.e(Kind::ParMap(Box::new(f), over, region))
                };
                let e = if which == 2 { make(self) } else { self.on(place, make) };
                (e, whole)
            }
        }
    }

    /// An int that is none; for one element, if that is given, and not for others.
    fn fails(&mut self, at: Var, element: Option<(Var, Var)>) -> Exp {
        let (a, place) = (self.exp(&Ty::int(at), 1), self.place());
        let zero = match element {
            Some((x, of)) => {
                let (k, x) = (self.draw.below(3) as i32, self.var(x));
                let k = self.int(k, of);
                self.binary(Op::Sub, x, k, of)
            }
            None => self.int(0, place),
        };
        match self.draw.below(4) {
            0 => self.binary(Op::Div, a, zero, at),
            1 => self.binary(Op::Mod, a, zero, at),
            low => {
                let vector = vec![a, self.leaf(&Ty::int(at))];
                let region = self.region(place);
                let vector = self.e(Kind::Vector(vector, region));
                let outside = self.int(if low == 2 { 2 } else { -1 }, place);
                let index = match element {
                    Some(_) => self.binary(Op::Add, zero, outside, place),
                    None => outside,
                };
                self.index(vector, index)
            }
        }
    }

    /// A region of the device that is full.
    pub(super) fn full(&mut self) -> (Exp, Ty) {
        let at = self.place();
        let ty = Ty::int(at);
        let words = self.draw.below(6) as u32;
        let e = self.letregion(Some(words), |b, q| {
            let more = words as i32 + b.draw.between(0, 3) as i32;
            b.on(at, |b| {
                let threads = b.draw.chance(50);
                let count = b.int(more, at);
                let region = b.region(if threads { at } else { q });
                let mut values = b.e(Kind::Iota(Box::new(count), region));
                if threads {
                    let from = Ty::int(at);
                    let latent = Phi { host: false, ..b.phi.clone() };
                    let f = b.lambda((&from, &latent, at), |b, _| b.constructor(&Ty::int(q), 1));
                    let (region, over) = (b.region(at), Box::new(Over::Vector(values)));
                    values = b.e(Kind::ParMap(Box::new(f), over, region));
                }
                let region = b.region(at);
                b.e(Kind::Length(Box::new(values), region))
            })
        });
        (e, ty)
    }

    /// Something of `r0` that depends on a variable, if there is such a thing.
    pub(super) fn shown(&mut self, of: Exp, ty: &Ty, at: Var) -> (Exp, Ty) {
        let Ty::Boxed(mu, lies) = ty else { return (of, Ty::Bool) };
        if !self.covers(&self.phi, *lies) {
            return self.none(at);
        }
        match &**mu {
            Mu::Int => {
                let zero = self.int(0, at);
                (self.binary(Op::Add, of, zero, at), Ty::int(at))
            }
            Mu::Vec(from) => {
                let latent = Phi { host: false, ..self.phi.clone() };
                let mut to = Ty::Bool;
                let f = self.lambda((from, &latent, at), |b, x| {
                    let x = b.var(x);
                    let (shown, ty) = b.shown(x, from, at);
                    to = ty;
                    shown
                });
                let (region, over) = (self.region(at), Box::new(Over::Vector(of)));
                (self.e(Kind::ParMap(Box::new(f), over, region)), Ty::vec(to, at))
            }
            Mu::Pair(a, b) => {
                let second = self.draw.chance(50);
                let part = if second { self.snd(of) } else { self.fst(of) };
                self.shown(part, if second { b } else { a }, at)
            }
            Mu::Fn(from, latent, to)
                if self.includes(latent) && self.is_makeable(from, &self.phi) =>
            {
                let argument = self.leaf(from);
                let result = self.app(of, argument);
                self.shown(result, to, at)
            }
            Mu::Fn(..) | Mu::Pi(..) => self.none(at),
        }
    }

    fn none(&mut self, at: Var) -> (Exp, Ty) {
        (self.int(0, at), Ty::int(at))
    }
}

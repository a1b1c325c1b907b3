//! Expressions of a type. What is asked for can be made from nothing where it is asked for ([`Build::is_makeable`]).

use super::build::{Build, Known};
use super::types::{Mu, Phi, Ty};
use reference::kit::names::Var;
use reference::lambda_g::syntax::{Comparison, Exp, Kind, Op, Over, World};
use std::collections::BTreeSet;

/// How an expression of a type is made.
#[derive(Clone, Copy)]
enum Form {
    Variable,
    Constructor,
    Let,
    If,
    Call,
    Part,
    Index,
    Function,
    On,
    LetRegion,
}

impl Build<'_, '_> {
    /// An expression of the type.
    pub(super) fn exp(&mut self, ty: &Ty, depth: usize) -> Exp {
        if depth == 0 || self.left == 0 || self.draw.is_spent() {
            return self.leaf(ty);
        }
        self.left -= 1;
        let host = self.world == World::C && self.phi.host;
        let there = host && ty != &Ty::Bool && self.is_makeable_there(ty);
        let known = self.vars.iter().any(|known| known.ty == *ty);
        let forms = [
            (Form::Constructor, 40),
            (Form::Variable, if known { 16 } else { 0 }),
            (Form::Let, 12),
            (Form::If, 9),
            (Form::Call, if self.callable(ty).is_empty() { 0 } else { 16 }),
            (Form::Part, 6),
            (Form::Index, 6),
            (Form::Function, 5),
            (Form::On, if there { 9 } else { 0 }),
            (Form::LetRegion, if host { 4 } else { 0 }),
        ];
        let form = forms[self.draw.weighed(&forms.map(|(_, weight)| weight))].0;
        self.of_form(form, ty, depth - 1)
    }

    fn of_form(&mut self, form: Form, ty: &Ty, depth: usize) -> Exp {
        match form {
            Form::Constructor => self.constructor(ty, depth),
            Form::Variable => self.leaf(ty),
            Form::Let => self.let_in(depth, |b| b.exp(ty, depth)),
            Form::If => {
                let cond = self.exp(&Ty::Bool, depth.min(2));
                let then = self.exp(ty, depth);
                let other = self.exp(ty, depth);
                self.if_(cond, then, other)
            }
            Form::Call => self.call(ty, depth),
            Form::Part => self.part(ty, depth),
            Form::Index => self.element(ty, depth),
            Form::Function => {
                let from = self.ty(1);
                let latent = self.latent(&from, ty);
                let at = self.place();
                let f = self.lambda((&from, &latent, at), |b, _| b.exp(ty, depth));
                let argument = self.exp(&from, depth);
                self.app(f, argument)
            }
            Form::On => {
                let at = ty.at().unwrap_or_else(|| unreachable!("it is boxed"));
                self.on(at, |b| b.exp(ty, depth))
            }
            Form::LetRegion => {
                let of = self.words();
                self.letregion(of, |b, _| b.let_in(depth, |b| b.exp(ty, depth)))
            }
        }
    }

    /// Words of a new region: few, for regions that grow, or those of the machine.
    pub(super) fn words(&mut self) -> Option<u32> {
        let few = self.draw.chance(25);
        few.then(|| 8 + 8 * self.draw.below(16) as u32)
    }

    /// `let x = e in …`
    pub(super) fn let_in(&mut self, depth: usize, body: impl FnOnce(&mut Self) -> Exp) -> Exp {
        let ty = self.ty(2);
        let (bound, least) = self.counted(&ty, depth);
        self.bind(ty, bound, least, body)
    }

    /// `let x = e in …` for an expression that is made already.
    pub(super) fn bind(
        &mut self,
        ty: Ty,
        bound: Exp,
        least: usize,
        body: impl FnOnce(&mut Self) -> Exp,
    ) -> Exp {
        let var = self.names.fresh("y");
        let body = self.knowing(Known { var, ty, least }, body);
        self.let_(var, bound, body)
    }

    /// An expression, and how many elements it has at least if it is a vector.
    pub(super) fn counted(&mut self, ty: &Ty, depth: usize) -> (Exp, usize) {
        match ty {
            Ty::Boxed(mu, at) if let Mu::Vec(of) = &**mu => self.vector(of, *at, depth),
            _ => (self.exp(ty, depth), 0),
        }
    }

    /// The least that has the type.
    pub(super) fn leaf(&mut self, ty: &Ty) -> Exp {
        let known = self.vars.iter().filter(|known| known.ty == *ty).map(|known| known.var);
        let known: Vec<Var> = known.collect();
        if !known.is_empty() && self.draw.chance(75) {
            let var = self.draw.pick(&known);
            return self.var(var);
        }
        let Ty::Boxed(mu, at) = ty else {
            let value = self.draw.chance(50);
            return self.e(Kind::Bool(value));
        };
        let at = *at;
        match &**mu {
            Mu::Int => {
                let k = self.number();
                self.int(k, at)
            }
            Mu::Vec(of) => {
                let elements = vec![self.leaf(of)];
                let at = self.region(at);
                self.e(Kind::Vector(elements, at))
            }
            Mu::Pair(a, b) => {
                let (a, b) = (self.leaf(a), self.leaf(b));
                self.pair(a, b, at)
            }
            Mu::Fn(from, latent, to) => self.lambda((from, latent, at), |b, _| b.leaf(to)),
            Mu::Pi(..) => unreachable!("no region abstraction is asked for"),
        }
    }

    fn number(&mut self) -> i32 {
        match self.draw.chance(95) {
            true => self.draw.between(-3, 12) as i32,
            false => self.draw.word() as i32,
        }
    }

    /// A form that makes a value of the type.
    pub(super) fn constructor(&mut self, ty: &Ty, depth: usize) -> Exp {
        let Ty::Boxed(mu, at) = ty else { return self.truth(depth) };
        let at = *at;
        match &**mu {
            Mu::Int => self.sum(at, depth),
            Mu::Vec(of) => self.vector(of, at, depth).0,
            Mu::Pair(a, b) => {
                let (a, b) = (self.exp(a, depth), self.exp(b, depth));
                if self.draw.chance(30) { self.par(a, b, at) } else { self.pair(a, b, at) }
            }
            Mu::Fn(from, latent, to) => match self.draw.chance(12) {
                true => self.recursive((from, latent, to, at), depth),
                false => self.lambda((from, latent, at), |b, _| b.exp(to, depth)),
            },
            Mu::Pi(..) => self.leaf(ty),
        }
    }

    fn truth(&mut self, depth: usize) -> Exp {
        if self.draw.chance(15) {
            return self.leaf(&Ty::Bool);
        }
        let (a, b) = (self.place(), self.place());
        let op = self.draw.pick(&Comparison::ALL);
        let a = self.exp(&Ty::int(a), depth);
        let b = self.exp(&Ty::int(b), depth);
        self.compare(op, a, b)
    }

    /// An int.
    fn sum(&mut self, at: Var, depth: usize) -> Exp {
        match self.draw.weighed(&[60, 12, 12, 8]) {
            0 => {
                let op = self.draw.pick(&[Op::Add, Op::Sub, Op::Mul, Op::Min, Op::Max]);
                let (a, b) = (self.place(), self.place());
                let a = self.exp(&Ty::int(a), depth);
                let b = self.exp(&Ty::int(b), depth);
                self.binary(op, a, b, at)
            }
            1 => {
                let op = self.draw.pick(&[Op::Div, Op::Mod]);
                let (a, b) = (self.place(), self.place());
                let a = self.exp(&Ty::int(a), depth);
                let by = 1 + self.draw.below(9) as i32;
                let by = self.int(by, b);
                self.binary(op, a, by, at)
            }
            2 => {
                let (of, place) = (self.ty(0), self.place());
                let (vector, _) = self.vector(&of, place, depth);
                let at = self.region(at);
                self.e(Kind::Length(Box::new(vector), at))
            }
            _ => self.leaf(&Ty::int(at)),
        }
    }

    /// A vector, and how many elements it has at least.
    pub(super) fn vector(&mut self, of: &Ty, at: Var, depth: usize) -> (Exp, usize) {
        let whole = Ty::vec(of.clone(), at);
        let known = self.vars.iter().filter(|known| known.ty == whole);
        let known: Vec<(Var, usize)> = known.map(|known| (known.var, known.least)).collect();
        let iota = *of == Ty::int(at);
        let maps = depth > 0 && self.left > 0;
        let weights = [25, if known.is_empty() { 0 } else { 35 }, 25 * u32::from(iota)];
        let maps = if maps { 40 } else { 0 };
        match self.draw.weighed(&[weights[0], weights[1], weights[2], maps]) {
            1 => {
                let (var, least) = self.draw.pick(&known);
                (self.var(var), least)
            }
            2 => {
                let place = self.place();
                let count = 1 + self.draw.below(5);
                let count_of = self.int(count as i32, place);
                let region = self.region(at);
                (self.e(Kind::Iota(Box::new(count_of), region)), count)
            }
            3 => self.map(of, at, depth - 1),
            _ => {
                let elements = self.elements(of, depth.saturating_sub(1));
                let (count, region) = (elements.len(), self.region(at));
                (self.e(Kind::Vector(elements, region)), count)
            }
        }
    }

    fn elements(&mut self, of: &Ty, depth: usize) -> Vec<Exp> {
        let count = 1 + self.draw.below(3);
        (0..count).map(|_| self.exp(of, depth)).collect()
    }

    /// `parmap f …` to a vector of such elements, and how many it has at least.
    pub(super) fn map(&mut self, to: &Ty, at: Var, depth: usize) -> (Exp, usize) {
        let known = self.callable(to).into_iter().filter(|call| call.with.is_none());
        let known: Vec<Var> = known.map(|call| call.var).collect();
        let (f, from) = match !known.is_empty() && self.draw.chance(50) {
            true => {
                let var = self.draw.pick(&known);
                let from = self.vars.iter().find(|known| known.var == var);
                let from = from.and_then(|known| known.ty.mu()).and_then(|mu| match mu {
                    Mu::Fn(from, ..) => Some(from.clone()),
                    _ => None,
                });
                (self.var(var), from.unwrap_or(Ty::Bool))
            }
            false => {
                let from = self.ty(1);
                let latent = self.latent(&from, to);
                let place = self.place();
                (self.lambda((&from, &latent, place), |b, _| b.exp(to, depth)), from)
            }
        };
        self.mapped(f, &from, at, depth)
    }

    /// `parmap f …` for a function that is made already, and how many elements it has at least.
    pub(super) fn mapped(&mut self, f: Exp, from: &Ty, at: Var, depth: usize) -> (Exp, usize) {
        let (over, least) = match self.draw.chance(35) {
            true => {
                let elements = self.elements(from, depth.min(2));
                let count = elements.len();
                (Over::Elements(elements), count)
            }
            false => {
                let place = self.place();
                let (vector, least) = self.vector(from, place, depth.min(2));
                (over(vector), least)
            }
        };
        let region = self.region(at);
        (self.e(Kind::ParMap(Box::new(f), Box::new(over), region)), least)
    }

    /// `fst e`, `snd e`
    fn part(&mut self, ty: &Ty, depth: usize) -> Exp {
        let mut pairs = Vec::new();
        for known in &self.vars {
            if let Ty::Boxed(mu, at) = &known.ty
                && let Mu::Pair(a, b) = &**mu
                && self.covers(&self.phi, *at)
            {
                let parts = [(a, false), (b, true)];
                let fits = parts.into_iter().filter(|(part, _)| *part == ty);
                pairs.extend(fits.map(|(_, second)| (known.var, second)));
            }
        }
        if !pairs.is_empty() && self.draw.chance(80) {
            let (var, second) = self.draw.pick(&pairs);
            let of = self.var(var);
            return if second { self.snd(of) } else { self.fst(of) };
        }
        let (other, at) = (self.ty(1), self.place());
        let second = self.draw.chance(50);
        let (a, b) = if second { (other, ty.clone()) } else { (ty.clone(), other) };
        let of = self.exp(&Ty::pair(a, b, at), depth);
        if second { self.snd(of) } else { self.fst(of) }
    }

    /// `e ! e` inside of the vector
    fn element(&mut self, ty: &Ty, depth: usize) -> Exp {
        let at = self.place();
        let (vector, least) = self.vector(ty, at, depth);
        if least == 0 {
            return self.first_or(vector, ty, at);
        }
        let place = self.place();
        let index = match self.draw.chance(60) {
            true => {
                let index = self.draw.below(least) as i32;
                self.int(index, place)
            }
            false => {
                let any = self.exp(&Ty::int(place), depth.min(1));
                let (zero, last) = (self.int(0, place), self.int(least as i32 - 1, place));
                let any = self.binary(Op::Max, any, zero, place);
                self.binary(Op::Min, any, last, place)
            }
        };
        self.index(vector, index)
    }

    /// The first element of a vector that may have none.
    fn first_or(&mut self, vector: Exp, of: &Ty, at: Var) -> Exp {
        let place = self.place();
        self.bind(Ty::vec(of.clone(), at), vector, 0, |b| {
            let var = b.vars.last().unwrap_or_else(|| unreachable!("it is bound")).var;
            let (zero, counted, whole) = (b.int(0, place), b.var(var), b.var(var));
            let region = b.region(place);
            let length = b.e(Kind::Length(Box::new(counted), region));
            let some = b.compare(Comparison::Lt, zero, length);
            let zero = b.int(0, place);
            let first = b.index(whole, zero);
            let none = b.leaf(of);
            b.if_(some, first, none)
        })
    }

    /// A function of the scope that is applied.
    fn call(&mut self, ty: &Ty, depth: usize) -> Exp {
        let calls = self.callable(ty);
        let at = self.draw.below(calls.len());
        let Call { var, with, from } = calls[at].clone();
        let mut f = self.var(var);
        if let Some(with) = with {
            let with = self.region(with);
            f = self.e(Kind::Instance(Box::new(f), with));
        }
        match from {
            Some(from) => {
                let argument = self.exp(&from, depth);
                self.app(f, argument)
            }
            None => f,
        }
    }

    /// The functions of the scope that come to the type, and may be applied here.
    pub(super) fn callable(&self, ty: &Ty) -> Vec<Call> {
        let mut calls = Vec::new();
        for Known { var, ty: known, .. } in &self.vars {
            let Ty::Boxed(mu, at) = known else { continue };
            if !self.covers(&self.phi, *at) {
                continue;
            }
            match &**mu {
                Mu::Fn(..) => calls.extend(self.call_of(*var, None, known, ty)),
                Mu::Pi(region, bound, latent, of) => {
                    for with in self.all_regions() {
                        let fits = bound.regions.iter().all(|other| self.outlived(with, *other));
                        if !fits || !self.includes(&latent.with(*region, with)) {
                            continue;
                        }
                        let opened = of.with(*region, with);
                        if opened == *ty {
                            calls.push(Call { var: *var, with: Some(with), from: None });
                        }
                        calls.extend(self.call_of(*var, Some(with), &opened, ty));
                    }
                }
                _ => {}
            }
        }
        calls
    }

    fn call_of(&self, var: Var, with: Option<Var>, f: &Ty, ty: &Ty) -> Option<Call> {
        let Ty::Boxed(mu, at) = f else { return None };
        let Mu::Fn(from, latent, to) = &**mu else { return None };
        let fits = to == ty
            && self.covers(&self.phi, *at)
            && self.includes(latent)
            && self.is_makeable(from, &self.phi);
        fits.then(|| Call { var, with, from: Some(from.clone()) })
    }

    /// A type of which values can be made here.
    pub(super) fn ty(&mut self, depth: usize) -> Ty {
        let at = self.place();
        let deep = u32::from(depth > 0);
        match self.draw.weighed(&[50, 8, 16 * deep, 12 * deep, 14 * deep]) {
            1 => Ty::Bool,
            2 => Ty::vec(self.ty(depth - 1), at),
            3 => Ty::pair(self.ty(depth - 1), self.ty(depth - 1), at),
            4 => {
                let (from, to) = (self.ty(depth - 1), self.ty(depth - 1));
                let latent = self.latent(&from, &to);
                Ty::function(from, latent, to, at)
            }
            _ => Ty::int(at),
        }
    }

    /// An effect of a function that takes its argument apart and makes its result, and perhaps does more.
    pub(super) fn latent(&mut self, from: &Ty, to: &Ty) -> Phi {
        let mut regions = BTreeSet::new();
        from.regions(&mut regions);
        to.regions(&mut regions);
        for region in self.open() {
            if self.draw.chance(60) {
                regions.insert(region);
            }
        }
        regions.retain(|region| self.covers(&self.phi, *region));
        if regions.is_empty() {
            regions.extend(self.open().first());
        }
        // What outlives another one need not be said.
        if self.draw.chance(60) {
            let all: Vec<Var> = regions.iter().copied().collect();
            for region in all {
                let others = Phi::of(regions.iter().copied().filter(|other| *other != region));
                if self.covers(&others, region) {
                    regions = others.regions;
                }
            }
        }
        let may = self.world == World::C && self.phi.host;
        Phi { regions, host: may && self.draw.chance(12) }
    }
}

/// A vector of the scope, or one that is made, to be mapped over.
fn over(vector: Exp) -> Over {
    Over::Vector(vector)
}

/// A function of the scope that may be applied.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) var: Var,
    /// The region that it is given first.
    pub(super) with: Option<Var>,
    /// What it is applied to, if it is.
    pub(super) from: Option<Ty>,
}

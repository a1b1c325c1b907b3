//! The program with what was left out: placeholders become what was found for them, and a `letregion` is put around each
//! expression at which a region is bound.

use super::arena::{Ev, Mu, Rv, Shape, Tv};
use super::place::Places;
use super::{DEVICE_WORDS, refusals};
use crate::kit::names::{Names, Var};
use crate::kit::text::{MAX_NESTING, Rejected, Span};
use crate::lambda_g::hole;
use crate::lambda_g::syntax::{Binder, Boxed, Effect, Exp, Item, Kind, Program, R0, Region, Type};
use crate::lambda_g::types::MAX_TYPE;
use crate::lambda_g::visit;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, HashSet};

type Filled<T = ()> = Result<T, Rejected>;

/// Fills a program in: that, and the regions that were made.
///
/// # Errors
/// What is too large, or is not in scope where it would stand.
pub(super) fn fill(program: &mut Program, places: &Places) -> Filled<Vec<Var>> {
    let (regions, made) = named(&mut program.names, places);
    let mut fill = Fill {
        places,
        names: &mut program.names,
        regions,
        made: BTreeMap::new(),
        scope: vec![R0],
        renamed: Vec::new(),
        parts: 0,
        number: 0,
    };
    for (region, bind) in &made {
        fill.made.insert(*bind, *region);
    }
    for param in &mut program.params {
        fill.ty(&mut param.ty)?;
    }
    fill.exp(&mut program.body)?;
    Ok(made.into_iter().map(|(region, _)| fill.regions[&region]).collect())
}

/// Names for the regions that have none, and these with the expressions around which they are bound, in order.
fn named(names: &mut Names, places: &Places) -> (FxHashMap<Rv, Var>, Vec<(Rv, u32)>) {
    let arena = &places.found.arena;
    let mut made: Vec<(Rv, u32)> = Vec::new();
    for (number, bind) in places.binds.iter().enumerate() {
        let region = Rv(number as u32);
        if let (Some(bind), true) = (bind, arena.root_region(region) == region)
            && arena.name(region).is_none()
        {
            made.push((region, *bind));
        }
    }
    made.sort_unstable_by_key(|(_, bind)| *bind);
    let vars = (0..names.len() as u32).map(Var);
    let taken: HashSet<String> =
        vars.flat_map(|var| [names.text(var).to_owned(), names.written(var).to_owned()]).collect();
    let mut free =
        (1_u32..).map(|number| format!("r{number}")).filter(|text| !taken.contains(text));
    let regions = made
        .iter()
        .map(|(region, _)| (*region, names.fresh(free.next().expect("numbers do not end"))))
        .collect();
    (regions, made)
}

struct Fill<'f> {
    places: &'f Places,
    names: &'f mut Names,
    /// The names of the regions that had none.
    regions: FxHashMap<Rv, Var>,
    /// The region that is bound around an expression.
    made: BTreeMap<u32, Rv>,
    /// The regions in scope.
    scope: Vec<Var>,
    /// Regions that a `Pi` of a type binds that is being written, and their new names.
    renamed: Vec<(Var, Var)>,
    /// The parts of the type that is being written.
    parts: usize,
    /// The number of the last expression.
    number: u32,
}

impl Fill<'_> {
    fn exp(&mut self, e: &mut Exp) -> Filled {
        self.number += 1;
        let made = self.made.get(&self.number).copied();
        let around = self.scope.len();
        self.scope.extend(made.map(|region| self.regions[&region]));
        self.form(e)?;
        self.scope.truncate(around);
        if let Some(region) = made {
            let sized = self.places.on_device.contains(&region);
            let binder = Binder { span: e.span, var: self.regions[&region], world: None };
            let hollow = Exp { span: e.span, kind: Kind::Bool(true) };
            let inner = Box::new(std::mem::replace(e, hollow));
            e.kind = Kind::LetRegion(binder, sized.then_some(DEVICE_WORDS), inner);
        }
        Ok(())
    }

    fn form(&mut self, e: &mut Exp) -> Filled {
        let around = self.scope.len();
        match &mut e.kind {
            Kind::Fn(lambda) => {
                self.ty(&mut lambda.ty)?;
                self.effect(&mut lambda.latent)?;
                self.region(&mut lambda.at)?;
            }
            Kind::RegionFn(lambda) => {
                self.region(&mut lambda.at)?;
                self.scope.push(lambda.region.var);
                self.effect(&mut lambda.latent)?;
            }
            Kind::Fix(_, ty, _) => self.ty(ty)?,
            Kind::LetRegion(binder, ..) => self.scope.push(binder.var),
            Kind::Int(_, at)
            | Kind::Binary(_, _, at)
            | Kind::Pair(_, at)
            | Kind::Par(_, at)
            | Kind::Vector(_, at)
            | Kind::ParMap(_, _, at)
            | Kind::On(_, at)
            | Kind::Length(_, at)
            | Kind::Iota(_, at) => self.region(at)?,
            Kind::Bool(_)
            | Kind::Var(_)
            | Kind::Compare(..)
            | Kind::If(_)
            | Kind::Let(..)
            | Kind::App(_)
            | Kind::Instance(..)
            | Kind::Fst(_)
            | Kind::Snd(_)
            | Kind::Index(_) => {}
        }
        visit::parts_mut(e).into_iter().try_for_each(|part| self.exp(part))?;
        self.scope.truncate(around);
        Ok(())
    }

    /// The variable of a region, which is in scope.
    fn var(&self, region: Rv, span: Span) -> Filled<Var> {
        let arena = &self.places.found.arena;
        let root = arena.root_region(region);
        let var = arena.name(root).or_else(|| self.regions.get(&root).copied()).unwrap_or(R0);
        let renamed = self.renamed.iter().rev().find(|(from, _)| *from == var);
        let var = renamed.map_or(var, |(_, to)| *to);
        if !self.scope.contains(&var) {
            return Err(refusals::out_of_scope(self.names, var, span));
        }
        Ok(var)
    }

    fn region(&self, region: &mut Region) -> Filled {
        if let Some(found) = self.places.found.regions.get(&region.var) {
            region.var = self.var(*found, region.span)?;
        }
        Ok(())
    }

    fn effect(&self, effect: &mut Effect) -> Filled {
        let Some(var) = hole::no_effect(effect) else { return Ok(()) };
        *effect = self.found_effect(self.places.found.effects[&var], effect.span)?;
        Ok(())
    }

    fn found_effect(&self, effect: Ev, span: Span) -> Filled<Effect> {
        let found = self.places.effect(effect);
        let regions = found.regions.iter().map(|region| self.var(*region, span));
        let mut vars = regions.collect::<Filled<Vec<Var>>>()?;
        vars.sort_unstable();
        vars.dedup();
        let region = |var| Item::Region(Region { span, var, world: None });
        let host = found.host.then_some(Item::Host { span });
        Ok(Effect { span, items: vars.into_iter().map(region).chain(host).collect() })
    }

    /// A type of the program.
    fn ty(&mut self, ty: &mut Type) -> Filled {
        if let Some(var) = hole::no_type(ty) {
            self.parts = 0;
            *ty = self.found_type(self.places.found.types[&var], ty.span(), 0)?;
            return Ok(());
        }
        let Type::Boxed { of, region, .. } = ty else { return Ok(()) };
        self.region(region)?;
        match &mut **of {
            Boxed::Int => Ok(()),
            Boxed::Vec(of) => self.ty(of),
            Boxed::Pair(a, b) => {
                self.ty(a)?;
                self.ty(b)
            }
            Boxed::Fn(from, latent, to) => {
                self.ty(from)?;
                self.effect(latent)?;
                self.ty(to)
            }
            Boxed::Pi(binder, _, latent, of) => {
                self.scope.push(binder.var);
                self.effect(latent)?;
                self.ty(of)?;
                self.scope.pop();
                Ok(())
            }
        }
    }

    /// A type that was left out.
    fn found_type(&mut self, ty: Tv, span: Span, depth: usize) -> Filled<Type> {
        self.parts += 1;
        if depth > MAX_NESTING || self.parts > MAX_TYPE {
            return Err(refusals::too_large(span));
        }
        let arena = &self.places.found.arena;
        let (mu, at) = match arena.shape(ty) {
            // Where nothing says what a type is, any will do.
            Shape::Bool | Shape::Unknown => return Ok(Type::Bool { span }),
            Shape::Boxed(mu, at) => (mu, at),
        };
        let of = match mu {
            Mu::Unknown | Mu::Int => Boxed::Int,
            Mu::Vec(of) => Boxed::Vec(self.found_type(of, span, depth + 1)?),
            Mu::Pair(a, b) => {
                let a = self.found_type(a, span, depth + 1)?;
                Boxed::Pair(a, self.found_type(b, span, depth + 1)?)
            }
            Mu::Fn(a, latent, b) => {
                let a = self.found_type(a, span, depth + 1)?;
                let latent = self.found_effect(latent, span)?;
                self.parts += latent.items.len();
                Boxed::Fn(a, latent, self.found_type(b, span, depth + 1)?)
            }
            Mu::Pi(p, bound, latent, of) => {
                let bound = self.found_effect(bound, span)?;
                let var = self.names.fresh(self.names.written(p).to_owned());
                self.scope.push(var);
                self.renamed.push((p, var));
                let latent = self.found_effect(latent, span)?;
                let of = self.found_type(of, span, depth + 1)?;
                self.renamed.pop();
                self.scope.pop();
                Boxed::Pi(Binder { span, var, world: None }, bound, latent, of)
            }
        };
        let region = Region { span, var: self.var(at, span)?, world: None };
        Ok(Type::Boxed { span, of: Box::new(of), region })
    }
}

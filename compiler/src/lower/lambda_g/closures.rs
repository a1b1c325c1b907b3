//! The functions of a program, and what their closures know.

use reference::kit::names::Var;
use reference::lambda_g::syntax::{Exp, Kind, Region};
use reference::lambda_g::types::Facts;
use reference::lambda_g::visit;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A function or a region abstraction. It is the state of its number in each machine that has it.
pub(super) struct Lambda<'p> {
    /// What its argument, or the region that it is instantiated with, is called.
    pub(super) param: Var,
    /// What it is called in its own body.
    pub(super) own: Option<Var>,
    pub(super) body: &'p Exp,
    /// Variables and regions of its environment, in the order of its closure.
    pub(super) free: Vec<Var>,
    /// Does it make regions, or run something on the device?
    pub(super) is_of_host: bool,
}

/// All functions, and their numbers from 1 by where they lie in memory.
#[derive(Default)]
pub(super) struct Lambdas<'p> {
    pub(super) all: Vec<Lambda<'p>>,
    numbers: FxHashMap<*const Exp, usize>,
}

impl<'p> Lambdas<'p> {
    /// Those of a program.
    pub(super) fn of(body: &'p Exp, facts: &Facts) -> Self {
        let mut found = Self::default();
        found.visit(body, None, facts);
        found
    }

    /// The number of a function, from 1.
    pub(super) fn number(&self, e: &Exp) -> i32 {
        let number = self.numbers.get(&std::ptr::from_ref(e));
        number.map_or(0, |number| *number as i32 + 1)
    }

    /// The function.
    pub(super) fn get(&self, e: &Exp) -> &Lambda<'p> {
        &self.all[self.numbers[&std::ptr::from_ref(e)]]
    }

    /// The most that a closure knows.
    pub(super) fn widest(&self) -> usize {
        self.all.iter().map(|lambda| lambda.free.len()).max().unwrap_or(0)
    }

    fn visit(&mut self, e: &'p Exp, own: Option<Var>, facts: &Facts) {
        let parts = match &e.kind {
            Kind::Fn(lambda) => Some((lambda.param, &lambda.body)),
            Kind::RegionFn(lambda) => Some((lambda.region.var, &lambda.body)),
            _ => None,
        };
        if let Some((param, body)) = parts {
            let mut names = Mentioned::default();
            names.exp(body, facts);
            names.bound.insert(param);
            names.bound.extend(own);
            let free = names.used.difference(&names.bound).copied().collect();
            self.numbers.insert(std::ptr::from_ref(e), self.all.len());
            self.all.push(Lambda { param, own, body, free, is_of_host: is_of_host(body) });
        }
        let own = match &e.kind {
            Kind::Fix(var, ..) => Some(*var),
            _ => None,
        };
        visit::parts(e).into_iter().for_each(|part| self.visit(part, own, facts));
    }
}

/// Does an expression itself make regions, or run something on the device?
fn is_of_host(e: &Exp) -> bool {
    match e.kind {
        Kind::LetRegion(..) | Kind::On(..) => true,
        Kind::Fn(_) | Kind::RegionFn(_) => false,
        _ => visit::parts(e).into_iter().any(is_of_host),
    }
}

/// Is there an `on` in an expression?
pub(super) fn has_on(e: &Exp) -> bool {
    matches!(e.kind, Kind::On(..)) || visit::parts(e).into_iter().any(has_on)
}

/// The names that an expression mentions.
#[derive(Default)]
struct Mentioned {
    used: BTreeSet<Var>,
    bound: BTreeSet<Var>,
}

/// Has an `on` to know at run time which regions outlive others?
pub(super) fn needs_older(facts: &Facts) -> bool {
    facts.pushes.values().any(|pushes| !pushes.latent.is_empty())
}

impl Mentioned {
    fn exp(&mut self, e: &Exp, facts: &Facts) {
        let mut at = |region: &Region| {
            self.used.insert(region.var);
        };
        match &e.kind {
            Kind::Var(var) => {
                self.used.insert(*var);
            }
            Kind::Int(_, region)
            | Kind::Binary(_, _, region)
            | Kind::Pair(_, region)
            | Kind::Par(_, region)
            | Kind::Vector(_, region)
            | Kind::ParMap(_, _, region)
            | Kind::Instance(_, region)
            | Kind::Length(_, region)
            | Kind::Iota(_, region) => at(region),
            Kind::On(_, region) => {
                at(region);
                self.used.extend(facts.pushes.get(&e.span).iter().flat_map(|of| &of.vars));
            }
            Kind::Fn(lambda) => {
                at(&lambda.at);
                self.bound.insert(lambda.param);
            }
            Kind::RegionFn(lambda) => {
                at(&lambda.at);
                self.bound.insert(lambda.region.var);
            }
            Kind::Let(var, _) | Kind::Fix(var, ..) => {
                self.bound.insert(*var);
            }
            Kind::LetRegion(binder, ..) => {
                self.bound.insert(binder.var);
                if needs_older(facts) {
                    self.used.extend(facts.bounds.get(&e.span).into_iter().flatten());
                }
            }
            Kind::Bool(_)
            | Kind::Compare(..)
            | Kind::If(_)
            | Kind::App(_)
            | Kind::Fst(_)
            | Kind::Snd(_)
            | Kind::Index(_) => {}
        }
        visit::parts(e).into_iter().for_each(|part| self.exp(part, facts));
    }
}

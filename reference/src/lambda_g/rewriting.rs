//! Laws by which a program of λG is rewritten to another one that gives the same value at another cost.
//!
//! Each is a line: name, both sides, class, guard. A guard is decided from the matched expression alone, but for that of a law
//! which asks the types of the program. What both sides are compared by is their values: a region that is full on one side may
//! have room on the other one, for it holds other values. `proofs-notes/lambda_g.md` says of each why it holds.

mod values;

use super::hole;
use super::syntax::{Binder, Effect, Exp, Item, Kind, Lambda, Over, Program, R0, Region, World};
use super::types;
use super::visit::{all, nth_mut, parts, regions_mut};
use crate::kit::derivation::Recorder;
use crate::kit::faults::{Fault, Planted, WrongLambdaG};
use crate::kit::names::Var;
use std::collections::BTreeSet;

/// What a law does to a cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// No value is copied or left out: what differs is how long regions are there.
    Exact,
    /// The value is equal; the cost is not.
    Cost,
}

impl Class {
    /// Its word in the table.
    pub fn name(self) -> &'static str {
        match self {
            Class::Exact => "exact",
            Class::Cost => "cost",
        }
    }
}

/// A law.
#[derive(Debug)]
pub struct Law {
    /// Its name.
    pub name: &'static str,
    /// The left side, as text for the table.
    pub left: &'static str,
    /// The right side.
    pub right: &'static str,
    /// Is it applied from right to left too?
    pub both: bool,
    /// Of which class.
    pub class: Class,
    /// The guard in words; empty if there is none.
    pub guard: &'static str,
    makes: Makes,
    holds: Holds,
}

/// How the right side of a law is made.
#[derive(Clone, Copy, Debug)]
enum Makes {
    /// From the left side alone.
    Alone(fn(&Exp) -> Option<Exp>),
    /// From the left side and a region that it does not name.
    At(fn(&Exp, Region) -> Option<Exp>),
}

/// When a law holds.
#[derive(Clone, Copy, Debug)]
enum Holds {
    Always,
    /// By the left side.
    If(fn(&Exp) -> bool),
    /// If the program has a type with the right side.
    Typed,
}

/// All of them.
pub static BOOK: [Law; 14] = [
    Law {
        name: "on-drop",
        left: "on e at r",
        right: "e",
        both: false,
        class: Class::Cost,
        guard: "no region in e is marked @G",
        makes: Makes::Alone(on_drop),
        holds: Holds::If(|e| !marks(e, World::G)),
    },
    Law {
        name: "on-put",
        left: "e",
        right: "on e at r",
        both: false,
        class: Class::Cost,
        guard: "the program has a type with it",
        makes: Makes::At(on_put),
        holds: Holds::Typed,
    },
    Law {
        name: "on-join",
        left: "let x = on a at r in on b at q",
        right: "on (let x = a in b) at q",
        both: false,
        class: Class::Cost,
        guard: "",
        makes: Makes::Alone(on_join),
        holds: Holds::Always,
    },
    Law {
        name: "par-seq",
        left: "a || b at r",
        right: "(a, b) at r",
        both: true,
        class: Class::Cost,
        guard: "",
        makes: Makes::Alone(par_seq),
        holds: Holds::Always,
    },
    Law {
        name: "parmap-fuse",
        left: "parmap (fn y => b at s) (parmap (fn x => a at t) v at q) at r",
        right: "parmap (fn x => let y = a in b at s) v at r",
        both: false,
        class: Class::Cost,
        guard: "",
        makes: Makes::Alone(parmap_fuse),
        holds: Holds::Always,
    },
    Law {
        name: "region-float",
        left: "let x = letregion q in a in b",
        right: "letregion q in let x = a in b",
        both: false,
        class: Class::Exact,
        guard: "",
        makes: Makes::Alone(region_float),
        holds: Holds::Always,
    },
    Law {
        name: "region-sink",
        left: "letregion q in let x = a in b",
        right: "let x = letregion q in a in b",
        both: false,
        class: Class::Exact,
        guard: "a comes to an int or a bool outside of q, and q is not in b",
        makes: Makes::Alone(region_sink),
        holds: Holds::If(region_may_sink),
    },
    Law {
        name: "region-merge",
        left: "letregion q of i in letregion s of j in e",
        right: "letregion q of i + j in e[s := q]",
        both: false,
        class: Class::Exact,
        guard: "",
        makes: Makes::Alone(region_merge),
        holds: Holds::Always,
    },
    Law {
        name: "apply",
        left: "(fn x => b) a",
        right: "let x = a in b",
        both: false,
        class: Class::Cost,
        guard: "",
        makes: Makes::Alone(values::apply),
        holds: Holds::Always,
    },
    Law {
        name: "let-once",
        left: "let f = fn x => a in b",
        right: "b[f := fn x => a]",
        both: false,
        class: Class::Cost,
        guard: "f is in b once, and the program has a type with it",
        makes: Makes::Alone(values::let_once),
        holds: Holds::Typed,
    },
    Law {
        name: "let-drop",
        left: "let x = a in b",
        right: "b",
        both: false,
        class: Class::Cost,
        guard: "x is not in b, and a does not get stuck",
        makes: Makes::Alone(values::let_drop),
        holds: Holds::If(values::drops_total),
    },
    Law {
        name: "pair-part",
        left: "fst (a, b) at r",
        right: "a",
        both: false,
        class: Class::Cost,
        guard: "b does not get stuck",
        makes: Makes::Alone(values::pair_part),
        holds: Holds::If(values::other_is_total),
    },
    Law {
        name: "constant",
        left: "k + l at r",
        right: "their sum at r",
        both: false,
        class: Class::Cost,
        guard: "it is no division by 0",
        makes: Makes::Alone(values::constant),
        holds: Holds::If(values::is_defined),
    },
    Law {
        name: "if-known",
        left: "if true then a else b",
        right: "a",
        both: false,
        class: Class::Cost,
        guard: "",
        makes: Makes::Alone(values::if_known),
        holds: Holds::Always,
    },
];

/// A law that is wrong on purpose, in the place of that of its name: the branches change places.
static BRANCHES_SWAPPED: Law = Law {
    name: "par-seq",
    left: "a || b at r",
    right: "(b, a) at r",
    both: false,
    class: Class::Cost,
    guard: "",
    makes: Makes::Alone(par_swapped),
    holds: Holds::Always,
};

/// All laws, the one that a planted fault spoils spoilt.
pub fn book(planted: Planted) -> impl Iterator<Item = &'static Law> {
    let swapped = planted.is(Fault::LambdaG(WrongLambdaG::BranchesSwapped));
    BOOK.iter().map(move |law| match swapped && law.name == BRANCHES_SWAPPED.name {
        true => &BRANCHES_SWAPPED,
        false => law,
    })
}

impl Law {
    /// The law of this name.
    pub fn named(name: &str) -> Option<&'static Law> {
        BOOK.iter().find(|law| law.name == name)
    }

    /// Is a region said with it, which its left side does not name?
    pub fn takes_region(&self) -> bool {
        matches!(self.makes, Makes::At(_))
    }

    /// Is this a left side, whatever its guard and its region?
    pub fn is_left(&self, e: &Exp) -> bool {
        let region = Region { span: e.span, var: R0, world: None };
        let says_no = matches!(self.holds, Holds::If(holds) if !holds(e));
        !says_no && self.right(e, self.takes_region().then_some(region)).is_some()
    }

    /// The program with the right side in the place of the expression of this number, outer ones before what is in them;
    /// `None` if that is no left side, or the guard does not hold. A region is said where the law takes one, and only there.
    pub fn applied(
        &self,
        program: &Program,
        number: usize,
        region: Option<Var>,
    ) -> Option<Program> {
        self.replaced(program, number, region, true)
    }

    /// The same where the guard does not hold: the law without it, its twin.
    pub fn unguarded(
        &self,
        program: &Program,
        number: usize,
        region: Option<Var>,
    ) -> Option<Program> {
        self.replaced(program, number, region, false)
            .filter(|_| self.replaced(program, number, region, true).is_none())
    }

    fn replaced(
        &self,
        program: &Program,
        number: usize,
        region: Option<Var>,
        guarded: bool,
    ) -> Option<Program> {
        let mut program = program.clone();
        let exp = nth_mut(&mut program.body, number)?;
        if guarded && matches!(self.holds, Holds::If(holds) if !holds(exp)) {
            return None;
        }
        let region = region.map(|var| Region { span: exp.span, var, world: None });
        *exp = self.right(exp, region)?;
        let asks = guarded && matches!(self.holds, Holds::Typed);
        (!asks || types::check(&program, &mut Recorder::counting()).is_ok()).then_some(program)
    }

    fn right(&self, e: &Exp, region: Option<Region>) -> Option<Exp> {
        match (self.makes, region) {
            (Makes::Alone(makes), None) => makes(e),
            (Makes::At(makes), Some(region)) => makes(e, region),
            _ => None,
        }
    }
}

/// The regions in scope at the expression of this number, the oldest first.
pub fn regions_at(program: &Program, number: usize) -> Vec<Var> {
    fn find(e: &Exp, left: &mut usize, regions: &mut Vec<Var>) -> bool {
        if *left == 0 {
            return true;
        }
        *left -= 1;
        let around = regions.len();
        match &e.kind {
            Kind::LetRegion(binder, ..) => regions.push(binder.var),
            Kind::RegionFn(lambda) => regions.push(lambda.region.var),
            _ => {}
        }
        let found = parts(e).into_iter().any(|part| find(part, left, regions));
        if !found {
            regions.truncate(around);
        }
        found
    }
    let mut regions = vec![R0];
    find(&program.body, &mut { number }, &mut regions);
    regions
}

fn on_drop(e: &Exp) -> Option<Exp> {
    match &e.kind {
        Kind::On(of, _) => Some(Exp::clone(of)),
        _ => None,
    }
}

fn on_put(e: &Exp, at: Region) -> Option<Exp> {
    let is_on = matches!(e.kind, Kind::On(..));
    (!is_on).then(|| Exp { span: e.span, kind: Kind::On(Box::new(e.clone()), at) })
}

fn on_join(e: &Exp) -> Option<Exp> {
    let Kind::Let(x, parts) = &e.kind else { return None };
    let [Exp { kind: Kind::On(a, _), .. }, Exp { kind: Kind::On(b, at), .. }] = &**parts else {
        return None;
    };
    let joined = Kind::Let(*x, Box::new([Exp::clone(a), Exp::clone(b)]));
    let joined = Exp { span: e.span, kind: joined };
    Some(Exp { span: e.span, kind: Kind::On(Box::new(joined), *at) })
}

fn par_seq(e: &Exp) -> Option<Exp> {
    let kind = match &e.kind {
        Kind::Par(parts, at) => Kind::Pair(parts.clone(), *at),
        Kind::Pair(parts, at) => Kind::Par(parts.clone(), *at),
        _ => return None,
    };
    Some(Exp { span: e.span, kind })
}

fn par_swapped(e: &Exp) -> Option<Exp> {
    let Kind::Par(parts, at) = &e.kind else { return None };
    let [a, b] = &**parts;
    let kind = Kind::Pair(Box::new([b.clone(), a.clone()]), *at);
    Some(Exp { span: e.span, kind })
}

fn parmap_fuse(e: &Exp) -> Option<Exp> {
    let (outer, made, at) = parmap(e)?;
    let Over::Vector(made) = made else { return None };
    let (inner, over, _) = parmap(made)?;
    let items = inner.latent.items.iter().chain(&outer.latent.items).copied();
    let fused = Lambda {
        latent: Effect { span: outer.latent.span, items: items.collect() },
        body: Exp {
            span: outer.body.span,
            kind: Kind::Let(outer.param, Box::new([inner.body.clone(), outer.body.clone()])),
        },
        at: outer.at,
        ..inner.clone()
    };
    let fused = Exp { span: e.span, kind: Kind::Fn(Box::new(fused)) };
    let kind = Kind::ParMap(Box::new(fused), Box::new(over.clone()), at);
    Some(Exp { span: e.span, kind })
}

/// A `parmap` of a function that is written there.
fn parmap(e: &Exp) -> Option<(&Lambda, &Over, Region)> {
    match &e.kind {
        Kind::ParMap(f, over, at) => match &f.kind {
            Kind::Fn(lambda) => Some((lambda, over, *at)),
            _ => None,
        },
        _ => None,
    }
}

fn region_float(e: &Exp) -> Option<Exp> {
    let Kind::Let(x, parts) = &e.kind else { return None };
    let [Exp { kind: Kind::LetRegion(q, size, a), .. }, b] = &**parts else { return None };
    let bound = Kind::Let(*x, Box::new([Exp::clone(a), b.clone()]));
    Some(region(e, *q, *size, Exp { span: e.span, kind: bound }))
}

fn region_sink(e: &Exp) -> Option<Exp> {
    let Kind::LetRegion(q, size, of) = &e.kind else { return None };
    let Kind::Let(x, parts) = &of.kind else { return None };
    let [a, b] = &**parts;
    let sunk = Box::new([region(a, *q, *size, a.clone()), b.clone()]);
    Some(Exp { span: e.span, kind: Kind::Let(*x, sunk) })
}

fn region_may_sink(e: &Exp) -> bool {
    let Kind::LetRegion(q, _, of) = &e.kind else { return false };
    let Kind::Let(_, parts) = &of.kind else { return false };
    is_scalar_outside(&parts[0], q.var) && !regions_of(&parts[1]).contains(&q.var)
}

/// Is it seen at once that it comes to an int or a bool that is not in this region?
fn is_scalar_outside(e: &Exp, region: Var) -> bool {
    match &e.kind {
        Kind::Let(_, parts) => is_scalar_outside(&parts[1], region),
        Kind::LetRegion(_, _, of) | Kind::On(of, _) => is_scalar_outside(of, region),
        Kind::If(parts) => parts[1..].iter().all(|part| is_scalar_outside(part, region)),
        Kind::Int(_, at) | Kind::Binary(_, _, at) | Kind::Length(_, at) => at.var != region,
        Kind::Bool(_) | Kind::Compare(..) => true,
        _ => false,
    }
}

/// Both regions have a size, or neither has: then they are as large as a region is at first.
fn region_merge(e: &Exp) -> Option<Exp> {
    let Kind::LetRegion(q, size, of) = &e.kind else { return None };
    let Kind::LetRegion(s, other, body) = &of.kind else { return None };
    let size = match (size, other) {
        (None, None) => None,
        (Some(one), Some(other)) => Some(one.checked_add(*other)?),
        _ => return None,
    };
    let mut body = Exp::clone(body);
    regions_mut(&mut body, &mut |region| {
        if region.var == s.var {
            region.var = q.var;
        }
    });
    Some(region(e, *q, size, body))
}

fn region(like: &Exp, q: Binder, size: Option<u32>, of: Exp) -> Exp {
    Exp { span: like.span, kind: Kind::LetRegion(q, size, Box::new(of)) }
}

/// The regions that an expression names.
pub fn regions_of(e: &Exp) -> BTreeSet<Var> {
    let mut found = BTreeSet::new();
    regions_mut(&mut e.clone(), &mut |region| {
        if !hole::no_region(*region) {
            found.insert(region.var);
        }
    });
    found
}

/// Is a region of it marked with this world, where it is named or bound?
fn marks(e: &Exp, world: World) -> bool {
    let mut found = false;
    regions_mut(&mut e.clone(), &mut |region| found |= region.world == Some(world));
    all(e, &mut |part| {
        if let Kind::RegionFn(lambda) = &part.kind {
            found |= lambda.region.world == Some(world);
        }
    });
    found
}

/// The items of an effect and one more region.
pub fn with_region(effect: &Effect, region: Region) -> Effect {
    let items = effect.items.iter().copied().chain([Item::Region(region)]);
    Effect { span: effect.span, items: items.collect() }
}

//! Parts of programs of λG.

use reference::kit::names::Var;
use reference::lambda_g::syntax::{
    Boxed, Effect, Exp, Item, Kind, Lambda, Program, Region, RegionLambda, Type,
};
use reference::lambda_g::visit::{parts, parts_mut};

/// Each expression, before what is in it.
pub(super) fn all<'e>(exp: &'e Exp, seen: &mut impl FnMut(&'e Exp)) {
    seen(exp);
    parts(exp).into_iter().for_each(|part| all(part, seen));
}

/// Each expression, to be changed, behind what is in it.
pub(super) fn all_mut(exp: &mut Exp, change: &mut impl FnMut(&mut Exp)) {
    parts_mut(exp).into_iter().for_each(|part| all_mut(part, change));
    change(exp);
}

/// How many expressions there are.
pub(super) fn count(exp: &Exp) -> usize {
    let mut count = 0;
    all(exp, &mut |_| count += 1);
    count
}

/// The expression of this number, in the order of [`all`].
pub(super) fn nth_mut(exp: &mut Exp, number: usize) -> Option<&mut Exp> {
    fn find<'e>(exp: &'e mut Exp, left: &mut usize) -> Option<&'e mut Exp> {
        if *left == 0 {
            return Some(exp);
        }
        *left -= 1;
        parts_mut(exp).into_iter().find_map(|part| find(part, left))
    }
    find(exp, &mut { number })
}

/// How often a variable is used.
pub(super) fn uses(exp: &Exp, var: Var) -> usize {
    let mut uses = 0;
    all(exp, &mut |exp| uses += usize::from(exp.kind == Kind::Var(var)));
    uses
}

/// Every region that an expression names, but for binders, to be changed.
pub(super) fn regions(exp: &mut Exp, change: &mut impl FnMut(&mut Region)) {
    all_mut(exp, &mut |exp| match &mut exp.kind {
        Kind::Int(_, at) | Kind::Binary(_, _, at) | Kind::Pair(_, at) | Kind::Par(_, at) => {
            change(at);
        }
        Kind::Instance(_, at) | Kind::Vector(_, at) | Kind::ParMap(_, _, at) => change(at),
        Kind::On(_, at) | Kind::Length(_, at) | Kind::Iota(_, at) => change(at),
        Kind::Fn(lambda) => {
            let Lambda { ty, latent, at, .. } = &mut **lambda;
            of_type(ty, change);
            of_effect(latent, change);
            change(at);
        }
        Kind::RegionFn(lambda) => {
            let RegionLambda { bound, latent, at, .. } = &mut **lambda;
            of_effect(bound, change);
            of_effect(latent, change);
            change(at);
        }
        Kind::Fix(_, ty, _) => of_type(ty, change),
        Kind::Bool(_) | Kind::Var(_) | Kind::Compare(..) | Kind::If(_) | Kind::Let(..) => {}
        Kind::App(_) | Kind::Fst(_) | Kind::Snd(_) | Kind::LetRegion(..) | Kind::Index(_) => {}
    });
}

fn of_type(ty: &mut Type, change: &mut impl FnMut(&mut Region)) {
    let Type::Boxed { of, region, .. } = ty else { return };
    change(region);
    match &mut **of {
        Boxed::Int => {}
        Boxed::Vec(of) => of_type(of, change),
        Boxed::Pair(a, b) => {
            of_type(a, change);
            of_type(b, change);
        }
        Boxed::Fn(a, latent, b) => {
            of_type(a, change);
            of_effect(latent, change);
            of_type(b, change);
        }
        Boxed::Pi(_, bound, latent, of) => {
            of_effect(bound, change);
            of_effect(latent, change);
            of_type(of, change);
        }
    }
}

fn of_effect(effect: &mut Effect, change: &mut impl FnMut(&mut Region)) {
    for item in &mut effect.items {
        if let Item::Region(region) = item {
            change(region);
        }
    }
}

/// The effects that functions of a program have, the outer ones first, to be changed.
pub(super) fn effects_mut(program: &mut Program, change: &mut impl FnMut(&mut Effect)) {
    all_mut(&mut program.body, &mut |exp| match &mut exp.kind {
        Kind::Fn(lambda) => change(&mut lambda.latent),
        Kind::RegionFn(lambda) => {
            change(&mut lambda.bound);
            change(&mut lambda.latent);
        }
        _ => {}
    });
}

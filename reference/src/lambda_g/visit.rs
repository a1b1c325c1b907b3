//! Walks over expressions.

use super::syntax::{Boxed, Effect, Exp, Item, Kind, Lambda, Over, Region, RegionLambda, Type};

/// The expressions directly in one, from left to right.
pub fn parts(e: &Exp) -> Vec<&Exp> {
    match &e.kind {
        Kind::Int(..) | Kind::Bool(_) | Kind::Var(_) => Vec::new(),
        Kind::Binary(_, parts, _)
        | Kind::Compare(_, parts)
        | Kind::Let(_, parts)
        | Kind::App(parts)
        | Kind::Pair(parts, _)
        | Kind::Par(parts, _)
        | Kind::Index(parts) => parts.iter().collect(),
        Kind::If(parts) => parts.iter().collect(),
        Kind::Fn(lambda) => vec![&lambda.body],
        Kind::RegionFn(lambda) => vec![&lambda.body],
        Kind::Instance(of, _)
        | Kind::Fst(of)
        | Kind::Snd(of)
        | Kind::LetRegion(_, _, of)
        | Kind::Fix(_, _, of)
        | Kind::On(of, _)
        | Kind::Length(of, _)
        | Kind::Iota(of, _) => vec![of],
        Kind::Vector(elements, _) => elements.iter().collect(),
        Kind::ParMap(f, over, _) => match &**over {
            Over::Elements(elements) => std::iter::once(&**f).chain(elements).collect(),
            Over::Vector(vector) => vec![f, vector],
        },
    }
}

/// The same, to be changed.
pub fn parts_mut(e: &mut Exp) -> Vec<&mut Exp> {
    match &mut e.kind {
        Kind::Int(..) | Kind::Bool(_) | Kind::Var(_) => Vec::new(),
        Kind::Binary(_, parts, _)
        | Kind::Compare(_, parts)
        | Kind::Let(_, parts)
        | Kind::App(parts)
        | Kind::Pair(parts, _)
        | Kind::Par(parts, _)
        | Kind::Index(parts) => parts.iter_mut().collect(),
        Kind::If(parts) => parts.iter_mut().collect(),
        Kind::Fn(lambda) => vec![&mut lambda.body],
        Kind::RegionFn(lambda) => vec![&mut lambda.body],
        Kind::Instance(of, _)
        | Kind::Fst(of)
        | Kind::Snd(of)
        | Kind::LetRegion(_, _, of)
        | Kind::Fix(_, _, of)
        | Kind::On(of, _)
        | Kind::Length(of, _)
        | Kind::Iota(of, _) => vec![of],
        Kind::Vector(elements, _) => elements.iter_mut().collect(),
        Kind::ParMap(f, over, _) => match &mut **over {
            Over::Elements(elements) => std::iter::once(&mut **f).chain(elements).collect(),
            Over::Vector(vector) => vec![f, vector],
        },
    }
}

/// Each expression, before what is in it.
pub fn all<'e>(exp: &'e Exp, seen: &mut impl FnMut(&'e Exp)) {
    seen(exp);
    parts(exp).into_iter().for_each(|part| all(part, seen));
}

/// Each expression, to be changed, behind what is in it.
pub fn all_mut(exp: &mut Exp, change: &mut impl FnMut(&mut Exp)) {
    parts_mut(exp).into_iter().for_each(|part| all_mut(part, change));
    change(exp);
}

/// How many expressions there are.
pub fn count(exp: &Exp) -> usize {
    let mut count = 0;
    all(exp, &mut |_| count += 1);
    count
}

/// The expression of this number, in the order of [`all`].
pub fn nth_mut(exp: &mut Exp, number: usize) -> Option<&mut Exp> {
    fn find<'e>(exp: &'e mut Exp, left: &mut usize) -> Option<&'e mut Exp> {
        if *left == 0 {
            return Some(exp);
        }
        *left -= 1;
        parts_mut(exp).into_iter().find_map(|part| find(part, left))
    }
    find(exp, &mut { number })
}

/// Every region that an expression names, but for binders, to be changed.
pub fn regions_mut(exp: &mut Exp, change: &mut impl FnMut(&mut Region)) {
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

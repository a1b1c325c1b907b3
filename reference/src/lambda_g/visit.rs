//! Walks over expressions.

use super::syntax::{Exp, Kind, Over};

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

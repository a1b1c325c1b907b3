//! What a compiler has to know of the types of a program.

use super::ty::{Mu, Ty};
use crate::kit::derivation::Recorder;
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span};
use crate::lambda_g::syntax::{Boxed, Program, Type};
use rustc_hash::FxHashMap;

/// A type without its regions and effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `Vec τ`
    Vector(Box<Shape>),
    /// `τ₁ * τ₂`
    Pair(Box<[Shape; 2]>),
    /// A function or a region abstraction.
    Function,
}

/// What is known of a program that has a type.
#[derive(Clone, Debug)]
pub struct Facts {
    /// What its parameters are.
    pub params: Vec<Shape>,
    /// What it computes.
    pub result: Shape,
    /// Of each `on`, by its place, the regions around it that it uses (L57); besides these it uses its own `at`.
    pub pushes: FxHashMap<Span, Vec<Var>>,
}

/// What is known of a program.
///
/// # Errors
/// As [`check`](super::check).
pub fn facts(program: &Program) -> Result<Facts, Rejected> {
    let typed = super::typed(program, &mut Recorder::counting())?;
    let params = program.params.iter().map(|param| written(&param.ty)).collect();
    Ok(Facts { params, result: found(&typed.ty), pushes: typed.pushes })
}

fn written(ty: &Type) -> Shape {
    let Type::Boxed { of, .. } = ty else { return Shape::Bool };
    match &**of {
        Boxed::Int => Shape::Int,
        Boxed::Vec(of) => Shape::Vector(Box::new(written(of))),
        Boxed::Pair(a, b) => Shape::Pair(Box::new([written(a), written(b)])),
        Boxed::Fn(..) | Boxed::Pi(..) => Shape::Function,
    }
}

fn found(ty: &Ty) -> Shape {
    let Ty::Boxed(node, _) = ty else { return Shape::Bool };
    match &node.mu {
        Mu::Int => Shape::Int,
        Mu::Vec(of) => Shape::Vector(Box::new(found(of))),
        Mu::Pair(a, b) => Shape::Pair(Box::new([found(a), found(b)])),
        Mu::Fn(..) | Mu::Pi(..) => Shape::Function,
    }
}

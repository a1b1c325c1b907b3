//! What a compiler has to know of the types of a program.

use super::Typed;
use super::ty::{Mu, Ty};
use crate::kit::derivation::Recorder;
use crate::kit::names::Var;
use crate::kit::nested::Nested;
use crate::kit::text::{Rejected, Span};
use crate::lambda_g::syntax::{Boxed, Program, Type};
use rustc_hash::FxHashMap;

/// What is known of a program that has a type.
#[derive(Clone, Debug)]
pub struct Facts {
    /// What its parameters are, without regions and effects.
    pub params: Vec<Nested>,
    /// What it computes, likewise.
    pub result: Nested,
    /// By its place, what each `on` uses besides its own `at`.
    pub pushes: FxHashMap<Span, Pushes>,
    /// By its place, the regions that outlive the one that a `letregion` makes, as the effect around says (T-LETREGION).
    pub bounds: FxHashMap<Span, Vec<Var>>,
}

/// The regions around an `on` that it uses (L57).
#[derive(Clone, Debug, Default)]
pub struct Pushes {
    /// Those that its own forms read or write, and those around it that outlive one of an effect of what it applies.
    pub vars: Vec<Var>,
    /// Those of these effects. A region that one of them names when it runs is outlived by more than is in scope here: in
    /// `rfn p >= {r0} ! {} => … on … `, by all that outlive the region that `p` stands for.
    pub latent: Vec<Var>,
}

/// What is known of a program.
///
/// # Errors
/// As [`check`](super::check).
pub fn facts(program: &Program) -> Result<Facts, Rejected> {
    let typed = super::typed(program, &mut Recorder::counting())?;
    let params = program.params.iter().map(|param| written(&param.ty)).collect();
    let Typed { ty, pushes, bounds } = typed;
    Ok(Facts { params, result: found(&ty), pushes, bounds })
}

/// A type without its regions and effects.
pub(in crate::lambda_g) fn written(ty: &Type) -> Nested {
    let Type::Boxed { of, .. } = ty else { return Nested::Bool };
    match &**of {
        Boxed::Int => Nested::Int,
        Boxed::Vec(of) => Nested::Vector(Box::new(written(of))),
        Boxed::Pair(a, b) => Nested::Pair(Box::new([written(a), written(b)])),
        Boxed::Fn(..) | Boxed::Pi(..) => Nested::Function,
    }
}

/// A type as it was found, likewise.
pub(in crate::lambda_g) fn found(ty: &Ty) -> Nested {
    let Ty::Boxed(node, _) = ty else { return Nested::Bool };
    match &node.mu {
        Mu::Int => Nested::Int,
        Mu::Vec(of) => Nested::Vector(Box::new(found(of))),
        Mu::Pair(a, b) => Nested::Pair(Box::new([found(a), found(b)])),
        Mu::Fn(..) | Mu::Pi(..) => Nested::Function,
    }
}

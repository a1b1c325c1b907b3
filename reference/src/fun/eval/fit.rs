//! Inputs of FUN and FUNMEM, held against the parameters.

use crate::fun::syntax::{Atom, Fun, Program, Ty};
use crate::kit::fit::{Param, Size, Takes};
use crate::kit::outcome::Value;
use crate::kit::text::Rejected;

/// The input as the parameters want it. An array without elements may leave out the extents
/// behind its first 0: `[]` fits `[0][3]`.
///
/// # Errors
/// Says which parameter an input does not fit, and why.
pub fn fit(program: &Program<Fun>, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
    takes(program).fit(input)
}

/// What a program takes.
pub fn takes(program: &Program<Fun>) -> Takes<'_> {
    let params = program.params.iter().map(|param| match &param.ty {
        Ty::Int => Param::of_ints(param.var, None),
        Ty::Array(sizes) => Param::of_ints(param.var, Some(atoms(sizes))),
    });
    Takes { names: &program.names, params: params.collect(), span: program.body.span }
}

/// Sizes of a parameter.
pub(crate) fn atoms(sizes: &[Atom]) -> Vec<Size> {
    let size = |atom: &Atom| match *atom {
        Atom::Const(k) => Size::Const(k),
        Atom::Var(var) => Size::Param(var),
    };
    sizes.iter().map(size).collect()
}

//! Inputs of FUN and FUNMEM, held against the parameters.

use crate::fun::syntax::{Atom, Dialect, Fun, Program, Ty};
use crate::kit::fit::{self, Param, Size};
use crate::kit::names::Var;
use crate::kit::outcome::Value;
use crate::kit::text::Rejected;

/// The input as the parameters want it. An array without elements may leave out the extents
/// behind its first 0: `[]` fits `[0][3]`.
///
/// # Errors
/// Says which parameter an input does not fit, and why.
pub fn fit(program: &Program<Fun>, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
    let params = program.params.iter().map(|param| match &param.ty {
        Ty::Int => (param.var, None),
        Ty::Array(sizes) => (param.var, Some(sizes.as_slice())),
    });
    fit_params(program, params.collect(), input)
}

/// [`fit`] for the parameters that a user gives values for: each with its sizes, if it is an array.
pub(crate) fn fit_params<D: Dialect>(
    program: &Program<D>,
    params: Vec<(Var, Option<&[Atom]>)>,
    input: Vec<Value>,
) -> Result<Vec<Value>, Rejected> {
    let params = params.into_iter().map(|(var, sizes)| Param::of_ints(var, sizes.map(atoms)));
    fit::fit(&program.names, &params.collect::<Vec<_>>(), input, program.body.span)
}

/// Sizes of a parameter.
pub(crate) fn atoms(sizes: &[Atom]) -> Vec<Size> {
    let size = |atom: &Atom| match *atom {
        Atom::Const(k) => Size::Const(k),
        Atom::Var(var) => Size::Param(var),
    };
    sizes.iter().map(size).collect()
}

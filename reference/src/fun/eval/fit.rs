//! Does an input fit the parameters of a program? One that does not is unusable input, not stuck.

use crate::fun::syntax::{Atom, Dialect, Program};
use crate::fun::syntax::{Fun, Ty};
use crate::kit::names::{Names, Var};
use crate::kit::outcome::Value;
use crate::kit::text::{Rejected, Span, counted};

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
    let span = program.body.span;
    if params.len() != input.len() {
        let names: Vec<_> = params.iter().map(|(var, _)| program.names.text(*var)).collect();
        let wanted = if names.is_empty() { String::from("none") } else { names.join(", ") };
        return Err(Rejected::new(
            span,
            format!(
                "{} for {}",
                counted(input.len(), "input value"),
                counted(params.len(), "parameter")
            ),
            format!("the parameters: {wanted}"),
        ));
    }
    let mut ints = vec![None; program.names.len()];
    let mut fitted = Vec::with_capacity(input.len());
    for ((var, sizes), value) in params.into_iter().zip(input) {
        let value = match (sizes, value) {
            (None, Value::Int(k)) => {
                ints[var.slot()] = Some(k);
                Value::Int(k)
            }
            (Some(sizes), Value::Array { shape, data }) => {
                let wanted = extents(&program.names, var, sizes, &ints, span)?;
                array(&program.names, var, &wanted, shape, data, span)?
            }
            (None, Value::Array { .. }) => {
                return Err(refuse(&program.names, var, span, "is an int, not an array"));
            }
            (Some(_), Value::Int(_)) => {
                return Err(refuse(&program.names, var, span, "is an array, not an int"));
            }
        };
        fitted.push(value);
    }
    Ok(fitted)
}

fn refuse(names: &Names, var: Var, span: Span, why: &str) -> Rejected {
    let name = names.text(var);
    Rejected::new(span, format!("parameter `{name}` {why}"), "the input does not fit this program")
}

/// The extents that the parameter wants.
fn extents(
    names: &Names,
    var: Var,
    sizes: &[Atom],
    ints: &[Option<i32>],
    span: Span,
) -> Result<Vec<usize>, Rejected> {
    let size = |size: &Atom| match *size {
        Atom::Const(k) => k,
        Atom::Var(var) => ints[var.slot()].expect("T-PARAM: sizes are earlier parameters"),
    };
    sizes
        .iter()
        .map(|atom| {
            let k = size(atom);
            usize::try_from(k)
                .map_err(|_| refuse(names, var, span, &format!("has the negative size {k}")))
        })
        .collect()
}

fn array(
    names: &Names,
    var: Var,
    wanted: &[usize],
    shape: Vec<usize>,
    data: Vec<i32>,
    span: Span,
) -> Result<Value, Rejected> {
    let empty = wanted.iter().position(|&extent| extent == 0);
    let fits = shape == wanted || empty.is_some_and(|zero| shape == wanted[..=zero]);
    if fits {
        return Ok(Value::Array { shape: wanted.to_vec(), data });
    }
    let text = |shape: &[usize]| shape.iter().map(|k| format!("[{k}]")).collect::<String>();
    let why = format!("has the shape {}, but the input is {}", text(wanted), text(&shape));
    Err(refuse(names, var, span, &why))
}

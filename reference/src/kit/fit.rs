//! Does an input fit the parameters of a program? One that does not is unusable input, not stuck.

use super::names::{Names, Var};
use super::outcome::Value;
use super::text::{Rejected, Span, counted};

/// A parameter that a user gives a value for.
pub(crate) struct Param {
    /// The name.
    pub(crate) var: Var,
    /// `None` for an int; the sizes of an array.
    pub(crate) sizes: Option<Vec<Size>>,
}

/// A size of an array parameter: a constant or an earlier parameter.
pub(crate) enum Size {
    /// `k`
    Const(i32),
    /// `x`
    Param(Var),
}

/// How many parameters a refusal names: more are counted.
const TOLD: usize = 8;

/// The input as the parameters want it. An array without elements may leave out the extents
/// behind its first 0: `[]` fits `[0][3]`. A refusal stands at `span`, and names the parameter.
///
/// # Errors
/// Says which parameter an input does not fit, and why.
///
/// # Panics
/// If a size is no earlier int parameter.
pub(crate) fn fit(
    names: &Names,
    params: &[Param],
    input: Vec<Value>,
    span: Span,
) -> Result<Vec<Value>, Rejected> {
    if params.len() != input.len() {
        let called: Vec<_> = params.iter().map(|param| names.text(param.var)).collect();
        let wanted = match called.split_at_checked(TOLD) {
            _ if called.is_empty() => String::from("none"),
            Some((first, more @ [_, ..])) => {
                format!("{} and {} more", first.join(", "), more.len())
            }
            _ => called.join(", "),
        };
        let (have, want) = (input.len(), params.len());
        let (have, want) = (counted(have, "input value"), counted(want, "parameter"));
        let label = format!("the parameters: {wanted}");
        return Err(Rejected::new(span, format!("{have} for {want}"), label));
    }
    let mut ints = vec![None; names.len()];
    let mut fitted = Vec::with_capacity(input.len());
    for (param, value) in params.iter().zip(input) {
        let value = one(param, value, &ints).map_err(|why| {
            let message = format!("parameter `{}` {why}", names.text(param.var));
            Rejected::new(span, message, "the input does not fit this program")
        })?;
        if let Value::Int(k) = value {
            ints[param.var.slot()] = Some(k);
        }
        fitted.push(value);
    }
    Ok(fitted)
}

/// The value as one parameter wants it, or why that is not possible.
fn one(param: &Param, value: Value, ints: &[Option<i32>]) -> Result<Value, String> {
    match (&param.sizes, value) {
        (None, Value::Int(k)) => Ok(Value::Int(k)),
        (Some(sizes), Value::Array { shape, data }) => array(extents(sizes, ints)?, shape, data),
        (None, Value::Array { .. }) => Err("is an int, not an array".to_owned()),
        (Some(_), Value::Int(_)) => Err("is an array, not an int".to_owned()),
    }
}

/// The extents that the sizes stand for.
fn extents(sizes: &[Size], ints: &[Option<i32>]) -> Result<Vec<usize>, String> {
    let value = |size: &Size| match *size {
        Size::Const(k) => k,
        Size::Param(var) => ints[var.slot()].expect("typing: sizes are earlier parameters"),
    };
    let extent = |k: i32| usize::try_from(k).map_err(|_| format!("has the negative size {k}"));
    sizes.iter().map(|size| extent(value(size))).collect()
}

fn array(wanted: Vec<usize>, shape: Vec<usize>, data: Vec<i32>) -> Result<Value, String> {
    let empty = wanted.iter().position(|&extent| extent == 0);
    let fits = shape == wanted || empty.is_some_and(|zero| shape == wanted[..=zero]);
    if fits {
        return Ok(Value::Array { shape: wanted, data });
    }
    let text = |shape: &[usize]| shape.iter().map(|k| format!("[{k}]")).collect::<String>();
    Err(format!("has the shape {}, but the input is {}", text(&wanted), text(&shape)))
}

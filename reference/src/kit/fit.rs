//! Does an input fit the parameters of a program? One that does not is unusable input, not stuck.

use super::names::{Names, Var};
use super::nested::Nested;
use super::text::{Rejected, Span, counted};
use super::value::{Cells, F32, F64, Scalar, ScalarType, Value};

/// A parameter that a user gives a value for.
pub struct Param {
    /// The name.
    pub var: Var,
    /// What values it takes.
    pub ty: Type,
}

/// The values that a parameter takes.
pub enum Type {
    /// A scalar.
    Scalar(ScalarType),
    /// The int that the program is made for, and no other one.
    Known(i32),
    /// An array of such cells, and its extents.
    Array(ScalarType, Vec<Size>),
    /// A tuple.
    Tuple(Vec<Type>),
    /// A list of any length.
    List(Box<Type>),
}

impl Type {
    /// Nested values: of vectors of ints or bools arrays, of other vectors lists.
    ///
    /// # Panics
    /// If there is a function among them.
    pub fn nested(of: &Nested) -> Self {
        match of {
            Nested::Int => Type::Scalar(ScalarType::I32),
            Nested::Bool => Type::Scalar(ScalarType::Bool),
            Nested::Pair(parts) => Type::Tuple(parts.iter().map(Type::nested).collect()),
            Nested::Vector(of) => match of.cells() {
                Some(cells) => Type::Array(cells, vec![Size::Any]),
                None => Type::List(Box::new(Type::nested(of))),
            },
            Nested::Function => unreachable!("typing: no input is a function"),
        }
    }

    /// A value as a parameter of this type wants it, where no size is that of another parameter.
    ///
    /// # Errors
    /// In which part it is none.
    pub fn fit(&self, value: Value) -> Result<Value, String> {
        one(self, value, &[])
    }

    /// How a value of this type is written.
    pub fn example(&self) -> String {
        let scalar = |ty: ScalarType| match ty {
            ScalarType::Bool => "true",
            ScalarType::I32 => "7",
            ScalarType::U32 => "7u32",
            ScalarType::I64 => "7i64",
            ScalarType::F32 => "7.0",
            ScalarType::F64 => "7.0f64",
        };
        match self {
            Type::Scalar(ty) => scalar(*ty).to_owned(),
            Type::Known(k) => k.to_string(),
            Type::Array(ty, sizes) => {
                let cell = scalar(*ty).to_owned();
                sizes.iter().fold(cell, |of, _| format!("[{of}, {of}]"))
            }
            Type::Tuple(types) => {
                let parts: Vec<String> = types.iter().map(Type::example).collect();
                format!("({})", parts.join(", "))
            }
            Type::List(of) => format!("{{{0}, {0}}}", of.example()),
        }
    }
}

/// An extent of an array parameter.
#[derive(Clone)]
pub enum Size {
    /// `k`
    Const(i32),
    /// An earlier int parameter.
    Param(Var),
    /// As many as the user likes.
    Any,
}

impl Param {
    /// An int, or an array of ints of these sizes.
    pub fn of_ints(var: Var, sizes: Option<Vec<Size>>) -> Self {
        Self::of(var, ScalarType::I32, sizes)
    }

    /// A scalar of this type, or an array of such cells and of these sizes.
    pub fn of(var: Var, ty: ScalarType, sizes: Option<Vec<Size>>) -> Self {
        let ty = match sizes {
            None => Type::Scalar(ty),
            Some(sizes) => Type::Array(ty, sizes),
        };
        Self { var, ty }
    }
}

/// What a program takes: its parameters, and where it says so.
pub struct Takes<'p> {
    /// The names of the program.
    pub names: &'p Names,
    /// The parameters that a user gives values for.
    pub params: Vec<Param>,
    /// Where a refusal stands.
    pub span: Span,
}

impl Takes<'_> {
    /// See [`fit`].
    ///
    /// # Errors
    /// Says which parameter an input does not fit, and why.
    pub fn fit(&self, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
        fit(self.names, &self.params, input, self.span)
    }
}

/// How many parameters a refusal names: more are counted.
const TOLD: usize = 8;

/// The input as the parameters want it. An array without elements may leave out the extents
/// behind its first 0: `[]` fits `[0][3]`. Where a parameter is an f32, an f64 is rounded to it, and where it is a list, an
/// array is the list of its rows. A refusal stands at `span`, and names the parameter.
///
/// # Errors
/// Says which parameter an input does not fit, and why.
///
/// # Panics
/// If a size is no earlier int parameter.
pub fn fit(
    names: &Names,
    params: &[Param],
    input: Vec<Value>,
    span: Span,
) -> Result<Vec<Value>, Rejected> {
    if params.len() != input.len() {
        let called: Vec<_> = params.iter().map(|param| names.written(param.var)).collect();
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
        let value = one(&param.ty, value, &ints).map_err(|why| {
            let message = format!("parameter `{}` {why}", names.written(param.var));
            let refused = Rejected::new(span, message, "the input does not fit this program");
            match written(&param.ty) {
                Some(like) => refused.help(format!("its values are written like {like}")),
                None => refused,
            }
        })?;
        if let Some(k) = value.as_int() {
            ints[param.var.slot()] = Some(k);
        }
        fitted.push(value);
    }
    Ok(fitted)
}

/// The value as a parameter of this type wants it, or why that is not possible.
fn one(ty: &Type, value: Value, ints: &[Option<i32>]) -> Result<Value, String> {
    match (ty, value) {
        (Type::Scalar(ty), Value::Scalar(scalar)) if scalar.ty() == *ty => {
            Ok(Value::Scalar(scalar))
        }
        (Type::Scalar(ScalarType::F32), Value::Scalar(Scalar::F64(x))) => {
            Ok(Value::Scalar(Scalar::F32(rounded(x))))
        }
        (Type::Known(k), Value::Scalar(Scalar::I32(said))) if said == *k => Ok(said.into()),
        (Type::Known(k), Value::Scalar(Scalar::I32(said))) => {
            Err(format!("is {k}, for which the program is made, and the input says {said}"))
        }
        (Type::Array(ty, sizes), Value::Array { shape, cells })
            if cells.ty() == *ty || cells.is_empty() =>
        {
            array(*ty, sizes, ints, shape, cells)
        }
        (Type::Array(ScalarType::F32, sizes), Value::Array { shape, cells: Cells::F64(cells) }) => {
            let cells = Cells::F32(cells.into_iter().map(rounded).collect());
            array(ScalarType::F32, sizes, ints, shape, cells)
        }
        (Type::Tuple(types), Value::Tuple(parts)) if types.len() == parts.len() => {
            let parts = types.iter().zip(parts).map(|(ty, part)| one(ty, part, ints));
            parts.collect::<Result<_, _>>().map(Value::Tuple)
        }
        (Type::List(ty), Value::List(parts)) => {
            let parts = parts.into_iter().map(|part| one(ty, part, ints));
            parts.collect::<Result<_, _>>().map(Value::List)
        }
        (Type::List(ty), Value::Array { shape, cells }) if shape.len() > 1 || cells.is_empty() => {
            let rows = rows(&shape, &cells).into_iter().map(|row| one(ty, row, ints));
            rows.collect::<Result<_, _>>().map(Value::List)
        }
        (ty, value) => Err(format!("is {}, not {}", described(ty), value.described())),
    }
}

/// The rows of an array of more than one dimension, or none.
fn rows(shape: &[usize], cells: &Cells) -> Vec<Value> {
    let [count, inner @ ..] = shape else { return Vec::new() };
    if inner.is_empty() {
        return Vec::new();
    }
    let width: usize = inner.iter().product();
    let row = |row: usize| {
        let mut of = Cells::none(cells.ty());
        for at in row * width..(row + 1) * width {
            let cell = cells.get(at).expect("there are as many cells as the shape says");
            of.push(cell).expect("they are of one type");
        }
        Value::Array { shape: inner.to_vec(), cells: of }
    };
    (0..*count).map(row).collect()
}

/// The f32 nearest to an f64.
fn rounded(x: F64) -> F32 {
    (x.get() as f32).into()
}

/// How the values of a parameter are written, where that is not digits alone.
fn written(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Scalar(ty) | Type::Array(ty, _) => match ty {
            ScalarType::Bool => Some("true"),
            ScalarType::I32 => None,
            ScalarType::U32 => Some("7u32"),
            ScalarType::I64 => Some("7i64"),
            ScalarType::F32 => Some("7.0"),
            ScalarType::F64 => Some("7.0f64"),
        },
        Type::Known(_) | Type::Tuple(_) | Type::List(_) => None,
    }
}

/// What a parameter is, with an article.
fn described(ty: &Type) -> String {
    match ty {
        Type::Scalar(ty) => ty.described().to_owned(),
        Type::Known(_) => ScalarType::I32.described().to_owned(),
        Type::Array(ScalarType::I32, _) => "an array".to_owned(),
        Type::Array(ty, _) => format!("an array of {}", ty.name()),
        Type::Tuple(types) => format!("a tuple of {}", types.len()),
        Type::List(_) => "a list".to_owned(),
    }
}

fn array(
    ty: ScalarType,
    sizes: &[Size],
    ints: &[Option<i32>],
    shape: Vec<usize>,
    cells: Cells,
) -> Result<Value, String> {
    let wanted: Vec<Option<usize>> =
        sizes.iter().map(|size| extent(size, ints)).collect::<Result<_, _>>()?;
    let is = |have: &[usize], wanted: &[Option<usize>]| {
        let fits = |(have, wanted): (&usize, &Option<usize>)| wanted.is_none_or(|k| k == *have);
        have.len() == wanted.len() && have.iter().zip(wanted).all(fits)
    };
    let short = shape.last() == Some(&0)
        && shape.len() < wanted.len()
        && is(&shape, &wanted[..shape.len()]);
    if !short && !is(&shape, &wanted) {
        let wanted: String = wanted
            .iter()
            .map(|extent| extent.map_or("[]".to_owned(), |extent| format!("[{extent}]")))
            .collect();
        let have: String = shape.iter().map(|extent| format!("[{extent}]")).collect();
        return Err(format!("has the shape {wanted}, but the input is {have}"));
    }
    let extents = wanted.iter().enumerate();
    let extents = extents
        .map(|(at, wanted)| shape.get(at).copied().or(*wanted).unwrap_or(0))
        .collect::<Vec<_>>();
    let cells = if cells.is_empty() { Cells::none(ty) } else { cells };
    Ok(Value::Array { shape: extents, cells })
}

/// The extent that a size stands for, if it stands for one.
fn extent(size: &Size, ints: &[Option<i32>]) -> Result<Option<usize>, String> {
    let k = match *size {
        Size::Any => return Ok(None),
        Size::Const(k) => k,
        Size::Param(var) => ints[var.slot()].expect("typing: sizes are earlier parameters"),
    };
    usize::try_from(k).map(Some).map_err(|_| format!("has the negative size {k}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::value::parse_values;

    fn check(ty: Type, value: &str) -> String {
        let mut names = Names::default();
        let params = [Param { var: names.fresh("x"), ty }];
        let input = parse_values(value).expect("it parses");
        match fit(&names, &params, input, Span::default()) {
            Ok(values) => values[0].to_string(),
            Err(refused) => refused.message,
        }
    }

    #[test]
    fn inputs_of_every_type_fit_or_are_refused() {
        use ScalarType::{Bool, F32, F64, I32};
        assert_eq!(check(Type::Scalar(Bool), "true"), "true");
        assert_eq!(check(Type::Scalar(F64), "1.5"), "parameter `x` is an f64, not an f32");
        assert_eq!(check(Type::Scalar(F32), "0.1f64"), "0.1");
        let array = || Type::Array(F32, vec![Size::Any]);
        assert_eq!(check(array(), "[0.1f64, -1e300f64]"), "[0.1, -inf]");
        assert_eq!(
            check(array(), "[1i64]"),
            "parameter `x` is an array of f32, not an array of i64"
        );
        assert_eq!(check(Type::Scalar(I32), "[1]"), "parameter `x` is an int, not an array");
        let ragged = || Type::List(Box::new(Type::Array(F32, vec![Size::Any])));
        assert_eq!(check(ragged(), "{[1.5], [], [2.5, 3.5]}"), "{[1.5], empty[0]f32, [2.5, 3.5]}");
        assert_eq!(check(ragged(), "{[1]}"), "parameter `x` is an array of f32, not an array");
        assert_eq!(check(ragged(), "[[1.5], [2.5]]"), "{[1.5], [2.5]}");
        assert_eq!(check(ragged(), "[]"), "{}");
        assert_eq!(check(ragged(), "[1.5]"), "parameter `x` is a list, not an array of f32");
        let pair = || Type::Tuple(vec![Type::Scalar(I32), Type::Scalar(Bool)]);
        assert_eq!(check(pair(), "(1, true)"), "(1, true)");
        assert_eq!(check(pair(), "(1,)"), "parameter `x` is a tuple of 2, not a tuple");
        assert_eq!(check(pair(), "<closure>"), "parameter `x` is a tuple of 2, not a closure");
        let rows = || Type::Array(I32, vec![Size::Const(0), Size::Const(3)]);
        assert_eq!(check(rows(), "[]"), "empty[0][3]");
        let two = "parameter `x` has the shape [0][3], but the input is [2]";
        assert_eq!(check(rows(), "[1, 2]"), two);
    }
}

//! Inputs that are made for sizes: what a program costs, and how it is rewritten, depends on these and hardly on what
//! arrays hold.

use super::fit::{Size, Takes, Type};
use super::names::Var;
use super::text::Rejected;
use super::value::{Cells, Scalar, ScalarType, Value};

/// Sizes by the names of parameters, in the order in which they were said.
pub type Sizes = [(String, i32)];

/// Most elements of an array that is made.
const MOST: u64 = 1 << 28;

impl Takes<'_> {
    /// An input of these sizes: what is said for the integers among the parameters, and arrays of numbers from 1 to 9,
    /// the same ones each time. An array that is as long as the user likes has a size too.
    ///
    /// # Errors
    /// Which sizes are not said, which name has none, or which array has a size that is negative, too large or not said by
    /// a parameter.
    pub fn sized(&self, sizes: &Sizes) -> Result<Vec<Value>, Rejected> {
        let integer = |ty: &Type| {
            use ScalarType::{I32, I64, U32};
            matches!(ty, Type::Scalar(I32 | U32 | I64) | Type::Known(_)) || is_open(ty)
        };
        let name = |at: usize| self.names.written(self.params[at].var);
        let integers: Vec<usize> =
            (0..self.params.len()).filter(|at| integer(&self.params[*at].ty)).collect();
        let said = |at: usize| sizes.iter().rev().find(|(said, _)| said == name(at));
        for (said, _) in sizes {
            if !integers.iter().any(|at| name(*at) == said) {
                let arrays = integers.iter().any(|at| is_open(&self.params[*at].ty));
                let what = if arrays { "parameter with a size" } else { "integer parameter" };
                let mut all: Vec<_> =
                    integers.iter().map(|at| format!("`{}`", name(*at))).collect();
                all.dedup();
                let help = match (all.is_empty(), arrays) {
                    (true, _) => "the program has no integer parameter".to_owned(),
                    (false, false) => format!("its integer parameters are {}", all.join(", ")),
                    (false, true) => format!("sizes are those of {}", all.join(", ")),
                };
                return Err(self.no(format!("no {what} is called `{said}`")).help(help));
            }
        }
        let is_known = |at: usize| matches!(self.params[at].ty, Type::Known(_));
        let missing = integers
            .iter()
            .filter(|at| said(**at).is_none() && !is_known(**at))
            .collect::<Vec<_>>();
        if !missing.is_empty() {
            let mut missing: Vec<&str> = missing.iter().map(|at| name(**at)).collect();
            missing.dedup();
            let told: Vec<_> = missing.iter().map(|name| format!("`{name}`")).collect();
            let help: Vec<_> = missing.iter().map(|name| format!("{name}=NUMBER")).collect();
            let no = self.no(format!("no size is given for {}", told.join(", ")));
            return Err(no.help(format!("give {}", help.join(","))));
        }
        let mut input = Vec::new();
        for (at, param) in self.params.iter().enumerate() {
            input.push(match &param.ty {
                Type::Known(k) => said(at).map_or(*k, |said| said.1).into(),
                Type::Scalar(ty) => {
                    Value::Scalar(Scalar::of(*ty, said(at).map_or(1, |said| said.1)))
                }
                Type::Array(ty, extents) => {
                    let shape = extents.iter().map(|size| match size {
                        Size::Const(k) => Some(*k),
                        Size::Param(var) => {
                            let of = self.params.iter().position(|param| param.var == *var);
                            of.and_then(said).map(|said| said.1)
                        }
                        Size::Any => said(at).map(|said| said.1),
                    });
                    array(*ty, shape, at).map_err(|why| self.no(format!("`{}` {why}", name(at))))?
                }
                Type::List(of) if is_flat(of) => {
                    let size = said(at).map(|said| said.1);
                    list(of, size, at).map_err(|why| self.no(format!("`{}` {why}", name(at))))?
                }
                Type::Tuple(_) | Type::List(_) => {
                    let no = self.no(format!("`{}` has a shape that no size says", name(at)));
                    return Err(no.help("give values for all parameters with --input"));
                }
            });
        }
        self.fit(input)
    }

    /// The parameters that have to have a size, and those that may have another one than theirs.
    pub fn with_sizes(&self) -> Vec<&str> {
        use ScalarType::{I32, I64, U32};
        let has = |ty: &Type| matches!(ty, Type::Scalar(I32 | U32 | I64)) || is_open(ty);
        let params = self.params.iter().filter(|param| has(&param.ty));
        params.map(|param| self.names.written(param.var)).collect()
    }

    /// How many elements the arrays of an input of these sizes have together.
    pub fn elements(&self, sizes: &Sizes) -> u64 {
        let said = |var: Var| {
            let name = self.names.written(var);
            sizes.iter().rev().find(|(said, _)| said == name).map_or(0, |(_, k)| *k)
        };
        let arrays = self.params.iter().filter_map(|param| match &param.ty {
            Type::Array(_, extents) => Some((param.var, &extents[..])),
            Type::List(of) if is_flat(of) => Some((param.var, &[Size::Any][..])),
            _ => None,
        });
        let elements = arrays.map(|(var, extents)| {
            let extents = extents.iter().map(|size| match size {
                Size::Const(k) => *k,
                Size::Param(of) => said(*of),
                Size::Any => said(var),
            });
            extents.fold(1, |all, k| u64::saturating_mul(all, u64::try_from(k).unwrap_or(0)))
        });
        elements.fold(0, u64::saturating_add)
    }

    fn no(&self, message: String) -> Rejected {
        Rejected::new(self.span, message, "no input can be made for this program")
    }
}

/// Is it an array or a list that is as long as the user likes, and has no other size?
fn is_open(ty: &Type) -> bool {
    match ty {
        Type::Array(_, extents) => matches!(extents[..], [Size::Any]),
        Type::List(of) => is_flat(of),
        _ => false,
    }
}

/// Is it a scalar, or a tuple of what is?
fn is_flat(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) | Type::Known(_) => true,
        Type::Tuple(parts) => parts.iter().all(is_flat),
        Type::Array(..) | Type::List(_) => false,
    }
}

/// The list of the parameter at this place, of scalars or of tuples of them.
fn list(of: &Type, size: Option<i32>, at: usize) -> Result<Value, String> {
    let size = size.ok_or("has a size that no parameter says")?;
    let size = u64::try_from(size).map_err(|_| format!("has the negative size {size}"))?;
    let mut next = 0;
    let many = |parts: u64| size.checked_mul(parts).is_none_or(|all| all > MOST);
    if many(scalars(of)) {
        return Err(format!("has more than {MOST} elements"));
    }
    Ok(Value::List((0..size).map(|_| flat(of, at, &mut next)).collect()))
}

fn scalars(ty: &Type) -> u64 {
    match ty {
        Type::Tuple(parts) => parts.iter().map(scalars).sum(),
        _ => 1,
    }
}

fn flat(ty: &Type, at: usize, next: &mut u64) -> Value {
    match ty {
        Type::Scalar(ty) => {
            *next += 1;
            Value::Scalar(Scalar::of(*ty, digit(*next - 1, at)))
        }
        Type::Tuple(parts) => Value::Tuple(parts.iter().map(|ty| flat(ty, at, next)).collect()),
        Type::Known(k) => (*k).into(),
        Type::Array(..) | Type::List(_) => unreachable!("it is flat"),
    }
}

/// A number from 1 to 9 for an element of the parameter at this place.
fn digit(number: u64, at: usize) -> i32 {
    let mixed = (number ^ (at as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    1 + ((mixed >> 32) % 9) as i32
}

/// The array of the parameter at this place. Arrays of different parameters differ, so that programs that take one for
/// another do.
fn array(
    ty: ScalarType,
    shape: impl Iterator<Item = Option<i32>>,
    at: usize,
) -> Result<Value, String> {
    let mut extents = Vec::new();
    for size in shape {
        let size = size.ok_or("has a size that no parameter says")?;
        let size = usize::try_from(size).map_err(|_| format!("has the negative size {size}"))?;
        extents.push(size);
    }
    let elements = extents.iter().try_fold(1_u64, |all, size| all.checked_mul(*size as u64));
    let Some(elements) = elements.filter(|elements| *elements <= MOST) else {
        return Err(format!("has more than {MOST} elements"));
    };
    let mut cells = Cells::none(ty);
    for number in 0..elements {
        let pushed = cells.push(Scalar::of(ty, digit(number, at)));
        assert!(pushed.is_ok(), "it is of their type");
    }
    Ok(Value::Array { shape: extents, cells })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::fit::Param;
    use crate::kit::names::Names;
    use crate::kit::text::Span;

    fn made(sizes: &[(&str, i32)]) -> Result<Vec<Value>, String> {
        let mut names = Names::default();
        let [n, xs, ok, ys] = ["n", "xs", "ok", "ys"].map(|name| names.fresh(name));
        let sizes: Vec<_> = sizes.iter().map(|(name, k)| ((*name).to_owned(), *k)).collect();
        let rows = vec![Size::Param(n), Size::Const(2)];
        let params = vec![
            Param::of_ints(n, None),
            Param::of_ints(xs, Some(rows.clone())),
            Param::of(ok, ScalarType::Bool, None),
            Param::of_ints(ys, Some(rows)),
        ];
        let takes = Takes { names: &names, params, span: Span::default() };
        let input = takes.sized(&sizes).map_err(|no| no.message)?;
        let arrays = input.iter().filter_map(|value| match value {
            Value::Array { cells, .. } => Some(cells.len() as u64),
            _ => None,
        });
        assert_eq!(takes.elements(&sizes), arrays.sum::<u64>());
        Ok(input)
    }

    #[test]
    fn an_input_has_the_sizes_that_are_said() {
        let input = made(&[("n", 3)]).expect("it is made");
        let [n, Value::Array { shape, cells: Cells::I32(cells) }, ok, others] = &input[..] else {
            panic!("{input:?}")
        };
        assert_eq!(
            (n.to_string(), shape, ok.to_string()),
            ("3".into(), &vec![3, 2], "true".into())
        );
        assert!(cells.len() == 6 && cells.iter().all(|k| (1..=9).contains(k)), "{cells:?}");
        assert_ne!(&input[1], others);
        assert_eq!(made(&[("n", 3)]), Ok(input.clone()));
        assert_eq!(made(&[]), Err("no size is given for `n`".into()));
        assert_eq!(made(&[("n", 3), ("xs", 3)]), Err("no integer parameter is called `xs`".into()));
        assert_eq!(made(&[("n", -3)]), Err("`xs` has the negative size -3".into()));
        let large = format!("`xs` has more than {MOST} elements");
        assert_eq!(made(&[("n", i32::MAX)]), Err(large));
    }

    /// Lists of scalars and of tuples of them have sizes, other lists have none.
    #[test]
    fn lists_have_sizes() {
        let mut names = Names::default();
        let xs = names.fresh("xs");
        let int = || Type::Scalar(ScalarType::I32);
        let pair =
            || Type::Tuple(vec![int(), Type::Tuple(vec![int(), Type::Scalar(ScalarType::Bool)])]);
        let of = |ty: Type, size: i32| {
            let params = vec![Param { var: xs, ty: Type::List(Box::new(ty)) }];
            let takes = Takes { names: &names, params, span: Span::default() };
            let sizes = [("xs".to_owned(), size)];
            let input = takes.sized(&sizes).map_err(|no| no.message)?;
            assert_eq!(takes.elements(&sizes), size as u64);
            match &input[..] {
                [Value::List(parts)] => Ok(parts.len()),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(of(pair(), 3), Ok(3));
        assert_eq!(of(pair(), 0), Ok(0));
        assert_eq!(of(pair(), -1), Err("`xs` has the negative size -1".into()));
        assert_eq!(of(pair(), 1 << 28), Err(format!("`xs` has more than {MOST} elements")));
        let nested = of(Type::List(Box::new(int())), 3).expect_err("rows have no size");
        assert_eq!(nested, "no integer parameter is called `xs`");
    }

    /// An array that is as long as the user likes has a size of its own name; arrays of the components of pairs have one.
    #[test]
    fn open_arrays_have_sizes() {
        let mut names = Names::default();
        let [n, xs] = ["n", "xs"].map(|name| names.fresh(name));
        let open = || Param::of_ints(xs, Some(vec![Size::Any]));
        let params = vec![Param::of_ints(n, None), open(), open()];
        let takes = Takes { names: &names, params, span: Span::default() };
        let said = |name: &str, k| (name.to_owned(), k);
        let sizes = [said("n", 2), said("xs", 3)];
        let shapes: Vec<_> = takes.sized(&sizes).expect("it is made");
        let shapes: Vec<_> = shapes.iter().map(ToString::to_string).collect();
        assert_eq!((shapes.len(), shapes[0].as_str(), takes.elements(&sizes)), (3, "2", 6));
        let wrong = takes.sized(&sizes[..1]).expect_err("no length");
        assert_eq!(wrong.message, "no size is given for `xs`");
        let wrong = takes.sized(&[said("m", 1)]).expect_err("no such name");
        assert_eq!(wrong.message, "no parameter with a size is called `m`");
    }
}

//! What goes into a run and comes out of it (L49, L61).

use super::Run;
use crate::kit::fit::{self, Param, Size, Takes, Type as Taken};
use crate::kit::outcome::{Cells, Scalar, Value};
use crate::kit::run::{Eval, Evaluator};
use crate::kit::text::Rejected;
use crate::kit::value::ScalarType;
use crate::lambda_g::syntax::{Boxed, Program, Type};
use crate::lambda_g::types::ty::{Mu, Ty};
use crate::lambda_g::values::{Bound, Counts, Location, Name, Stored, Val};

/// The parameters that a user gives values for.
pub(in crate::lambda_g) fn takes(program: &Program) -> Takes<'_> {
    let params = program.params.iter().map(|param| Param { var: param.var, ty: taken(&param.ty) });
    let span = program.params.first().map_or(program.body.span, |param| param.span);
    Takes { names: &program.names, params: params.collect(), span }
}

/// The values of a type: of vectors of scalars arrays, of other vectors lists.
fn taken(ty: &Type) -> Taken {
    match boxed(ty) {
        None => Taken::Scalar(ScalarType::Bool),
        Some(Boxed::Int) => Taken::Scalar(ScalarType::I32),
        Some(Boxed::Pair(a, b)) => Taken::Tuple(vec![taken(a), taken(b)]),
        Some(Boxed::Vec(of)) => match taken(of) {
            Taken::Scalar(of) => Taken::Array(of, vec![Size::Any]),
            of => Taken::List(Box::new(of)),
        },
        Some(Boxed::Fn(..) | Boxed::Pi(..)) => unreachable!("T-PROGRAM: no input is a function"),
    }
}

fn boxed(ty: &Type) -> Option<&Boxed> {
    match ty {
        Type::Bool { .. } => None,
        Type::Boxed { of, .. } => Some(of),
    }
}

/// The input as the parameters take it: of arrays of arrays the rows are lists.
///
/// # Errors
/// What does not fit the parameters.
pub(in crate::lambda_g) fn fit(
    program: &Program,
    input: Vec<Value>,
) -> Result<Vec<Value>, Rejected> {
    let takes = takes(program);
    let types = takes.params.iter().map(|param| Some(&param.ty)).chain(std::iter::repeat(None));
    let input = input.into_iter().zip(types);
    takes.fit(input.map(|(value, ty)| ty.map_or(value.clone(), |ty| rows(value, ty))).collect())
}

/// The rows of an array, where a list is taken.
fn rows(value: Value, ty: &fit::Type) -> Value {
    match (value, ty) {
        (Value::Array { shape, cells }, Taken::List(of)) => {
            let Some((count, inner)) = shape.split_first() else { return Value::List(Vec::new()) };
            let width: usize = inner.iter().product();
            let row = |row: usize| {
                let cells = (row * width..(row + 1) * width).filter_map(|at| cells.get(at));
                let mut row = Cells::none(cells.clone().next().map_or(ScalarType::I32, Scalar::ty));
                cells.for_each(|cell| row.push(cell).unwrap_or_else(|_| unreachable!("one type")));
                rows(Value::Array { shape: inner.to_vec(), cells: row }, of)
            };
            match inner {
                [] if !cells.is_empty() => Value::Array { shape, cells },
                _ => Value::List((0..*count).map(row).collect()),
            }
        }
        (Value::List(parts), Taken::List(of)) => {
            Value::List(parts.into_iter().map(|part| rows(part, of)).collect())
        }
        (Value::Tuple(parts), Taken::Tuple(types)) if parts.len() == types.len() => {
            Value::Tuple(parts.into_iter().zip(types).map(|(part, ty)| rows(part, ty)).collect())
        }
        (value, _) => value,
    }
}

impl Run<'_, '_> {
    /// Puts the input into `r0`, elements before their container. The region is then twice as large as what is used,
    /// and `BSIZE` more.
    pub(super) fn take(&mut self, input: &[Value]) -> Eval {
        let program = self.program;
        for (param, value) in program.params.iter().zip(input) {
            let val = self.put(value)?;
            self.globals[param.var.slot()] = Some(Bound::Val(val));
        }
        let base = self.setting.machine.block;
        let region = self.table.host.get_mut(Name(0));
        let region = region.unwrap_or_else(|| unreachable!("r0 is always there"));
        region.size = region.ap.saturating_mul(2).saturating_add(base);
        self.given = region.live;
        region.counts = Counts::default();
        Ok(())
    }

    fn put(&mut self, value: &Value) -> Eval<Val> {
        self.charge(1)?;
        let stored = match value {
            Value::Scalar(scalar) => return self.put_scalar(*scalar),
            Value::Array { cells, .. } => {
                let vals = cells.iter().map(|cell| self.put_scalar(cell));
                Stored::Vector(vals.collect::<Eval<Vec<Val>>>()?.into())
            }
            Value::Tuple(parts) if parts.len() == 2 => {
                Stored::Pair(self.put(&parts[0])?, self.put(&parts[1])?)
            }
            Value::List(parts) => {
                let vals = parts.iter().map(|part| self.put(part));
                Stored::Vector(vals.collect::<Eval<Vec<Val>>>()?.into())
            }
            Value::Tuple(_) | Value::Opaque(_) => unreachable!("the input fits"),
        };
        self.put_stored(stored)
    }

    fn put_scalar(&mut self, scalar: Scalar) -> Eval<Val> {
        match scalar {
            Scalar::Bool(value) => Ok(Val::Bool(value)),
            Scalar::I32(k) => self.put_stored(Stored::Int(k)),
            _ => unreachable!("the input fits"),
        }
    }

    fn put_stored(&mut self, stored: Stored<'static>) -> Eval<Val> {
        self.takes_bytes(stored.bytes())?;
        let region = self.table.host.get_mut(Name(0));
        let region = region.unwrap_or_else(|| unreachable!("r0 is always there"));
        Ok(Val::At(Location { region: Name(0), offset: region.put(stored) }))
    }

    /// A value as it is observed.
    pub(super) fn observed(&mut self, ty: &Ty, val: Val) -> Eval<Value> {
        self.charge(1)?;
        let (node, at) = match (ty, val) {
            (Ty::Bool, Val::Bool(value)) => return Ok(value.into()),
            (Ty::Boxed(node, _), Val::At(at)) => (node, at),
            _ => unreachable!("typing: a value is of its type"),
        };
        let stored = self.table.host.get(at.region).and_then(|it| it.values.get(&at.offset));
        match (&node.mu, stored.cloned()) {
            (Mu::Int, Some(Stored::Int(k))) => Ok(k.into()),
            (Mu::Pair(a, b), Some(Stored::Pair(first, second))) => {
                Ok(Value::Tuple(vec![self.observed(a, first)?, self.observed(b, second)?]))
            }
            (Mu::Vec(of), Some(Stored::Vector(elements))) => {
                let values = elements.iter().map(|element| self.observed(of, *element));
                Ok(vector(of, values.collect::<Eval<Vec<Value>>>()?))
            }
            (Mu::Fn(..) | Mu::Pi(..), Some(Stored::Closure(..))) => {
                Ok(Value::Opaque("closure".to_owned()))
            }
            _ => unreachable!("typing: a result is of its type, and its region is there"),
        }
    }
}

/// The elements of a vector as one value: an array of scalars, or a list.
fn vector(of: &Ty, values: Vec<Value>) -> Value {
    let ty = match of {
        Ty::Bool => ScalarType::Bool,
        Ty::Boxed(node, _) if node.mu == Mu::Int => ScalarType::I32,
        Ty::Boxed(..) => return Value::List(values),
    };
    let mut cells = Cells::none(ty);
    for value in &values {
        let Value::Scalar(scalar) = value else { unreachable!("the elements are scalars") };
        cells.push(*scalar).unwrap_or_else(|_| unreachable!("the elements have one type"));
    }
    Value::Array { shape: vec![values.len()], cells }
}

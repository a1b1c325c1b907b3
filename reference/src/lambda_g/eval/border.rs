//! What goes into a run and comes out of it (L49, L61).

use super::Run;
use crate::kit::fit::{self, Takes};
use crate::kit::nested::Nested;
use crate::kit::outcome::{Scalar, Value, Why};
use crate::kit::run::{Eval, Evaluator};
use crate::kit::value::ScalarType;
use crate::lambda_g::syntax::{Param, Program};
use crate::lambda_g::types::written;
use crate::lambda_g::values::{Bound, Counts, HEAP, Location, Name, Stored, Val};

/// The parameters that a user gives values for.
pub(in crate::lambda_g) fn takes(program: &Program) -> Takes<'_> {
    let params = program.params.iter();
    let params = params
        .map(|Param { var, ty, .. }| fit::Param { var: *var, ty: fit::Type::nested(&written(ty)) });
    let span = program.params.first().map_or(program.body.span, |param| param.span);
    Takes { names: &program.names, params: params.collect(), span }
}

/// Roughly the bytes of a value, and of what it becomes in a region.
fn needs(value: &Value) -> (u64, u64) {
    let own = size_of::<Value>() as u64;
    let int = Stored::Int(0).bytes();
    let vector = |len: usize| (len * size_of::<Val>() + HEAP) as u64 + int;
    match value {
        Value::Scalar(Scalar::Bool(_)) | Value::Opaque(_) => (own, 0),
        Value::Scalar(_) => (own, int),
        Value::Array { cells, .. } => {
            let (len, heaps) = (cells.len() as u64, 2 * HEAP as u64);
            match cells.ty() {
                ScalarType::Bool => (own + heaps + len, vector(cells.len())),
                _ => (own + heaps + 4 * len, vector(cells.len()) + len * int),
            }
        }
        Value::Tuple(parts) | Value::List(parts) => {
            let own = (own + HEAP as u64, vector(parts.len()));
            parts.iter().map(needs).fold(own, |a, b| (a.0 + b.0, a.1 + b.1))
        }
    }
}

impl Run<'_, '_> {
    /// Puts the input into `r0`, elements before their container. The region is then twice as large as what is used,
    /// and `BSIZE` more.
    pub(super) fn take(&mut self, input: &[Value]) -> Eval {
        let program = self.program;
        // The input is there as long as the run, and what it becomes beside it: what both take is told at once.
        let needs = input.iter().map(needs);
        let (tree, stored) = needs.fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        if tree + stored > self.memory {
            return Err(Why::Memory(tree + stored).into());
        }
        self.takes_bytes(tree)?;
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
    pub(super) fn observed(&mut self, ty: &Nested, val: Val) -> Eval<Value> {
        self.charge(1)?;
        let at = match (ty, val) {
            (Nested::Bool, Val::Bool(value)) => return Ok(value.into()),
            (_, Val::At(at)) => at,
            _ => unreachable!("typing: a value is of its type"),
        };
        let stored = self.table.host.get(at.region).and_then(|it| it.get(at.offset));
        match (ty, stored.cloned()) {
            (Nested::Int, Some(Stored::Int(k))) => Ok(k.into()),
            (Nested::Pair(types), Some(Stored::Pair(a, b))) => {
                Ok(Value::Tuple(vec![self.observed(&types[0], a)?, self.observed(&types[1], b)?]))
            }
            (Nested::Vector(of), Some(Stored::Vector(elements))) => {
                let values = elements.iter().map(|element| self.observed(of, *element));
                Ok(of.vector(values.collect::<Eval<Vec<Value>>>()?))
            }
            (Nested::Function, Some(Stored::Closure(..))) => {
                Ok(Value::Opaque("closure".to_owned()))
            }
            _ => unreachable!("typing: a result is of its type, and its region is there"),
        }
    }
}

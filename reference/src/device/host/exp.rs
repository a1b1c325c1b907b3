//! Expressions of the host: their values, and for sizes, offsets and counts their exact values.

use super::values::{Env, Value};
use crate::device::scalar::{self, Cell, clamp, literal};
use crate::device::syntax::{Element, Exp, Sc};

/// A zero divisor: the only way in which an expression of the host gets stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ZeroDivisor {
    pub(super) dividend: i64,
}

const TYPED: &str = "validated: expressions of the host are typed";

/// `E ⊢ e ⇓ v`
///
/// # Panics
/// If the expression was not validated.
pub(super) fn value(env: &Env, exp: &Exp) -> Result<Value, ZeroDivisor> {
    Ok(match exp {
        Exp::Lit(lit) => Value::Scalar(lit.sc(), literal(*lit)),
        Exp::Var(var) => env.value(*var),
        Exp::Un(op, a) => {
            let (sc, a) = scalar(env, a)?;
            Value::Scalar(sc, scalar::unary(*op, sc).expect(TYPED)(a))
        }
        Exp::Bin(op, ab) => {
            let [a, b] = &**ab;
            let (sc, a) = scalar(env, a)?;
            let (_, b) = scalar(env, b)?;
            let cell = match scalar::binary(*op, sc) {
                Some(f) => f(a, b),
                None => scalar::divide(*op, sc, a, b).ok_or(ZeroDivisor { dividend: a as i64 })?,
            };
            Value::Scalar(scalar::result(*op, sc).expect(TYPED), cell)
        }
        Exp::Select(parts) => {
            let [c, a, b] = &**parts;
            let (_, c) = scalar(env, c)?;
            let (a, b) = (value(env, a)?, value(env, b)?);
            if c != 0 { a } else { b }
        }
        Exp::Cast(to, a) => {
            let (from, a) = scalar(env, a)?;
            Value::Scalar(*to, scalar::cast(from, *to)(a))
        }
        Exp::Bitcast(to, a) => {
            let (from, a) = scalar(env, a)?;
            Value::Scalar(*to, scalar::bitcast(from, *to).expect(TYPED)(a))
        }
        Exp::Length(b) => Value::Scalar(Sc::U32, block(env, b)?.2.into()),
        Exp::Base(b) => Value::Scalar(Sc::U32, block(env, b)?.1.into()),
        Exp::Block(element, parts) => {
            let [base, length] = &**parts;
            let (_, base) = scalar(env, base)?;
            let (_, length) = scalar(env, length)?;
            Value::Block(*element, base as u32, length as u32)
        }
        Exp::Builtin(_)
        | Exp::Make(..)
        | Exp::At(..)
        | Exp::Field(..)
        | Exp::Load(_)
        | Exp::Ref(_) => panic!("validated: the host has no such expressions"),
    })
}

/// The value of a scalar expression, with its type.
pub(super) fn scalar(env: &Env, exp: &Exp) -> Result<(Sc, Cell), ZeroDivisor> {
    match value(env, exp)? {
        Value::Scalar(sc, cell) => Ok((sc, cell)),
        Value::Block(..) => panic!("{TYPED}"),
    }
}

/// The value of an expression for a block: elements, base, length.
pub(super) fn block(env: &Env, exp: &Exp) -> Result<(Element, u32, u32), ZeroDivisor> {
    match value(env, exp)? {
        Value::Block(element, base, length) => Ok((element, base, length)),
        Value::Scalar(..) => panic!("{TYPED}"),
    }
}

/// The exact value of an expression of i32, i64, u32 or bool: no operator wraps.
pub(super) fn exact(env: &Env, exp: &Exp) -> Result<i128, ZeroDivisor> {
    Ok(match exp {
        Exp::Bin(op, ab) if !is_float(env, &ab[0])? => {
            let [a, b] = &**ab;
            let (a, b) = (exact(env, a)?, exact(env, b)?);
            op.exact(a, b).ok_or(ZeroDivisor { dividend: clamp(a) })?
        }
        Exp::Un(crate::device::syntax::UnOp::Neg, a) => exact(env, a)?.saturating_neg(),
        Exp::Select(parts) => {
            let [c, a, b] = &**parts;
            let (_, c) = scalar(env, c)?;
            let (a, b) = (exact(env, a)?, exact(env, b)?);
            if c != 0 { a } else { b }
        }
        // Between integers; what is not one has no exact value but its own.
        Exp::Cast(Sc::I32 | Sc::I64, a) if !is_float(env, a)? => exact(env, a)?,
        _ => {
            let (_, cell) = scalar(env, exp)?;
            (cell as i64).into()
        }
    })
}

/// Is the expression a float or a block? Looks at its leftmost operand only.
fn is_float(env: &Env, exp: &Exp) -> Result<bool, ZeroDivisor> {
    Ok(match exp {
        Exp::Lit(lit) => lit.sc().is_float(),
        Exp::Var(var) => !matches!(env.value(*var), Value::Scalar(sc, _) if !sc.is_float()),
        Exp::Un(_, a) => is_float(env, a)?,
        Exp::Select(parts) => is_float(env, &parts[1])?,
        Exp::Bin(op, ab) => {
            is_float(env, &ab[0])? && scalar::result(*op, Sc::F32) != Some(Sc::Bool)
        }
        Exp::Cast(to, _) | Exp::Bitcast(to, _) => to.is_float(),
        _ => false,
    })
}

/// The i64 that an integer of any type stands for.
pub(super) fn integer(env: &Env, exp: &Exp) -> Result<i64, ZeroDivisor> {
    Ok(scalar(env, exp)?.1 as i64)
}

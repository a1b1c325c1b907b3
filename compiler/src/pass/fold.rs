//! What an expression of literals gives, and what operators with a neutral operand leave. What can
//! get stuck must stand behind a check: it may be gone.

use super::take;
use super::types::Types;
use reference::device::scalar::{self, Cell};
use reference::device::syntax::{Exp, Lit, Sc, Wide};
use reference::kit::scalar::BinOp;

/// Makes `exp` the same with less in it, where its parts are folded already.
pub(crate) fn fold(exp: &mut Exp, types: &Types) {
    let made = match exp {
        Exp::Bin(op, ab) => match binary(*op, ab, types) {
            Some(made) => made,
            None => return,
        },
        Exp::Un(op, a) => match (literal(a), &mut **a) {
            (Some((sc, x)), _) => match scalar::unary(*op, sc) {
                Some(apply) => of(sc, apply(x)),
                None => return,
            },
            (None, Exp::Un(inner, b)) if inner == op => take(b),
            _ => return,
        },
        Exp::Cast(to, a) => match literal(a) {
            Some((from, x)) => of(*to, scalar::cast(from, *to)(x)),
            None if types.sc(a) == Some(*to) => take(a),
            None => match round_trip(*to, a, types) {
                Some(back) => back,
                None => return,
            },
        },
        Exp::Bitcast(to, a) => {
            match literal(a).and_then(|(from, x)| Some(scalar::bitcast(from, *to)?(x))) {
                Some(bits) => of(*to, bits),
                None => return,
            }
        }
        Exp::Select(parts) => match &mut **parts {
            [Exp::Lit(Lit::Bool(true)), a, _] => take(a),
            [Exp::Lit(Lit::Bool(false)), _, b] => take(b),
            _ => return,
        },
        _ => return,
    };
    *exp = made;
}

/// What was converted to another integer of 32 bits and is converted back.
pub(crate) fn round_trip(to: Sc, a: &mut Exp, types: &Types) -> Option<Exp> {
    let is_word = |sc| matches!(sc, Some(Sc::I32 | Sc::U32));
    match a {
        Exp::Cast(between, inner) if types.sc(inner) == Some(to) => {
            (is_word(Some(*between)) && is_word(Some(to))).then(|| take(inner))
        }
        _ => None,
    }
}

/// What is left of `a op b`, if that is less.
fn binary(op: BinOp, [a, b]: &mut [Exp; 2], types: &Types) -> Option<Exp> {
    match op {
        BinOp::Le | BinOp::Ge if is_same(a, b, types) => return Some(TRUE),
        BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or if is_same(a, b, types) => {
            return Some(take(a));
        }
        _ => {}
    }
    let (known_a, known_b) = (literal(a), literal(b));
    if let (Some((sc, x)), Some((_, y))) = (known_a, known_b) {
        let made = match scalar::binary(op, sc) {
            Some(apply) => Some(apply(x, y)),
            None if scalar::is_partial(op, sc) => scalar::divide(op, sc, x, y),
            None => None,
        };
        // A float that is not a number stays what the device makes of it.
        let made = made.filter(|cell| match sc {
            Sc::F32 => scalar::float(*cell).is_finite(),
            Sc::F64 => scalar::double(*cell).is_finite(),
            Sc::Bool | Sc::I32 | Sc::U32 | Sc::I64 => true,
        });
        if let (Some(cell), Some(sc)) = (made, scalar::result(op, sc)) {
            return Some(of(sc, cell));
        }
    }
    if known_a.is_none() && known_b.is_none() {
        return None;
    }
    // Integers only but for products: `x + 0` of a float is not `x` where `x` is -0.
    let is = |known: Option<(Sc, Cell)>, k: i32| match known {
        Some((Sc::I32 | Sc::U32 | Sc::I64, x)) => x == scalar::int(k.into()),
        Some((Sc::F32, x)) => k == 1 && op == BinOp::Mul && scalar::float(x) == 1.0,
        Some((Sc::F64, x)) => k == 1 && op == BinOp::Mul && scalar::double(x) == 1.0,
        _ => false,
    };
    let left = match op {
        BinOp::Add | BinOp::Or | BinOp::Xor if is(known_a, 0) => b,
        BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr
            if is(known_b, 0) =>
        {
            a
        }
        BinOp::Mul if is(known_a, 1) => b,
        BinOp::Mul | BinOp::Div if is(known_b, 1) => a,
        BinOp::Mul | BinOp::Div | BinOp::Rem if is(known_a, 0) => a,
        BinOp::And if is(known_a, 0) => a,
        BinOp::Mul | BinOp::And if is(known_b, 0) => b,
        BinOp::And if *a == TRUE || *b == FALSE => b,
        BinOp::And if *b == TRUE || *a == FALSE => a,
        BinOp::Or if *a == FALSE || *b == TRUE => b,
        BinOp::Or if *b == FALSE || *a == TRUE => a,
        _ => return None,
    };
    Some(take(left))
}

const TRUE: Exp = Exp::Lit(Lit::Bool(true));
const FALSE: Exp = Exp::Lit(Lit::Bool(false));

/// The same integer, by name.
fn is_same(a: &Exp, b: &Exp, types: &Types) -> bool {
    matches!((a, b), (Exp::Var(x), Exp::Var(y)) if x == y)
        && matches!(types.sc(a), Some(Sc::I32 | Sc::U32 | Sc::I64))
}

fn literal(exp: &Exp) -> Option<(Sc, Cell)> {
    match exp {
        Exp::Lit(lit) => Some((lit.sc(), scalar::literal(*lit))),
        _ => None,
    }
}

/// The literal of a cell.
fn of(sc: Sc, cell: Cell) -> Exp {
    let [low, _] = scalar::words(sc, cell);
    Exp::Lit(match sc {
        Sc::Bool => Lit::Bool(cell != 0),
        Sc::I32 => Lit::I32(low as i32),
        Sc::U32 => Lit::U32(low),
        Sc::I64 => Lit::I64(Wide(cell as i64)),
        Sc::F32 => Lit::F32(low),
        Sc::F64 => Lit::F64(Wide(cell as i64)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(a: i32, op: BinOp, b: i32) -> Exp {
        of_operands(op, Exp::i32(a), Exp::i32(b))
    }

    fn of_operands(op: BinOp, a: Exp, b: Exp) -> Exp {
        let mut exp = Exp::bin(op, a, b);
        fold(&mut exp, &Types::default());
        exp
    }

    /// What is computed here is what the scalar table says; a zero divisor is left to the check.
    #[test]
    fn operators_on_literals_are_the_scalar_table() {
        for op in BinOp::ALL {
            for (a, b) in [(7, 3), (-7, 2), (i32::MIN, -1), (i32::MAX, 1), (5, 33), (5, 0)] {
                let made = match folded(a, op, b) {
                    Exp::Lit(Lit::I32(k)) => Some(k),
                    Exp::Lit(Lit::Bool(k)) => Some(k.into()),
                    _ => None,
                };
                assert_eq!(made, op.apply(a, b).ok(), "{a} {op:?} {b}");
            }
        }
    }

    #[test]
    fn words_that_are_converted_back_are_as_they_were() {
        let word = || Exp::Builtin(reference::device::syntax::Builtin::GlobalId);
        let there = |between| Exp::Cast(between, Box::new(word()));
        let back = |between| {
            let mut exp = Exp::Cast(Sc::U32, Box::new(there(between)));
            fold(&mut exp, &Types::default());
            exp
        };
        assert_eq!(back(Sc::I32), word());
        for other in [Sc::F32, Sc::F64, Sc::I64, Sc::Bool] {
            assert_ne!(back(other), word());
        }
    }

    #[test]
    fn neutral_operands_go() {
        let x = || Exp::Builtin(reference::device::syntax::Builtin::GlobalId);
        let folds = |op, a: Exp, b: Exp| of_operands(op, a, b) == x();
        assert!(folds(BinOp::Add, x(), Exp::u32(0)) && folds(BinOp::Add, Exp::u32(0), x()));
        assert!(folds(BinOp::Mul, x(), Exp::u32(1)) && folds(BinOp::Sub, x(), Exp::u32(0)));
        assert!(folds(BinOp::Div, x(), Exp::u32(1)));
        assert!(!folds(BinOp::Sub, Exp::u32(0), x()) && !folds(BinOp::Mul, x(), Exp::u32(0)));
        for op in [BinOp::Mul, BinOp::Div, BinOp::Rem] {
            let nothing = of_operands(op, Exp::u32(0), x());
            assert_eq!(nothing, Exp::u32(0), "{op:?}");
        }
        assert!(!folds(BinOp::And, x(), Exp::u32(1)) && !folds(BinOp::Min, x(), Exp::u32(0)));
        assert_eq!(of_operands(BinOp::And, x(), Exp::u32(0)), Exp::u32(0));
        assert_eq!(of_operands(BinOp::And, Exp::u32(0), x()), Exp::u32(0));
        let zero = || Exp::Lit(Lit::F32(0));
        assert!(!folds(BinOp::Add, x(), zero()));
    }
}

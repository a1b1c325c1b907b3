//! A cheap hash of an expression, for linear searches among many.

use reference::device::syntax::{Exp, Lit};

/// The same number for expressions that are the same, and mostly another one for others: it goes by the
/// operator at the top and by its operands, as far as these are names or literals.
pub(crate) fn fingerprint(exp: &Exp) -> u32 {
    let (top, first, second) = match exp {
        Exp::Bin(op, ab) => (*op as u32, &ab[0], &ab[1]),
        Exp::Select(parts) => (50, &parts[1], &parts[2]),
        Exp::Block(_, parts) => (51, &parts[0], &parts[1]),
        Exp::Cast(_, a) => (52, &**a, &**a),
        Exp::Length(a) | Exp::Base(a) => (53, &**a, &**a),
        other => (54, other, other),
    };
    (top.wrapping_mul(31).wrapping_add(of_leaf(first)))
        .wrapping_mul(31)
        .wrapping_add(of_leaf(second))
}

fn of_leaf(exp: &Exp) -> u32 {
    match exp {
        Exp::Var(var) => !var.0,
        Exp::Lit(Lit::I32(k)) => *k as u32,
        Exp::Lit(Lit::U32(k)) => *k,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::fingerprint;
    use reference::device::syntax::Exp;
    use reference::kit::names::Var;
    use reference::kit::scalar::BinOp;

    #[test]
    fn operators_and_operands_are_seen() {
        let exp = |op, var, k| Exp::bin(op, Exp::Var(Var(var)), Exp::i32(k));
        let sum = || fingerprint(&exp(BinOp::Add, 3, 1));
        assert_eq!(sum(), sum());
        for other in [exp(BinOp::Sub, 3, 1), exp(BinOp::Add, 4, 1), exp(BinOp::Add, 3, 2)] {
            assert_ne!(fingerprint(&other), sum(), "{other:?}");
        }
    }
}

//! Numbers: how much one weighs, and what is tried in its place.

use reference::kit::value::{Scalar, ScalarType};

/// How much a number weighs: 1 weighs least, then 0, then the short ones.
pub(super) fn digits(k: i64) -> u64 {
    match k {
        1 => 0,
        0 => 1,
        k if k < 0 => 3 + u64::from(k.unsigned_abs().ilog2()),
        k => 2 + u64::from(k.ilog2()),
    }
}

/// Numbers that are tried in the place of `k`, the simplest first.
pub(super) fn smaller(k: i64) -> Vec<i64> {
    let mut tries = vec![1, 0, 2, 3, k / 2, k.saturating_sub(1)];
    if k < 0 {
        tries.extend([-1, -2, k.saturating_add(1)]);
    }
    tries.retain(|other| digits(*other) < digits(k) || (0 <= *other && *other < k && k > 1));
    tries.dedup();
    tries
}

/// The same for a number of 32 bits.
pub(super) fn smaller_i32(k: i32) -> Vec<i32> {
    smaller(k.into()).into_iter().filter_map(|other| other.try_into().ok()).collect()
}

/// How much a scalar weighs: `false` less than `true`, a float without a fraction as the integer that
/// it is, others more than any integer.
pub(super) fn weight(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Bool(truth) => truth.into(),
        Scalar::I32(k) => digits(k.into()),
        Scalar::U32(k) => digits(k.into()),
        Scalar::I64(k) => digits(k),
        Scalar::F32(x) => float(x.get().into()),
        Scalar::F64(x) => float(x.get()),
    }
}

fn float(x: f64) -> u64 {
    const EXACT: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
    if x.trunc() == x && x.abs() <= EXACT && (x != 0.0 || x.is_sign_positive()) {
        digits(x as i64)
    } else {
        100
    }
}

/// Scalars of the same type that are tried in the place of one, the simplest first.
pub(super) fn plainer(scalar: Scalar) -> Vec<Scalar> {
    let ints = |k: i64| smaller(k).into_iter();
    let floats = |x: f64| {
        let mut tries = vec![1.0, 0.0, 2.0, x.trunc()];
        if x.trunc() == x && x.abs() <= f64::from(i32::MAX) {
            tries.extend(smaller(x as i64).into_iter().map(|k| k as f64));
        }
        tries.into_iter()
    };
    let tries: Vec<Scalar> = match scalar {
        Scalar::Bool(_) => vec![Scalar::of(ScalarType::Bool, 0)],
        Scalar::I32(k) => {
            return smaller_i32(k).into_iter().map(Scalar::I32).collect();
        }
        Scalar::U32(k) => {
            ints(k.into()).filter_map(|k| k.try_into().ok()).map(Scalar::U32).collect()
        }
        Scalar::I64(k) => ints(k).map(Scalar::I64).collect(),
        Scalar::F32(x) => floats(x.get().into()).map(|x| Scalar::F32((x as f32).into())).collect(),
        Scalar::F64(x) => floats(x.get()).map(|x| Scalar::F64(x.into())).collect(),
    };
    // Integers may go down by one and weigh the same; floats must weigh less, so that this ends.
    let is_float = matches!(scalar.ty(), ScalarType::F32 | ScalarType::F64);
    let less = |other: &Scalar| match is_float || scalar.ty() == ScalarType::Bool {
        true => weight(*other) < weight(scalar),
        false => *other != scalar,
    };
    tries.into_iter().filter(less).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_tried_is_plainer_and_ends() {
        let all = [
            Scalar::Bool(true),
            Scalar::I32(i32::MIN),
            Scalar::U32(u32::MAX),
            Scalar::I64(i64::MIN),
            Scalar::F32(f32::NAN.into()),
            Scalar::F32((-0.0).into()),
            Scalar::F64(1e300.into()),
            Scalar::F64(2.75.into()),
        ];
        for mut scalar in all {
            while weight(scalar) > 2 {
                let tried = plainer(scalar);
                for next in &tried {
                    assert_eq!(next.ty(), scalar.ty());
                    assert!(*next != scalar && weight(*next) <= weight(scalar), "{next}, {scalar}");
                }
                // The slowest way down: what is only one less weighs the same and is not taken.
                let lighter = tried.into_iter().rfind(|next| weight(*next) < weight(scalar));
                let Some(next) = lighter else { break };
                scalar = next;
            }
            assert!(weight(scalar) <= 2, "{scalar} is left");
        }
    }
}

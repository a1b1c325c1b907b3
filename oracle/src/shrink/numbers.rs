//! Numbers: how much one weighs, and what is tried in its place.

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

//! Numbers in mixed radix, by which an order of elements is seen to put each at a place of its own.

/// The digits, each a factor and how many values it has, as the dimensions, innermost first, of an array in which the sum
/// of all factors times their digits is the place; a digit of one value is anywhere. So the sum has each value below the
/// product of the sizes once.
pub(crate) fn dimensions(digits: &[(i64, i64)]) -> Option<Vec<usize>> {
    let (single, mut dims): (Vec<usize>, Vec<usize>) =
        (0..digits.len()).partition(|at| digits[*at].1 == 1);
    dims.sort_by_key(|at| digits[*at].0);
    let mut stride = 1_i64;
    for at in &dims {
        let (factor, size) = digits[*at];
        if factor != stride {
            return None;
        }
        stride = stride.checked_mul(size)?;
    }
    dims.extend(single);
    Some(dims)
}

#[cfg(test)]
mod tests {
    use super::dimensions;

    #[test]
    fn strides_are_products_of_the_sizes_before() {
        assert_eq!(dimensions(&[(12, 5), (1, 4), (9, 1), (4, 3)]), Some(vec![1, 3, 0, 2]));
        assert_eq!(dimensions(&[]), Some(vec![]));
        for not in [[(1, 4), (3, 2)], [(1, 4), (5, 2)], [(1, 4), (1, 4)], [(2, 4), (8, 2)]] {
            assert_eq!(dimensions(&not), None, "{not:?}");
        }
        assert_eq!(dimensions(&[(1, 1 << 40), (1 << 40, 1 << 40)]), None);
    }
}

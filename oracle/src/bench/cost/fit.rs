//! Least squares with prices that are not negative.

/// The numbers `x ≥ 0` with the least `|a x - b|²`, for at most [`MOST`] columns. Each set of columns that are not 0 is
/// tried: the least squares over the right one are not negative (Lawson and Hanson, *Solving Least Squares Problems*, 1974,
/// chapter 23). Of equally good ones the one with the fewest columns.
///
/// # Panics
/// If there are more columns, or rows of different lengths.
pub fn least_squares(a: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let columns = a.first().map_or(0, Vec::len);
    assert!(columns <= MOST && a.iter().all(|row| row.len() == columns), "{columns} columns");
    let error = |x: &[f64]| -> f64 {
        let residual = |(row, b): (&Vec<f64>, &f64)| {
            let made: f64 = row.iter().zip(x).map(|(a, x)| a * x).sum();
            (made - b).powi(2)
        };
        a.iter().zip(b).map(residual).sum()
    };
    let mut best = vec![0.0; columns];
    let mut least = error(&best);
    let mut sets: Vec<u32> = (1..1 << columns).collect();
    sets.sort_by_key(|set| set.count_ones());
    for set in sets {
        let chosen: Vec<usize> = (0..columns).filter(|column| set >> column & 1 == 1).collect();
        let Some(solved) = solved(a, b, &chosen) else { continue };
        if solved.iter().any(|x| *x < 0.0) {
            continue;
        }
        let mut x = vec![0.0; columns];
        chosen.iter().zip(solved).for_each(|(column, value)| x[*column] = value);
        let own = error(&x);
        if own < least * (1.0 - 1e-12) {
            (best, least) = (x, own);
        }
    }
    best
}

/// Most columns: all of their sets are tried.
pub const MOST: usize = 10;

/// Least squares over some columns, by the normal equations of columns of length 1. `None` if they depend on each other.
fn solved(a: &[Vec<f64>], b: &[f64], columns: &[usize]) -> Option<Vec<f64>> {
    let n = columns.len();
    let dot = |f: &dyn Fn(usize) -> f64| (0..a.len()).map(f).sum::<f64>();
    let lengths: Vec<f64> = columns.iter().map(|c| dot(&|row| a[row][*c].powi(2)).sqrt()).collect();
    if lengths.contains(&0.0) {
        return None;
    }
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(n);
    for (i, length) in columns.iter().zip(&lengths) {
        let mut row: Vec<f64> = columns
            .iter()
            .zip(&lengths)
            .map(|(j, other)| dot(&|row| a[row][*i] / length * a[row][*j] / other))
            .collect();
        row.push(dot(&|row| a[row][*i] / length * b[row]));
        rows.push(row);
    }
    for column in 0..n {
        let pivot =
            (column..n).max_by(|i, j| rows[*i][column].abs().total_cmp(&rows[*j][column].abs()))?;
        rows.swap(column, pivot);
        if rows[column][column].abs() < 1e-10 {
            return None;
        }
        let own = rows[column].clone();
        for (nth, row) in rows.iter_mut().enumerate() {
            if nth != column {
                let factor = row[column] / own[column];
                row.iter_mut().zip(&own).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    Some((0..n).map(|nth| rows[nth][n] / rows[nth][nth] / lengths[nth]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(found: &[f64], wanted: &[f64]) {
        let near = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6 * b.abs().max(1.0));
        assert!(near && found.len() == wanted.len(), "{found:?} is not {wanted:?}");
    }

    #[test]
    fn what_was_made_of_prices_gives_them_back() {
        let prices = [3.0, 0.0, 0.5, 1e6];
        let row = |n: f64| vec![n, n * n, 1e3 / (n + 1.0), 1e-3 * (n % 3.0)];
        let a: Vec<Vec<f64>> = (1..20).map(|n| row(f64::from(n))).collect();
        let b: Vec<f64> =
            a.iter().map(|row| row.iter().zip(prices).map(|(a, x)| a * x).sum()).collect();
        is(&least_squares(&a, &b), &prices);
    }

    /// Without the bound the second would be -1: then the first alone has the least squares, 12 / 14.
    #[test]
    fn no_price_is_negative() {
        let a = [vec![1.0, 0.0], vec![2.0, 1.0], vec![3.0, 0.0]];
        is(&least_squares(&a, &[1.0, 1.0, 3.0]), &[12.0 / 14.0, 0.0]);
        is(&least_squares(&a, &[-1.0, -1.0, -3.0]), &[0.0, 0.0]);
    }

    /// Columns that are the same or 0 are left out.
    #[test]
    fn columns_that_tell_nothing_have_no_price() {
        let a = [vec![1.0, 1.0, 0.0], vec![2.0, 2.0, 0.0]];
        is(&least_squares(&a, &[2.0, 4.0]), &[2.0, 0.0, 0.0]);
        assert!(least_squares(&[], &[]).is_empty());
    }
}

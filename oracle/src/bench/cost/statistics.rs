//! How well prices rank and tell times.

/// Pairs of numbers that are compared, by how they are ordered.
struct Pairs {
    concordant: f64,
    discordant: f64,
    /// Pairs that are equal in the first only, and in the second only.
    ties: [f64; 2],
}

fn pairs(a: &[f64], b: &[f64]) -> Pairs {
    let mut pairs = Pairs { concordant: 0.0, discordant: 0.0, ties: [0.0; 2] };
    for i in 0..a.len() {
        for j in 0..i {
            let (x, y) = (a[i].total_cmp(&a[j]), b[i].total_cmp(&b[j]));
            match (x.is_eq(), y.is_eq()) {
                (true, true) => {}
                (true, false) => pairs.ties[0] += 1.0,
                (false, true) => pairs.ties[1] += 1.0,
                (false, false) if x == y => pairs.concordant += 1.0,
                (false, false) => pairs.discordant += 1.0,
            }
        }
    }
    pairs
}

/// Kendall's tau-b (1945): 1 where both order all pairs alike, -1 where all the other way round; pairs that are equal in
/// one of them count half. `None` if all are equal in one of them.
pub fn tau_b(a: &[f64], b: &[f64]) -> Option<f64> {
    let Pairs { concordant, discordant, ties: [of_a, of_b] } = pairs(a, b);
    let strict = concordant + discordant;
    let all = ((strict + of_a) * (strict + of_b)).sqrt();
    (all > 0.0).then(|| (concordant - discordant) / all)
}

/// The ranks of numbers, from 1; equal ones have the mean of theirs.
fn ranks(of: &[f64]) -> Vec<f64> {
    let below = |x: &f64| of.iter().filter(|y| y.total_cmp(x).is_lt()).count() as f64;
    let equal = |x: &f64| of.iter().filter(|y| y.total_cmp(x).is_eq()).count() as f64;
    of.iter().map(|x| below(x) + (equal(x) + 1.0) / 2.0).collect()
}

/// Spearman's rank correlation: Pearson's of the ranks. `None` if all are equal in one of them.
pub fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (ranks(a), ranks(b));
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let (mean_a, mean_b) = (mean(&a), mean(&b));
    let product = |x: &[f64], m: f64, y: &[f64], n: f64| {
        x.iter().zip(y).map(|(x, y)| (x - m) * (y - n)).sum::<f64>()
    };
    let all = (product(&a, mean_a, &a, mean_a) * product(&b, mean_b, &b, mean_b)).sqrt();
    (all > 0.0).then(|| product(&a, mean_a, &b, mean_b) / all)
}

/// The number that `share` of all are not above, from 0 to 1: linear between two of them. `None` of nothing.
pub fn quantile(of: &[f64], share: f64) -> Option<f64> {
    let mut sorted = of.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = share * (sorted.len().checked_sub(1)? as f64);
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    Some(low + (high - low) * at.fract())
}

/// The median of how far the predictions are from the times, as a part of the time. Predictions are scaled by the one
/// factor that makes as many too large as too small: a unit of the machine has no length.
pub fn median_error(predicted: &[f64], times: &[f64]) -> Option<f64> {
    let ratios: Vec<f64> = predicted.iter().zip(times).map(|(p, t)| p / t).collect();
    let scale = quantile(&ratios, 0.5).filter(|scale| *scale > 0.0)?;
    let errors: Vec<f64> = ratios.iter().map(|ratio| (ratio / scale - 1.0).abs()).collect();
    quantile(&errors, 0.5)
}

/// The times of those with the best prediction over the best time: the mean of them, and the worst.
pub fn regret(predicted: &[f64], times: &[f64]) -> Option<[f64; 2]> {
    let least = |of: &[f64]| of.iter().copied().min_by(f64::total_cmp);
    let (best, first) = (least(times)?, least(predicted)?);
    let chosen = predicted.iter().zip(times).filter(|(p, _)| p.total_cmp(&first).is_eq());
    let all: Vec<f64> = chosen.map(|(_, t)| t / best).collect();
    let worst = all.iter().copied().fold(0.0, f64::max);
    Some([all.iter().sum::<f64>() / all.len() as f64, worst])
}

/// The places that pairs of numbers have in their order, equal ones the same: the second decides where the first is equal.
pub fn places(of: &[[f64; 2]]) -> Vec<f64> {
    let cmp = |a: &[f64; 2], b: &[f64; 2]| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]));
    let below = |x: &[f64; 2]| of.iter().filter(|y| cmp(y, x).is_lt()).count() as f64;
    of.iter().map(below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: Option<f64>, b: f64) -> bool {
        a.is_some_and(|a| (a - b).abs() < 1e-9)
    }

    /// By hand: of 6 pairs one is equal in the first, 4 agree, one does not: (4 - 1) / √(5 · 6).
    #[test]
    fn tau_b_counts_ties() {
        let (a, b) = ([1.0, 2.0, 2.0, 3.0], [1.0, 3.0, 2.0, 2.5]);
        assert!(near(tau_b(&a, &b), 3.0 / 30.0_f64.sqrt()), "{:?}", tau_b(&a, &b));
        // The example of scipy.stats.kendalltau.
        let (a, b) = ([12.0, 2.0, 1.0, 12.0, 2.0], [1.0, 4.0, 7.0, 1.0, 0.0]);
        assert!(near(tau_b(&a, &b), -0.471_404_520_791_031_7), "{:?}", tau_b(&a, &b));
        assert_eq!(tau_b(&[1.0, 2.0, 3.0], &[1.0, 4.0, 9.0]), Some(1.0));
        assert_eq!(tau_b(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), Some(-1.0));
        assert_eq!(tau_b(&[1.0, 1.0], &[1.0, 2.0]), None);
        assert_eq!(tau_b(&[], &[]), None);
    }

    #[test]
    fn spearman_ranks_ties_by_their_mean() {
        assert_eq!(ranks(&[10.0, 20.0, 20.0, 5.0]), [2.0, 3.5, 3.5, 1.0]);
        // The example of scipy.stats.spearmanr.
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0], [5.0, 6.0, 7.0, 8.0, 7.0]);
        assert!(near(spearman(&a, &b), 0.820_782_681_668_123_1), "{:?}", spearman(&a, &b));
        assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), None);
    }

    #[test]
    fn quantiles_are_linear_between_numbers() {
        let of = [4.0, 1.0, 3.0, 2.0];
        assert_eq!([0.0, 0.5, 1.0].map(|share| quantile(&of, share)), [1.0, 2.5, 4.0].map(Some));
        assert!(near(quantile(&of, 0.9), 3.7));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn regret_is_told_over_ties() {
        let times = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(regret(&[5.0, 3.0, 3.0, 9.0], &times), Some([3.0, 4.0]));
        assert_eq!(regret(&[1.0, 3.0, 3.0, 9.0], &times), Some([1.0, 1.0]));
        assert_eq!(regret(&[], &[]), None);
        // The second number tells the two apart.
        let places = places(&[[5.0, 0.0], [3.0, 1.0], [3.0, 7.0], [9.0, 0.0]]);
        assert_eq!(
            (places.as_slice(), regret(&places, &times)),
            (&[2.0, 0.0, 1.0, 3.0][..], Some([2.0, 2.0]))
        );
    }

    #[test]
    fn errors_do_not_depend_on_the_unit() {
        let times = [1.0, 2.0, 4.0];
        for unit in [1.0, 1e-3, 1e6] {
            let predicted = [2.0, 2.0, 4.0].map(|p| p * unit);
            assert!(near(median_error(&predicted, &times), 0.0));
            let predicted = [2.0, 2.0, 3.0].map(|p| p * unit);
            assert!(near(median_error(&predicted, &times), 0.25), "{unit}");
        }
    }
}

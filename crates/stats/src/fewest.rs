//! Growth of the kinds that surely grow, where these alone explain the readings as well as all kinds together do.
//!
//! In: windows of readings, groups of kinds, what the fit of all of them says. Out: the same with estimates that fits of fewer columns
//! share in, as they are probable. What must not happen here: an interval that becomes narrower; a kind that is sure of less or more.
//!
//! No kind keeps less than nothing. So noise can only lay growth upon innocent kinds, and takes it from the guilty ones: of 10 KiB per
//! request 8.5 were told. A fit without the innocent has nowhere to lay it.

use crate::Interval;
use crate::mix::{MIN_WEIGHT_RATIO, Mixed, products, row, whiten};
use crate::noise::noise_models;

/// The column of time, before those of the groups.
const TIME: usize = 0;

/// What one kind of noise says with some of the columns: the logarithm of its probability, and the growth of each group.
struct Fit {
    weight: f64,
    rates: Vec<f64>,
}

/// What is told, as the fewest columns that explain it have it.
pub(crate) fn by_fewest(
    windows: &[Mixed],
    groups: &[Vec<usize>],
    told: Vec<(Interval, bool)>,
) -> Vec<(Interval, bool)> {
    let sure: Vec<usize> = (0..groups.len()).filter(|at| told.get(*at).is_some_and(|told| told.1)).collect();
    if sure.is_empty() {
        return told;
    }
    let fits = fits(windows, groups, &sure);
    let best = fits.iter().map(|fit| fit.weight).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = fits.iter().map(|fit| (fit.weight - best).exp()).collect();
    let all: f64 = weights.iter().sum();
    let probable: Vec<(f64, &Fit)> =
        weights.iter().map(|one| one / all).zip(&fits).filter(|one| one.0 >= MIN_WEIGHT_RATIO).collect();
    let total: f64 = probable.iter().map(|one| one.0).sum();
    let shared = |(at, (interval, is_sure)): (usize, (Interval, bool))| {
        let rates =
            || probable.iter().map(|(weight, fit)| (weight, fit.rates.get(at).copied().unwrap_or(0.0)));
        let estimate = rates().map(|(weight, rate)| weight * rate).sum::<f64>() / total;
        let low = rates().map(|one| one.1).fold(interval.low, f64::min);
        let high = rates().map(|one| one.1).fold(interval.high, f64::max);
        (Interval { estimate, low, high }, is_sure)
    };
    told.into_iter().enumerate().map(shared).collect()
}

/// All columns, those of sure groups with time, and these alone, under each kind of noise. A column more must pay for itself, by
/// Schwarz' criterion.
fn fits(windows: &[Mixed], groups: &[Vec<usize>], sure: &[usize]) -> Vec<Fit> {
    let rows: Vec<Vec<f64>> = windows.iter().map(|window| row(window, groups)).collect();
    let own: Vec<usize> = sure.iter().map(|group| group + TIME + 1).collect();
    let with_time = || [TIME].into_iter().chain(own.iter().copied()).collect();
    let sets: [Vec<usize>; 3] = [(0..=groups.len()).collect(), with_time(), own.clone()];
    let count = windows.len() as f64;
    let mut out = Vec::new();
    for noise in noise_models(count) {
        let (whitened, log_spread) = whiten(noise, windows, &rows);
        let all = products(&whitened).without_first();
        for set in &sets {
            let solved = all.only(set).solve();
            let misfit = log_spread + count * solved.rss.max(f64::MIN_POSITIVE).ln();
            let price = set.len() as f64 * count.ln();
            let mut rates = vec![0.0; groups.len()];
            for (column, beta) in set.iter().zip(&solved.beta) {
                if let Some(rate) = column.checked_sub(TIME + 1).and_then(|group| rates.get_mut(group)) {
                    *rate = *beta;
                }
            }
            out.push(Fit { weight: noise.prior().ln() - 0.5 * (misfit + price), rates });
        }
    }
    out
}

//! Growth per cycle with an honest interval.
//!
//! In: cycles and live bytes. Out: bytes per cycle with a 95 % interval, or nothing for too few points. The
//! interval answers "what could the rate be", not "how well does a line fit". While one-time events and
//! lasting growth cannot be told apart, it covers both.

use crate::Interval;
use crate::jumps::Jumps;
use crate::noise::{Fit, NoiseModel, noise_models};
use crate::series::Series;
use crate::student::student_cdf;

/// Fewer points give no growth: three epochs prove nothing.
pub const MIN_POINTS: usize = 4;

/// Growth in bytes per cycle. `None` below [`MIN_POINTS`], or when `x` does not increase.
///
/// * Isolated steps up (one, or a few of different sizes) do not count as growth.
/// * Two or three steps up of like size may or may not be growth: the interval covers both readings.
/// * Isolated drops may be collections: the interval covers growth with and without them.
/// * More jumps than that are how the series moves, and count in full.
pub fn growth(x: &[f64], y: &[f64]) -> Option<Interval> {
    let jumps = Jumps::find(x, y);
    if !jumps.isolated(y.len()) {
        return slope(x, y, 0);
    }
    let Jumps { ups, downs, transient } = &jumps;
    let steady = Jumps::without(y, transient);
    let lost = transient.len();
    let mut out =
        slope(x, &Jumps::without(&steady, ups.iter().chain(downs)), lost + ups.len() + downs.len())?;
    // One-sided: a drop is no evidence for more growth, a step up none for less.
    if !downs.is_empty() {
        let net = slope(x, &Jumps::without(&steady, ups), lost + ups.len())?;
        out = Interval { estimate: net.estimate.min(out.estimate), low: net.low.min(out.low), ..out };
    }
    if jumps.ups_alike() {
        let all = slope(x, &Jumps::without(&steady, downs), lost + downs.len())?;
        out.high = all.high.max(out.high);
    }
    Some(out)
}

/// One reading of the slope: its centre and scale under one noise model, and that model's weight.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    weight: f64,
    centre: f64,
    scale: f64,
}

/// The slope of a series without jumps. `spent` increments do not count as evidence.
pub(crate) fn slope(x: &[f64], y: &[f64], spent: usize) -> Option<Interval> {
    let series = Series::new(x, y, MIN_POINTS)?;
    if series.is_straight() {
        let rate = series.base / series.gap;
        return Some(Interval { estimate: rate, low: rate, high: rate });
    }
    let df = (y.len() - 2).saturating_sub(spent).max(1) as f64;
    let readings = readings(&series, df)?;
    let estimate = readings.iter().map(|r| r.weight * r.centre).sum::<f64>();
    Some(Interval {
        estimate: (series.base + estimate) / series.gap,
        low: (series.base + quantile(&readings, df, 0.025)) / series.gap,
        high: (series.base + quantile(&readings, df, 0.975)) / series.gap,
    })
}

fn readings(series: &Series, df: f64) -> Option<Vec<Reading>> {
    let inflation = autocorrelation_inflation(series).sqrt();
    let reading = |(weight, _, fit): (f64, NoiseModel, Fit<2>)| Reading {
        weight,
        centre: fit.beta[1],
        scale: (fit.rss / df * fit.last_variance).sqrt() * inflation,
    };
    // A smaller weight cannot move a quantile visibly.
    Some(weighted(series)?.into_iter().filter(|(weight, ..)| *weight > 1e-7).map(reading).collect())
}

/// Every noise model with its fit and its posterior weight; the weights sum to 1.
fn weighted(series: &Series) -> Option<Vec<(f64, NoiseModel, Fit<2>)>> {
    let ones = vec![1.0; series.x.len()];
    let mut fits: Vec<_> = noise_models(series.span())
        .into_iter()
        .filter_map(|kind| {
            let fit = kind.fit(&series.x, &[&ones, &series.x], &series.rest, series.rounding)?;
            Some((kind.prior().ln() + fit.restricted, kind, fit))
        })
        .collect();
    let best = fits.iter().map(|f| f.0).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = fits.iter().map(|f| (f.0 - best).exp()).sum();
    for fit in &mut fits {
        fit.0 = (fit.0 - best).exp() / total;
    }
    (!fits.is_empty()).then_some(fits)
}

/// The total weight of the noise models under which the half width of [`slope`] would be at most `tolerance`
/// bytes per cycle, after `more` cycles like those seen.
pub(crate) fn narrow_after(x: &[f64], y: &[f64], more: usize, tolerance: f64) -> Option<f64> {
    let series = Series::new(x, y, MIN_POINTS)?;
    let last = series.span();
    let future: Vec<f64> = series.x.iter().copied().chain((1..=more).map(|k| last + k as f64)).collect();
    let ones = vec![1.0; future.len()];
    let df = (y.len() - 2) as f64;
    let reach = quantile(&[Reading { weight: 1.0, centre: 0.0, scale: 1.0 }], df + more as f64, 0.975);
    let mut narrow = 0.0;
    for (weight, kind, fit) in weighted(&series)?.into_iter().filter(|(weight, ..)| *weight > 0.01) {
        let longer = kind.fit(&future, &[&ones, &future], &ones, 0.0)?;
        let half = reach * (fit.rss / df * longer.last_variance).sqrt() / series.gap;
        narrow += if half <= tolerance { weight } else { 0.0 };
    }
    Some(narrow)
}

/// Inflation of the variance of the mean increment by autocorrelated increments (growth in phases). No noise
/// model contains this, because each either forgets or stays.
fn autocorrelation_inflation(series: &Series) -> f64 {
    let steps: Vec<f64> = series.rest.windows(2).map(|w| w[1] - w[0]).collect();
    let m = steps.len() as f64;
    let mean = steps.iter().sum::<f64>() / m;
    let variance: f64 = steps.iter().map(|v| (v - mean).powi(2)).sum();
    let follow: f64 = steps.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum();
    if variance <= 0.0 {
        return 1.0;
    }
    // An estimated autocorrelation is too low by about (1 + 3 r) / m.
    let r = follow / variance;
    let r = (r + (1.0 + 3.0 * r) / m).clamp(0.0, 0.95);
    if r > m.sqrt().recip() { (1.0 + r) / (1.0 - r) } else { 1.0 }
}

/// The `level` quantile of a weighted mixture of Student distributions, by bisection.
fn quantile(readings: &[Reading], df: f64, level: f64) -> f64 {
    let below = |at: f64| -> f64 {
        readings.iter().map(|r| r.weight * student_cdf((at - r.centre) / r.scale, df)).sum::<f64>()
    };
    let widest = readings.iter().map(|r| r.scale).fold(0.0_f64, f64::max);
    let low = readings.iter().map(|r| r.centre).fold(f64::INFINITY, f64::min);
    let high = readings.iter().map(|r| r.centre).fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (low - 50.0 * widest, high + 50.0 * widest);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if below(middle) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

//! The shape of a curve: flat, straight, levelling off, stepping or accelerating.
//!
//! In: cycles and live bytes. Out: one word, with the bound of a levelling curve. Conservative: a curve is
//! called levelling only if its bound is in sight and its late growth has clearly slowed. A leak mistaken for
//! a filling cache is the costlier error.

use crate::growth::{growth, slope};
use crate::jumps::Jumps;
use crate::noise::noise_models;
use crate::series::{Series, thin};
use crate::theil_sen::theil_sen;

/// Fewer points cannot distinguish a bend from noise.
const MIN_BEND_POINTS: usize = 8;
/// Least gain in log likelihood of a bend over a straight line.
const MIN_BEND_GAIN: f64 = 6.0;
/// Longer series are averaged down to this.
const MAX_BEND_POINTS: usize = 250;
/// Time constants that are tried, relative to the span. A larger one would put the bound out of sight.
const TIME_CONSTANT_RATIOS: [f64; 10] = [0.04, 0.06, 0.09, 0.13, 0.18, 0.24, 0.32, 0.42, 0.55, 0.7];
/// Factors for a finer search around the best of these.
const REFINEMENT_FACTORS: [f64; 7] = [0.8, 0.87, 0.93, 1.0, 1.07, 1.15, 1.25];
/// A levelling curve's late growth is below this share of its early growth.
const MAX_LATE_GROWTH_RATIO: f64 = 0.5;

/// The shape of a curve of live bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// No growth that can be distinguished from noise.
    Flat,
    /// Steady growth (or decline).
    Linear,
    /// Growth that slows towards a bound.
    Levelling {
        /// The level that it approaches, in bytes.
        bound: f64,
        /// Cycles from the first point until 95 % of the rise.
        cycles_to_95: f64,
    },
    /// The rise consists of steps, flat between them. A staircase leak has many.
    Steps {
        /// Steps up that stayed.
        count: usize,
    },
    /// Growth that gets faster.
    Accelerating,
}

/// The shape of a series; [`Shape::Flat`] for fewer than 4 points.
pub fn shape(x: &[f64], y: &[f64]) -> Shape {
    let jumps = Jumps::find(x, y);
    if let Some(count) = stepped(x, y, &jumps) {
        return Shape::Steps { count };
    }
    let steady = if jumps.isolated(y.len()) {
        Jumps::without(y, jumps.ups.iter().chain(&jumps.downs).chain(&jumps.transient))
    } else {
        y.to_vec()
    };
    let Some(rate) = growth(x, y) else { return Shape::Flat };
    bend(x, &steady).unwrap_or(if rate.contains(0.0) { Shape::Flat } else { Shape::Linear })
}

/// The number of steps, if steps make the rise.
fn stepped(x: &[f64], y: &[f64], jumps: &Jumps) -> Option<usize> {
    let up: f64 = jumps.ups.iter().map(|j| j.size).sum();
    let down: f64 = jumps.downs.iter().map(|j| -j.size).sum();
    // A level that flips between two states ends in either; a last flip that has not come back is no step.
    let typical = up / jumps.ups.len().max(1) as f64;
    let flips = jumps.transient.iter().filter(|j| j.size > 0.4 * typical && j.size < 2.5 * typical).count();
    if flips >= jumps.ups.len() {
        return None;
    }
    let flat = Jumps::without(y, jumps.ups.iter().chain(&jumps.downs).chain(&jumps.transient));
    let rest = slope(x, &flat, 0)?;
    let risen = rest.estimate.abs() * (x[x.len() - 1] - x[0]);
    (up > 0.0 && up > 2.0 * down && risen < 0.25 * (up - down)).then_some(jumps.ups.len())
}

fn bend(x: &[f64], y: &[f64]) -> Option<Shape> {
    let (xs, ys) = thin(x, y, MAX_BEND_POINTS);
    let series = Series::new(&xs, &ys, MIN_BEND_POINTS)?;
    if series.is_straight() {
        return None;
    }
    let third = xs.len() / 3;
    let early = theil_sen(&xs[..=third], &ys[..=third])?;
    let late = theil_sen(&xs[xs.len() - third - 1..], &ys[ys.len() - third - 1..])?;
    let span = series.span();
    let straight = likelihood(&series, None)?;
    let square: Vec<f64> = series.x.iter().map(|v| (v / span).powi(2)).collect();
    let (curved, curve) = with_column(&series, &square)?;
    let coarse = best_level_off(&series, TIME_CONSTANT_RATIOS.iter().map(|share| share * span));
    let levelling = coarse.and_then(|(_, time, _)| {
        best_level_off(&series, REFINEMENT_FACTORS.iter().map(|factor| factor * time))
    });
    if let Some((found, time, fit)) = levelling
        && found > straight + MIN_BEND_GAIN
        && early > 0.0
        && late < MAX_LATE_GROWTH_RATIO * early
    {
        let bound = ys[0] + fit[0];
        return Some(Shape::Levelling { bound, cycles_to_95: 3.0 * time * series.gap });
    }
    let faster = curved > straight + MIN_BEND_GAIN && curve > 0.0 && late > 1.5 * early.max(0.0);
    faster.then_some(Shape::Accelerating)
}

/// The best log likelihood of a line over all noise models, with one more column if given.
fn likelihood(series: &Series, extra: Option<&[f64]>) -> Option<f64> {
    let ones = vec![1.0; series.x.len()];
    let score = |kind: &crate::noise::NoiseModel| match extra {
        None => kind.fit(&series.x, &[&ones, &series.x], &series.rest, series.rounding).map(|f| f.likelihood),
        Some(c) => {
            kind.fit(&series.x, &[&ones, &series.x, c], &series.rest, series.rounding).map(|f| f.likelihood)
        }
    };
    noise_models(series.span()).iter().filter_map(score).max_by(f64::total_cmp)
}

/// A line and one more column: the best log likelihood, and that column's coefficient.
fn with_column(series: &Series, column: &[f64]) -> Option<(f64, f64)> {
    let ones = vec![1.0; series.x.len()];
    noise_models(series.span())
        .iter()
        .filter_map(|k| k.fit(&series.x, &[&ones, &series.x, column], &series.rest, series.rounding))
        .map(|f| (f.likelihood, f.beta[2]))
        .max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The best of several time constants, among those with a rise: log likelihood, time constant, coefficients.
fn best_level_off(series: &Series, times: impl Iterator<Item = f64>) -> Option<(f64, f64, [f64; 2])> {
    times
        .filter_map(|time| {
            let gone: Vec<f64> = series.x.iter().map(|v| (-v / time).exp()).collect();
            let (found, fit) = level_off(series, &gone)?;
            (fit[1] < 0.0).then_some((found, time, fit))
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
}

/// A constant and a decaying exponential, no line: the best log likelihood and both coefficients.
fn level_off(series: &Series, gone: &[f64]) -> Option<(f64, [f64; 2])> {
    let ones = vec![1.0; series.x.len()];
    let whole: Vec<f64> = series.x.iter().zip(&series.rest).map(|(x, r)| r + series.base * x).collect();
    noise_models(series.span())
        .iter()
        .filter_map(|k| k.fit(&series.x, &[&ones, gone], &whole, series.rounding))
        .map(|f| (f.likelihood, f.beta))
        .max_by(|a, b| a.0.total_cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(n: u32, f: impl Fn(f64) -> f64) -> (Vec<f64>, Vec<f64>) {
        let x: Vec<f64> = (0..n).map(f64::from).collect();
        let y = x.iter().map(|&v| 1e8 + f(v) + 30.0 * (v * 2.3).sin() + 20.0 * (v * 7.1).cos()).collect();
        (x, y)
    }

    fn of(n: u32, f: impl Fn(f64) -> f64) -> Shape {
        let (x, y) = series(n, f);
        shape(&x, &y)
    }

    #[test]
    fn each_shape() {
        assert_eq!(of(30, |_| 0.0), Shape::Flat);
        assert_eq!(of(30, |v| 1000.0 * v), Shape::Linear);
        assert_eq!(of(30, |v| 40.0 * v * v), Shape::Accelerating);
        assert_eq!(of(30, |v| if v >= 11.0 { 1e6 } else { 0.0 }), Shape::Steps { count: 1 });
        assert_eq!(of(60, |v| (v / 6.0).floor() * 1e6), Shape::Steps { count: 9 });
    }

    #[test]
    fn a_filling_cache_has_its_bound() {
        let found = of(40, |v| 1e6 * (1.0 - (-v / 8.0).exp()));
        let Shape::Levelling { bound, cycles_to_95 } = found else { panic!("{found:?}") };
        assert!((bound - 1.01e8).abs() < 3e4, "{bound}");
        assert!((cycles_to_95 - 24.0).abs() < 6.0, "{cycles_to_95}");
    }

    #[test]
    fn a_leak_that_merely_slows_a_little_is_no_cache() {
        assert_eq!(of(40, |v| 1e5 * v - 400.0 * v * v), Shape::Linear);
    }

    #[test]
    fn nothing_to_see() {
        assert_eq!(shape(&[], &[]), Shape::Flat);
        assert_eq!(shape(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]), Shape::Flat);
        assert_eq!(of(30, |_| 0.0), Shape::Flat);
    }
}

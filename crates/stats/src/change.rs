//! The lasting change of a curve: growth that set in, or a level that shifted and stayed.
//!
//! In: cycles and live bytes. Out: the index of the first point after the change, or nothing. One change is
//! sought, not all. It must explain far more than chance would, given the search over every position.

use crate::jumps::Jumps;
use crate::noise::{NoiseModel, noise_models};
use crate::series::{Series, thin};

/// Points that a change needs on either side.
const MIN_SIDE_POINTS: usize = 3;
/// Least gain in log likelihood of a change. Two fitted parameters and a search over all positions gain 5 by
/// chance in one of twenty series; see the table in the design note.
const MIN_CHANGE_GAIN: f64 = 9.0;
/// Longer series are averaged down to this: a change needs no finer position than one part in 250.
const MAX_CHANGE_POINTS: usize = 250;

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// The rate changed: growth set in (or ended).
    Rate,
    /// The level moved once and stayed.
    Level,
}

/// A lasting change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Index of the first point after the change; for a rate, of the corner itself.
    pub at: usize,
    /// The kind of the change.
    pub kind: ChangeKind,
}

/// Index of the first point after the clearest lasting change, if there is one; see [`change`].
pub fn changepoint(x: &[f64], y: &[f64]) -> Option<usize> {
    change(x, y).map(|c| c.at)
}

/// The clearest lasting change: a new rate where there is one, else the last lasting shift of the level.
pub fn change(x: &[f64], y: &[f64]) -> Option<Change> {
    let jumps = Jumps::find(x, y);
    let isolated = jumps.isolated(y.len());
    let lasting = || jumps.ups.iter().chain(&jumps.downs);
    let all = || lasting().chain(&jumps.transient);
    let steady = if isolated { Jumps::without(y, all()) } else { y.to_vec() };
    let bent = search(x, &steady);
    if let Some(found) = bent.filter(|c| c.kind == ChangeKind::Rate) {
        return Some(found);
    }
    let shift = lasting().filter(|_| isolated).map(|j| j.at).max();
    shift.map(|at| Change { at, kind: ChangeKind::Level }).or(bent)
}

fn search(x: &[f64], y: &[f64]) -> Option<Change> {
    let width = x.len().div_ceil(MAX_CHANGE_POINTS).max(1);
    let (xs, ys) = thin(x, y, MAX_CHANGE_POINTS);
    let series = Series::new(&xs, &ys, 2 * MIN_SIDE_POINTS + 2)?;
    if series.is_straight() {
        return None;
    }
    let n = series.x.len();
    let ones = vec![1.0; n];
    let line = |k: &NoiseModel| {
        k.fit(&series.x, &[&ones, &series.x], &series.rest, series.rounding).map(|f| f.likelihood)
    };
    let all = noise_models(series.span());
    let likeliest = all
        .iter()
        .max_by(|a, b| line(a).unwrap_or(f64::NEG_INFINITY).total_cmp(&line(b).unwrap_or(f64::NEG_INFINITY)))
        .copied();
    let noises: Vec<NoiseModel> = all.iter().copied().filter(NoiseModel::is_plain).chain(likeliest).collect();
    let best = |extra: Option<&[f64]>| -> f64 {
        let score = |k: &NoiseModel| match extra {
            None => line(k),
            Some(c) => {
                k.fit(&series.x, &[&ones, &series.x, c], &series.rest, series.rounding).map(|f| f.likelihood)
            }
        };
        noises.iter().filter_map(score).fold(f64::NEG_INFINITY, f64::max)
    };
    let straight = best(None);
    let mut top: Option<(f64, Change)> = None;
    for at in MIN_SIDE_POINTS..=n - MIN_SIDE_POINTS {
        let corner: Vec<f64> = series.x.iter().map(|v| (v - series.x[at - 1]).max(0.0)).collect();
        let shift: Vec<f64> = (0..n).map(|i| if i >= at { 1.0 } else { 0.0 }).collect();
        for (column, kind, first) in [(corner, ChangeKind::Rate, at - 1), (shift, ChangeKind::Level, at)] {
            let gain = best(Some(&column)) - straight;
            if gain > MIN_CHANGE_GAIN && top.is_none_or(|t| gain > t.0) {
                top = Some((gain, Change { at: first * width, kind }));
            }
        }
    }
    top.map(|t| t.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(n: u32, f: impl Fn(f64) -> f64) -> (Vec<f64>, Vec<f64>) {
        let x: Vec<f64> = (0..n).map(f64::from).collect();
        let y = x.iter().map(|&v| f(v) + 3.0 * (v * 2.3).sin() + 2.0 * (v * 7.1).cos()).collect();
        (x, y)
    }

    #[test]
    fn growth_sets_in() {
        let (x, y) = series(40, |v| 100.0 * (v - 20.0).max(0.0));
        let found = change(&x, &y);
        assert!(found.is_some_and(|c| c.kind == ChangeKind::Rate && c.at.abs_diff(20) <= 1), "{found:?}");
    }

    #[test]
    fn a_level_shift() {
        let (x, y) = series(40, |v| if v >= 12.0 { 5000.0 } else { 0.0 });
        assert_eq!(change(&x, &y), Some(Change { at: 12, kind: ChangeKind::Level }));
    }

    #[test]
    fn a_line_has_none() {
        let (x, y) = series(40, |v| 50.0 * v);
        assert_eq!(changepoint(&x, &y), None);
        assert_eq!(changepoint(&x, &[7.0; 40]), None);
        assert_eq!(changepoint(&[1.0, 2.0], &[1.0, 9.0]), None);
    }

    #[test]
    fn a_long_series_is_searched_too() {
        let (x, y) = series(5000, |v| 10.0 * (v - 2000.0).max(0.0));
        assert!(changepoint(&x, &y).is_some_and(|at| at.abs_diff(2000) <= 40));
    }
}

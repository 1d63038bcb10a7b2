//! Prepares a series for fitting: equal length, strictly increasing, centred, without its straight part.
//!
//! In: cycles and bytes from the caller. Out: offsets small enough that sums of squares keep their digits
//! even for terabytes. The fitting code adds the removed slope again.

use crate::order::median_in_place;

/// A checked series, with the line through its end points removed.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// Cycles since the first point, in units of the median gap.
    pub x: Vec<f64>,
    /// Bytes above the line through the end points.
    pub rest: Vec<f64>,
    /// Slope of that line, bytes per unit of `x`.
    pub base: f64,
    /// Cycles in one unit of `x`.
    pub gap: f64,
    /// Differences in bytes below this are rounding.
    pub rounding: f64,
}

impl Series {
    /// `None` unless there are at least `min_points` points and `x` increases strictly.
    pub(crate) fn new(x: &[f64], y: &[f64], min_points: usize) -> Option<Self> {
        let n = x.len();
        if n != y.len() || n < min_points.max(2) || x.windows(2).any(|w| w[1] <= w[0]) {
            return None;
        }
        if x.iter().chain(y).any(|v| !v.is_finite()) {
            return None;
        }
        let gap = median_in_place(&mut x.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>())?;
        let units: Vec<f64> = x.iter().map(|v| (v - x[0]) / gap).collect();
        let base = (y[n - 1] - y[0]) / units[n - 1];
        let rest = units.iter().zip(y).map(|(u, v)| (v - y[0]) - base * u).collect();
        let largest = y.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        Some(Self { x: units, rest, base, gap, rounding: largest * 1e-13 })
    }

    /// Whether all points lie on the line through the end points, up to rounding.
    pub(crate) fn is_straight(&self) -> bool {
        self.rest.iter().all(|v| v.abs() <= self.rounding)
    }

    /// The distance between the first and the last point, in units of `x`.
    pub(crate) fn span(&self) -> f64 {
        self.x[self.x.len() - 1]
    }
}

/// At most `max_points` points of a longer series: means of neighbours, in order.
pub(crate) fn thin(x: &[f64], y: &[f64], max_points: usize) -> (Vec<f64>, Vec<f64>) {
    let width = x.len().div_ceil(max_points.max(1)).max(1);
    let mean = |values: &[f64]| -> Vec<f64> {
        values
            .chunks(width)
            .map(|c| {
                let first = c[0];
                first + c.iter().map(|v| v - first).sum::<f64>() / c.len() as f64
            })
            .collect()
    };
    (mean(x), mean(y))
}

//! Increments that stand out from the rest (steps, drops, spikes), and whether they are isolated.
//!
//! In: a series. Out: the increments that stand out, their sizes, and the series without them. A few jumps
//! are separate events (a checkpoint, a second data set); many are how the series moves, and stay in it.

use crate::order::{median, median_in_place};

/// Robust standard deviations from the usual increment that make a jump.
const MIN_JUMP_DEVIATIONS: f64 = 8.0;
/// Up to this many jumps are isolated events.
const MAX_ISOLATED_JUMPS: usize = 3;
/// A jump and its return cancel if they differ by less than this share.
const MAX_CANCEL_RATIO: f64 = 0.25;

/// One increment that stands out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Jump {
    /// Index of the first point after it.
    pub at: usize,
    /// Bytes beyond the usual increment; negative for a drop.
    pub size: f64,
}

/// The jumps of a series.
#[derive(Debug, Clone, Default)]
pub(crate) struct Jumps {
    /// Jumps up that stayed.
    pub ups: Vec<Jump>,
    /// Jumps down that stayed.
    pub downs: Vec<Jump>,
    /// Jumps that a later jump undid, and those later jumps.
    pub transient: Vec<Jump>,
}

impl Jumps {
    /// Finds the jumps. Series of fewer than 8 points have none: they have too few other increments.
    pub(crate) fn find(x: &[f64], y: &[f64]) -> Self {
        let mut out = Self::default();
        if y.len() < 8 {
            return out;
        }
        let rates: Vec<f64> =
            x.windows(2).zip(y.windows(2)).map(|(x, y)| (y[1] - y[0]) / (x[1] - x[0])).collect();
        let Some(usual) = median(&rates) else { return out };
        let off: Vec<f64> =
            x.windows(2).zip(y.windows(2)).map(|(x, y)| (y[1] - y[0]) - usual * (x[1] - x[0])).collect();
        let Some(middle) = median_in_place(&mut off.iter().map(|v| v.abs()).collect::<Vec<_>>()) else {
            return out;
        };
        let largest = y.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        // The floor keeps rounding and near-exact series from having jumps.
        let limit = (MIN_JUMP_DEVIATIONS * 1.4826 * middle).max(0.5 * usual.abs()).max(largest * 1e-12);
        let mut open: Vec<Jump> = Vec::new();
        for (i, &size) in off.iter().enumerate().filter(|(_, v)| v.abs() > limit) {
            let jump = Jump { at: i + 1, size };
            let returns = open
                .iter()
                .rposition(|o| (o.size + size).abs() < MAX_CANCEL_RATIO * o.size.abs().max(size.abs()));
            if let Some(k) = returns {
                out.transient.push(open.remove(k));
                out.transient.push(jump);
            } else {
                open.push(jump);
            }
        }
        (out.ups, out.downs) = open.into_iter().partition(|j| j.size > 0.0);
        out
    }

    /// Whether the jumps are few enough, among `points` points, to be separate events.
    pub(crate) fn isolated(&self, points: usize) -> bool {
        let lasting = self.ups.len() + self.downs.len();
        let transient = self.transient.len() / 2;
        lasting.max(transient) <= MAX_ISOLATED_JUMPS && lasting + transient <= points / 5
    }

    /// Whether two or more jumps up are so alike that they may be the first of many.
    pub(crate) fn ups_alike(&self) -> bool {
        let sizes = self.ups.iter().map(|j| j.size);
        let (low, high) = sizes.fold((f64::INFINITY, 0.0_f64), |(l, h), s| (l.min(s), h.max(s)));
        self.ups.len() >= 2 && high <= 2.0 * low
    }

    /// The series with `jumps` replaced by the usual increment.
    pub(crate) fn without<'a>(y: &[f64], jumps: impl IntoIterator<Item = &'a Jump>) -> Vec<f64> {
        let mut out = y.to_vec();
        for jump in jumps {
            for level in &mut out[jump.at..] {
                *level -= jump.size;
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(n: u32, slope: f64) -> (Vec<f64>, Vec<f64>) {
        let x: Vec<f64> = (0..n).map(f64::from).collect();
        let y = x.iter().map(|v| slope * v + 5.0 * (v * 1.7).sin()).collect();
        (x, y)
    }

    #[test]
    fn one_step_is_found_and_removed() {
        let (x, clean) = ramp(20, 10.0);
        let mut y = clean.clone();
        y[7..].iter_mut().for_each(|v| *v += 5000.0);
        let jumps = Jumps::find(&x, &y);
        assert_eq!(jumps.ups.iter().map(|j| j.at).collect::<Vec<_>>(), [7]);
        assert!(jumps.downs.is_empty() && jumps.isolated(y.len()));
        let flat = Jumps::without(&y, &jumps.ups);
        assert!(flat.iter().zip(&clean).all(|(a, b)| (a - b).abs() < 15.0));
    }

    #[test]
    fn a_spike_passes() {
        let (x, mut y) = ramp(20, 10.0);
        y[11] += 5000.0;
        let jumps = Jumps::find(&x, &y);
        assert_eq!(jumps.transient.len(), 2);
        assert!(jumps.ups.is_empty() && jumps.downs.is_empty());
    }

    #[test]
    fn a_staircase_is_not_isolated() {
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|v| (v / 5.0).floor() * 1000.0).collect();
        let jumps = Jumps::find(&x, &y);
        assert_eq!(jumps.ups.len(), 7);
        assert!(!jumps.isolated(y.len()));
    }
}

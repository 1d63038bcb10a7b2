//! A line through peaks at several batches, if they lie on one.
//!
//! In: peaks by batch. Out: a [`Range`] at another batch. What must not happen here: a line drawn through points that
//! contradict it.
//!
//! The spread that a peak has from run to run is known from measurements (`docs/plan.md`), not from the points: three points
//! leave one degree of freedom, and say nothing of it.

use serde::Serialize;

/// The same run differs from itself by this much, whatever its batch (standard deviation): threads that start, pools that grow.
const FLOOR_BYTES: f64 = 8.0 * 1024.0 * 1024.0;
/// Beyond the points a peak was off by more, as one run in some is far above the others.
const FLOOR_BEYOND_BYTES: f64 = 20.0 * 1024.0 * 1024.0;
/// And by this part of what grows with the batch: operations end in another order.
const SPREAD_RATIO: f64 = 0.05;
/// Half of an interval, in standard deviations: 95 %.
const WIDTH_SIGMAS: f64 = 2.0;
/// The middle point may be off the line of the others by so many standard deviations.
const MAX_OFF_SIGMAS: f64 = 3.0;

/// A number of bytes with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Range {
    /// The best estimate.
    pub estimate: u64,
    /// The interval's lower end.
    pub low: u64,
    /// The interval's upper end.
    pub high: u64,
}

/// A line through peaks.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    batches: Vec<f64>,
    /// Bytes at no samples at all.
    pub constant: f64,
    /// Bytes per sample of the batch; never negative.
    pub slope: f64,
}

impl Line {
    /// The line through points of batch and bytes; none if they do not lie on a rising or flat one.
    pub fn through(points: &[(u64, u64)]) -> Option<Self> {
        let [(x1, y1), (x2, y2), (x3, y3)] = *points else { return None };
        if !(x1 < x2 && x2 < x3) {
            return None;
        }
        let xs = [x1, x2, x3].map(|batch| batch as f64);
        let ys = [y1, y2, y3].map(|bytes| bytes as f64);
        let mean = |values: &[f64; 3]| values.iter().sum::<f64>() / 3.0;
        let (x, y) = (mean(&xs), mean(&ys));
        let spread: f64 = xs.iter().map(|at| (at - x).powi(2)).sum();
        let slope = xs.iter().zip(ys).map(|(at, bytes)| (at - x) * (bytes - y)).sum::<f64>() / spread;
        let slope = slope.max(0.0);
        let line = Self { batches: xs.into(), constant: y - slope * x, slope };
        (line.is_straight(xs, ys) && line.does_not_fall(xs, ys)).then_some(line)
    }

    /// The line through two points of batch and bytes; none where the second is not to the right of the first.
    pub(crate) fn between((x1, y1): (u64, u64), (x2, y2): (u64, u64)) -> Option<Self> {
        let width = x2.checked_sub(x1).filter(|width| *width > 0)? as f64;
        let slope = y2.saturating_sub(y1) as f64 / width;
        let batches = vec![x1 as f64, x2 as f64];
        Some(Self { batches, constant: y2 as f64 - slope * x2 as f64, slope })
    }

    /// What is to be expected at a batch.
    pub fn at(&self, batch: u64) -> Range {
        let at = batch as f64;
        let estimate = (self.constant + self.slope * at).max(0.0);
        let half = WIDTH_SIGMAS * self.variance(at).sqrt();
        let bytes = |value: f64| value.max(0.0).round() as u64;
        Range { estimate: bytes(estimate), low: bytes(estimate - half), high: bytes(estimate + half) }
    }

    /// The standard deviation of one run's peak at a batch.
    fn sigma(&self, batch: f64) -> f64 {
        FLOOR_BYTES.hypot(self.spread(batch))
    }

    fn spread(&self, batch: f64) -> f64 {
        SPREAD_RATIO * self.slope * batch
    }

    /// Of a new run around the line: its own, and what the line has of its points'.
    fn variance(&self, at: f64) -> f64 {
        let count = self.batches.len() as f64;
        let mean = self.batches.iter().sum::<f64>() / count;
        let spread: f64 = self.batches.iter().map(|batch| (batch - mean).powi(2)).sum();
        let sigma = |batch: f64| FLOOR_BEYOND_BYTES.hypot(self.spread(batch));
        let weight = |batch: f64| 1.0 / count + (at - mean) * (batch - mean) / spread;
        let of_line: f64 = self.batches.iter().map(|&batch| (weight(batch) * sigma(batch)).powi(2)).sum();
        of_line + sigma(at).powi(2)
    }

    /// The middle point lies where the outer two say.
    fn is_straight(&self, xs: [f64; 3], ys: [f64; 3]) -> bool {
        let [x1, x2, x3] = xs;
        let [y1, y2, y3] = ys;
        let share = (x2 - x1) / (x3 - x1);
        let off = y2 - (y1 + share * (y3 - y1));
        let sigma = (self.sigma(x2).powi(2)
            + ((1.0 - share) * self.sigma(x1)).powi(2)
            + (share * self.sigma(x3)).powi(2))
        .sqrt();
        off.abs() <= MAX_OFF_SIGMAS * sigma
    }

    /// A larger batch does not take less, but by chance.
    fn does_not_fall(&self, xs: [f64; 3], ys: [f64; 3]) -> bool {
        let ([x1, _, x3], [y1, _, y3]) = (xs, ys);
        y1 - y3 <= MAX_OFF_SIGMAS * self.sigma(x1).hypot(self.sigma(x3))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn line(peaks: [u64; 3]) -> Option<Line> {
        let points: Vec<_> = [32, 64, 128].into_iter().zip(peaks.map(|mib| mib * MIB)).collect();
        Line::through(&points)
    }

    #[test]
    fn points_on_a_line_say_what_comes_next() {
        let at = line([564, 628, 756]).unwrap().at(256);
        assert_eq!(at.estimate, 1012 * MIB);
        // Twice: twenty MiB at each point, and a twentieth of what grows.
        assert!((at.high - at.estimate).abs_diff(140 * MIB) < MIB, "{at:?}");
        assert_eq!(at.high - at.estimate, at.estimate - at.low);
    }

    #[test]
    fn what_does_not_grow_is_flat() {
        let at = line([788, 790, 776]).unwrap().at(256);
        assert!(at.estimate.abs_diff(785 * MIB) < MIB);
    }

    #[test]
    fn the_middle_may_be_off_by_chance_only() {
        assert!(line([564, 628 + 33, 756]).is_some());
        assert!(line([564, 628 + 40, 756]).is_none());
        assert!(line([564, 628 - 40, 756]).is_none());
    }

    #[test]
    fn what_falls_is_no_line() {
        assert!(line([700, 683, 668]).is_some());
        assert!(line([700, 665, 660]).is_none());
    }

    #[test]
    fn two_points_are_no_line() {
        assert!(Line::through(&[(32, MIB), (64, MIB)]).is_none());
        assert!(Line::through(&[(4, MIB), (4, MIB), (8, MIB)]).is_none());
    }
}

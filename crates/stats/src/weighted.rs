//! Bytes per cycle from samples: an estimate and its interval.
//!
//! In: for each cycle, the bytes that the surviving samples stand for, and their variance. Out: bytes per
//! cycle with a 95 % interval. The interval covers both what sampling may have missed and how much cycles
//! differ. It works from three samples on, where a normal interval would reach below zero. It is exact if
//! every block was sampled with certainty.

use crate::Interval;
use crate::student::student_quantile;

/// The samples of one cycle, or of a few cycles together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sampled {
    /// Number of cycles.
    pub cycles: f64,
    /// Bytes: the sum of the samples' weights.
    pub bytes: f64,
    /// Variance of that sum, in bytes squared.
    pub variance: f64,
    /// The largest weight that one missed sample could have added, in bytes.
    pub missed: f64,
}

impl Sampled {
    /// Adds a sample that stands for `weight` bytes and was drawn with this probability.
    pub fn add(&mut self, weight: f64, probability: f64) {
        let unseen = (1.0 - probability).clamp(0.0, 1.0);
        self.bytes += weight;
        self.variance += weight * weight * unseen;
        self.missed = self.missed.max(weight * unseen);
    }
}

/// The quantile of the upper end: each tail holds 2.5 %.
const UPPER_QUANTILE: f64 = 0.975;
/// The standard normal quantile at that level.
const NORMAL_Z: f64 = 1.959_963_985;

/// Bytes per cycle. `None` without any sample, or for fewer than two groups of cycles.
///
/// The sum of weights is modelled as a scaled Poisson count with the same mean and variance; its limits are
/// gamma quantiles. The upper limit allows for one more sample. If cycles differ by more than sampling
/// explains, the excess gets the width of Student's distribution, because it was estimated from few cycles.
pub fn weighted_rate(groups: &[Sampled]) -> Option<Interval> {
    let cycles: f64 = groups.iter().map(|s| s.cycles).sum();
    let bytes: f64 = groups.iter().map(|s| s.bytes).sum();
    if groups.len() < 2 || cycles <= 0.0 || bytes <= 0.0 {
        return None;
    }
    let rate = bytes / cycles;
    let by_sampling: f64 = groups.iter().map(|s| s.variance).sum();
    let count = groups.len() as f64;
    let squares: f64 = groups.iter().map(|s| (s.bytes - rate * s.cycles).powi(2)).sum();
    let by_cycles = squares * count / (count - 1.0);
    let width = student_quantile(UPPER_QUANTILE, count - 1.0) / NORMAL_Z;
    let variance = by_sampling + (by_cycles - by_sampling).max(0.0) * width * width;
    let missed = groups.iter().map(|s| s.missed).fold(0.0, f64::max);
    Some(Interval {
        estimate: rate,
        low: gamma_limit(bytes, variance, -NORMAL_Z) / cycles,
        high: gamma_limit(bytes + missed, variance + missed * missed, NORMAL_Z) / cycles,
    })
}

/// The quantile of a gamma distribution with this mean and variance, `z` normal deviations out, by Wilson and
/// Hilferty's cube root.
fn gamma_limit(mean: f64, variance: f64, z: f64) -> f64 {
    if variance <= 0.0 {
        return mean;
    }
    let ninth = variance / (mean * mean * 9.0);
    mean * (1.0 - ninth + z * ninth.sqrt()).max(0.0).powi(3)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics fails")]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_are_always_sampled_are_exact() {
        let cycle = || {
            let mut s = Sampled { cycles: 1.0, ..Sampled::default() };
            s.add(8e6, 1.0);
            s
        };
        let rate = weighted_rate(&[cycle(), cycle(), cycle()]).unwrap();
        assert!((rate.low - 8e6).abs() < 1.0 && (rate.high - 8e6).abs() < 1.0, "{rate:?}");
    }

    #[test]
    fn cycles_that_differ_widen_the_interval() {
        let cycle = |bytes| Sampled { cycles: 1.0, bytes, ..Sampled::default() };
        let steady = weighted_rate(&[cycle(10.0), cycle(11.0), cycle(9.0), cycle(10.0)]).unwrap();
        let wild = weighted_rate(&[cycle(1.0), cycle(19.0), cycle(2.0), cycle(18.0)]).unwrap();
        assert!(wild.high - wild.low > 4.0 * (steady.high - steady.low), "{steady:?} {wild:?}");
        assert!(wild.low >= 0.0);
    }

    #[test]
    fn nothing_seen_has_no_rate() {
        assert_eq!(weighted_rate(&[]), None);
        assert_eq!(weighted_rate(&[Sampled { cycles: 1.0, ..Sampled::default() }; 4]), None);
    }
}

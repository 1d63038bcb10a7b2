//! The mean rate of replicates: lives of one kind of process, each of which had a rate of its own.
//!
//! In: the rate of each, and the cycles that it was measured over. Out: the mean with its 95 % interval. The interval comes from how much
//! the replicates differ, whatever makes them differ; what all of them have in common (a start-up that each one makes) does not widen it.

use crate::Interval;
use crate::student::student_quantile;

/// One replicate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replicate {
    /// Bytes per cycle.
    pub rate: f64,
    /// Cycles that it was measured over: its weight.
    pub cycles: f64,
}

/// The quantile of the upper end: each tail holds 2.5 %.
const UPPER_QUANTILE: f64 = 0.975;

/// Bytes per cycle of all together. `None` for fewer than two, or without cycles.
pub fn mean_rate(replicates: &[Replicate]) -> Option<Interval> {
    let cycles: f64 = replicates.iter().map(|one| one.cycles).sum();
    let count = replicates.len() as f64;
    if replicates.len() < 2 || cycles <= 0.0 {
        return None;
    }
    let rate = replicates.iter().map(|one| one.rate * one.cycles).sum::<f64>() / cycles;
    let squares: f64 = replicates.iter().map(|one| ((one.rate - rate) * one.cycles).powi(2)).sum();
    let error = (squares * count / (count - 1.0)).sqrt() / cycles;
    let width = student_quantile(UPPER_QUANTILE, count - 1.0) * error;
    Some(Interval { estimate: rate, low: rate - width, high: rate + width })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics fails")]
mod tests {
    use super::*;

    fn of(rates: &[f64]) -> Option<Interval> {
        mean_rate(&rates.iter().map(|rate| Replicate { rate: *rate, cycles: 50.0 }).collect::<Vec<_>>())
    }

    #[test]
    fn of_equal_weights_it_is_students_interval() {
        let mean = of(&[90.0, 110.0, 100.0]).unwrap();
        // Three values, deviation 10, standard error 5.77, t(2) = 4.303.
        assert!((mean.estimate - 100.0).abs() < 1e-9);
        assert!((mean.high - 124.84).abs() < 0.01, "{mean:?}");
        assert!((mean.low - 75.16).abs() < 0.01, "{mean:?}");
    }

    #[test]
    fn more_replicates_narrow_it() {
        let few = of(&[80.0, 120.0, 80.0, 120.0]).unwrap();
        let many = of(&[80.0, 120.0].repeat(32)).unwrap();
        assert!(many.half_width() < few.half_width() / 4.0);
    }

    #[test]
    fn a_short_one_counts_for_little() {
        let [long, short] =
            [Replicate { rate: 10.0, cycles: 990.0 }, Replicate { rate: 510.0, cycles: 10.0 }];
        assert!((mean_rate(&[long, short]).unwrap().estimate - 15.0).abs() < 1e-9);
    }

    #[test]
    fn one_has_no_interval() {
        assert_eq!((of(&[1.0]), of(&[])), (None, None));
        assert_eq!(mean_rate(&[Replicate { rate: 1.0, cycles: 0.0 }; 3]), None);
    }
}

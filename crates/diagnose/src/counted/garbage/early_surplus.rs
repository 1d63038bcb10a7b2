//! A rise that ended: what live memory rose by beyond its late pace, somewhere between two points.
//!
//! In: points, and which of them came right after a full collection. Out: bytes. What must not happen here: the filling of a list taken for
//! growth of every cycle, because it lies between two collections; a leak of uneven steps taken for a filling.

use crate::cycles::Point;
use crate::numbers::{MIN_POINTS, THIRD};

/// Steps from point to point without a full collection: the later ordinal, the cycles and the bytes.
fn quiet_steps(points: &[Point], collected: &[Point]) -> Vec<(u64, f64, f64)> {
    let is_quiet = |w: &&[Point]| collected.iter().all(|trough| trough.ordinal != w[1].ordinal);
    let step = |w: &[Point]| (w[1].ordinal, (w[1].ordinal - w[0].ordinal) as f64, w[1].level - w[0].level);
    points.windows(2).filter(is_quiet).map(step).collect()
}

/// The most that memory was ahead of its late pace between `from` and `to`; at least 0. The late pace is the mean of the last third, as steps
/// may be uneven. Collections are left out: what they free is no part of either pace.
pub(super) fn early_surplus(points: &[Point], collected: &[Point], from: &Point, to: &Point) -> f64 {
    let steps = quiet_steps(points, collected);
    let late = ((steps.len() as f64 * THIRD) as usize).max(MIN_POINTS);
    let Some(late) = steps.len().checked_sub(late).and_then(|at| steps.get(at..)) else { return 0.0 };
    let pace = late.iter().map(|s| s.2).sum::<f64>() / late.iter().map(|s| s.1).sum::<f64>().max(1.0);
    let within = steps.iter().filter(|step| step.0 > from.ordinal && step.0 <= to.ordinal);
    let ahead = within.scan(0.0, |sum, (_, cycles, bytes)| {
        *sum += bytes - pace * cycles;
        Some(*sum)
    });
    ahead.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels in KiB from the first cycle on, and the surplus of all of them.
    fn surplus(levels: &[f64], collected: &[usize]) -> i64 {
        let point = |(at, level): (usize, &f64)| Point {
            ordinal: at as u64 + 1,
            at_ns: at as u64,
            level: *level,
            reading: 0,
        };
        let points: Vec<Point> = levels.iter().enumerate().map(point).collect();
        let troughs: Vec<Point> = collected.iter().map(|at| points[*at].clone()).collect();
        early_surplus(&points, &troughs, &points[0], &points[points.len() - 1]).round() as i64
    }

    #[test]
    fn a_filling_that_ended_is_ahead_and_a_steady_rise_is_not() {
        let garbage = |cycle: usize| 160.0 * cycle as f64;
        let fills: Vec<f64> = (0..30).map(|at| garbage(at) + 500.0 * at.min(10) as f64).collect();
        assert_eq!(surplus(&fills, &[]), 5000);
        let steady: Vec<f64> = (0..30).map(|at| garbage(at) + 500.0 * at as f64).collect();
        assert_eq!(surplus(&steady, &[]), 0);
    }

    #[test]
    fn what_a_collection_frees_is_no_part_of_it() {
        let after = |at: usize| if at >= 15 { 2400.0 } else { 0.0 };
        let fills: Vec<f64> = (0..30).map(|at| 660.0 * at.min(10) as f64 - after(at)).collect();
        assert_eq!(surplus(&fills, &[15]), 6600);
    }

    #[test]
    fn uneven_steps_are_a_pace_and_few_points_are_none() {
        let uneven: Vec<f64> = (0..30).map(|at| 900.0 * f64::from(at / 3)).collect();
        assert!(surplus(&uneven, &[]) <= 900, "{}", surplus(&uneven, &[]));
        assert_eq!(surplus(&[0.0, 500.0, 500.0, 500.0], &[]), 0);
    }
}

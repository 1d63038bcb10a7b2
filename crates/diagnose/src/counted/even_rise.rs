//! The rise that each cycle brought, in a run that is one cycle too short for the counters.
//!
//! In: the points after start-up. Out: bytes per cycle, or nothing. What must not happen here: a rise that slows, pauses or is small.

use crate::numbers::{MIN_POINTS, THIRD};
use nilometer_stats::Interval;

use super::garbage::rising;
use crate::cycles::{Cycles, Point};

/// Points after start-up that suffice.
const MIN_EVEN_POINTS: usize = MIN_POINTS - 1;
/// Each step between them is the usual one within this share.
const MAX_UNEVEN_STEP_RATIO: f64 = THIRD;

/// The rise per cycle that is in every step of these points after start-up, if they are just enough.
pub(super) fn even_rise(cycles: &Cycles, points: &[Point]) -> Option<Interval> {
    if points.len() < MIN_EVEN_POINTS || !cycles.unit.repeats() {
        return None;
    }
    let steps = points
        .windows(2)
        .map(|w| (w[1].level - w[0].level) / w[1].ordinal.saturating_sub(w[0].ordinal).max(1) as f64);
    let usual = rising(points);
    let (low, high) =
        steps.fold((f64::INFINITY, 0.0_f64), |(low, high), step| (low.min(step), high.max(step)));
    let (first, last) = (points.first()?, points.last()?);
    let rise = last.level - first.level;
    let estimate = rise / last.ordinal.saturating_sub(first.ordinal).max(1) as f64;
    let even = low >= (1.0 - MAX_UNEVEN_STEP_RATIO) * usual && high <= (1.0 + MAX_UNEVEN_STEP_RATIO) * usual;
    (even && low > cycles.floor() && rise > cycles.unit.min_rise()).then_some(Interval {
        estimate,
        low,
        high,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Unit;
    use nilometer_capture::CycleUnit;

    fn rise(steps: &[f64]) -> Option<Interval> {
        let mut level = 1e8;
        let point = |(at, step): (usize, &f64)| {
            level += step * 1024.0;
            Point { ordinal: at as u64 + 3, at_ns: at as u64, level, reading: at }
        };
        let points: Vec<Point> = std::iter::once(&0.0).chain(steps).enumerate().map(point).collect();
        let cycles = Cycles {
            unit: Unit::Marked(CycleUnit::Epoch),
            count: points.len() as u64 + 2,
            points: Vec::new(),
            ends: Vec::new(),
            seconds: None,
            window_ends: Vec::new(),
            how: String::new(),
            unread: None,
            is_by_mix: false,
        };
        even_rise(&cycles, &points)
    }

    #[test]
    fn four_like_steps_are_a_rise() {
        let found = rise(&[1000.0, 1010.0, 990.0, 1004.0]).map(|rate| rate.estimate.round());
        assert_eq!(found, Some(1001.0 * 1024.0));
    }

    #[test]
    fn what_slows_pauses_or_is_short_is_none() {
        assert_eq!(rise(&[1000.0, 1000.0, 1000.0]), None);
        assert_eq!(rise(&[1000.0, 1000.0, 1000.0, 0.0]), None);
        assert_eq!(rise(&[1000.0, 800.0, 600.0, 400.0]), None);
        assert_eq!(rise(&[10.0, 10.0, 10.0, 10.0]), None);
    }
}

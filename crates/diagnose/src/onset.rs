//! Where in a series the part begins that speaks for the future: growth may begin late, or end.
//!
//! In: points after start-up. Out: an index. What must not happen here: a leak taken for one that ended, because a collection
//! in its late part makes many rates possible.

use nilometer_stats::{ChangeKind, Interval, change, growth};

use crate::collector::series;
use crate::cycles::Point;
use crate::judge::{LEAST_FILLING, LEAST_POINTS};

/// Where the part begins that speaks for the future, and how much the part before it rose if growth ended there.
pub(crate) fn growing_part(points: &[Point], floor: f64) -> (usize, Option<f64>) {
    let (x, y) = series(points);
    let Some(found) = change(&x, &y) else { return (0, None) };
    if found.kind != ChangeKind::Rate || points.len() - found.at < LEAST_POINTS {
        return (0, None);
    }
    let late = growth(&x[found.at..], &y[found.at..]);
    let early = growth(&x[..=found.at], &y[..=found.at]);
    let grows = |rate: &Option<Interval>| rate.is_some_and(|r| r.low > floor);
    let rise = y[found.at] - y[0];
    match (grows(&early), grows(&late)) {
        // It began late, or the rate changed: the late part says what is to come.
        (false, true) => (found.at, None),
        // It ended if the rate before is not among those that are possible since; a collection alone makes them many.
        (true, false) if rise > LEAST_FILLING && late_is_less(early, late) => (found.at, Some(rise)),
        _ => (0, None),
    }
}

/// Whether the rate before is above all that are possible since.
fn late_is_less(early: Option<Interval>, late: Option<Interval>) -> bool {
    early.zip(late).is_some_and(|(early, late)| late.high < early.estimate)
}

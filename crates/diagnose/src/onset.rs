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
        (false, true) if is_below(early, late.map_or(0.0, |r| r.low)) => (found.at, None),
        // It ended. A small rise is none that need be told.
        (true, false) if is_below(late, early.map_or(0.0, |r| r.estimate)) => {
            (found.at, Some(rise).filter(|r| *r > LEAST_FILLING))
        }
        _ => (0, None),
    }
}

/// Whether all that a rate may be is below this; a collection alone makes many rates possible.
fn is_below(rate: Option<Interval>, limit: f64) -> bool {
    rate.is_some_and(|rate| rate.high < limit)
}

//! What garbage weighs in this program, by the collections that were seen.
//!
//! In: the points of a series, with the objects that had been collected at each. Out: bytes per object. What must not happen here: a
//! weight from a collection of a few objects, whose drop drowns in what else the cycle did.

use crate::counted::garbage::at_exit::ExitCollection;
use crate::counted::garbage::rising;
use crate::cycles::Point;
use crate::timeline::Timeline;

/// Bytes that a collected object weighed, with all it kept: in collections within the points, and at exit.
pub(crate) fn most(timeline: &Timeline, points: &[Point], exit: Option<ExitCollection>) -> f64 {
    let at_exit = exit.and_then(ExitCollection::weight);
    seen(timeline, points).chain(at_exit).fold(0.0, f64::max)
}

/// What an object weighed in the collections within the points: more than that in as many as less.
pub(crate) fn usual(timeline: &Timeline, points: &[Point]) -> Option<f64> {
    let mut all: Vec<f64> = seen(timeline, points).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

/// What an object weighed in each collection within the points.
pub(crate) fn seen(timeline: &Timeline, points: &[Point]) -> impl Iterator<Item = f64> {
    let collected = |p: &Point| timeline.readings[p.reading].counters.gc_collected.unwrap_or(0);
    let step = rising(points).max(0.0);
    points.windows(2).filter_map(move |w| {
        let objects = collected(&w[1]).saturating_sub(collected(&w[0])) as f64;
        let freed = w[0].level + step * (w[1].ordinal - w[0].ordinal) as f64 - w[1].level;
        // Small collections say little: their drop drowns in what else the cycle did.
        (objects >= 100.0 && freed > 0.0).then(|| freed / objects)
    })
}

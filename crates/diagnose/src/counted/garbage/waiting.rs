//! How much can be kept at most where looks told the garbage that waits for the collector.
//!
//! In: points, what looks among young objects saw. Out: an upper limit of what stays per cycle. What must not happen here: garbage that
//! was there before the span taken for garbage of the span.
//!
//! A look tells the garbage behind a mark, and follows a reading at once. Between two looks behind one mark live memory rose by what is
//! kept, and by what that garbage grew. The span ends at the later look. Or it ends at the last point: what of the garbage is old is in
//! that level too, as only a full collection frees it. Python shows the least of its bytes: what C++ objects keep is not among them.

use std::collections::BTreeMap;

use nilometer_capture::Moment;

use super::{MIN_COVERED_RATIO, MIN_SPAN_CYCLES, jitter, troughs};
use crate::cycles::Point;
use crate::numbers::TENTH;
use crate::timeline::{Reading, Timeline, Waiting};

/// A look speaks for the cycles after it if these are no more than such a part of its span.
const MAX_UNSEEN_RATIO: f64 = TENTH;

/// What stays per cycle at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// If nothing else is garbage than the bytes that looks saw.
    pub(super) surely: f64,
    /// If its objects keep as much more as those did that collections freed; never above `surely`.
    pub(super) likely: f64,
}

/// A look, and the cycle and the level of the reading just before it.
#[derive(Clone, Copy)]
struct Look<'a> {
    seen: &'a Waiting,
    ordinal: u64,
    reading: &'a Reading,
    level: f64,
}

/// The lowest limits that two looks behind one mark say; an object that a collection frees usually weighs `weight` bytes with all it keeps.
/// `None` without looks that speak for enough of the points.
pub(super) fn kept_at_most(
    timeline: &Timeline,
    before: Option<&Point>,
    points: &[Point],
    weight: f64,
) -> Option<Limits> {
    let (first, last) = (points.first()?, points.last()?);
    let swing = 2.0 * jitter(points, &troughs(timeline, before, points, 1));
    let needed = MIN_SPAN_CYCLES.max(MIN_COVERED_RATIO * cycles(first.ordinal, last.ordinal));
    let looks = timeline.waiting.iter().filter_map(|seen| look(timeline, seen, last));
    let mut earliest: BTreeMap<u64, Look> = BTreeMap::new();
    let limits = looks.filter(|look| look.ordinal >= first.ordinal).filter_map(|later| {
        let earlier = *earliest.entry(later.seen.behind_ns).or_insert(later);
        let bytes = later.seen.garbage_bytes - earlier.seen.garbage_bytes;
        let by_weight = weight * (later.seen.garbage_objects - earlier.seen.garbage_objects);
        let at_most = |(ordinal, level, young): (u64, f64, f64)| {
            let span = cycles(earlier.ordinal, ordinal);
            let without = |garbage: f64| ((level - earlier.level + swing - garbage) / span).max(0.0);
            let surely = without(bytes - young);
            (span >= needed).then(|| Limits { surely, likely: surely.min(without(by_weight - young)) })
        };
        [at_the_look(&earlier, &later, last), at_the_end(timeline, &later, last)]
            .into_iter()
            .flatten()
            .filter_map(at_most)
            .reduce(lower)
    });
    limits.reduce(lower)
}

fn lower(a: Limits, b: Limits) -> Limits {
    Limits { surely: a.surely.min(b.surely), likely: a.likely.min(b.likely) }
}

/// A look after the end of a cycle of the unit of the points.
fn look<'a>(timeline: &'a Timeline, seen: &'a Waiting, last: &Point) -> Option<Look<'a>> {
    let at = timeline.readings.partition_point(|r| r.at_ns <= seen.at_ns).checked_sub(1)?;
    let reading = timeline.readings.get(at)?;
    let unit =
        |moment| if let Moment::Cycle { unit, ordinal } = moment { Some((unit, ordinal)) } else { None };
    let (of, ordinal) = unit(reading.moment)?;
    let (of_points, _) = unit(timeline.readings.get(last.reading)?.moment)?;
    (of == of_points).then_some(Look { seen, ordinal, reading, level: reading.live? })
}

/// Where the span ends, the level there, and what of the garbage is not in it. `None` where too many cycles came after the look.
fn at_the_look(earlier: &Look, later: &Look, last: &Point) -> Option<(u64, f64, f64)> {
    let unseen = cycles(later.ordinal, last.ordinal);
    let speaks = unseen <= MAX_UNSEEN_RATIO * cycles(earlier.ordinal, later.ordinal);
    speaks.then_some((later.ordinal, later.level, 0.0))
}

/// The same at the last point: young garbage may be gone there. `None` where a full collection has freed all.
fn at_the_end(timeline: &Timeline, later: &Look, last: &Point) -> Option<(u64, f64, f64)> {
    let end = timeline.readings.get(last.reading)?;
    let full = |reading: &Reading| reading.counters.gc2;
    let waits =
        later.ordinal <= last.ordinal && full(later.reading).is_some() && full(later.reading) == full(end);
    waits.then_some((last.ordinal, last.level, later.seen.young_bytes))
}

fn cycles(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64
}

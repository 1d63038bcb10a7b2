//! How much can be kept at most where looks told the garbage that waits for the collector.
//!
//! In: points, what looks among young objects saw. Out: an upper limit of what stays per cycle. What must not happen here: garbage that
//! was there before the span taken for garbage of the span.
//!
//! A look tells the garbage behind a mark, and follows a reading at once. Between two looks behind one mark live memory rose by what is
//! kept, and by what that garbage grew. The span ends at the later look. Or it ends at the last point: what of the garbage is old is in
//! that level too, as only a full collection frees it. Python shows the least of its bytes: what C++ objects keep is not among them. So the
//! young garbage of the earlier look, which may be gone by then, counts with the most that an object of this program was seen to weigh.

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

/// What an object that a collection frees weighs in this program, with all it keeps. Bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    pub(super) usual: f64,
    pub(super) most: f64,
}

/// The lowest limits that two looks behind one mark say.
/// `None` without looks that speak for enough of the points.
pub(super) fn kept_at_most(
    timeline: &Timeline,
    before: Option<&Point>,
    points: &[Point],
    weights: Weights,
) -> Option<Limits> {
    let (first, last) = (points.first()?, points.last()?);
    let swing = 2.0 * jitter(points, &troughs(timeline, before, points, 1));
    let needed = MIN_SPAN_CYCLES.max(MIN_COVERED_RATIO * cycles(first.ordinal, last.ordinal));
    let looks = timeline.waiting.iter().filter_map(|seen| look(timeline, seen, last));
    let mut earliest: BTreeMap<u64, Look> = BTreeMap::new();
    let limits = looks.filter(|look| look.ordinal >= first.ordinal).filter_map(|later| {
        let earlier = *earliest.entry(later.seen.behind_ns).or_insert(later);
        let bytes = later.seen.garbage_bytes - earlier.seen.garbage_bytes;
        let by_weight = weights.usual * (later.seen.garbage_objects - earlier.seen.garbage_objects);
        let at_most = |end: End| {
            let span = cycles(earlier.ordinal, end.ordinal);
            let rise = end.reading.live? - earlier.level + swing;
            let without = |garbage: f64| ((rise - garbage) / span).max(0.0);
            let surely = without(bytes - end.young - earlier.freed_unseen(end.reading, weights.most));
            (span >= needed).then(|| Limits { surely, likely: surely.min(without(by_weight - end.young)) })
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

impl Look<'_> {
    /// What a collection until that reading may have freed beyond the bytes that this look saw.
    fn freed_unseen(&self, until: &Reading, most: f64) -> f64 {
        let collected = |reading: &Reading| reading.counters.gc_collected;
        let Waiting { garbage_bytes, young_bytes, garbage_objects, .. } = *self.seen;
        if garbage_bytes <= 0.0 || collected(self.reading) == collected(until) {
            return 0.0;
        }
        let young_objects = garbage_objects * young_bytes / garbage_bytes;
        (most * young_objects - young_bytes).max(0.0)
    }
}

/// Where a span ends, and what of the later look's garbage may be gone there.
struct End<'a> {
    ordinal: u64,
    reading: &'a Reading,
    young: f64,
}

/// At the later look. `None` where too many cycles came after it.
fn at_the_look<'a>(earlier: &Look, later: &Look<'a>, last: &Point) -> Option<End<'a>> {
    let unseen = cycles(later.ordinal, last.ordinal);
    let speaks = unseen <= MAX_UNSEEN_RATIO * cycles(earlier.ordinal, later.ordinal);
    speaks.then_some(End { ordinal: later.ordinal, reading: later.reading, young: 0.0 })
}

/// The same at the last point: young garbage may be gone there. `None` where a full collection has freed all.
fn at_the_end<'a>(timeline: &'a Timeline, later: &Look, last: &Point) -> Option<End<'a>> {
    let end = timeline.readings.get(last.reading)?;
    let full = |reading: &Reading| reading.counters.gc2;
    let waits =
        later.ordinal <= last.ordinal && full(later.reading).is_some() && full(later.reading) == full(end);
    waits.then_some(End { ordinal: last.ordinal, reading: end, young: later.seen.young_bytes })
}

fn cycles(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64
}

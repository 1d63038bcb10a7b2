//! What Python's collector has to do with a growth: how much of it may be garbage that nobody has collected yet.
//!
//! In: the points of a series, their counters, and what the collection at exit freed. Out: the growth without
//! garbage, as an interval. What must not happen here: garbage taken for a leak. Reference cycles wait until the
//! collector looks at their generation; in a TensorFlow process a full collection may come only after a hundred
//! epochs. Until then a healthy `predict` per epoch looks like a leak of 160 KiB per epoch.
//!
//! The evidence, strongest first:
//! * Two full collections in the series: what is live just after each is no garbage. Growth from trough to trough
//!   is exact.
//! * The full collection that Python makes while it exits, after the program's own code has ended: what it frees is
//!   all the garbage there was (and, where functions have returned, perhaps more): an upper bound.
//! * A look among young objects that tells garbage which was made within the series: what is kept grows by that much less. A lower
//!   bound of the garbage.
//! * Otherwise the number of container objects made: garbage needs containers to hang on. What collections freed per
//!   object so far, in this very program, is what garbage weighs here; frameworks' own weighs 200 to 300 bytes with all
//!   it keeps, a user's own cycles around arrays may weigh megabytes. Before any collection, [`MAX_OBJECT_BYTES`].

pub(crate) mod at_exit;
mod early_surplus;
mod post_collection_bound;
pub(crate) mod sawtooth;
mod uncollected_blocks;
mod waiting;
mod weight;

use crate::numbers::{HEAVY_BYTES, MIN_GARBAGE_OBJECT_BYTES, SEVERAL, THIRD};
use nilometer_capture::Moment;
use nilometer_stats::{Interval, growth};

use crate::cycles::Point;
use crate::timeline::{Reading, Timeline};
use at_exit::ExitCollection;
use early_surplus::early_surplus;
use post_collection_bound::{Limit, limit};
use sawtooth::without_sawtooth;
use uncollected_blocks::Leftover;

/// Bytes of garbage per container object that are plausible at most.
const MAX_OBJECT_BYTES: f64 = HEAVY_BYTES;
/// Garbage to come may weigh so many times more than the garbage that was seen.
const WEIGHT_MARGIN: f64 = SEVERAL as f64;
/// Troughs must cover this share of the series to speak for it, and at least so many cycles.
const MIN_COVERED_RATIO: f64 = THIRD;
const MIN_SPAN_CYCLES: f64 = SEVERAL as f64;

/// Growth with the garbage taken out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Net {
    pub(crate) rate: Interval,
    /// With the garbage that nobody has looked at yet.
    pub(crate) gross: Interval,
    /// Upper end if what usually is garbage is garbage; never above that of `rate`.
    pub(crate) likely_high: f64,
    /// What memory that is no garbage rose by at the least, per cycle; it may have been once, or in the first cycles only.
    pub(crate) kept: f64,
    /// The same as the last full collection left it, where one was within the series; 0 without. Two levels tell it, and may differ by
    /// what was in use.
    pub(crate) outlived: f64,
    /// Bytes per cycle that collections take back.
    pub(crate) sawtooth: f64,
    /// Whether the collector has looked at all of it: no garbage is left in the interval.
    pub(crate) examined: bool,
}

impl Net {
    /// No more than so much stays of each cycle.
    fn limit(&mut self, at_most: waiting::Limits) {
        let Interval { estimate, low, high } = &mut self.rate;
        for end in [estimate, low, high, &mut self.likely_high, &mut self.kept, &mut self.outlived] {
            *end = end.min(at_most.surely);
        }
        self.likely_high = self.likely_high.min(at_most.likely);
    }
}

/// Where in a series the judged part begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The first of the points that speak for the future.
    pub(crate) since: usize,
    /// Where a filling began that had ended by then: what did not grow with it does not grow without it.
    pub(crate) filled_from: Option<usize>,
}

/// Growth over a part of the points.
pub(crate) fn net_growth(
    timeline: &Timeline,
    all: &[Point],
    part: Part,
    exit: Option<ExitCollection>,
) -> Option<Net> {
    let points = all.get(part.since..)?;
    let before = part.since.checked_sub(1).and_then(|at| all.get(at));
    let (x, y) = series(points);
    let plain = growth(&x, &y)?;
    if is_off(timeline, points) {
        // Nobody will ever look at it: what waits for a collection stays.
        return Some(Net {
            rate: plain,
            gross: plain,
            likely_high: plain.high,
            kept: plain.low,
            outlived: plain.estimate,
            sawtooth: 0.0,
            examined: true,
        });
    }
    let exit = exit.map(|exit| told_by(exit, timeline, points));
    let full = troughs(timeline, before, points, 2);
    if let Some(rate) = envelope(&full, points, &plain) {
        let sawtooth = rising(points) - rate.estimate;
        let (likely_high, kept, outlived) = (rate.high, rate.low, rate.estimate);
        return Some(Net { rate, gross: rate, likely_high, kept, outlived, sawtooth, examined: true });
    }
    let collected = troughs(timeline, before, points, 1);
    let limit = limit(timeline, all, part);
    let mut seen = envelope(&collected, points, &plain).unwrap_or(plain);
    if let Some(limit) = limit {
        // A limit below zero is noise: nothing shrinks for ever.
        seen.high = seen.high.min(limit.surely.max(0.0));
        seen.low = seen.low.min(seen.high);
        seen.estimate = seen.estimate.min(seen.high);
    }
    let Some(objects) = containers(timeline, points) else {
        // Nobody counted objects and no collection was seen: all of it may be garbage.
        let rate = Interval { estimate: seen.estimate, low: seen.low.min(0.0), high: seen.high };
        let likely_high = seen.high;
        let (kept, outlived) = (0.0, 0.0);
        return Some(Net { rate, gross: seen, likely_high, kept, outlived, sawtooth: 0.0, examined: false });
    };
    // It says what an object weighs in any case.
    let max_object = max_object_bytes(timeline, points, exit);
    let weights = waiting::Weights {
        usual: weight::usual(timeline, all).unwrap_or(MIN_GARBAGE_OBJECT_BYTES),
        most: weight::most(timeline, all, exit),
    };
    let exit = exit.filter(|exit| exit.had_garbage_of(timeline, points));
    let by_exit = exit.and_then(|e| e.freed_per_cycle(&full, points));
    let at_most = exit.and_then(|e| e.at_most_per_cycle(&full, points));
    let most = at_most.unwrap_or(f64::INFINITY).min(objects * max_object);
    let usual = |weight| exit.zip(by_exit).map_or(0.0, |(e, freed)| e.usual_garbage(freed, objects, weight));
    // Where collections took garbage back within the run, they tell more than what goes when functions have returned.
    let limit = limit.filter(|limit| limit.collections > 1);
    let flat = without_sawtooth(timeline, points);
    let old = exit.zip(flat.as_deref()).and_then(|(e, flat)| e.left_per_cycle(timeline, &full, points, flat));
    let leftover = Leftover::of(timeline, points);
    let left = leftover.map_or(f64::INFINITY, |left| left.most);
    let garbage = limit.map_or_else(|| usual(None), |limit| (limit.surely - limit.likely).min(left));
    let mut rate = Interval {
        estimate: seen.estimate - garbage,
        low: seen.low.min(seen.estimate) - most,
        high: seen.high,
    };
    let mut outlived = 0.0;
    if let Some(trough) = full.last() {
        let last = points.last()?;
        // A list that got full in between is in the rise from trough to trough, and is no growth of every cycle.
        let ended = |from: &Point, to: &Point| early_surplus(points, &full, from, to);
        let to_exit =
            exit.and_then(|e| between(trough, last, -e.at_most() - ended(trough, last), rising(points)));
        let first = points.first()?;
        let since_first = between(first, trough, -ended(first, trough), rising(points));
        let sure = [since_first, to_exit].into_iter().flatten().fold(rate.low, f64::max);
        outlived = sure.max(0.0);
        // Knowing what is no garbage does not make the series less noisy.
        rate.low = rate.low.max(sure.min(seen.low)).min(rate.estimate);
    }
    // Without its sawtooth a growth has no garbage but what collections left.
    let kept = old.zip(flat.and_then(|flat| growth(&x, &flat))).map(|(old, flat)| flat.low - old);
    rate.estimate = rate.estimate.clamp(rate.low, rate.high.max(rate.low));
    let sawtooth = (rising(points) - rate.estimate).max(0.0);
    let plausible = || seen.high - usual(weight::seen(timeline, all).reduce(f64::min));
    let at_exit = exit.zip(by_exit).zip(weight::usual(timeline, all));
    let at_exit = at_exit.map_or(0.0, |((exit, freed), weight)| exit.garbage_of_weight(freed, weight));
    let beyond = |limit: Limit| leftover.map_or(f64::NEG_INFINITY, |left| left.beyond.min(limit.surely));
    let beside = |limit: Limit| limit.likely_with(at_exit).max(beyond(limit));
    let likely_high = limit.map_or_else(plausible, |limit| seen.high.min(beside(limit)));
    let kept = kept.unwrap_or(0.0);
    let mut net = Net { rate, gross: seen, likely_high, kept, outlived, sawtooth, examined: false };
    if let Some(at_most) = waiting::kept_at_most(timeline, before, points, weights) {
        net.limit(at_most);
    }
    Some(net)
}

/// What the collection at exit tells of the garbage of these points, with its exit handlers.
fn told_by(exit: ExitCollection, timeline: &Timeline, points: &[Point]) -> ExitCollection {
    let object = WEIGHT_MARGIN * weight::most(timeline, points, None);
    exit.with_exit_handlers(object).without_exit_handlers(timeline, points)
}

/// What an object of garbage keeps at most, in bytes.
fn max_object_bytes(timeline: &Timeline, points: &[Point], exit: Option<ExitCollection>) -> f64 {
    MAX_OBJECT_BYTES.max(WEIGHT_MARGIN * weight::most(timeline, points, exit))
}

/// Bytes per cycle of `points` that may be garbage which no collection has looked at; infinite if nobody can say.
pub(crate) fn garbage_at_most(
    timeline: &Timeline,
    before: Option<&Point>,
    points: &[Point],
    exit: Option<ExitCollection>,
) -> f64 {
    if is_off(timeline, points) {
        return 0.0;
    }
    let exit = exit.map(|exit| told_by(exit, timeline, points));
    let full = troughs(timeline, before, points, 2);
    let max_object = max_object_bytes(timeline, points, exit);
    let exit = exit.filter(|exit| exit.had_garbage_of(timeline, points));
    let at_most = exit.and_then(|e| e.at_most_per_cycle(&full, points)).unwrap_or(f64::INFINITY);
    containers(timeline, points).map_or(f64::INFINITY, |objects| at_most.min(objects * max_object))
}

/// Whether the program switched the collector off (`gc.disable()`), and at the end of no cycle had it on.
pub(crate) fn is_off(timeline: &Timeline, points: &[Point]) -> bool {
    let enabled = |p: &Point| timeline.readings.get(p.reading).and_then(|r| r.counters.gc_enabled);
    // A program may also switch it off and collect by itself: then its collections tell.
    let collections = |p: &Point| timeline.readings.get(p.reading).and_then(|r| r.counters.gc2);
    !points.is_empty()
        && points.iter().all(|p| enabled(p) == Some(0))
        && points.first().and_then(collections) == points.last().and_then(collections)
}

/// When full collections happened: each looked at what was born before the first moment, and had ended at the second.
pub(crate) fn full_collections(timeline: &Timeline) -> Vec<(u64, u64)> {
    let mut out = Vec::new();
    let known = timeline.readings.iter().filter(|r| r.has_collector);
    let mut before: Option<&Reading> = None;
    for reading in known {
        if let Some(before) =
            before.filter(|b| b.counters.gc2.zip(reading.counters.gc2).is_some_and(|(then, now)| now > then))
        {
            out.push((before.at_ns, reading.at_ns));
        }
        before = Some(reading);
    }
    let at = |moment| timeline.readings.iter().rev().find(|r| r.moment == moment).map(|r| r.at_ns);
    let exit = at(Moment::BeforeExit).zip(at(Moment::AfterExitCollection));
    // The collection at exit has its own reading, whether the counters had moved by then or not.
    out.retain(|(_, after)| exit.is_none_or(|(_, exited)| *after < exited));
    out.extend(exit.filter(|_| !timeline.exit_leaves_garbage));
    out
}

/// Growth between two points at the least, the second corrected by some bytes; one cycle's garbage may have gathered
/// between a collection and the end of its cycle.
fn between(from: &Point, to: &Point, correction: f64, step: f64) -> Option<f64> {
    let cycles = to.ordinal.checked_sub(from.ordinal).filter(|c| *c as f64 >= MIN_SPAN_CYCLES)?;
    Some((to.level + correction - from.level - step.max(0.0)) / cycles as f64)
}

/// The points right after a collection of this generation or an older one.
pub(crate) fn troughs(
    timeline: &Timeline,
    before: Option<&Point>,
    points: &[Point],
    generation: u8,
) -> Vec<Point> {
    let collections = |p: &Point| {
        let c = &timeline.readings[p.reading].counters;
        if generation == 2 { c.gc2 } else { Some(c.gc2? + c.gc1?) }
    };
    let mut last = before.and_then(collections);
    let mut out = Vec::new();
    for point in points {
        let now = collections(point);
        if last.zip(now).is_some_and(|(then, now)| now > then) {
            out.push(point.clone());
        }
        last = now;
    }
    out
}

/// Growth from trough to trough, if the troughs cover enough of the series.
fn envelope(troughs: &[Point], points: &[Point], plain: &Interval) -> Option<Interval> {
    if troughs.len() == points.len() {
        return Some(*plain);
    }
    let (first, last) = (troughs.first()?, troughs.last()?);
    let span = (last.ordinal - first.ordinal) as f64;
    let whole = (points.last()?.ordinal - points.first()?.ordinal) as f64;
    if span < MIN_SPAN_CYCLES.max(MIN_COVERED_RATIO * whole) {
        return None;
    }
    let ends = (last.level - first.level) / span;
    // A collection may come anywhere inside its cycle: up to a cycle's garbage more or less at either end. And what else
    // makes cycles differ (a batch in flight, a buffer that the program empties) is in the troughs as well.
    let differ = (2.0 * jitter(points, troughs)).max(emptied(points, troughs));
    let slack = ((rising(points) - ends).abs() + differ) / span;
    // Few troughs do not show that what lies between them has ended.
    let ended = early_surplus(points, troughs, first, last) / span;
    let around = Interval { estimate: ends, low: ends - slack - ended, high: ends + slack };
    let (x, y) = series(troughs);
    Some(growth(&x, &y).map_or(around, |g| Interval {
        estimate: g.estimate,
        low: g.low.min(g.estimate - slack),
        high: g.high.max(g.estimate + slack),
    }))
}

/// By how much memory falls again and again where no collection is: what the program fills and empties itself. Collections that come a
/// little less often than that meet it ever fuller, or ever emptier. Nothing where cycles differ by about as much anyway.
fn emptied(points: &[Point], troughs: &[Point]) -> f64 {
    const MIN_CYCLES_BEYOND: f64 = SEVERAL as f64;
    let collected = |p: &Point| troughs.iter().any(|t| t.ordinal == p.ordinal);
    let quiet = points.windows(2).filter(|w| !collected(&w[1]));
    let mut falls: Vec<f64> = quiet.map(|w| w[0].level - w[1].level).collect();
    falls.sort_by(f64::total_cmp);
    let again = falls.iter().rev().nth(1).copied().unwrap_or(0.0);
    if again > MIN_CYCLES_BEYOND * jitter(points, troughs) { again } else { 0.0 }
}

/// The usual step from one cycle to the next, the cycles with a collection among them being few.
pub(crate) fn rising(points: &[Point]) -> f64 {
    let mut steps: Vec<f64> =
        points.windows(2).map(|w| (w[1].level - w[0].level) / (w[1].ordinal - w[0].ordinal) as f64).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(0.0)
}

/// How much cycles without a collection differ from the usual one, in the mean.
pub(crate) fn jitter(points: &[Point], troughs: &[Point]) -> f64 {
    let usual = rising(points);
    let collected = |p: &Point| troughs.iter().any(|t| t.ordinal == p.ordinal);
    let quiet = points.windows(2).filter(|w| !collected(&w[1]));
    let off = |w: &[Point]| (w[1].level - w[0].level - usual * (w[1].ordinal - w[0].ordinal) as f64).abs();
    let off: Vec<f64> = quiet.map(off).collect();
    off.iter().sum::<f64>() / off.len().max(1) as f64
}

/// Container objects made until this reading, net of those freed while young.
pub(crate) fn made(timeline: &Timeline, reading: &Reading) -> Option<f64> {
    let c = &reading.counters;
    let counted = (c.gc0? + c.gc1? + c.gc2?) as f64 * timeline.young + c.gc_young? as f64;
    reading.has_collector.then_some(counted)
}

/// Container objects made per cycle, net of those freed while young; `None` where too few readings counted them.
fn containers(timeline: &Timeline, points: &[Point]) -> Option<f64> {
    let made = |reading: &Reading| made(timeline, reading);
    let (from, to) = (points.first()?, points.last()?);
    let whole = (to.ordinal - from.ordinal) as f64;
    let per_cycle = |first: (f64, f64), last: (f64, f64)| {
        let span = last.0 - first.0;
        (span > 0.0 && span >= MIN_COVERED_RATIO * whole).then(|| (last.1 - first.1).max(0.0) / span)
    };
    let at_point = |p: &Point| Some((p.ordinal as f64, made(timeline.readings.get(p.reading)?)?));
    let at_points = || per_cycle(points.iter().find_map(at_point)?, points.iter().rev().find_map(at_point)?);
    // Where nothing is marked, the counters may have been read at other moments than those that end a window.
    let at_moment = |reading: &Reading| {
        let share = reading.at_ns.checked_sub(from.at_ns)? as f64 / (to.at_ns - from.at_ns).max(1) as f64;
        (share <= 1.0).then_some((from.ordinal as f64 + share * whole, made(reading)?))
    };
    let readings = &timeline.readings;
    let between =
        || per_cycle(readings.iter().find_map(at_moment)?, readings.iter().rev().find_map(at_moment)?);
    at_points().or_else(between)
}

pub(crate) fn series(points: &[Point]) -> (Vec<f64>, Vec<f64>) {
    points.iter().map(|p| (p.ordinal as f64, p.level)).unzip()
}

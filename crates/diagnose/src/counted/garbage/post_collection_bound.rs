//! How much can grow at most where a sawtooth was seen: the points just after a collection hold the least garbage.
//!
//! In: points and their collections. Out: an upper limit of the growth per cycle. What must not happen here: a limit below
//! what really grows; what this says of garbage never makes a growth smaller than what two collections left behind.
//!
//! Collections of the middle generation are frequent, and free what was made since the one before. What they leave is no
//! proof of a leak: an object that was in use just then grows old, and so does all that old garbage refers to. But it
//! is a limit: memory that is kept for good is there after each of them.

use crate::numbers::{AGAIN, CYCLES_IN_USE, SEVERAL, TENTH, THIRD};
use nilometer_stats::{MIN_POINTS, growth};

use crate::counted::garbage::sawtooth::without_sawtooth;
use crate::counted::garbage::{Part, jitter, rising, series, troughs};
use crate::cycles::Point;
use crate::timeline::Timeline;

/// Collections must lie so many cycles apart, and cover this share of the series.
const MIN_SPAN_CYCLES: f64 = SEVERAL as f64;
const MIN_COVERED_RATIO: f64 = THIRD;
/// Share of the steps that are left out at either end where the usual step is told: one-time events.
const TRIMMED_RATIO: f64 = TENTH;
/// Cycles' worth of garbage that a collection finds in use, and so leaves for the next full one: the cycle that runs, and
/// often the one before it, as a model is in use until the next one is there.
const IN_USE: f64 = CYCLES_IN_USE;
/// The same at most, where what the collection at exit freed says so: an iterator and its graph stay for a cycle longer.
const MAX_CYCLES_IN_USE: f64 = 2.0 * CYCLES_IN_USE;
/// Collections nearer to each other than this leave as much as they free: nothing can be said of what they leave.
const MIN_GAP_CYCLES: f64 = AGAIN as f64;

/// Upper limits of the growth per cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// If nothing that collections left is garbage.
    pub(crate) surely: f64,
    /// If they left what was in use while they ran; never above `surely`.
    pub(crate) likely: f64,
    /// If they left as much of that as is plausible at most; never above `likely`.
    least: f64,
    /// Collections that say so.
    pub(crate) collections: usize,
}

impl Limit {
    /// The limit where collections so many cycles apart take so many bytes per cycle back, and leave what was in use.
    fn of(surely: f64, taken: f64, apart: f64, collections: usize) -> Self {
        let in_use = |cycles: f64| cycles.min(apart / 2.0);
        let left = |cycles: f64| in_use(cycles) * taken / (apart - in_use(cycles));
        let likely_left = |cycles| if apart >= MIN_GAP_CYCLES { left(cycles) } else { 0.0 };
        let (likely, least) = (surely - likely_left(IN_USE), surely - likely_left(MAX_CYCLES_IN_USE));
        Self { surely, likely, least, collections }
    }

    /// What is likely where the collection at exit freed so many bytes of garbage per cycle, by what garbage weighs in this program.
    pub(crate) fn likely_with(&self, at_exit: f64) -> f64 {
        (self.surely - at_exit).max(self.least).min(self.likely)
    }
}

/// The limit for a part of the points, the lowest that its collections give. `None` without one, or where one is in every cycle.
pub(crate) fn limit(timeline: &Timeline, all: &[Point], part: Part) -> Option<Limit> {
    let from = |since| limit_from(timeline, all, since);
    let limits =
        [from(part.since), part.filled_from.and_then(from), limit_of_flat(timeline, all, part.since)];
    limits.into_iter().flatten().min_by(|a, b| a.surely.total_cmp(&b.surely))
}

fn limit_from(timeline: &Timeline, all: &[Point], since: usize) -> Option<Limit> {
    let points = all.get(since..)?;
    let before = since.checked_sub(1).and_then(|at| all.get(at));
    let collected = troughs(timeline, before, points, 1);
    let (start, end) = (points.first()?, points.last()?);
    let last = collected.last().filter(|_| collected.len() < points.len())?;
    let needed = MIN_SPAN_CYCLES.max(MIN_COVERED_RATIO * cycles(start, end));
    let gross = usual_step(points, &collected);
    let swing = 2.0 * jitter(points, &collected);
    // Each is a limit by itself. The first collections may still free what start-up left.
    let prompt = prompt(points, &collected);
    let late = |troughs: &[Point]| troughs.get(1..).filter(|t| t.len() >= MIN_POINTS).map(<[Point]>::to_vec);
    let choices = [late(&collected), late(&prompt), Some(collected.clone()), Some(prompt)];
    let limits = choices.iter().flatten().filter_map(|troughs| {
        let (first, last) = (troughs.first()?, troughs.last()?);
        let span = cycles(first, last);
        if span < needed {
            return None;
        }
        let kept = (last.level - first.level) / span;
        let taken = (gross - kept).max(0.0);
        // The first of them may have been read long after its collection, and the last right after.
        let slack = (taken * distance(points, first) + swing) / span;
        let (x, y) = series(troughs);
        let surely = growth(&x, &y).map_or(kept + slack, |rate| rate.high.max(kept + slack));
        let of_span = |c: &&Point| c.ordinal > first.ordinal && c.ordinal <= last.ordinal;
        let apart = span / collected.iter().filter(of_span).count().max(1) as f64;
        Some(Limit::of(surely, taken, apart, collected.len()))
    });
    let lowest = limits.min_by(|a, b| a.surely.total_cmp(&b.surely));
    lowest.or_else(|| {
        let span = cycles(start, last);
        let earlier = troughs(timeline, None, all.get(..=since)?, 1);
        let waited = earlier.last().map_or(start.ordinal as f64 + 1.0, |one| cycles(one, start) + 1.0);
        let surely = (last.level - start.level + gross.max(0.0) * waited + swing) / span;
        (span >= needed).then_some(Limit { surely, likely: surely, least: surely, collections: 1 })
    })
}

/// The limit that levels give without their sawtooth.
fn limit_of_flat(timeline: &Timeline, all: &[Point], since: usize) -> Option<Limit> {
    let points = all.get(since..)?;
    let before = since.checked_sub(1).and_then(|at| all.get(at));
    let (x, _) = series(points);
    let rate = growth(&x, &without_sawtooth(timeline, points)?)?;
    let collected = troughs(timeline, before, points, 1);
    let taken = (usual_step(points, &collected) - rate.estimate).max(0.0);
    // What lies before the first of them and behind the last is no whole tooth.
    let apart = match collected.as_slice() {
        [first, .., last] => cycles(first, last) / (collected.len() - 1) as f64,
        _ => cycles(points.first()?, points.last()?),
    };
    Some(Limit::of(rate.high, taken, apart, collected.len()))
}

/// Of the points after collections those that were read the soonest: the others may have gathered garbage again.
fn prompt(points: &[Point], collected: &[Point]) -> Vec<Point> {
    let late = |point: &Point| distance(points, point);
    let soonest = collected.iter().map(late).fold(f64::INFINITY, f64::min);
    collected.iter().filter(|point| late(point) < 2.0 * soonest).cloned().collect()
}

fn cycles(from: &Point, to: &Point) -> f64 {
    to.ordinal.saturating_sub(from.ordinal) as f64
}

/// Cycles since the reading before this point.
fn distance(points: &[Point], point: &Point) -> f64 {
    let at = points.partition_point(|p| p.ordinal < point.ordinal);
    at.checked_sub(1).and_then(|before| points.get(before)).map_or(1.0, |before| cycles(before, point))
}

/// What a cycle without a collection adds, in the mean, one-time events left out. The median would not do: fits and
/// evaluations may take turns.
fn usual_step(points: &[Point], collected: &[Point]) -> f64 {
    let had_none = |w: &&[Point]| matches!(w, [_, to] if collected.iter().all(|c| c.ordinal != to.ordinal));
    let step = |w: &[Point]| match w {
        [from, to] => (to.level - from.level) / cycles(from, to).max(1.0),
        _ => 0.0,
    };
    let mut steps: Vec<f64> = points.windows(2).filter(had_none).map(step).collect();
    steps.sort_by(f64::total_cmp);
    let unusual = (TRIMMED_RATIO * steps.len() as f64).ceil() as usize;
    match steps.get(unusual..steps.len().saturating_sub(unusual)) {
        Some(usual) if !usual.is_empty() => usual.iter().sum::<f64>() / usual.len() as f64,
        _ => rising(points),
    }
}

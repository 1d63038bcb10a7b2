//! Whether one process that the program started goes on growing, as far as its memory tells from outside.
//!
//! In: readings of its anonymous memory, and the program's cycles. Out: a rate per cycle or per minute, each with its interval, or
//! nothing. What must not happen here: a rate for a start-up, a cache that fills, a step, or a level that sways; an allocator's
//! reserve is resident, too. `docs/design/supervisor.md` argues the numbers.

use nilometer_stats::{Interval, Shape, growth, shape};

use crate::children::Life;
use crate::children::turned::anonymous_at;

/// The first part of a life is start-up.
const START_RATIO: f64 = 1.0 / 3.0;
/// In a life that is shorter, start-up lasts until its imports have ended, and only cycles are a measure.
const SHORT_LIFE_SECONDS: f64 = 6.0;
/// Cycles of the program after the start-up, and readings in them, that make a cycle the measure.
const MIN_CYCLES: f64 = 12.0;
const MIN_POINTS: usize = 12;
/// Without so many cycles, seconds after the start-up: time says less than something that repeats.
const MIN_SECONDS: f64 = 20.0;
/// A rise below this is within what an allocator keeps, ...
const MIN_RISE_BYTES: f64 = 8.0 * 1024.0 * 1024.0;
/// ... and so is this share of the level.
const MIN_RISE_RATIO: f64 = 0.05;
/// Windows of the judged part, of equal length; each must bring this share of its part of the rise.
const WINDOWS: usize = 6;
const MIN_STEP_RATIO: f64 = 0.25;
/// The last two of them must rise by this share of the mean rate.
const MIN_LAST_RATIO: f64 = 0.75;
/// Its rate is known so well: the low end of the interval is this share of the estimate.
const MIN_LOW_RATIO: f64 = 0.6;
/// This share of the rise must be memory that no other process shares, where that was read.
const MIN_PRIVATE_RATIO: f64 = 0.5;
/// The curve is thinned to this many points for its interval.
const MAX_POINTS: usize = 128;
/// Steps up that make a staircase, not a few events.
const MIN_STEPS: usize = 6;

/// How a process grows to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rise {
    pub(crate) per_cycle: Option<Interval>,
    pub(crate) per_minute: Interval,
}

/// The program's cycles as a clock: moments and ordinals, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock(pub(crate) Vec<(u64, f64)>);

impl Clock {
    /// Cycles that had ended at a moment, between two of them in part; none before the first and after the last.
    fn at(&self, at_ns: u64) -> Option<f64> {
        let next = self.0.partition_point(|mark| mark.0 < at_ns);
        let after = self.0.get(next)?;
        let Some(before) = next.checked_sub(1).and_then(|i| self.0.get(i)) else {
            return (after.0 == at_ns).then_some(after.1);
        };
        let part = (at_ns - before.0) as f64 / (after.0 - before.0).max(1) as f64;
        Some(before.1 + part * (after.1 - before.1))
    }
}

/// A series of memory over cycles or minutes.
#[derive(Default)]
struct Series {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Series {
    fn push(&mut self, x: f64, y: f64) {
        self.x.push(x);
        self.y.push(y);
    }

    fn span(&self) -> f64 {
        self.x.first().zip(self.x.last()).map_or(0.0, |(first, last)| last - first)
    }

    /// The lowest level of each of so many stretches of equal length; a stretch without a reading has none.
    ///
    /// What lies on top of the lowest level for a moment is no growth. Stretches of equally many readings would be longer where
    /// cycles are faster, and would hide most of the rise there.
    fn lows(&self, stretches: usize) -> Self {
        let mut out = Self::default();
        let Some(first) = self.x.first() else { return out };
        let length = self.span() / stretches as f64;
        let stretch_of = |x: f64| (((x - first) / length) as usize).min(stretches - 1);
        let points: Vec<(f64, f64)> = self.x.iter().copied().zip(self.y.iter().copied()).collect();
        for stretch in points.chunk_by(|a, b| stretch_of(a.0) == stretch_of(b.0)) {
            if let Some((x, y)) = stretch.iter().min_by(|a, b| a.1.total_cmp(&b.1)) {
                out.push(*x, *y);
            }
        }
        out
    }
}

/// The rate by which a process goes on growing to its end, if it does.
pub(crate) fn rise(life: &Life, clock: &Clock) -> Option<Rise> {
    let points = life.before_end();
    let first = points.first()?.0;
    // A process may outlive the work, and stands still then: its start-up is a part of the time that it worked.
    let worked_until = clock.0.last().map_or(life.last.0, |(end, _)| life.last.0.min(*end));
    let of_work = start_up_until(life, first, worked_until.max(first));
    let of_life = start_up_until(life, first, life.last.0);
    let (mut cycles, mut minutes, mut minutes_of_cycles) = <(Series, Series, Series)>::default();
    for (at_ns, bytes) in points {
        let (minute, level) = (*at_ns as f64 / 60e9, *bytes as f64);
        if of_life.is_some_and(|from| *at_ns as f64 >= from) {
            minutes.push(minute, level);
        }
        let is_judged = of_work.is_some_and(|from| *at_ns as f64 >= from);
        if let Some(cycle) = clock.at(*at_ns).filter(|_| is_judged) {
            cycles.push(cycle, level);
            minutes_of_cycles.push(minute, level);
        }
    }
    if cycles.span() >= MIN_CYCLES && cycles.x.len() >= MIN_POINTS {
        let per_cycle = goes_on(&cycles).filter(|_| is_its_own(life))?;
        let thin = minutes_of_cycles.lows(MAX_POINTS);
        return Some(Rise { per_cycle: Some(per_cycle), per_minute: growth(&thin.x, &thin.y)? });
    }
    if minutes.span() * 60.0 < MIN_SECONDS || minutes.x.len() < MIN_POINTS {
        return None;
    }
    goes_on(&minutes).filter(|_| is_its_own(life)).map(|per_minute| Rise { per_cycle: None, per_minute })
}

/// When the start-up of a life has ended that is looked at until then; nothing where it is short, and its imports were not seen to end.
fn start_up_until(life: &Life, first: u64, until: u64) -> Option<f64> {
    let lived = until.saturating_sub(first) as f64;
    let imported = if lived < SHORT_LIFE_SECONDS * 1e9 { life.imported_ns()? } else { first };
    Some((first as f64 + START_RATIO * lived).max(imported as f64))
}

/// The rate of a rise without a break that has not slowed at its end.
fn goes_on(series: &Series) -> Option<Interval> {
    let windows = series.lows(WINDOWS);
    let (base, top) = (*windows.y.first()?, *windows.y.last()?);
    let rise = top - base;
    if windows.x.len() < WINDOWS || rise < MIN_RISE_BYTES || rise < MIN_RISE_RATIO * base {
        return None;
    }
    let mean = rise / windows.span();
    let rate = |from: usize, to: usize| {
        let ends = windows.x.get(from).zip(windows.x.get(to)).map(|(a, b)| b - a);
        let levels = windows.y.get(from).zip(windows.y.get(to)).map(|(a, b)| b - a);
        ends.zip(levels).map_or(0.0, |(x, y)| y / x)
    };
    let is_unbroken = (1..WINDOWS).all(|i| rate(i - 1, i) >= MIN_STEP_RATIO * mean);
    if !is_unbroken || rate(WINDOWS - 3, WINDOWS - 1) < MIN_LAST_RATIO * mean {
        return None;
    }
    let thin = series.lows(MAX_POINTS);
    let goes_on = match shape(&thin.x, &thin.y) {
        Shape::Flat | Shape::Levelling { .. } => false,
        Shape::Linear | Shape::Accelerating => true,
        Shape::Steps { count } => count >= MIN_STEPS,
    };
    growth(&thin.x, &thin.y).filter(|rate| goes_on && rate.low >= MIN_LOW_RATIO * rate.estimate)
}

/// Whether what it grew by is memory of its own, as far as that was read.
fn is_its_own(life: &Life) -> bool {
    let Some((first, last)) = life.private_before_end() else { return true };
    let levels = anonymous_at(life, first.0).zip(anonymous_at(life, last.0));
    let grown = levels.map_or(0.0, |(from, to)| to as f64 - from as f64);
    let private = last.1 as f64 - first.1 as f64;
    first.0 == last.0 || private >= MIN_PRIVATE_RATIO * grown
}

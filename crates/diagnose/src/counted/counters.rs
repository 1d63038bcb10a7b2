//! What the counters and the collector say of a series: how much live memory grows by, and at most.
//!
//! In: one series of points and what is known of the collector. Out: what was counted, and why that is said. What must not
//! happen here: a word on so few points that start-up may be all there is. `docs/design/claims.md` argues it.

use crate::numbers::{AGAIN, MIN_FILLING_BYTES, MIN_POINTS, SEVERAL};
use nilometer_stats::{Interval, warm_up};

use super::even_rise::even_rise;
use super::garbage::at_exit::ExitCollection;
use super::garbage::sawtooth::without_sawtooth;
use super::garbage::{Part, net_growth, series};
use super::onset::growing_part;
use super::reason::CountedReason;
use super::stretch::{Stretch, unread};
use crate::cycles::{Cycles, Point};
use crate::timeline::{Basis, Timeline};
use crate::unit::Unit;

/// What the counters say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// There are too few cycles after start-up.
    TooFew,
    /// Live memory surely grows with every cycle, garbage left out.
    Grows,
    /// It grows by too little to matter, if at all.
    Bounded,
    /// It grows by too little to matter, if what usually is garbage is garbage here.
    BoundedIfGarbage,
    /// It grows, and all of that may be garbage which no collection has looked at.
    MayBeGarbage,
    /// None of these.
    Open,
}

/// What was counted.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    pub(crate) state: State,
    pub(crate) reason: CountedReason,
    /// Cycles that would settle it, where it is open.
    pub(crate) needed: Option<u64>,
    /// Bytes per cycle, net of garbage; `None` with too few cycles.
    pub(crate) rate: Option<Interval>,
    /// The most that live memory grows by per cycle, even if nothing of it is garbage; with too few cycles anything.
    pub(crate) at_most: f64,
    /// Index of the first point that counts for the rate.
    pub(crate) since: usize,
    /// Index of the point at which start-up had ended: before it lie one-time rises, between it and `since` a filling.
    pub(crate) started: usize,
    /// Bytes per cycle that collections take back.
    pub(crate) sawtooth: f64,
    /// Bytes per cycle that memory rose by which a full collection left; 0 where none was seen.
    pub(crate) outlived: f64,
    /// Memory that is no garbage rose, be it once or for good.
    pub(crate) surely_rose: bool,
    /// Of a run one cycle too short: the rise that each of its cycles brought.
    pub(crate) even_rise: Option<Interval>,
    /// Of too few cycles: what live memory rose by per cycle, whatever made it rise; at least 0.
    pub(crate) raw_rise: f64,
    /// Rise that levels off.
    pub(crate) filling: Option<Filling>,
}

/// A rise with an end: bytes so far, and the bound where one is in sight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filling {
    pub(crate) bytes: f64,
    pub(crate) bound: Option<f64>,
}

/// The first cycles always start things up.
const MIN_START_CYCLES: usize = AGAIN;
/// Start-up of more cycles than this is told apart from the one-time rises of the first ones.
const LONG_START_CYCLES: usize = SEVERAL as usize;

impl Counted {
    /// Whether the counters leave room for memory that is kept: they see a growth, and not what it is.
    pub(crate) fn is_open(&self) -> bool {
        self.state != State::Bounded
    }

    /// Whether the counters say that nothing grows which matters.
    pub(crate) fn is_bounded(&self) -> bool {
        matches!(self.state, State::Bounded | State::BoundedIfGarbage)
    }
}

/// Counts what a series grows by.
pub(crate) fn count(
    timeline: &Timeline,
    cycles: &Cycles,
    basis: Basis,
    exit: Option<ExitCollection>,
) -> Counted {
    let points = &cycles.points;
    let (_, levels) = series(points);
    let warm = warm_up(&levels).min(points.len());
    let after_start = points.len() - warm;
    if points.len() < MIN_POINTS + MIN_START_CYCLES || after_start < MIN_POINTS {
        let all = (MIN_POINTS + MIN_START_CYCLES).saturating_sub(points.len());
        let needed = all.max(MIN_POINTS.saturating_sub(after_start)).max(1);
        let judged = points.get(warm..).filter(|_| basis == Basis::Live);
        return Counted {
            even_rise: judged.and_then(|p| even_rise(cycles, p)),
            ..too_few(cycles, needed, warm)
        };
    }
    let part = &points[warm..];
    // Garbage that comes and goes hides where a rise begins or ends.
    let flat = without_sawtooth(timeline, part).map(|levels| with_levels(part, levels));
    // A start-up of many cycles that rises a lot is a buffer or cache that fills.
    let is_long = warm > LONG_START_CYCLES && levels[warm] - levels[LONG_START_CYCLES] > MIN_FILLING_BYTES;
    let (since, ended) = growing_part(flat.as_deref().unwrap_or(part), is_long, cycles.floor());
    let started = if is_long { LONG_START_CYCLES } else { warm };
    let ended = ended.or_else(|| is_long.then(|| levels[warm] - levels[LONG_START_CYCLES]));
    let since = warm + since;
    let part = Part { since, filled_from: ended.map(|_| started.min(since)) };
    let Some(net) = net_growth(timeline, points, part, exit) else {
        return too_few(cycles, MIN_POINTS, warm);
    };
    let stretch = Stretch { cycles, basis, points: &points[since..], net, since, started };
    let counted = match ended {
        Some(bytes) => stretch.after_filling(bytes),
        None => stretch.counted(),
    };
    unread(counted, cycles)
}

/// The same points with other levels.
fn with_levels(points: &[Point], levels: Vec<f64>) -> Vec<Point> {
    points.iter().zip(levels).map(|(point, level)| Point { level, ..point.clone() }).collect()
}

fn too_few(cycles: &Cycles, needed: usize, warm: usize) -> Counted {
    let read = cycles.points.len() as u64;
    let is_marked = !matches!(cycles.unit, Unit::Window { .. });
    // Where figures are dear, not every cycle is read.
    let needed = match read {
        1.. if is_marked && read < cycles.count => (needed as u64 * cycles.count).div_ceil(read),
        _ => needed as u64,
    };
    let reason = match cycles.points.len() {
        _ if !is_marked => CountedReason::TooShort,
        few if read < cycles.count => CountedReason::FewRead { read: few, cycles: cycles.count },
        few => CountedReason::FewEnded { cycles: few },
    };
    let first = warm.min(cycles.points.len().saturating_sub(1));
    Counted {
        state: State::TooFew,
        reason,
        needed: Some(needed),
        rate: None,
        at_most: f64::INFINITY,
        since: first,
        started: first,
        sawtooth: 0.0,
        outlived: 0.0,
        surely_rose: false,
        even_rise: None,
        raw_rise: raw_rise(&cycles.points),
        filling: None,
    }
}

/// Bytes per cycle from the end of the first cycles to the last that was read.
fn raw_rise(points: &[Point]) -> f64 {
    let (Some(first), Some(last)) = (points.get(MIN_START_CYCLES - 1), points.last()) else { return 0.0 };
    let turns = last.ordinal.saturating_sub(first.ordinal).max(1);
    ((last.level - first.level) / turns as f64).max(0.0)
}

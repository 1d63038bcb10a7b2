//! Chooses what repeats, and reads the memory at the end of each cycle.
//!
//! In: the timeline and the board's counts. Out: one series of points for one unit. A program has many things that
//! repeat (epochs inside fits, predictions inside callbacks); the verdict needs the one that its user would name.

use nilometer_capture::{BoardCounts, Capture, CycleUnit, Moment};

use crate::phases::Course;
use crate::timeline::{Basis, Reading, Timeline};
use crate::windows;

/// What the series counts: a unit that was marked, or stretches of time where nothing was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Marked(CycleUnit),
    Window { seconds: u64 },
}

impl Unit {
    /// The word in the report.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Marked(CycleUnit::Evaluate | CycleUnit::Call) => "call",
            Self::Marked(CycleUnit::OnBatch) => "step",
            Self::Marked(unit) => unit.word(),
            Self::Window { .. } => "window",
        }
    }

    /// The floor of cycles that take seconds, not milliseconds.
    pub(crate) const LONG_FLOOR: f64 = 16.0 * 1024.0;

    /// Growth per cycle that nobody needs to hear of: what frameworks themselves keep per cycle (the history of an
    /// epoch, the record of a call). Measured residues are 3.5 KiB per epoch or fit and tens of bytes per call.
    pub(crate) fn floor(self) -> f64 {
        match self {
            Self::Marked(CycleUnit::Epoch | CycleUnit::Fit | CycleUnit::Evaluate | CycleUnit::Model) => {
                Self::LONG_FLOOR
            }
            Self::Marked(CycleUnit::Predict | CycleUnit::Request) => 2.0 * 1024.0,
            Self::Marked(_) => 256.0,
            Self::Window { seconds } => 4.0 * 1024.0 * seconds as f64,
        }
    }
}

/// Memory at the end of a cycle.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The cycle, from 1.
    pub(crate) ordinal: u64,
    pub(crate) at_ns: u64,
    /// Bytes: live, or anonymous where live is not known.
    pub(crate) level: f64,
    /// Where the reading stands in the timeline.
    pub(crate) reading: usize,
}

/// The series that is judged.
#[derive(Clone, Debug)]
pub(crate) struct Cycles {
    pub(crate) unit: Unit,
    pub(crate) count: u64,
    pub(crate) points: Vec<Point>,
    /// Median seconds of one cycle.
    pub(crate) seconds: Option<f64>,
    /// When each window ends, where windows serve.
    pub(crate) window_ends: Vec<u64>,
}

/// Fits in a row, each of several epochs, from which on a fit is the cycle (models in a loop, folds, trials).
const FITS_IN_A_LOOP: u64 = 6;
/// So many models, made through most of the rest of the run, are what it is about where nothing else repeats. A few are made to begin with.
const MODELS_IN_A_LOOP: u64 = 6;
/// A unit counts as what the program is about if its marks cover this share of the longest-lasting unit's time.
const MAIN_SHARE: f64 = 0.5;
/// Most points a series needs.
const MOST_POINTS: usize = 2000;
/// A series is not made even below this.
const ENOUGH_POINTS: usize = 10;

impl Cycles {
    pub(crate) fn of(timeline: &Timeline, capture: &Capture, basis: Basis) -> Self {
        let board = &capture.board;
        let unit = choose(timeline, board);
        match unit {
            Some(unit) => marked(timeline, board, unit, basis),
            None => windows::of(timeline, &Course::of(capture), basis),
        }
    }
}

/// The unit whose name the user would say. What users marked themselves comes first, then what Keras repeats from
/// epochs to single batches, then calls of traced functions, updates of an eager loop, then models; a unit that only fills a small part of the run
/// (three epochs before an hour of serving) is passed over.
fn choose(timeline: &Timeline, board: &BoardCounts) -> Option<CycleUnit> {
    use CycleUnit::{Call, Epoch, Evaluate, Fit, Model, OnBatch, Predict, Request, Step, Update};
    let looped = board.cycles(Fit) >= FITS_IN_A_LOOP && board.cycles(Epoch) > board.cycles(Fit);
    let training = if looped { [Fit, Epoch] } else { [Epoch, Fit] };
    let order = [Request, Step, training[0], training[1], Predict, OnBatch, Evaluate, Call, Update, Model];
    let at = |unit: CycleUnit| timeline.marks.iter().filter(move |m| m.unit == unit).map(|m| m.at_ns);
    let span = |unit: CycleUnit| {
        let (first, last) = (at(unit).next(), at(unit).next_back());
        first.zip(last).map_or(0.0, |(a, b)| (b - a) as f64)
    };
    let rest = at(Model).next().map_or(0.0, |first| timeline.end_ns.saturating_sub(first) as f64);
    let models_loop = board.cycles(Model) >= MODELS_IN_A_LOOP && span(Model) >= MAIN_SHARE * rest;
    let order = order.into_iter().filter(|unit| *unit != Model || models_loop);
    let longest = order.clone().map(span).fold(0.0, f64::max);
    let mut repeated =
        order.clone().filter(|unit| board.cycles(*unit) >= 2 && span(*unit) >= MAIN_SHARE * longest);
    repeated.next().or_else(|| order.clone().find(|unit| board.cycles(*unit) >= 1))
}

fn marked(timeline: &Timeline, board: &BoardCounts, unit: CycleUnit, basis: Basis) -> Cycles {
    let of_unit = |r: &Reading| matches!(r.moment, Moment::Cycle { unit: of, .. } if of == unit);
    // A reading that was short of time has no Python part: beside others that have it, it is not the level of its moment.
    let whole = basis == Basis::Live && timeline.readings.iter().any(|r| of_unit(r) && r.has_python);
    let points = timeline.readings.iter().enumerate().filter_map(|(i, r)| match r.moment {
        Moment::Cycle { ordinal, .. } if of_unit(r) && (r.has_python || !whole) => {
            point(i, r, ordinal, basis)
        }
        _ => None,
    });
    let marks: Vec<_> = timeline.marks.iter().filter(|m| m.unit == unit).collect();
    let lengths = marks.windows(2).filter(|w| w[1].ordinal > w[0].ordinal);
    let seconds = lengths
        .map(|w| (w[1].at_ns - w[0].at_ns) as f64 / 1e9 / (w[1].ordinal - w[0].ordinal) as f64)
        .collect();
    Cycles {
        unit: Unit::Marked(unit),
        count: board.cycles(unit),
        points: thinned(even(&increasing(points.collect()))),
        seconds: median(seconds),
        window_ends: Vec::new(),
    }
}

pub(crate) fn point(reading: usize, r: &Reading, ordinal: u64, basis: Basis) -> Option<Point> {
    Some(Point { ordinal, at_ns: r.at_ns, level: r.level(basis)?, reading })
}

/// Two threads may mark cycles at once, and a re-executed program starts over: keep what moves forward.
fn increasing(points: Vec<Point>) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        if out.last().is_none_or(|last| point.ordinal > last.ordinal) {
            out.push(point);
        }
    }
    out
}

/// Readings are dense where cycles were few yet, and become rare when these are many: a thousandth of a run must not have half of
/// the points. Points nearer to the one before than half of the usual distance go; the usual one is what half of
/// the cycles lie in, so that nothing goes from an even series.
fn even(points: &[Point]) -> Vec<Point> {
    let mut gaps: Vec<u64> = points.windows(2).map(|w| w[1].ordinal - w[0].ordinal).collect();
    gaps.sort_unstable();
    let half = gaps.iter().sum::<u64>() / 2;
    let mut passed = 0;
    let mut reaches_half = |gap: &&u64| {
        passed += **gap;
        passed >= half
    };
    let mut usual = gaps.iter().find(|gap| reaches_half(gap)).copied().unwrap_or(1);
    let mut out = apart(points, usual);
    while out.len() < ENOUGH_POINTS && usual > 1 {
        usual /= 2;
        out = apart(points, usual);
    }
    out
}

/// Without those that are nearer to the one before than half of this many cycles.
fn apart(points: &[Point], cycles: u64) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        if out.last().is_none_or(|last| 2 * (point.ordinal - last.ordinal) >= cycles) {
            out.push(point.clone());
        }
    }
    out
}

fn thinned(points: Vec<Point>) -> Vec<Point> {
    let every = points.len().div_ceil(MOST_POINTS).max(1);
    points.into_iter().step_by(every).collect()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

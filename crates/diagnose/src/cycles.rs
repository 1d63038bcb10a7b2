//! Chooses what repeats, and reads the memory at the end of each cycle.
//!
//! In: the timeline and the board's counts. Out: one series of points for one unit. A program has many things that
//! repeat (epochs inside fits, predictions inside callbacks); the verdict needs the one that its user would name.

use nilometer_capture::{BoardCounts, Capture, CycleUnit, FoundKind, Moment, Record};

use crate::ASKED_CYCLE;
use crate::choose::{Candidate, Choice, choose};
use crate::phases::Course;
use crate::report::OtherCycles;
use crate::timeline::{Basis, CycleMark, Reading, Timeline};
use crate::unit::Unit;
use crate::windows;

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
    /// How a unit was found that no hook knows: `the printed line ...`; else empty.
    pub(crate) how: String,
    pub(crate) count: u64,
    pub(crate) points: Vec<Point>,
    /// Median seconds of one cycle.
    pub(crate) seconds: Option<f64>,
    /// When each window ends, where windows serve.
    pub(crate) window_ends: Vec<u64>,
    /// The cycles at its end, where they were not read.
    pub(crate) unread: Option<Unread>,
}

/// Fits in a row, each of several epochs, from which on a fit is the cycle (models in a loop, folds, trials).
const FITS_IN_A_LOOP: u64 = 6;
/// So many models, made through most of the rest of the run, are what it is about where nothing else repeats. A few are made to begin with.
const MODELS_IN_A_LOOP: u64 = 6;
/// Those must be made through this share of what is left of the run.
const MIN_MODELS_SPAN_RATIO: f64 = 0.5;
/// Most points a series needs.
const MOST_POINTS: usize = 2000;
/// A series is not made even below this.
const ENOUGH_POINTS: usize = 10;

impl Cycles {
    /// The series of the unit that is chosen, or that was asked for.
    pub(crate) fn of(timeline: &Timeline, capture: &Capture, basis: Basis) -> Self {
        Chosen::of(timeline, capture, basis).cycles
    }
}

/// The series that is judged, and what else there was.
pub(crate) struct Chosen {
    pub(crate) cycles: Cycles,
    /// A coarser unit, to be judged where this one does not show a leak.
    pub(crate) coarser: Option<Cycles>,
    pub(crate) alternatives: Vec<OtherCycles>,
}

impl Chosen {
    pub(crate) fn of(timeline: &Timeline, capture: &Capture, basis: Basis) -> Self {
        let all = all(timeline, capture, basis);
        let candidates: Vec<Candidate> = all.iter().map(|one| one.candidate(timeline)).collect();
        let choice = match asked(capture) {
            Some(asked) => {
                Choice { unit: all.iter().position(|one| one.alternative().is_called(asked)), coarser: None }
            }
            None => choose(&candidates),
        };
        let asked_for_windows = asked(capture) == Some(WINDOW);
        let windows = || windows::of(timeline, &Course::of(capture), basis);
        let at = choice.unit.filter(|_| !asked_for_windows);
        let cycles = at.and_then(|at| all.get(at)).cloned().unwrap_or_else(windows);
        let coarser = choice.coarser.and_then(|at| all.get(at)).cloned();
        let others = all.iter().enumerate().filter(|(index, one)| Some(*index) != at && one.count > 1);
        let alternatives = others.map(|(_, one)| one.alternative()).collect();
        Self { cycles, coarser, alternatives }
    }
}

/// Stands for what changes in a printed line.
const CHANGING: char = '#';

/// The word by which windows of time are asked for.
const WINDOW: &str = "window";

/// The unit that was asked for, if one was.
fn asked(capture: &Capture) -> Option<&str> {
    fact(capture, ASKED_CYCLE)
}

fn fact<'c>(capture: &'c Capture, name: &str) -> Option<&'c str> {
    capture.records.iter().rev().find_map(|stamped| match &stamped.record {
        Record::Fact { key, value } if key == name => Some(value.as_str()),
        _ => None,
    })
}

/// The series of everything that repeated: first what hooks know, in the order in which users would name it, then what was found.
fn all(timeline: &Timeline, capture: &Capture, basis: Basis) -> Vec<Cycles> {
    use CycleUnit::{
        Call, Cell, Episode, Epoch, Evaluate, Fit, Model, OnBatch, Pass, Predict, Request, Served, Step,
        Task, Trial, Update,
    };
    let board = &capture.board;
    let looped = board.cycles(Fit) >= FITS_IN_A_LOOP && board.cycles(Epoch) > board.cycles(Fit);
    let (first, second) = if looped { (Fit, Epoch) } else { (Epoch, Fit) };
    let order = [
        Request, Step, Trial, Task, Served, first, second, Predict, OnBatch, Evaluate, Episode, Cell, Call,
        Update, Pass, Model,
    ];
    let known = order.into_iter().filter(|unit| *unit != Model || makes_models(timeline, board));
    let known = known.map(|unit| (Unit::Marked(unit), String::new()));
    let found = CycleUnit::all().filter_map(|unit| {
        let CycleUnit::Found(place) = unit else { return None };
        let description = fact(capture, &place.fact())?;
        let found = Unit::found(unit, description, seconds(timeline, unit).unwrap_or(0.0))?;
        let (kind, text) = FoundKind::parse(description)?;
        let how = match kind {
            FoundKind::Line => format!("the printed line `{}`", text.replace(CHANGING, "N")),
            FoundKind::Loop => format!("the loop at {}", shown(text, capture)),
        };
        Some((found, how))
    });
    let units = known.chain(found);
    let marks = |unit: Unit| unit.marks().map_or(0, |unit| board.cycles(unit));
    units
        .filter(|(unit, _)| marks(*unit) > 0)
        .map(|(unit, how)| marked(timeline, board, unit, how, basis))
        .collect()
}

/// The file of a place, as seen from the program's folder.
fn shown(place: &str, capture: &Capture) -> String {
    let folder = fact(capture, "cwd").map(|folder| format!("{}/", folder.trim_end_matches('/')));
    let inside = folder.and_then(|folder| place.strip_prefix(&folder).map(str::to_owned));
    inside.unwrap_or_else(|| place.to_owned())
}

/// Whether models are made through most of the rest of the run.
fn makes_models(timeline: &Timeline, board: &BoardCounts) -> bool {
    let at = || timeline.marks.iter().filter(|m| m.unit == CycleUnit::Model).map(|m| m.at_ns);
    let (Some(first), Some(last)) = (at().next(), at().next_back()) else { return false };
    let rest = timeline.end_ns.saturating_sub(first) as f64;
    board.cycles(CycleUnit::Model) >= MODELS_IN_A_LOOP
        && (last - first) as f64 >= MIN_MODELS_SPAN_RATIO * rest
}

impl Cycles {
    /// How it was found, where no hook knows it.
    pub(crate) fn found_by(&self) -> Option<String> {
        Some(self.how.clone()).filter(|how| !how.is_empty())
    }

    /// For the report, where another unit is judged.
    pub(crate) fn alternative(&self) -> OtherCycles {
        let unit = self.unit;
        OtherCycles { unit: unit.word(), kind: unit.kind(), found_by: self.found_by(), count: self.count }
    }

    fn candidate(&self, timeline: &Timeline) -> Candidate {
        let of_unit = |m: &&CycleMark| Some(m.unit) == self.unit.marks();
        let mut at = timeline.marks.iter().filter(of_unit).map(|m| m.at_ns);
        let first = at.next();
        let span = first.map_or(0, |first| at.next_back().unwrap_or(first) - first);
        Candidate {
            unit: self.unit,
            count: self.count,
            read: self.points.len(),
            span: span as f64 / 1e9,
            irregularity: irregularity(&self.points, self.unit.floor()),
        }
    }
}

/// Points that belong to the start of a series, where everything is made for the first time.
const START: usize = 2;

/// How far the growth per turn scatters around its median, in multiples of the median or of the floor, whichever is more.
fn irregularity(points: &[Point], floor: f64) -> f64 {
    let steps = points.get(START.min(points.len())..).unwrap_or_default().windows(2);
    let growth: Vec<f64> =
        steps.map(|w| (w[1].level - w[0].level) / (w[1].ordinal - w[0].ordinal).max(1) as f64).collect();
    let Some(usual) = median(growth.clone()) else { return f64::INFINITY };
    let scatter = median(growth.iter().map(|one| (one - usual).abs()).collect()).unwrap_or(f64::INFINITY);
    scatter / usual.abs().max(floor)
}

/// The median length of one turn.
fn seconds(timeline: &Timeline, unit: CycleUnit) -> Option<f64> {
    let marks: Vec<_> = timeline.marks.iter().filter(|m| m.unit == unit).collect();
    let lengths = marks.windows(2).filter(|w| w[1].ordinal > w[0].ordinal);
    let length =
        |w: &[&CycleMark]| (w[1].at_ns - w[0].at_ns) as f64 / 1e9 / (w[1].ordinal - w[0].ordinal) as f64;
    median(lengths.map(length).collect())
}

/// Cycles that were read span the run of them if the last one lies beyond this share of their number.
const MIN_READ_RATIO: f64 = 0.9;
/// After the last mark of a cycle so much time must have gone by for there to be no other: marks of fast cycles are so far apart.
const LAST_MARK_NS: u64 = 20_000_000;

fn marked(timeline: &Timeline, board: &BoardCounts, unit: Unit, how: String, basis: Basis) -> Cycles {
    let marks = unit.marks();
    let count = marks.map_or(0, |unit| board.cycles(unit));
    let of_unit = |r: &Reading| matches!(r.moment, Moment::Cycle { unit: of, .. } if Some(of) == marks);
    // A reading that was short of time has no Python part: beside others that have it, it is not the level of its moment.
    let whole = basis == Basis::Live && timeline.readings.iter().any(|r| of_unit(r) && r.has_python);
    let points = timeline.readings.iter().enumerate().filter_map(|(i, r)| match r.moment {
        Moment::Cycle { ordinal, .. } if of_unit(r) && (r.has_python || !whole) => {
            point(i, r, ordinal, basis)
        }
        _ => None,
    });
    let mut points = thinned(even(&increasing(points.collect())));
    let last_mark = timeline.marks.iter().rev().find(|m| Some(m.unit) == marks).map_or(0, |m| m.at_ns);
    let after =
        |r: &Reading| r.moment == Moment::BeforeExit || r.at_ns >= last_mark + LAST_MARK_NS && !of_unit(r);
    let unread = Unread::at_the_end(timeline, &mut points, count, basis, after);
    Cycles {
        unit,
        how,
        count,
        points,
        seconds: marks.and_then(|unit| seconds(timeline, unit)),
        window_ends: Vec::new(),
        unread,
    }
}

/// Cycles at the end of a series that were not read one by one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unread {
    /// The last cycle that was read.
    pub(crate) last: u64,
    /// What live memory rose by from then until the cycles were over; nothing where nobody read it.
    pub(crate) rise: Option<f64>,
}

impl Unread {
    /// The cycles behind the last point, if they are many. The first reading that is `after` all of them ends the series: what the
    /// cycles did that were too fast to be read is in it.
    pub(crate) fn at_the_end(
        timeline: &Timeline,
        points: &mut Vec<Point>,
        count: u64,
        basis: Basis,
        after: impl Fn(&Reading) -> bool,
    ) -> Option<Self> {
        let last = points.last()?;
        if last.ordinal as f64 >= MIN_READ_RATIO * count as f64 {
            return None;
        }
        let (ordinal, level, at_ns) = (last.ordinal, last.level, last.at_ns);
        let readings = timeline.readings.iter().enumerate();
        let is_whole = |r: &Reading| basis != Basis::Live || r.has_python;
        let end = readings
            .filter(|(_, r)| r.at_ns > at_ns && r.moment != Moment::AfterExitCollection)
            .find(|(_, r)| after(r) && is_whole(r))
            .and_then(|(index, r)| point(index, r, count, basis));
        let rise = end.as_ref().map(|end| end.level - level);
        points.extend(end);
        Some(Self { last: ordinal, rise })
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

//! The memory at the end of each cycle of one unit.
//!
//! In: the timeline and the board's counts. Out: one series of points, and when each cycle ended. What must not happen here: a point that
//! is not of the moment at which its cycle ended, except the one that ends a series whose last cycles were too fast to be read.
//! Turns that were counted at a tick of the clock have its reading: it is of the middle of the next turn.

use crate::numbers::{MIN_RISE_BYTES, PART, TENTH};
use nilometer_capture::{BoardCounts, CycleUnit, Moment};

use crate::timeline::{Basis, CycleMark, Reading, Timeline};
use crate::unit::Unit;

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
    /// When each cycle ended: the points, and behind them the marks of cycles that were not read.
    pub(crate) ends: Vec<Point>,
    /// Median seconds of one cycle.
    pub(crate) seconds: Option<f64>,
    /// When each window ends, where windows serve.
    pub(crate) window_ends: Vec<u64>,
    /// The cycles at its end, where they were not read.
    pub(crate) unread: Option<Unread>,
    /// Whether points and ends lie where they would if all requests kept alike: their ordinals are no longer those of marks.
    pub(crate) is_by_mix: bool,
}

impl Point {
    /// The same moment on the axis of these points; as it is behind them.
    pub(crate) fn on_axis_of(&self, points: &[Self]) -> Self {
        let after = points.partition_point(|point| point.at_ns < self.at_ns);
        let before = after.checked_sub(1).and_then(|at| points.get(at));
        let ordinal = match (before, points.get(after)) {
            (_, Some(b)) if b.at_ns == self.at_ns => b.ordinal,
            (Some(a), Some(b)) => {
                let share = (self.at_ns - a.at_ns) as f64 / (b.at_ns - a.at_ns) as f64;
                a.ordinal + (share * (b.ordinal - a.ordinal) as f64) as u64
            }
            _ => self.ordinal,
        };
        Self { ordinal, ..self.clone() }
    }
}

impl Cycles {
    /// Growth per cycle that nobody needs to hear of.
    pub(crate) fn floor(&self) -> f64 {
        let ends = self.points.first().zip(self.points.last());
        self.unit.floor_over(ends.map_or(1, |(first, last)| last.ordinal.saturating_sub(first.ordinal)))
    }
}

/// Most points a series needs.
const MAX_POINTS: usize = 2000;
/// A series is not made even below this.
const MIN_POINTS_TO_THIN: usize = 10;

/// The median length of one turn.
pub(crate) fn seconds(timeline: &Timeline, unit: CycleUnit) -> Option<f64> {
    let marks: Vec<_> = timeline.marks.iter().filter(|m| m.unit == unit).collect();
    let lengths = marks.windows(2).filter(|w| w[1].ordinal > w[0].ordinal);
    let length =
        |w: &[&CycleMark]| (w[1].at_ns - w[0].at_ns) as f64 / 1e9 / (w[1].ordinal - w[0].ordinal) as f64;
    median(lengths.map(length).collect())
}

/// Cycles that were read span the run of them if the last one lies beyond this share of their number.
const MIN_READ_RATIO: f64 = 1.0 - TENTH;
/// Where memory fell after them, a clean-up hides what the unread cycles kept: this share must have been read. The first 8 always are,
/// also where a reading is dear.
const MIN_READ_BEFORE_FALL_RATIO: f64 = PART;
/// After the last mark of a cycle so much time must have gone by for there to be no other: marks of fast cycles are so far apart.
const LAST_MARK_NS: u64 = 20_000_000;

pub(crate) fn marked(
    timeline: &Timeline,
    board: &BoardCounts,
    unit: Unit,
    how: String,
    basis: Basis,
) -> Cycles {
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
    let read = points.len();
    let unread = Unread::at_the_end(timeline, &mut points, count, basis, after);
    let (read, end) = points.split_at(read);
    let marks_of_unit = timeline.marks.iter().filter(|m| Some(m.unit) == marks);
    let ends = with_marks(read, marks_of_unit, end);
    Cycles {
        unit,
        how,
        count,
        points,
        ends,
        seconds: marks.and_then(|unit| seconds(timeline, unit)),
        window_ends: Vec::new(),
        unread,
        is_by_mix: false,
    }
}

/// The points, behind them the marks of cycles that were not read, and the point that ends the series.
fn with_marks<'m>(points: &[Point], marks: impl Iterator<Item = &'m CycleMark>, end: &[Point]) -> Vec<Point> {
    let mut ends = points.to_vec();
    let after = marks.map(|mark| (mark.ordinal, mark.at_ns)).chain(end.iter().map(|p| (p.ordinal, p.at_ns)));
    for (ordinal, at_ns) in after {
        let Some(last) = ends.last() else { break };
        if ordinal > last.ordinal && at_ns > last.at_ns {
            ends.push(Point { ordinal, at_ns, ..last.clone() });
        }
    }
    ends
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
    /// cycles did that were too fast to be read is in it. A reading after a clean-up (a function that returned, a library's exit handler)
    /// is no point of the series.
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
        let is_whole = |r: &Reading| (basis != Basis::Live || r.has_python) && r.level(basis).is_some();
        let end = readings
            .filter(|(_, r)| r.at_ns > at_ns && r.moment != Moment::AfterExitCollection)
            .find(|(_, r)| after(r) && is_whole(r))
            .and_then(|(index, r)| point(index, r, count, basis));
        let fell = end.as_ref().is_some_and(|end| end.level < level - MIN_RISE_BYTES);
        let read = ordinal as f64 / count as f64;
        let tells = !fell || read >= MIN_READ_BEFORE_FALL_RATIO;
        let rise = end.as_ref().map(|end| end.level - level).filter(|_| tells);
        points.extend(end.filter(|_| !fell));
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
    while out.len() < MIN_POINTS_TO_THIN && usual > 1 {
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
    let every = points.len().div_ceil(MAX_POINTS).max(1);
    points.into_iter().step_by(every).collect()
}

pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(read: &[(u64, u64)], marks: &[(u64, u64)], end: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let point = |&(ordinal, at_ns): &(u64, u64)| Point { ordinal, at_ns, level: 0.0, reading: 0 };
        let points = |of: &[(u64, u64)]| of.iter().map(point).collect::<Vec<_>>();
        let mark = |&(ordinal, at_ns): &(u64, u64)| CycleMark { ordinal, at_ns, unit: CycleUnit::Epoch };
        let marks: Vec<CycleMark> = marks.iter().map(mark).collect();
        let all = with_marks(&points(read), marks.iter(), &points(end));
        all.iter().map(|point| (point.ordinal, point.at_ns)).collect()
    }

    #[test]
    fn cycles_behind_the_last_reading_end_at_their_marks() {
        let marks = [(1, 10), (2, 20), (3, 30), (4, 90), (5, 150)];
        assert_eq!(ends(&[(1, 11), (2, 21)], &marks, &[]), [(1, 11), (2, 21), (3, 30), (4, 90), (5, 150)]);
        assert_eq!(ends(&[(1, 11)], &marks[..3], &[(9, 200)]), [(1, 11), (2, 20), (3, 30), (9, 200)]);
        assert_eq!(ends(&[], &marks, &[]), [], "without a reading there is no series");
    }

    #[test]
    fn a_mark_that_does_not_move_forward_is_none() {
        assert_eq!(ends(&[(5, 50)], &[(1, 60), (6, 70), (6, 80)], &[(6, 90)]), [(5, 50), (6, 70)]);
    }
}

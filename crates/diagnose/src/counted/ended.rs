//! A growth that ended with the unit that it was counted by: files that are loaded with a line printed for each, and a program that then works
//! for longer without.
//!
//! In: the series of a found unit, readings behind its last mark, the processor time of the program. Out: what was counted, as bounded or open.
//! What must not happen here: a unit that hooks know taken for over, or a program that only waits for the next turn.
//!
//! Forty lines `loading image 10 of 400` within a second, and 14 seconds of clustering behind them, were a leak of 1.9 MiB per line.

use nilometer_capture::{Capture, Record};
use nilometer_stats::Interval;

use super::counters::{Counted, Filling, State};
use super::reason::CountedReason;
use crate::cycles::{Cycles, Point};
use crate::numbers::{HALF, LITTLE, SEVERAL, THIRD};
use crate::timeline::{Basis, Reading, Timeline};
use crate::unit::Unit;

/// The growth is over if the program went on for this share of the unit's time, ...
const OVER_RATIO: f64 = 1.0;
/// ... and may be over from this share on.
const MAY_BE_OVER_RATIO: f64 = THIRD;
/// It was at work for this share of the time behind the last turn: a worker without a job waits.
const MIN_BUSY_RATIO: f64 = HALF;
/// Live memory rose there by no more than this share of what it had risen by.
const MAX_LATER_RISE_RATIO: f64 = LITTLE;
/// Readings that must say so.
const MIN_READINGS: usize = SEVERAL as usize;

/// What was counted, if the unit's turns ended long before the program did. Where memory rose later by something else, the growth stays open.
pub(crate) fn ended(
    capture: &Capture,
    pid: Option<u64>,
    timeline: &Timeline,
    cycles: &Cycles,
    (basis, counted): (Basis, &Counted),
) -> Option<Counted> {
    let Unit::Found { unit, .. } = cycles.unit else { return None };
    let marks = || timeline.marks.iter().filter(|mark| mark.unit == unit);
    let (begins, ends) = (marks().next()?, marks().next_back()?);
    // Marks of fast turns are thinned: the last one that is known may be none of the last turns.
    if ends.ordinal < cycles.count || counted.is_bounded() || counted.state == State::TooFew {
        return None;
    }
    let behind = Behind { timeline, basis, from_ns: ends.at_ns, to_ns: timeline.last()?.at_ns };
    let share = behind.seconds() / ((ends.at_ns - begins.at_ns) as f64 / 1e9);
    let rise = rise(&cycles.points);
    let is_flat = behind.later_rise()? <= MAX_LATER_RISE_RATIO * rise;
    let is_busy = behind.processor_seconds(capture, pid)? >= MIN_BUSY_RATIO * behind.seconds();
    let least = if is_flat { MAY_BE_OVER_RATIO } else { OVER_RATIO };
    if share < least || !is_busy {
        return None;
    }
    let reason = CountedReason::Ended { cycles: cycles.count, rise, seconds: behind.seconds(), is_flat };
    let since = cycles.points.len().saturating_sub(1);
    if share < OVER_RATIO || !is_flat {
        return Some(Counted { state: State::Open, reason, needed: None, ..counted.clone() });
    }
    let none = Interval { estimate: 0.0, low: 0.0, high: 0.0 };
    Some(Counted {
        state: State::Bounded,
        reason,
        needed: None,
        rate: Some(none),
        at_most: 0.0,
        since,
        filling: Some(Filling { bytes: rise, bound: None }),
        ..counted.clone()
    })
}

/// What live memory rose by in all turns.
fn rise(points: &[Point]) -> f64 {
    points.first().zip(points.last()).map_or(0.0, |(first, last)| last.level - first.level)
}

/// The program's own time behind the last turn.
struct Behind<'a> {
    timeline: &'a Timeline,
    basis: Basis,
    from_ns: u64,
    to_ns: u64,
}

impl Behind<'_> {
    fn seconds(&self) -> f64 {
        self.to_ns.saturating_sub(self.from_ns) as f64 / 1e9
    }

    /// What live memory rose by from the first half to the second: by its highest levels or by its lowest, since a computation has memory of its
    /// own for a while. Nothing where few readings tell. One that found the interpreter busy has Python's part of the one before.
    fn later_rise(&self) -> Option<f64> {
        let is_inside = |r: &&Reading| r.at_ns > self.from_ns && r.at_ns <= self.to_ns;
        let inside: Vec<&Reading> = self.timeline.readings.iter().filter(is_inside).collect();
        inside.last().filter(|r| r.has_python || self.basis != Basis::Live)?;
        let levels: Vec<f64> = inside.iter().filter_map(|r| r.level(self.basis)).collect();
        let (early, late) =
            levels.split_at_checked(levels.len() / 2).filter(|_| levels.len() >= MIN_READINGS)?;
        let highest = |levels: &[f64]| levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let lowest = |levels: &[f64]| levels.iter().copied().fold(f64::INFINITY, f64::min);
        Some((highest(late) - highest(early)).min(lowest(late) - lowest(early)))
    }

    /// The processor time that the program took in it.
    fn processor_seconds(&self, capture: &Capture, pid: Option<u64>) -> Option<f64> {
        let mut times = capture.records.iter().filter_map(|stamped| match &stamped.record {
            Record::Process(reading) if pid.is_none() || reading.pid == pid => {
                reading.cpu_ns.filter(|_| stamped.at_ns > self.from_ns && stamped.at_ns <= self.to_ns)
            }
            _ => None,
        });
        let first = times.next()?;
        let last = times.next_back()?;
        Some(last.saturating_sub(first) as f64 / 1e9)
    }
}

//! What the scans said of containers that grow, told in the cycles that the report counts in.
//!
//! In: records of growth with the times of their scans, the series of cycles. Out: bytes per cycle of each container. What must not
//! happen here: a rate over the time in which a container grew alone; where it stopped, the time after it counts as well.

use crate::numbers::{HALF, SEVERAL};
use nilometer_capture::Grown;

use crate::cycles::Point;

/// A container grew, as one scan saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rise {
    pub(crate) at_ns: u64,
    pub(crate) grown: Grown,
}

/// Adds what a scan said of a container. Several that go by one name (the lists of a dict) are one, as long as none of them has a bound of its
/// own: what the same scan, which began after `since`, said of the others is added to.
pub(super) fn add(rises: &mut Vec<Rise>, rise: Rise, since: Option<u64>) {
    let same = rises.last_mut().filter(|last| since.is_some_and(|since| last.at_ns > since));
    let Some(Rise { grown: all, .. }) = same else {
        rises.push(rise);
        return;
    };
    all.length += rise.grown.length;
    all.bytes += rise.grown.bytes;
    all.new += rise.grown.new;
    all.native |= rise.grown.native;
    all.partial |= rise.grown.partial;
    all.shared &= rise.grown.shared;
}

/// What of the memory that its new elements keep was weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weighed {
    All,
    /// More hangs below them than could be walked.
    Part,
    /// Native memory does, which Python cannot see.
    AllButNative,
}

impl Weighed {
    fn of(rises: &[Rise]) -> Self {
        match () {
            () if rises.iter().any(|rise| rise.grown.native) => Self::AllButNative,
            () if rises.iter().any(|rise| rise.grown.partial) => Self::Part,
            () => Self::All,
        }
    }
}

/// How a container grew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    /// Per cycle, as far as Python can see.
    pub(crate) bytes: f64,
    /// Elements per cycle; of an array, bytes.
    pub(crate) elements: f64,
    /// What its length rose by per cycle: what scans missed while it was replaced by a longer copy of itself is in it.
    pub(crate) lengthened: f64,
    /// Cycles in which it was watched: it is told of from the second scan on that it grew in.
    pub(crate) cycles: u64,
    pub(crate) weighed: Weighed,
    /// Whenever it was looked at, something else held its new elements, too.
    pub(crate) shared: bool,
    /// Of late it grew less than half as fast as before: it fills perhaps.
    pub(crate) slows: bool,
    /// It got as many elements in each cycle, whenever it was looked at.
    pub(crate) even: bool,
}

impl Pace {
    /// Of its rises and the times at which scans ended. A rise tells of the time since the scan before it; a container is told
    /// from the third scan on that it grew in, so that one rise is enough to know that it goes on growing.
    pub(crate) fn of(rises: &[Rise], scans: &[u64], points: &[Point]) -> Option<Self> {
        let (first, last) = (rises.first()?, rises.last()?);
        if !rises.windows(2).all(|pair| matches!(pair, [a, b] if b.grown.length > a.grown.length)) {
            return None;
        }
        let before = scans.iter().rfind(|at| **at < first.at_ns);
        let counted = if before.is_some() { rises } else { rises.get(1..)? };
        let from = before.copied().unwrap_or(first.at_ns);
        // At a scan after the last cycle what functions held may be gone: that it did not grow there says nothing.
        let ended = ending(points);
        let to = scans.iter().rfind(|at| **at <= ended).copied().unwrap_or(0).max(last.at_ns);
        let end = if to == last.at_ns { cycle_of(points, last)? } else { cycle_at(points, to)? };
        let cycles = end - cycle_at(points, from)?;
        if counted.is_empty() || cycles < MIN_WATCHED_CYCLES {
            return None;
        }
        let bytes: u64 = counted.iter().map(|rise| rise.grown.bytes).sum();
        let new: u64 = counted.iter().map(|rise| rise.grown.new).sum();
        let before = counted.first().map_or(0, |rise| rise.grown.length.saturating_sub(rise.grown.new));
        // What the first rise was told of had grown in a scan before that one already.
        let since = scans.iter().rfind(|at| **at < from).copied().unwrap_or(from);
        let watched = end - cycle_at(points, since)?;
        Some(Self {
            bytes: bytes as f64 / cycles,
            elements: new as f64 / cycles,
            lengthened: last.grown.length.saturating_sub(before) as f64 / cycles,
            cycles: watched.round() as u64,
            weighed: Weighed::of(rises),
            shared: rises.iter().all(|rise| rise.grown.shared),
            slows: slows(counted, points, (cycle_at(points, from)?, end)).unwrap_or(false),
            even: is_even(rises),
        })
    }
}

/// Whether it became longer by exactly as many elements with each cycle from rise to rise, as what is added to at the end of every cycle does. What
/// fills, what samples or what depends on the data does not.
fn is_even(rises: &[Rise]) -> bool {
    let step = |pair: &[Rise]| match pair {
        [a, b] => Some((
            b.grown.length.checked_sub(a.grown.length)?,
            b.grown.cycle.checked_sub(a.grown.cycle).filter(|cycles| *cycles > 0)?,
        )),
        _ => None,
    };
    let Some(first) = rises.get(..2).and_then(step) else { return false };
    let like_first = |(elements, cycles)| elements * first.1 == first.0 * cycles;
    rises.len() >= MIN_RISES && rises.windows(2).all(|pair| step(pair).is_some_and(like_first))
}

/// Whether the later half of the rises brought fewer elements per cycle than half of what the earlier ones did.
fn slows(rises: &[Rise], points: &[Point], (from, to): (f64, f64)) -> Option<bool> {
    let (first, middle, last) = (rises.first()?, rises.get(rises.len() / 2)?, rises.last()?);
    let at = cycle_at(points, middle.at_ns)?;
    let before = first.grown.length.saturating_sub(first.grown.new);
    let pace = |elements: u64, cycles: f64| elements as f64 / cycles.max(MIN_WATCHED_CYCLES);
    let early = pace(middle.grown.length.saturating_sub(before), at - from);
    let late = pace(last.grown.length.saturating_sub(middle.grown.length), to - at);
    Some(rises.len() >= MIN_RISES && late < SLOWED_RATIO * early)
}

/// Rises that say whether it slows.
const MIN_RISES: usize = SEVERAL as usize;
/// It does below this share of what it had.
const SLOWED_RATIO: f64 = HALF;
/// A container is watched for at least so long.
const MIN_WATCHED_CYCLES: f64 = 0.5;

/// When the last cycle had surely ended: as long after the last one that was read as lies between those before it.
fn ending(points: &[Point]) -> u64 {
    let half = points.len() / 2;
    let (Some(middle), Some(last)) = (points.get(half), points.last()) else { return u64::MAX };
    let between = (last.at_ns - middle.at_ns) / (points.len() - half).saturating_sub(1).max(1) as u64;
    last.at_ns + between
}

/// Cycles that had ended by then; between two readings in proportion to time. After the last reading they went on as before:
/// short cycles are not all read.
pub(super) fn cycle_at(points: &[Point], at_ns: u64) -> Option<f64> {
    let after = points.partition_point(|point| point.at_ns <= at_ns);
    let last = || points.len() >= 2 && after == points.len();
    let at = if last() { after - 1 } else { after };
    let before = at.checked_sub(1).and_then(|index| points.get(index));
    match (before, points.get(at)) {
        (Some(a), Some(b)) => {
            let a = if last() { points.get(points.len() / 2 - 1)? } else { a };
            let share = (at_ns - a.at_ns) as f64 / (b.at_ns - a.at_ns).max(1) as f64;
            Some(a.ordinal as f64 + share * (b.ordinal - a.ordinal) as f64)
        }
        (Some(point), None) | (None, Some(point)) => Some(point.ordinal as f64),
        (None, None) => None,
    }
}

/// The same of a scan that told of a container. It says which cycle had ended: a program that waits when its cycles are over makes no more of them.
pub(super) fn cycle_of(points: &[Point], rise: &Rise) -> Option<f64> {
    let at = cycle_at(points, rise.at_ns)?;
    // A scan counts cycles of the unit that rose, which may be a longer one than that of the points.
    let same_unit = points.last().is_some_and(|last| rise.grown.cycle >= last.ordinal);
    Some(if same_unit { at.min(rise.grown.cycle as f64 + 1.0) } else { at })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    /// Ten cycles, one per second, read at their ends.
    fn points() -> Vec<Point> {
        let point = |ordinal| Point { ordinal, at_ns: ordinal * 1000, level: 0.0, reading: 0 };
        (1..=10).map(point).collect()
    }

    fn pace(rises: &[(u64, u64, u64)], scans: &[u64]) -> Option<Pace> {
        let grown: Vec<Grown> = rises
            .iter()
            .map(|(_, length, bytes)| Grown { length: *length, bytes: *bytes, new: 1, ..Grown::default() })
            .collect();
        let rises: Vec<Rise> =
            rises.iter().zip(grown).map(|((at_ns, ..), grown)| Rise { at_ns: *at_ns, grown }).collect();
        Pace::of(&rises, scans, &points())
    }

    #[test]
    fn one_rise_tells_of_the_time_since_the_scan_before() {
        let found = pace(&[(8010, 8, 600)], &[2020, 5020, 8020]).unwrap();
        assert!((found.bytes - 200.0).abs() < 1.0, "{found:?}");
        assert_eq!(found.cycles, 6, "it had grown by the scan before already");
        let found = pace(&[(8010, 8, 600)], &[5020, 8020]).unwrap();
        assert_eq!(found.cycles, 3, "of the scans before that one nothing is known");
        assert_eq!(pace(&[(8010, 8, 600)], &[8020]), None, "it is not known since when");
    }

    #[test]
    fn the_time_after_the_last_rise_counts() {
        let found = pace(&[(4010, 4, 400)], &[2020, 4020, 6020, 10_020]).unwrap();
        assert!((found.bytes - 50.0).abs() < 1.0, "{found:?}");
    }

    #[test]
    fn a_scan_after_the_last_cycle_says_nothing_of_what_is_gone() {
        let found = pace(&[(4010, 4, 400), (8010, 8, 400)], &[2020, 4020, 8020, 14_000]).unwrap();
        assert!((found.bytes - 133.0).abs() < 1.0, "{found:?}");
        assert_eq!(found.cycles, 6);
    }

    #[test]
    fn cycles_go_on_where_none_was_read() {
        let last = |cycle| Rise { at_ns: 90_000, grown: Grown { cycle, ..Grown::default() } };
        assert_eq!(cycle_of(&points(), &last(10)), Some(11.0), "it waits since");
        assert_eq!(cycle_of(&points(), &last(3)), Some(90.0), "three of a longer unit");
        assert_eq!(cycle_of(&points(), &last(500)), Some(90.0), "of a shorter one");
        assert_eq!(cycle_at(&points(), 5500), Some(5.5));
        assert_eq!(cycle_at(&points(), 14_000), Some(14.0));
        assert_eq!(cycle_at(&points(), 500), Some(1.0));
    }

    #[test]
    fn a_longer_copy_goes_on_with_the_length_of_the_original() {
        // One more in each cycle. The scans before the last one met a copy at another address.
        let found = pace(&[(4010, 4, 400), (10_010, 10, 400)], &[3020, 4020, 10_020]).unwrap();
        assert!((found.lengthened - 1.0).abs() < 0.01, "{found:?}");
        assert!(found.elements < 0.5, "{found:?}");
    }

    #[test]
    fn what_became_shorter_does_not_grow() {
        assert_eq!(pace(&[(4010, 9, 400), (6010, 5, 400)], &[2020, 4020, 6020]), None);
    }
}

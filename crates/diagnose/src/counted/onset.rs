//! Where in a series the part begins that speaks for the future: growth may begin late, or end.
//!
//! In: points after start-up. Out: an index. What must not happen here: a leak taken for one that ended, because a collection
//! in its late part makes many rates possible.

use crate::numbers::{LONGER_RATIO, MIN_FILLING_BYTES, MIN_POINTS, PART, SEVERAL};
use nilometer_stats::{ChangeKind, Interval, change, growth};

use crate::counted::garbage::series;
use crate::cycles::Point;

/// Steps of at least this share of the biggest are steps; between them the series is level.
const MIN_STEP_OF_LARGEST_RATIO: f64 = PART;
/// The level part at the end is so many times as long as any between two steps, or before the first. Twice would be what a table
/// does that doubles.
const MIN_LEVEL_RATIO: f64 = LONGER_RATIO;

/// Where the part begins that speaks for the future, and how much the part before it rose if growth ended there. `rose_before`: each
/// cycle before the points brought a rise.
pub(crate) fn growing_part(points: &[Point], rose_before: bool, floor: f64) -> (usize, Option<f64>) {
    let (x, y) = series(points);
    let bend = change(&x, &y)
        .filter(|found| found.kind == ChangeKind::Rate && points.len() - found.at >= MIN_POINTS);
    let stepped = || {
        let told = |(at, rise)| (at, Some(rise).filter(|rise| *rise > MIN_FILLING_BYTES));
        last_step(points, rose_before).map_or((0, None), told)
    };
    let Some(found) = bend else { return stepped() };
    let late = growth(&x[found.at..], &y[found.at..]);
    let early = growth(&x[..=found.at], &y[..=found.at]);
    let grows = |rate: &Option<Interval>| rate.is_some_and(|r| r.low > floor);
    let rise = y[found.at] - y[0];
    match (grows(&early), grows(&late)) {
        // It began late, or the rate changed: the late part says what is to come.
        (false, true) if is_below(early, late.map_or(0.0, |r| r.low)) => (found.at, None),
        // Start-up has most of the points of a filling that ends past the middle of the run; the few that are left of it say no rate.
        (false, false) if rose_before && early.is_none() && ends_at(points, found.at, late) => {
            (found.at, Some(rise).filter(|r| *r > MIN_FILLING_BYTES))
        }
        // It ended. A small rise is none that need be told.
        (true, false) if is_below(late, early.map_or(0.0, |r| r.estimate)) => {
            (found.at, Some(rise).filter(|r| *r > MIN_FILLING_BYTES))
        }
        _ => stepped(),
    }
}

/// Whether the points up to this one rose faster than all rates that are possible since.
fn ends_at(points: &[Point], at: usize, late: Option<Interval>) -> bool {
    let (Some(first), Some(corner)) = (points.first(), points.get(at)) else { return false };
    let cycles = corner.ordinal.saturating_sub(first.ordinal).max(1) as f64;
    is_below(late, (corner.level - first.level) / cycles)
}

/// The first point after the last of some upward steps, and how much they rose, where the series was level ever after: a report at
/// the third epoch, a cache at the sixth. Nothing that comes again in even or in doubling distances passes for that.
fn last_step(points: &[Point], rose_before: bool) -> Option<(usize, f64)> {
    let steps: Vec<f64> = points.windows(2).map(|w| w[1].level - w[0].level).collect();
    let biggest = steps.iter().copied().fold(0.0, f64::max);
    if biggest < MIN_FILLING_BYTES || steps.iter().any(|step| *step <= -MIN_STEP_OF_LARGEST_RATIO * biggest) {
        return None;
    }
    let at: Vec<usize> = steps
        .iter()
        .enumerate()
        .filter(|(_, step)| **step >= MIN_STEP_OF_LARGEST_RATIO * biggest)
        .map(|(i, _)| i + 1)
        .collect();
    let ordinal = |index: usize| points.get(index).map(|point| point.ordinal as f64);
    // Start-up, which the points do not have, belongs to the stretch before the first step where it was level.
    let first = if rose_before { ordinal(0) } else { Some(0.0) };
    let ends = std::iter::once(first).chain(at.iter().map(|index| ordinal(*index)));
    let ends: Vec<f64> = ends.collect::<Option<_>>()?;
    let longest = ends.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::max);
    let last = *at.last()?;
    let level = points.last()?.ordinal as f64 - ordinal(last)?;
    let rise = points.get(last)?.level - points.first()?.level;
    (points.len() - last >= MIN_POINTS && level >= MIN_LEVEL_RATIO * longest).then_some((last, rise))
}

/// The cycles before this one start things up.
const START_UP_CYCLES: u64 = SEVERAL;

/// The point that growth is told to go back to, from the one at which it was surely there: start-up may end late, or be thought to, while
/// each of its cycles had added as much already. `least`: the growth is at least so much, bytes per cycle.
pub(crate) fn began(points: &[Point], sure: usize, least: f64) -> usize {
    let adds = |at: &usize| {
        let (Some(before), Some(point)) = (at.checked_sub(1).and_then(|b| points.get(b)), points.get(*at))
        else {
            return false;
        };
        let cycles = point.ordinal.saturating_sub(before.ordinal) as f64;
        before.ordinal >= START_UP_CYCLES && point.level - before.level >= least * cycles
    };
    sure - (1..=sure).rev().take_while(adds).count()
}

/// Whether all that a rate may be is below this; a collection alone makes many rates possible.
fn is_below(rate: Option<Interval>, limit: f64) -> bool {
    rate.is_some_and(|rate| rate.high < limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: f64 = 1024.0 * 1024.0;

    /// From the third cycle on, by the cycles that a step is at the end of, with a breath of 20 KiB.
    fn part(count: u64, steps: &[(u64, f64)]) -> Option<usize> {
        let mut level = 200.0 * MIB;
        let points: Vec<Point> = (3..3 + count)
            .map(|ordinal| {
                level += steps.iter().filter(|(at, _)| *at == ordinal).map(|(_, mib)| mib * MIB).sum::<f64>();
                let breath = (ordinal % 3) as f64 * 10.0 * 1024.0;
                Point { ordinal, at_ns: ordinal, level: level + breath, reading: 0 }
            })
            .collect();
        last_step(&points, false).map(|(at, _)| at)
    }

    #[test]
    fn growth_goes_back_to_the_first_cycle_that_added_as_much() {
        let levels = |rises: &[f64]| -> Vec<Point> {
            let mut level = 200.0 * MIB;
            let point = |(at, rise): (usize, &f64)| {
                level += rise * MIB;
                Point { ordinal: at as u64 + 1, at_ns: 0, level, reading: 0 }
            };
            rises.iter().enumerate().map(point).collect()
        };
        let began = |rises: &[f64], sure| began(&levels(rises), sure, 0.8);
        assert_eq!(began(&[0.0, 9.0, 4.0, 1.5, 1.4, 1.2, 1.0, 1.0], 6), 2, "from the third on, as always");
        assert_eq!(began(&[0.0, 9.0, 4.0, 0.0, 0.1, 0.0, 1.0, 1.0], 6), 5, "it began late");
        assert_eq!(
            began(&[0.0, 9.0, 4.0, 1.5, 1.4, -1.2, 1.0, 1.0], 6),
            5,
            "what went is not known to be none"
        );
        assert_eq!(began(&[0.0, 9.0, 4.0, 1.0], 2), 2);
        assert_eq!(began(&[0.0], 0), 0);
        assert_eq!(began(&[], 0), 0);
    }

    #[test]
    fn what_was_level_for_long_after_a_step_is_judged_from_there() {
        assert_eq!(part(22, &[(4, 4.0)]), Some(1));
        assert_eq!(part(40, &[(5, 4.0), (8, 2.0)]), Some(5));
    }

    #[test]
    fn a_rise_that_start_up_had_begun_ends_with_its_last_step() {
        let ordinals = [30_u64, 33, 40, 46, 53, 60, 74, 90];
        let levels = [81.3, 86.4, 86.8, 86.8, 86.8, 86.8, 86.8, 86.8];
        let point =
            |(ordinal, level): (u64, f64)| Point { ordinal, at_ns: 0, level: level * MIB, reading: 0 };
        let points: Vec<Point> = ordinals.into_iter().zip(levels).map(point).collect();
        assert_eq!(last_step(&points, true).map(|(at, _)| at), Some(1));
        assert_eq!(last_step(&points, false), None, "the level before a step had lasted for 33 cycles");
    }

    #[test]
    fn what_may_come_again_is_judged_as_a_whole() {
        assert_eq!(part(22, &[(10, 4.0)]), None, "the next may come at the twentieth");
        assert_eq!(part(22, &[(8, 4.0), (16, 4.0)]), None);
        assert_eq!(part(30, &[(4, 1.0), (8, 2.0), (16, 4.0)]), None, "a table that doubles");
        assert_eq!(part(22, &[(4, 4.0), (12, -4.0)]), None, "what comes and goes");
        assert_eq!(part(22, &[(4, 0.5)]), None, "nothing to tell");
        let leak: Vec<(u64, f64)> = (3..25).map(|at| (at, 4.0)).collect();
        assert_eq!(part(22, &leak), None);
    }
}

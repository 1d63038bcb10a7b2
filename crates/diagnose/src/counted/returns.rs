//! A level that live memory keeps returning to: what returns cannot have leaked.
//!
//! In: points. Out: an upper bound of the growth per cycle. A pipeline has a batch in flight at the end of some epochs
//! and none at the end of others: megabytes of noise, in which no slope can be told from none. But a leak lifts the
//! lowest levels too, so two low points early and two late, all at one level, bound it far better than a slope does.

use crate::cycles::Point;
use crate::numbers::{LITTLE, MIN_POINTS, MOST, PART, SEVERAL};

/// Fewer points have no halves to compare.
const MIN_HALVES_POINTS: usize = MIN_POINTS + 2;
/// Halves must lie so many cycles apart.
const MIN_DISTANCE_CYCLES: f64 = SEVERAL as f64;
/// A floor that lies lower by more than this share of the whole range is another floor.
const SAME_RATIO: f64 = LITTLE;
/// The floor is touched again in what lies behind this share of the cycles: growth may begin late.
const MIN_LAST_TOUCH_RATIO: f64 = MOST;
/// The chance that the low points of one half of pure noise agree as well; both must.
const MAX_CHANCE: f64 = LITTLE;

/// A fall by this share of the whole range is a return.
const RETURN_RATIO: f64 = PART;

/// The points from the first return on: a buffer that gathers for the first time starts at a level that it never returns to.
fn from_first_return(points: &[Point]) -> &[Point] {
    let range = range(points);
    let mut highest = f64::MIN;
    let returned = points.iter().position(|point| {
        highest = highest.max(point.level);
        highest - point.level >= RETURN_RATIO * range
    });
    returned.and_then(|at| points.get(at..)).filter(|rest| rest.len() >= MIN_HALVES_POINTS).unwrap_or(points)
}

fn range(points: &[Point]) -> f64 {
    let levels = || points.iter().map(|p| p.level);
    levels().fold(f64::MIN, f64::max) - levels().fold(f64::MAX, f64::min)
}

/// The most that can be growing, if both halves of the series touch a common low level more often than by chance.
pub(crate) fn growth_at_most(points: &[Point]) -> Option<f64> {
    if points.len() < MIN_HALVES_POINTS {
        return None;
    }
    let points = from_first_return(points);
    let range = range(points);
    let (early, late) = points.split_at(points.len() / 2);
    let (early, late) = (Low::of(early, range)?, Low::of(late, range)?);
    let spread = early.spread.max(late.spread);
    let distance = late.ordinal - early.ordinal;
    let rise = late.level - early.level;
    // A floor that went down is another floor: a drop between the halves would hide a leak.
    let same = rise >= -SAME_RATIO * range && distance >= MIN_DISTANCE_CYCLES;
    let ends = points.first()?.ordinal as f64..points.last()?.ordinal as f64;
    let returns = late.last - ends.start >= MIN_LAST_TOUCH_RATIO * (ends.end - ends.start);
    (same && returns).then(|| (rise + 2.0 * spread) / distance)
}

/// The low points of a half that lie together: their mean, and how far apart they are.
struct Low {
    ordinal: f64,
    /// Of the last of them.
    last: f64,
    level: f64,
    spread: f64,
}

impl Low {
    /// As many of the lowest points as agree better than noise would.
    fn of(points: &[Point], range: f64) -> Option<Self> {
        let mut lowest: Vec<&Point> = points.iter().collect();
        lowest.sort_by(|a, b| a.level.total_cmp(&b.level));
        let bottom = lowest.first()?.level;
        let agree = |count: &usize| {
            let highest = lowest.get(count - 1).map_or(f64::INFINITY, |point| point.level);
            highest - bottom <= by_chance(*count, points.len()) * range
        };
        let count = (2..=lowest.len()).rev().find(agree)?;
        let mean =
            |of: fn(&Point) -> f64| lowest.iter().take(count).map(|p| of(p)).sum::<f64>() / count as f64;
        let spread = lowest.get(count - 1)?.level - bottom;
        let last = lowest.iter().take(count).map(|p| p.ordinal).max()? as f64;
        Some(Self { ordinal: mean(|p| p.ordinal as f64), last, level: mean(|p| p.level), spread })
    }
}

/// The share of its range within which the lowest `count` of so many points of noise lie with the chance of [`MAX_CHANCE`]. For points
/// that are spread evenly, the chance that so many others lie within a share f above the lowest is at most (n f)^m / m!, m = count - 1.
fn by_chance(count: usize, points: usize) -> f64 {
    let others = count.saturating_sub(1).max(1);
    let factorial: f64 = (1..=others).map(|i| i as f64).product();
    (MAX_CHANCE * factorial).powf(1.0 / others as f64) / points.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(levels: &[f64]) -> Vec<Point> {
        let point =
            |(i, level): (usize, &f64)| Point { ordinal: i as u64 + 1, at_ns: 0, level: *level, reading: 0 };
        levels.iter().enumerate().map(point).collect()
    }

    #[test]
    fn a_level_that_returns_bounds_growth() {
        let bound = growth_at_most(&points(&[100., 0., 100., 1., 100., 0., 1., 100., 0., 100.]));
        assert!(bound.is_some_and(|b| b.abs() < 1.0), "{bound:?}");
    }

    #[test]
    fn a_buffer_that_is_emptied_bounds_growth_from_its_first_return_on() {
        let teeth = |leak: f64| -> Vec<f64> {
            (0..96)
                .map(|i: u32| if i < 24 { f64::from(i) } else { 12.0 + f64::from(i % 12) } + leak * f64::from(i))
                .collect()
        };
        let bound = growth_at_most(&points(&teeth(0.0)));
        assert!(bound.is_some_and(|b| b.abs() < 0.05), "{bound:?}");
        for leak in [0.01, 0.1, 1.0] {
            assert!(growth_at_most(&points(&teeth(leak))).is_none_or(|b| b >= leak), "{leak}");
        }
    }

    #[test]
    fn a_leak_is_never_bounded_below_itself() {
        let leak: Vec<f64> = (0..40).map(|i| f64::from(i) * 5.0 + f64::from(i * 7 % 3) * 100.0).collect();
        assert!(growth_at_most(&points(&leak)).is_none_or(|b| b >= 5.0));
        let straight: Vec<f64> = (0..40).map(|i| f64::from(i) * 5.0).collect();
        assert!(growth_at_most(&points(&straight)).is_none_or(|b| b >= 5.0));
    }

    #[test]
    fn low_points_of_noise_agree_by_chance_seldom() {
        let mut seed = 7_u64;
        let mut share = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / (1_u64 << 31) as f64
        };
        let mut wrong = 0;
        for _ in 0..1000 {
            // It grows by a 24th of the noise with each cycle.
            let leak: Vec<f64> = (0..24).map(|i| f64::from(i) / 24.0 + share()).collect();
            wrong += usize::from(growth_at_most(&points(&leak)).is_some_and(|bound| bound < 1.0 / 24.0));
        }
        assert!(wrong <= 10, "{wrong} of 1000 bounds lie below the growth");
    }

    #[test]
    fn growth_that_begins_late_is_not_bounded_by_what_was_before() {
        let late: Vec<f64> =
            (0..24).map(|i: u32| f64::from(i % 3) * 20.0 + f64::from(i.saturating_sub(14)) * 8.0).collect();
        assert_eq!(growth_at_most(&points(&late)), None);
        let flat: Vec<f64> = (0..24).map(|i: u32| f64::from(i % 3) * 20.0).collect();
        assert!(growth_at_most(&points(&flat)).is_some_and(|bound| bound < 1.0));
    }

    #[test]
    fn a_drop_between_the_halves_bounds_nothing() {
        let mut levels: Vec<f64> = (0..40).map(|i| f64::from(i) * 5.0).collect();
        levels[20..].iter_mut().for_each(|l| *l -= 150.0);
        assert_eq!(growth_at_most(&points(&levels)), None);
    }
}

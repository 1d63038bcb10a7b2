//! A level that live memory keeps returning to: what returns cannot have leaked.
//!
//! In: points. Out: an upper bound of the growth per cycle. A pipeline has a batch in flight at the end of some epochs
//! and none at the end of others: megabytes of noise, in which no slope can be told from none. But a leak lifts the
//! lowest levels too, so two low points early and two late, all at one level, bound it far better than a slope does.

use crate::cycles::Point;

/// Fewer points have no halves to compare.
const LEAST_POINTS: usize = 8;
/// Halves must lie so many cycles apart.
const LEAST_DISTANCE: f64 = 3.0;
/// Low points agree if they differ by less than this share of the whole range.
const AGREE: f64 = 0.05;

/// A fall by this share of the whole range is a return.
const RETURN_RATIO: f64 = 0.25;

/// The points from the first return on: a buffer that gathers for the first time starts at a level that it never returns to.
fn from_first_return(points: &[Point]) -> &[Point] {
    let range = range(points);
    let mut highest = f64::MIN;
    let returned = points.iter().position(|point| {
        highest = highest.max(point.level);
        highest - point.level >= RETURN_RATIO * range
    });
    returned.and_then(|at| points.get(at..)).filter(|rest| rest.len() >= LEAST_POINTS).unwrap_or(points)
}

fn range(points: &[Point]) -> f64 {
    let levels = || points.iter().map(|p| p.level);
    levels().fold(f64::MIN, f64::max) - levels().fold(f64::MAX, f64::min)
}

/// The most that can be growing, if both halves of the series touch a common low level twice.
pub(crate) fn growth_at_most(points: &[Point]) -> Option<f64> {
    if points.len() < LEAST_POINTS {
        return None;
    }
    let points = from_first_return(points);
    let (early, late) = points.split_at(points.len() / 2);
    let (early, late) = (Low::of(early)?, Low::of(late)?);
    let range = range(points);
    let spread = early.spread.max(late.spread);
    let distance = late.ordinal - early.ordinal;
    let rise = late.level - early.level;
    // A floor that went down is another floor: a drop between the halves would hide a leak.
    let same = spread <= AGREE * range && rise >= -AGREE * range && distance >= LEAST_DISTANCE;
    same.then(|| (rise + 2.0 * spread) / distance)
}

/// The two lowest points of a half: their mean, and how far apart they are.
struct Low {
    ordinal: f64,
    level: f64,
    spread: f64,
}

impl Low {
    fn of(points: &[Point]) -> Option<Self> {
        let mut lowest: Vec<&Point> = points.iter().collect();
        lowest.sort_by(|a, b| a.level.total_cmp(&b.level));
        let [first, second, ..] = lowest.as_slice() else { return None };
        Some(Self {
            ordinal: f64::midpoint(first.ordinal as f64, second.ordinal as f64),
            level: f64::midpoint(first.level, second.level),
            spread: second.level - first.level,
        })
    }
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
    fn a_drop_between_the_halves_bounds_nothing() {
        let mut levels: Vec<f64> = (0..40).map(|i| f64::from(i) * 5.0).collect();
        levels[20..].iter_mut().for_each(|l| *l -= 150.0);
        assert_eq!(growth_at_most(&points(&levels)), None);
    }
}

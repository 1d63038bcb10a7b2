//! Levels that lie in two bands: a big block is in flight at the ends of some cycles, and at the others it is not.
//!
//! In: the cycles. Out: those of the lower band. What must not happen here: a rise cut off. Levels that step up once, or that drift, lie in
//! no two bands that both last to the end.
//!
//! The recorder may miss such a block, or see it go a moment after the reading. The bands show it all the same. A leak lifts the lower band as
//! it lifts the upper one.

use crate::cycles::{Cycles, Point};
use crate::numbers::{MIN_POINTS, SEVERAL, THIRD};

/// The first part of the points may be start-up, and is left out: each shape of a batch that is compiled then lifts both bands.
const START_RATIO: f64 = THIRD;
/// The gap between the bands is so many times as wide as either of them: a leak within them is narrower than the block.
const MIN_GAP_RATIO: f64 = SEVERAL as f64;
/// The lower band is touched in each of so many parts.
const PARTS: usize = SEVERAL as usize;

/// The cycles at whose ends the level is in the lower of two bands; nothing where there are no two.
pub(super) fn lower_band(cycles: &Cycles) -> Option<Cycles> {
    let first = (START_RATIO * cycles.points.len() as f64) as usize;
    let mut points = cycles.points.get(first..)?.to_vec();
    let top = top_of_lower(&points)?;
    points.retain(|point| point.level <= top);
    cycles.unit.repeats().then(|| Cycles { points, ..cycles.clone() })
}

/// The highest level of the lower band.
fn top_of_lower(points: &[Point]) -> Option<f64> {
    let mut levels: Vec<f64> = points.iter().map(|point| point.level).collect();
    levels.sort_by(f64::total_cmp);
    let gap = |at: &usize| levels.get(*at).zip(levels.get(at - 1)).map_or(0.0, |(high, low)| high - low);
    let at = (1..levels.len()).max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    let (lower, upper) = levels.split_at(at);
    let width = |band: &[f64]| band.last().zip(band.first()).map_or(0.0, |(high, low)| high - low);
    let is_apart = gap(&at) > 0.0 && gap(&at) >= MIN_GAP_RATIO * width(lower).max(width(upper));
    let top = *lower.last()?;
    let touches = |part: &[Point]| part.iter().any(|point| point.level <= top);
    let lasts = points.chunks(points.len().div_ceil(PARTS)).all(touches);
    (is_apart && lasts && lower.len() >= MIN_POINTS).then_some(top)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn top(level: impl Fn(usize) -> f64) -> Option<f64> {
        let point = |i: usize| Point { ordinal: i as u64 + 1, at_ns: 0, level: level(i), reading: 0 };
        top_of_lower(&(0..24).map(point).collect::<Vec<_>>())
    }

    fn block(i: usize) -> f64 {
        if i % 3 == 1 { 100.0 } else { 0.0 }
    }

    #[test]
    fn a_block_that_comes_and_goes_makes_two_bands() {
        assert_eq!(top(|i| block(i) + (i % 5) as f64), Some(4.0));
    }

    #[test]
    fn a_leak_stays_in_the_lower_band_or_leaves_none() {
        assert_eq!(top(|i| block(i) + i as f64), Some(23.0), "narrower than the block: all of it is kept");
        assert_eq!(top(|i| block(i) + 2.0 * i as f64), None, "the gap is too narrow");
    }

    #[test]
    fn a_rise_that_lasts_is_no_band() {
        assert_eq!(top(|i| if i >= 12 { 100.0 } else { 0.0 }), None, "a step");
        assert_eq!(top(|i| if i >= 12 { 100.0 } else { block(i) }), None, "the low level does not return");
        assert_eq!(top(|i| i as f64), None);
        assert_eq!(top(|_| 5.0), None, "no gap");
    }

    #[test]
    fn few_low_points_are_none() {
        assert_eq!(top(|i| if i % 8 == 3 { 0.0 } else { 100.0 }), None);
    }
}

//! Levels without the sawtooths of garbage that the collector's young and middle generations take back.
//!
//! In: points, and how far the collector had come at each reading. Out: what each level would have been just after a collection.
//! What must not happen here: a growth that gets smaller. Garbage gathers with the containers that are made and goes with the next
//! collection; how many were made since the last one says how much of a level is garbage, and repeats too often to look like a slope.
//!
//! What a container weighs is that of a least squares fit of the levels to the cycles and to the containers made since the last
//! collection. Readings tell between which of them a collection was, not when; but Python collects after as many containers
//! each time, so that all collections together tell it better than each alone.

use crate::counted::garbage::made;
use crate::cycles::Point;
use crate::numbers::{HALF, MIN_POINTS, SEVERAL};
use crate::timeline::Timeline;

/// Fewer points say nothing of two things at once.
const MIN_SAWTOOTH_POINTS: usize = MIN_POINTS + 2;
/// Collections within the points: with fewer of them, a sawtooth may look like a slope.
const MIN_COLLECTIONS: usize = SEVERAL as usize;
/// It is a sawtooth if without it the levels stray from a line by no more than this share, as sums of squares.
const MAX_RESIDUAL_RATIO: f64 = HALF;

/// The levels less the garbage made since the last collections; nothing where no sawtooth is seen.
pub(crate) fn without_sawtooth(timeline: &Timeline, points: &[Point]) -> Option<Vec<f64>> {
    if points.len() < MIN_SAWTOOTH_POINTS {
        return None;
    }
    let ordinals: Vec<f64> = points.iter().map(|p| p.ordinal as f64).collect();
    let levels: Vec<f64> = points.iter().map(|p| p.level).collect();
    let mut flat: Option<Vec<f64>> = None;
    for waits in [waits_young(timeline, points), waits_older(timeline, points)].into_iter().flatten() {
        flat = less(&ordinals, &waits, flat.as_deref().unwrap_or(&levels)).or(flat);
    }
    flat
}

/// The levels less what goes with the containers that wait, if these explain most of how the levels stray.
fn less(ordinals: &[f64], waits: &[f64], levels: &[f64]) -> Option<Vec<f64>> {
    let weight = beside(ordinals, waits, levels).filter(|weight| *weight > 0.0)?;
    let flat: Vec<f64> = levels.iter().zip(waits).map(|(level, waits)| level - weight * waits).collect();
    (strays(ordinals, &flat) <= MAX_RESIDUAL_RATIO * strays(ordinals, levels)).then_some(flat)
}

/// Containers made since the last collection of any generation, at each point. A step makes some of them, and garbage that dies
/// young goes every few dozen steps.
fn waits_young(timeline: &Timeline, points: &[Point]) -> Option<Vec<f64>> {
    let young = |p: &Point| {
        let reading = timeline.readings.get(p.reading)?;
        Some(reading.counters.gc_young.filter(|_| reading.has_collector)? as f64)
    };
    let waits: Vec<f64> = points.iter().map(young).collect::<Option<_>>()?;
    let teeth = waits.windows(2).filter(|pair| pair[1] < pair[0]).count();
    (teeth >= MIN_COLLECTIONS).then_some(waits)
}

/// The same since the last collection of the middle generation or the old one.
fn waits_older(timeline: &Timeline, points: &[Point]) -> Option<Vec<f64>> {
    let at_points: Vec<(u64, f64)> =
        points.iter().map(|p| collected_and_made(timeline, p.reading)).collect::<Option<_>>()?;
    let (first, last) = (at_points.first()?.0, at_points.last()?.0);
    let teeth = teeth(timeline, first, last);
    let since =
        |(number, made): &(u64, f64)| Some((made - teeth.get(number.checked_sub(first)? as usize)?).max(0.0));
    let waits: Vec<f64> = at_points.iter().map(since).collect::<Option<_>>()?;
    (teeth.len() > MIN_COLLECTIONS).then_some(waits)
}

/// Collections of the middle generation or the old one so far, and containers made.
fn collected_and_made(timeline: &Timeline, reading: usize) -> Option<(u64, f64)> {
    let reading = timeline.readings.get(reading)?;
    let counters = &reading.counters;
    Some((counters.gc1? + counters.gc2?, made(timeline, reading)?))
}

/// How many containers had been made at each of these collections, from that number to that one.
fn teeth(timeline: &Timeline, first: u64, last: u64) -> Vec<f64> {
    // Before the very first collection of a process lies its beginning.
    let mut between: Vec<(f64, f64)> = if first == 0 { vec![(0.0, 0.0)] } else { Vec::new() };
    let mut before: Option<(u64, f64)> = None;
    for (number, made) in (0..timeline.readings.len()).filter_map(|at| collected_and_made(timeline, at)) {
        let (earlier, low) = before.unwrap_or((0, 0.0));
        for collection in (earlier + 1).max(first)..=number.min(last) {
            debug_assert_eq!(collection - first, between.len() as u64, "they come in order");
            between.push((low, made));
        }
        before = Some((number, made));
    }
    let middle: Vec<f64> = between.iter().map(|(low, high)| f64::midpoint(*low, *high)).collect();
    let numbers: Vec<f64> = (0..middle.len()).map(|at| at as f64).collect();
    // The first was before the points: perhaps in the middle of an import, where a reading is far from the next.
    let (Some(x), Some(y)) = (numbers.get(1..), middle.get(1..)) else { return middle };
    let every = slope(x, y);
    let even = |number: f64| mean(y) + every * (number - mean(x));
    between
        .iter()
        .zip(&numbers)
        .map(|((low, high), number)| even(*number).clamp(*low, high.max(*low)))
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Sum of products, each less its mean.
fn product(a: &[f64], b: &[f64]) -> f64 {
    let (of_a, of_b) = (mean(a), mean(b));
    a.iter().zip(b).map(|(a, b)| (a - of_a) * (b - of_b)).sum()
}

fn slope(x: &[f64], y: &[f64]) -> f64 {
    let spread = product(x, x);
    if spread > 0.0 { product(x, y) / spread } else { 0.0 }
}

/// Sum of squares around the line through the points.
fn strays(x: &[f64], y: &[f64]) -> f64 {
    product(y, y) - slope(x, y) * product(x, y)
}

/// The coefficient of `z` where `y` is fitted to `x` and `z`.
fn beside(x: &[f64], z: &[f64], y: &[f64]) -> Option<f64> {
    let (xx, zz, xz) = (product(x, x), product(z, z), product(x, z));
    let apart = xx * zz - xz * xz;
    (apart > 1e-6 * xx * zz).then(|| (product(z, y) * xx - product(x, y) * xz) / apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_beside_a_slope_is_found() {
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        let z: Vec<f64> = (0..40).map(|i| f64::from(i % 7) * 100.0).collect();
        let y: Vec<f64> = x.iter().zip(&z).map(|(x, z)| 5e6 + 300.0 * x + 600.0 * z).collect();
        assert!(beside(&x, &z, &y).is_some_and(|weight| (weight - 600.0).abs() < 1e-3));
        assert!(beside(&x, &x, &y).is_none(), "a tooth as long as the series is a slope");
        let line: Vec<f64> = x.iter().map(|x| 5e6 + 300.0 * x).collect();
        assert!(strays(&x, &line) < 1.0 && strays(&x, &y) > 1e9);
    }
}

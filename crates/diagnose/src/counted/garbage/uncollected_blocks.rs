//! What collections leave of garbage, by Python's small blocks.
//!
//! In: points, with the blocks that Python's allocator had handed out at each. Out: bytes per cycle that may be garbage which the
//! collections found in use, and so left for the next full one. What must not happen here: memory of another kind, of C or of arrays,
//! taken for garbage because it grows as well.
//!
//! Garbage is made of blocks and of what these keep. So the blocks that stay from collection to collection, each as heavy as those that
//! collections take back, are the most that garbage can have left.

use nilometer_stats::growth;

use crate::counted::garbage::sawtooth::without_sawtooth;
use crate::counted::garbage::{rising, series};
use crate::cycles::Point;
use crate::timeline::Timeline;

/// What small blocks say of garbage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leftover {
    /// Bytes per cycle that collections left at most.
    pub(crate) most: f64,
    /// The most that memory grows by beyond them. A tooth is in the levels and in the blocks: less its garbage a level has none.
    pub(crate) beyond: f64,
}

impl Leftover {
    /// Nothing where blocks were not counted, or no sawtooth is seen in them.
    pub(crate) fn of(timeline: &Timeline, points: &[Point]) -> Option<Self> {
        let blocks: Vec<Point> =
            points.iter().map(|point| with_blocks(timeline, point)).collect::<Option<_>>()?;
        let (x, _) = series(points);
        let (flat_blocks, flat) = (without_sawtooth(timeline, &blocks)?, without_sawtooth(timeline, points)?);
        let left = growth(&x, &flat_blocks)?.estimate.max(0.0);
        let taken_blocks = rising(&blocks) - left;
        let taken = rising(points) - growth(&x, &flat)?.estimate;
        if taken_blocks <= 0.0 || taken <= 0.0 {
            return None;
        }
        let weight = taken / taken_blocks;
        let beyond: Vec<f64> =
            flat.iter().zip(&flat_blocks).map(|(level, blocks)| level - weight * blocks).collect();
        Some(Self { most: left * weight, beyond: growth(&x, &beyond)?.high })
    }
}

/// The same point, its level in blocks.
fn with_blocks(timeline: &Timeline, point: &Point) -> Option<Point> {
    let counters = &timeline.readings.get(point.reading)?.counters;
    Some(Point { level: counters.py_blocks? as f64, ..point.clone() })
}

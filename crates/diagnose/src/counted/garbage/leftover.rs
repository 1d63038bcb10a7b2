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

/// Bytes per cycle at most; nothing where blocks were not counted, or no sawtooth is seen in them.
pub(crate) fn left_at_most(timeline: &Timeline, points: &[Point]) -> Option<f64> {
    let blocks: Vec<Point> =
        points.iter().map(|point| with_blocks(timeline, point)).collect::<Option<_>>()?;
    let stays = |points: &[Point]| {
        let (x, _) = series(points);
        Some(growth(&x, &without_sawtooth(timeline, points)?)?.estimate)
    };
    let (left, kept) = (stays(&blocks)?.max(0.0), stays(points)?);
    let (taken_blocks, taken) = (rising(&blocks) - left, rising(points) - kept);
    (taken_blocks > 0.0 && taken > 0.0).then(|| left * taken / taken_blocks)
}

/// The same point, its level in blocks.
fn with_blocks(timeline: &Timeline, point: &Point) -> Option<Point> {
    let counters = &timeline.readings.get(point.reading)?.counters;
    Some(Point { level: counters.py_blocks? as f64, ..point.clone() })
}

//! The curve of memory in the report, thinned.
//!
//! In: readings and cycles. Out: at most [`MAX_CURVE_POINTS`] points. What must not happen here: the last reading left out.

use crate::cycles::Cycles;
use crate::report::TimelinePoint;
use crate::timeline::Timeline;

/// Points of the curve in the report at most.
const MAX_CURVE_POINTS: usize = 500;

pub(super) fn curve(timeline: &Timeline, cycles: &Cycles) -> Vec<TimelinePoint> {
    let every = timeline.readings.len().div_ceil(MAX_CURVE_POINTS).max(1);
    let mut ended = cycles.points.iter().peekable();
    let mut cycle = 0;
    let mut out = Vec::new();
    for (i, reading) in timeline.readings.iter().enumerate() {
        while let Some(point) = ended.next_if(|p| p.at_ns <= reading.at_ns) {
            cycle = point.ordinal;
        }
        if i % every == 0 || i + 1 == timeline.readings.len() {
            out.push(TimelinePoint {
                seconds: reading.at_ns as f64 / 1e9,
                cycle,
                live_bytes: reading.live.map(|b| b as u64),
                anonymous_bytes: reading.anonymous().map(|b| b as u64),
                file_bytes: reading.counters.rss_file,
            });
        }
    }
    out
}

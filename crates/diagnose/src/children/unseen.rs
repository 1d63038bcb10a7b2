//! Growth of a process that none of its own allocators knows of.
//!
//! In: a process's own readings. Out: the rate at which its anonymous memory grows beyond what is in use and what its allocators
//! keep. What must not happen here: an allocator's reserve taken for such growth. A library may map memory by itself, past all
//! that is counted as live; then *no leak* of what is counted says nothing about it.

use nilometer_capture::{Capture, Counters, Record};
use nilometer_stats::theil_sen;

/// The first part of the readings is start-up.
const START_RATIO: f64 = 1.0 / 3.0;

/// Bytes per minute; 0 where there is no such growth, or it was not read.
pub(super) fn per_minute(capture: &Capture) -> f64 {
    let readings: Vec<(u64, f64)> = capture
        .records
        .iter()
        .filter_map(|stamped| match &stamped.record {
            Record::Reading { counters, .. } => Some((stamped.at_ns, beyond(counters)?)),
            _ => None,
        })
        .collect();
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else { return 0.0 };
    let from = first.0 as f64 + START_RATIO * last.0.saturating_sub(first.0) as f64;
    let late = readings.iter().filter(|reading| reading.0 as f64 >= from);
    let (x, y): (Vec<f64>, Vec<f64>) = late.map(|(at_ns, bytes)| (*at_ns as f64 / 60e9, *bytes)).unzip();
    theil_sen(&x, &y).unwrap_or(0.0).max(0.0)
}

/// Anonymous memory that no allocator accounts for; nothing where a part was left out of the reading.
fn beyond(counters: &Counters) -> Option<f64> {
    let known = counters.heap_in_use?
        + counters.heap_free?
        + counters.heap_mapped?
        + counters.py_system?
        + counters.library_used.unwrap_or(0);
    Some(counters.rss_anon? as f64 + counters.swap.unwrap_or(0) as f64 - known as f64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use nilometer_capture::{Moment, Writer};

    use super::*;

    const MIB: u64 = 1 << 20;

    /// What is told of a minute in which so much is mapped, allocated and freed by the allocator in each second.
    fn told(mapped: u64, live: u64, free: u64) -> f64 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.nilo");
        let writer = Writer::create(&path, false).unwrap();
        for second in 0..60 {
            let counters = Counters {
                rss_anon: Some(100 * MIB + second * (mapped + live + free)),
                heap_in_use: Some(50 * MIB + second * live),
                heap_free: Some(second * free),
                heap_mapped: Some(0),
                py_system: Some(20 * MIB),
                ..Counters::default()
            };
            let reading = Record::Reading { moment: Moment::Tick, counters: Box::new(counters) };
            writer.append_at(second * 1_000_000_000, &reading);
        }
        per_minute(&Capture::open(&path).unwrap()) / MIB as f64
    }

    #[test]
    fn only_what_no_allocator_knows_of() {
        assert!((told(2 * MIB, MIB, 0) - 120.0).abs() < 1.0);
        assert!(told(0, MIB, MIB) < 0.1, "what is live, and what an allocator keeps");
    }
}

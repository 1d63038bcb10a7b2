//! What was read at the end of each cycle, as a table: the numbers behind the curve, for other tools.
//!
//! In: a capture. Out: one row per judged cycle (thinned where there are thousands), in order. What must not happen here:
//! a number that was not read in that row's reading; what is missing is missing.

use std::collections::BTreeMap;

use nilometer_capture::Capture;
use serde::Serialize;

use crate::cells;
use crate::cycles::Cycles;
use crate::devices::Devices;
use crate::probes;
use crate::timeline::Timeline;

/// The end of a cycle. Sizes are bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CycleRow {
    /// The cycle, from 1.
    pub cycle: u64,
    /// Since the start.
    pub seconds: f64,
    /// In use; null where the allocator could not be asked.
    pub live_bytes: Option<u64>,
    /// Anonymous resident memory, with what is swapped out.
    pub anonymous_bytes: Option<u64>,
    /// File-backed resident memory.
    pub file_bytes: Option<u64>,
    /// Free bytes that the C allocator keeps.
    pub free_bytes: Option<u64>,
    /// In use by Python's small objects.
    pub python_bytes: Option<u64>,
    /// Counts of a framework's own things that were known by then: graphs, functions, registry entries.
    pub counts: BTreeMap<String, u64>,
}

/// The rows of a run.
pub fn cycle_table(capture: &Capture) -> Vec<CycleRow> {
    let narrowed = cells::narrowed(capture).map(|(narrowed, _)| narrowed);
    let capture = narrowed.as_ref().unwrap_or(capture);
    let timeline = Timeline::of(capture, &[]);
    let cycles = Cycles::of(&timeline, capture, timeline.basis());
    let all = probes::said(capture, &Devices::of(capture), &cycles);
    let mut said = all.into_iter();
    let mut next = said.next();
    let mut counts = BTreeMap::new();
    let mut out = Vec::new();
    for point in &cycles.points {
        // The hooks count first and mark the cycle then.
        while let Some((_, name, value)) = next.filter(|(at_ns, ..)| *at_ns <= point.at_ns) {
            counts.insert(name.to_owned(), value);
            next = said.next();
        }
        let Some(reading) = timeline.readings.get(point.reading) else { continue };
        out.push(CycleRow {
            cycle: point.ordinal,
            seconds: point.at_ns as f64 / 1e9,
            live_bytes: reading.live.map(|b| b as u64),
            anonymous_bytes: reading.anonymous().map(|b| b as u64),
            file_bytes: reading.counters.rss_file,
            free_bytes: reading.counters.heap_free,
            python_bytes: reading.counters.py_in_use,
            counts: counts.clone(),
        });
    }
    out
}

//! Counts of a framework's own things, cycle by cycle: graphs, functions, registry entries.
//!
//! In: the probes of a capture, which are said when they changed, and the cycles that are judged. Out: a series for each,
//! and how much it grows per cycle. What must not happen here: a growth told of a count that has levelled off, or that
//! rises and falls.

use std::collections::BTreeMap;

use nilometer_capture::{Capture, Observation, Record};

use crate::cycles::Cycles;
use crate::report::Probe;

/// A count at the end of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    /// The cycle, from 1.
    pub(crate) cycle: u64,
    pub(crate) value: u64,
}

/// All counts of a run, by their names.
#[derive(Debug, Default)]
pub(crate) struct Probes {
    series: BTreeMap<String, Vec<Count>>,
}

/// Start-up has this part of the cycles for itself: what is made once is made in it.
const WARM_UP: usize = 3;
/// What is left is cut into so many windows, and each must lie above the one before.
const WINDOWS: usize = 3;

impl Probes {
    pub(crate) fn of(capture: &Capture, cycles: &Cycles) -> Self {
        let mut said = capture.records.iter().filter_map(|stamped| match &stamped.record {
            Record::Observation(Observation::Probe { name, value }) => Some((stamped.at_ns, name, *value)),
            _ => None,
        });
        let mut next = said.next();
        let mut known: BTreeMap<&str, u64> = BTreeMap::new();
        let mut series: BTreeMap<String, Vec<Count>> = BTreeMap::new();
        for (nth, point) in cycles.points.iter().enumerate() {
            // They are read right after a cycle's mark: those before the next cycle's end belong to this one.
            let until = cycles.points.get(nth + 1).map_or(u64::MAX, |p| p.at_ns);
            while let Some((_, name, value)) = next.filter(|(at_ns, ..)| *at_ns < until) {
                known.insert(name, value);
                next = said.next();
            }
            for (name, value) in &known {
                let counts = series.entry((*name).to_owned()).or_default();
                // Before it was first said there was nothing to count.
                counts.extend(
                    cycles.points[counts.len()..nth].iter().map(|p| Count { cycle: p.ordinal, value: 0 }),
                );
                counts.push(Count { cycle: point.ordinal, value: *value });
            }
        }
        Self { series }
    }

    /// The count at the end of each cycle; empty if it was never said.
    pub(crate) fn series(&self, name: &str) -> &[Count] {
        self.series.get(name).map_or(&[], Vec::as_slice)
    }

    /// How much a count grows with each cycle, 0 if it does not go on growing; none where too few cycles are known.
    pub(crate) fn per_cycle(&self, name: &str) -> Option<f64> {
        let series = self.series(name);
        let late = series.get(series.len() / WARM_UP..)?;
        let size = late.len() / WINDOWS;
        if size == 0 {
            return None;
        }
        // The lowest of each window: garbage that a collection takes back stands above it.
        let mut lowest = late.chunks(size).take(WINDOWS).filter_map(|w| w.iter().min_by_key(|c| c.value));
        let (first, middle, last) = (lowest.next()?, lowest.next()?, lowest.next()?);
        if !(first.value < middle.value && middle.value < last.value) {
            return Some(0.0);
        }
        Some((last.value - first.value) as f64 / last.cycle.saturating_sub(first.cycle).max(1) as f64)
    }

    /// For the report: every count that was said.
    pub(crate) fn told(&self) -> Vec<Probe> {
        let told = |name: &String| {
            let series = self.series(name);
            let (first, last) = (series.first()?.value, series.last()?.value);
            Some(Probe { name: name.clone(), first, last, per_cycle: self.per_cycle(name) })
        };
        self.series.keys().filter_map(told).collect()
    }
}

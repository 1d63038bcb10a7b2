//! Counts of a framework's own things, cycle by cycle: graphs, functions, registry entries.
//!
//! In: the probes of a capture, which are said when they changed, and the cycles that are judged. Out: a series for each,
//! and how much it grows per cycle. What must not happen here: a growth told of a count that has levelled off, or that
//! rises and falls.

use std::collections::BTreeMap;

use nilometer_capture::{Capture, Observation, Record};

use crate::cycles::Cycles;
use crate::devices::{Devices, PROBES};
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
    /// Where cycles went by too fast for a reading of each: when each count was said, and its value; and when they began and ended.
    said: BTreeMap<String, Vec<(u64, u64)>>,
    span_ns: (u64, u64),
    cycles: u64,
}

/// Start-up has this part of the cycles for itself: what is made once is made in it.
const WARM_UP_DIVISOR: usize = 3;
/// What is left is cut into so many windows, and each must lie above the one before.
const WINDOWS: usize = 3;

impl Probes {
    pub(crate) fn of(capture: &Capture, devices: &Devices, cycles: &Cycles) -> Self {
        let all = said(capture, devices, cycles);
        let mut said = all.iter().copied();
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
        let first = cycles.points.first().map_or((0, 0), |point| (point.at_ns, point.ordinal));
        let unread = cycles.unread.is_some_and(|unread| 2 * unread.last < cycles.count);
        let said = if unread { said_at(&all) } else { BTreeMap::new() };
        // None of the later ones left a time; they took about as long as those before.
        let length = cycles.seconds.unwrap_or(0.0) * 1e9 * cycles.count.saturating_sub(first.1) as f64;
        Self { series, said, span_ns: (first.0, first.0.saturating_add(length as u64)), cycles: cycles.count }
    }

    /// The growth per cycle by the clock, for a count that was still said long after the last cycle that was read.
    fn by_clock(&self, name: &str) -> Option<f64> {
        let said = self.said.get(name)?;
        let (from, to) = self.span_ns;
        let at = |part: u64| from + to.saturating_sub(from) / 6 * part;
        let known = |at_ns: u64| Some(said.iter().take_while(|(said, _)| *said <= at_ns).last()?.1);
        // The lowest of three windows of the last two thirds, and what there was before them.
        let lowest = |window: u64| {
            let (begin, end) = (at(window), at(window + 1));
            let inside =
                said.iter().filter(|(at_ns, _)| (begin..end).contains(at_ns)).map(|(_, value)| *value);
            inside.chain(known(begin)).min()
        };
        let (first, middle, last) = (lowest(2)?, lowest(4)?, lowest(5)?);
        let grows = known(from).unwrap_or(0) < first && first < middle && middle < last;
        Some(if grows { (last - first) as f64 / (self.cycles as f64 * 2.0 / 3.0) } else { 0.0 })
    }

    /// The count at the end of each cycle; empty if it was never said.
    pub(crate) fn series(&self, name: &str) -> &[Count] {
        self.series.get(name).map_or(&[], Vec::as_slice)
    }

    /// How much a count grows with each cycle, 0 if it does not go on growing; none where too few cycles are known.
    pub(crate) fn per_cycle(&self, name: &str) -> Option<f64> {
        if let Some(rate) = self.by_clock(name) {
            return Some(rate);
        }
        let [first, middle, last] = self.windows(name)?.map(lowest);
        if !(first.value < middle.value && middle.value < last.value) {
            return Some(0.0);
        }
        Some((last.value - first.value) as f64 / last.cycle.saturating_sub(first.cycle).max(1) as f64)
    }

    /// The counts after start-up, in windows of so many cycles each.
    pub(crate) fn windows(&self, name: &str) -> Option<[&[Count]; WINDOWS]> {
        let series = self.series(name);
        let late = series.get(series.len() / WARM_UP_DIVISOR..)?;
        let size = late.len() / WINDOWS;
        if size == 0 {
            return None;
        }
        let mut windows = late.chunks(size);
        Some([windows.next()?, windows.next()?, windows.next()?])
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

/// The lowest count of a window: garbage that a collection takes back stands above it.
pub(crate) fn lowest(window: &[Count]) -> Count {
    window.iter().copied().min_by_key(|count| count.value).unwrap_or(Count { cycle: 0, value: 0 })
}

/// All that was said, in the order of time: when, of what, how many. What is in use on devices is told at the ends of the judged cycles.
pub(crate) fn said<'c>(capture: &'c Capture, devices: &Devices, cycles: &Cycles) -> Vec<(u64, &'c str, u64)> {
    let is_of_devices = |name: &str| PROBES.iter().any(|(_, names)| names.contains(&name));
    let probes = capture.records.iter().filter_map(|stamped| match &stamped.record {
        Record::Observation(Observation::Probe { name, value }) if !is_of_devices(name) => {
            Some((stamped.at_ns, name.as_str(), *value))
        }
        _ => None,
    });
    let mut out: Vec<(u64, &str, u64)> = probes.chain(devices.as_probes(cycles.unit.marks())).collect();
    out.sort_by_key(|(at_ns, ..)| *at_ns);
    out
}

/// When each count was said, and its value.
fn said_at(all: &[(u64, &str, u64)]) -> BTreeMap<String, Vec<(u64, u64)>> {
    let mut out: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
    for (at_ns, name, value) in all {
        out.entry((*name).to_owned()).or_default().push((*at_ns, *value));
    }
    out
}

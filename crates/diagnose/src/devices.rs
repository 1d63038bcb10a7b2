//! What allocators of devices said, and when: at the ends of which cycles, and between them.
//!
//! In: a capture. Out: the answers of each allocator, and series of what was in use at the ends of a unit's cycles. What must not happen
//! here: a series that mixes the ends of one unit with those of another: in a step's end gradients are alive that are gone in an epoch's.

use std::collections::BTreeMap;

use nilometer_capture::{Capture, CycleUnit, DeviceAllocator, DeviceCounts, Moment, Observation, Record};

use crate::cycles::Cycles;

/// What an allocator said at a moment. Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) at_ns: u64,
    pub(crate) moment: Moment,
    pub(crate) in_use: u64,
    pub(crate) peak: u64,
    pub(crate) reserved: u64,
}

/// What was in use at the end of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// The cycle, from 1.
    pub(crate) cycle: u64,
    pub(crate) at_ns: u64,
    pub(crate) in_use: u64,
}

/// The answers of all allocators, in the order of time.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    said: BTreeMap<DeviceAllocator, Vec<Answer>>,
}

/// What the probes of each allocator are called in reports: in use, at most, taken. Captures of before have nothing else.
pub(crate) const PROBES: [(DeviceAllocator, [&str; 3]); 3] = [
    (DeviceAllocator::TensorFlow, ["gpu_memory", "gpu_memory_peak", "gpu_memory_reserved"]),
    (DeviceAllocator::PyTorch, ["torch_gpu_memory", "torch_gpu_memory_peak", "torch_gpu_memory_reserved"]),
    (DeviceAllocator::Jax, ["jax_gpu_memory", "jax_gpu_memory_peak", "jax_gpu_memory_reserved"]),
];

impl Devices {
    pub(crate) fn of(capture: &Capture) -> Self {
        let mut out = Self::default();
        for stamped in &capture.records {
            match &stamped.record {
                Record::Observation(Observation::Device { allocator, moment, counts }) => {
                    let DeviceCounts { in_use, peak, reserved } = counts;
                    out.said.entry(*allocator).or_default().push(Answer {
                        at_ns: stamped.at_ns,
                        moment: *moment,
                        in_use: in_use.unwrap_or(0),
                        peak: peak.unwrap_or(0),
                        reserved: reserved.unwrap_or(0),
                    });
                }
                Record::Observation(Observation::Probe { name, value }) => {
                    out.probe(stamped.at_ns, name, *value);
                }
                _ => {}
            }
        }
        out
    }

    /// A probe of before, which was said when it changed, at any moment.
    fn probe(&mut self, at_ns: u64, name: &str, value: u64) {
        let of = |(_, names): &&(DeviceAllocator, [&str; 3])| names.contains(&name);
        let Some((allocator, [in_use, peak, _])) = PROBES.iter().find(of) else { return };
        let said = self.said.entry(*allocator).or_default();
        let none = Answer { at_ns, moment: Moment::Tick, in_use: 0, peak: 0, reserved: 0 };
        let before = said.last().copied().unwrap_or(none);
        if name == *in_use {
            said.push(Answer { at_ns, in_use: value, ..before });
        } else if let Some(last) = said.last_mut() {
            *(if name == *peak { &mut last.peak } else { &mut last.reserved }) = value;
        }
    }

    /// All that an allocator said.
    pub(crate) fn answers(&self, allocator: DeviceAllocator) -> &[Answer] {
        self.said.get(&allocator).map_or(&[], Vec::as_slice)
    }

    /// The units at whose ends it was asked.
    pub(crate) fn units(&self, allocator: DeviceAllocator) -> Vec<CycleUnit> {
        let mut units: Vec<CycleUnit> = self.answers(allocator).iter().filter_map(unit_of).collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    /// What was in use at the ends of this unit's cycles.
    pub(crate) fn ends(&self, allocator: DeviceAllocator, unit: CycleUnit) -> Vec<End> {
        let mut out: Vec<End> = Vec::new();
        for answer in self.answers(allocator) {
            let Moment::Cycle { unit: of, ordinal } = answer.moment else { continue };
            // Two threads may mark cycles at once, and a program that replaces itself starts over.
            if of == unit && out.last().is_none_or(|last| ordinal > last.cycle) {
                out.push(End { cycle: ordinal, at_ns: answer.at_ns, in_use: answer.in_use });
            }
        }
        out
    }

    /// The least that was in use in each of these cycles, where it was asked at other moments alone: what a step works with stands above it.
    pub(crate) fn least(&self, allocator: DeviceAllocator, cycles: &Cycles) -> Vec<End> {
        let mut said = self.answers(allocator).iter().peekable();
        let (mut out, mut last) = (Vec::new(), None);
        for (nth, point) in cycles.points.iter().enumerate() {
            // Until the next cycle ends: probes of before were read right after a cycle's mark.
            let until = cycles.points.get(nth + 1).map_or(u64::MAX, |next| next.at_ns);
            let mut lowest = None;
            while let Some(answer) = said.next_if(|answer| answer.at_ns < until) {
                last = Some(answer.in_use);
                lowest = Some(lowest.map_or(answer.in_use, |lowest: u64| lowest.min(answer.in_use)));
            }
            if let Some(in_use) = lowest.or(last) {
                out.push(End { cycle: point.ordinal, at_ns: point.at_ns, in_use });
            }
        }
        out
    }

    /// The same figures as probes, with their times: at the ends of this unit's cycles, or at any moment where there are none.
    pub(crate) fn as_probes(&self, unit: Option<CycleUnit>) -> Vec<(u64, &'static str, u64)> {
        let mut out = Vec::new();
        for (allocator, names) in PROBES {
            let answers = self.answers(allocator);
            let is_of = |answer: &&Answer| unit.is_some() && unit_of(answer) == unit;
            let all = !answers.iter().any(|answer| is_of(&answer));
            for answer in answers.iter().filter(|answer| all || is_of(answer)) {
                let values = [answer.in_use, answer.peak, answer.reserved];
                let said = names.into_iter().zip(values).map(|(name, value)| (answer.at_ns, name, value));
                out.extend(said.filter(|(.., value)| *value > 0));
            }
        }
        out.sort_by_key(|(at_ns, ..)| *at_ns);
        out
    }
}

fn unit_of(answer: &Answer) -> Option<CycleUnit> {
    match answer.moment {
        Moment::Cycle { unit, .. } => Some(unit),
        _ => None,
    }
}

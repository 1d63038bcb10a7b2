//! What allocators of devices said, and when: at the ends of which cycles, and between them.
//!
//! In: a capture. Out: the answers of each pool, and series of what was in use at the ends of a unit's cycles. What must not happen
//! here: a series that mixes the ends of one unit with those of another: in a step's end gradients are alive that are gone in an epoch's.

mod growth;
mod judged;
mod order;
mod whole;

pub(crate) use growth::Growth;
pub(crate) use judged::{Judged, judged};
pub(crate) use whole::{Unknown, Whole};

use std::collections::BTreeMap;

use nilometer_capture::{Capture, CycleUnit, DeviceAllocator, DeviceCounts, Moment, Observation, Record};

use crate::cycles::Cycles;

/// What one allocator has on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pool {
    pub(crate) allocator: DeviceAllocator,
    /// The device, from 0. None in older captures, which have the sum over all devices.
    pub(crate) device: Option<u64>,
}

/// What an allocator said of a device at a moment. Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) at_ns: u64,
    pub(crate) moment: Moment,
    pub(crate) in_use: u64,
    pub(crate) peak: u64,
    pub(crate) reserved: u64,
    /// The most that it may take, where it says that.
    pub(crate) limit: Option<u64>,
    /// The device's number in CUDA.
    pub(crate) ordinal: Option<u64>,
}

/// What was in use at the end of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// The cycle, from 1.
    pub(crate) cycle: u64,
    pub(crate) at_ns: u64,
    pub(crate) in_use: u64,
}

/// The answers of all pools, in the order of time.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    said: BTreeMap<Pool, Vec<Answer>>,
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
                    let DeviceCounts { in_use, peak, reserved, device, limit, ordinal } = *counts;
                    let pool = Pool { allocator: *allocator, device };
                    out.said.entry(pool).or_default().push(Answer {
                        at_ns: stamped.at_ns,
                        moment: *moment,
                        in_use: in_use.unwrap_or(0),
                        peak: peak.unwrap_or(0),
                        reserved: reserved.unwrap_or(0),
                        limit,
                        ordinal,
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
        let said = self.said.entry(Pool { allocator: *allocator, device: None }).or_default();
        let (moment, limit, ordinal) = (Moment::Tick, None, None);
        let none = Answer { at_ns, moment, in_use: 0, peak: 0, reserved: 0, limit, ordinal };
        let before = said.last().copied().unwrap_or(none);
        if name == *in_use {
            said.push(Answer { at_ns, in_use: value, ..before });
        } else if let Some(last) = said.last_mut() {
            *(if name == *peak { &mut last.peak } else { &mut last.reserved }) = value;
        }
    }

    /// The pools that said something.
    pub(crate) fn pools(&self) -> impl Iterator<Item = Pool> {
        self.said.keys().copied()
    }

    /// All that was said of a pool.
    pub(crate) fn answers(&self, pool: Pool) -> &[Answer] {
        self.said.get(&pool).map_or(&[], Vec::as_slice)
    }

    /// The units at whose ends it was asked.
    pub(crate) fn units(&self, pool: Pool) -> Vec<CycleUnit> {
        let mut units: Vec<CycleUnit> = self.answers(pool).iter().filter_map(unit_of).collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    /// What was in use at the ends of this unit's cycles.
    pub(crate) fn ends(&self, pool: Pool, unit: CycleUnit) -> Vec<End> {
        let mut out: Vec<End> = Vec::new();
        for answer in self.answers(pool) {
            let Moment::Cycle { unit: of, ordinal } = answer.moment else { continue };
            // Two threads may mark cycles at once, and a program that replaces itself starts over.
            if of == unit && out.last().is_none_or(|last| ordinal > last.cycle) {
                out.push(End { cycle: ordinal, at_ns: answer.at_ns, in_use: answer.in_use });
            }
        }
        out
    }

    /// The least that was in use in each of these cycles, where it was asked at other moments alone: what a step works with stands above it.
    pub(crate) fn least(&self, pool: Pool, cycles: &Cycles) -> Vec<End> {
        let mut said = self.answers(pool).iter().peekable();
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

    /// The same figures as probes, with their times: at the ends of this unit's cycles, or at any moment where there are none. Of several
    /// devices it is their sum.
    pub(crate) fn as_probes(&self, unit: Option<CycleUnit>) -> Vec<(u64, &'static str, u64)> {
        let mut out = Vec::new();
        for (allocator, names) in PROBES {
            let of_one = self.said.iter().filter(|(pool, _)| pool.allocator == allocator);
            let mut answers: Vec<(Option<u64>, &Answer)> =
                of_one.flat_map(|(pool, said)| said.iter().map(|answer| (pool.device, answer))).collect();
            answers.sort_by_key(|(_, answer)| answer.at_ns);
            let is_of = |answer: &Answer| unit.is_some() && unit_of(answer) == unit;
            let all = !answers.iter().any(|(_, answer)| is_of(answer));
            let mut last: BTreeMap<Option<u64>, [u64; 3]> = BTreeMap::new();
            for (device, answer) in answers.into_iter().filter(|(_, answer)| all || is_of(answer)) {
                last.insert(device, [answer.in_use, answer.peak, answer.reserved]);
                let sum = |nth: usize| last.values().filter_map(|values| values.get(nth)).sum();
                let values = [sum(0), sum(1), sum(2)];
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

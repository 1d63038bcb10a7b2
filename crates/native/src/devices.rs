//! What frameworks have in use on devices, as their own allocators say.
//!
//! In: the GIL, at the end of a cycle or at a tick. Out, for each device: bytes in use, the most there were, and what the allocator took
//! and may take. What must not happen here: an import, a device or a context that is set up by a look, an allocation on a device, a wait for one; a Python
//! function of ours or of a framework's: lines are printed inside of functions that a compiler is at work on, and under debuggers.
//!
//! All that is called is C, a few microseconds each. Versions in which one of these functions is gone are told as a loss.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use nilometer_capture::{CycleUnit, DeviceAllocator, DeviceCounts};
use pyo3::prelude::*;

use crate::device_pace::DevicePace;
use crate::frameworks::{ALLOCATORS, Allocator, Limits};

/// A module may be in the middle of its import: an allocator is given up when so many answers in a row failed.
const MAX_FAILURES: u32 = 8;
/// What an allocator that has several kinds of devices calls a GPU.
const GPU: &str = "GPU";
/// Facts of which devices CUDA shows to the program, and by what it numbers them.
const CUDA_VARIABLES: [(&str, &str); 2] =
    [("cuda.visible_devices", "CUDA_VISIBLE_DEVICES"), ("cuda.device_order", "CUDA_DEVICE_ORDER")];

/// The allocators, and when they may be asked.
#[derive(Debug)]
pub(crate) struct Devices {
    pace: DevicePace,
    asked: Vec<Asked>,
}

/// An allocator that is asked.
#[derive(Debug)]
struct Asked {
    allocator: &'static Allocator,
    failures: AtomicU32,
    /// Devices of which it was said which they are, a bit for each of CUDA's numbers.
    identified: AtomicU64,
    /// Had its devices before this process was forked: locks of its may be held for ever here.
    is_inherited: bool,
    limits: Limits,
}

/// What one allocator answered.
pub(crate) enum Answer {
    Counts(DeviceAllocator, DeviceCounts),
    /// Which device one of CUDA's numbers means: a fact's name and value.
    Fact(String, String),
    /// That of this framework failed too often, and is not asked again.
    GivenUp(&'static str),
}

impl Devices {
    pub(crate) fn new(py: Python<'_>, is_forked: bool) -> Self {
        let asked = |allocator: &'static Allocator| Asked {
            allocator,
            failures: AtomicU32::new(0),
            identified: AtomicU64::new(0),
            is_inherited: is_forked && (allocator.is_set_up)(py),
            limits: Limits::new(),
        };
        Self { pace: DevicePace::default(), asked: ALLOCATORS.iter().map(asked).collect() }
    }

    /// Whether to ask now, at the end of a cycle of this unit, or by the clock.
    pub(crate) fn is_due(&self, unit: Option<CycleUnit>, now: u64) -> bool {
        self.pace.wants(unit, now)
    }

    /// They were asked, which took `cost` and ended at `now`.
    pub(crate) fn note(&self, unit: Option<CycleUnit>, now: u64, cost: u64) {
        self.pace.note(unit, now, cost);
    }

    /// Asks all that have something in use, or had.
    pub(crate) fn ask(&self, py: Python<'_>) -> impl Iterator<Item = Answer> {
        self.asked.iter().flat_map(move |one| one.ask(py))
    }
}

impl Asked {
    fn ask(&self, py: Python<'_>) -> Vec<Answer> {
        if self.is_inherited || self.failures.load(Relaxed) >= MAX_FAILURES {
            return Vec::new();
        }
        let allocator = self.allocator;
        let Ok(all) = (allocator.counts)(py, GPU, &self.limits) else {
            let so_often = self.failures.fetch_add(1, Relaxed) + 1;
            let is_last = so_often == MAX_FAILURES;
            return if is_last { vec![Answer::GivenUp(allocator.framework)] } else { Vec::new() };
        };
        self.failures.store(0, Relaxed);
        let is_used = |counts: &DeviceCounts| counts.peak.max(counts.in_use).unwrap_or(0) > 0;
        let used: Vec<DeviceCounts> = all.into_iter().filter(is_used).collect();
        let mut answers = self.identify(py, &used);
        answers.extend(used.into_iter().map(|counts| Answer::Counts(allocator.number, counts)));
        answers
    }

    /// Says of devices that are in use for the first time which they are: by their UUIDs, and by the variables that choose and order devices.
    /// A program may set these before its first use of a device, and so its first environment does not tell.
    fn identify(&self, py: Python<'_>, used: &[DeviceCounts]) -> Vec<Answer> {
        let before = self.identified.load(Relaxed);
        let bit = |ordinal: &u64| 1 << ordinal;
        let ordinals = used.iter().filter_map(|counts| counts.ordinal).filter(|ordinal| *ordinal < 64);
        let new: Vec<u64> = ordinals.filter(|ordinal| before & bit(ordinal) == 0).collect();
        if new.is_empty() {
            return Vec::new();
        }
        self.identified.fetch_or(new.iter().map(bit).fold(0, |bits: u64, bit: u64| bits | bit), Relaxed);
        let mut out = Vec::new();
        if before == 0 {
            for (name, variable) in CUDA_VARIABLES {
                if let Some(value) = std::env::var_os(variable) {
                    out.push(Answer::Fact(name.to_owned(), value.to_string_lossy().into_owned()));
                }
            }
        }
        let uuids = (self.allocator.uuids)(py, &new).into_iter();
        out.extend(uuids.map(|(ordinal, uuid)| Answer::Fact(format!("cuda.{ordinal}.uuid"), uuid)));
        out
    }
}

/// What the allocators say now, for tests: one may have devices of another `kind`, such as the processor.
pub(crate) fn figures(py: Python<'_>, kind: &str) -> Vec<(u8, DeviceCounts)> {
    let all = |one: &Allocator| (one.counts)(py, kind, &Limits::new()).unwrap_or_default();
    let numbered =
        |one: &'static Allocator| all(one).into_iter().map(move |counts| (one.number as u8, counts));
    ALLOCATORS.iter().flat_map(numbered).collect()
}

//! What frameworks have in use on devices, as their own allocators say.
//!
//! In: the GIL, at the end of a cycle or at a tick. Out, for each device: bytes in use, the most there were, and what the allocator took
//! and may take. What must not happen here: an import, a device or a context that is set up by a look, an allocation on a device, a wait for one; a Python
//! function of ours or of a framework's: lines are printed inside of functions that a compiler is at work on, and under debuggers.
//!
//! All that is called is C, a few microseconds each. Versions in which one of these functions is gone are told as a loss.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::{CycleUnit, DeviceAllocator, DeviceCounts};
use pyo3::prelude::*;

use crate::device_pace::DevicePace;
use crate::frameworks::{ALLOCATORS, Allocator, Limits};

/// A module may be in the middle of its import: an allocator is given up when so many answers in a row failed.
const MAX_FAILURES: u32 = 8;
/// What an allocator that has several kinds of devices calls a GPU.
const GPU: &str = "GPU";

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
    /// Had its devices before this process was forked: locks of its may be held for ever here.
    is_inherited: bool,
    limits: Limits,
}

/// What one allocator answered.
pub(crate) enum Answer {
    Counts(DeviceAllocator, DeviceCounts),
    /// That of this framework failed too often, and is not asked again.
    GivenUp(&'static str),
}

impl Devices {
    pub(crate) fn new(py: Python<'_>, is_forked: bool) -> Self {
        let asked = |allocator: &'static Allocator| Asked {
            allocator,
            failures: AtomicU32::new(0),
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
        let used = all.into_iter().filter(|counts| counts.peak.max(counts.in_use).unwrap_or(0) > 0);
        used.map(|counts| Answer::Counts(allocator.number, counts)).collect()
    }
}

/// What the allocators say now, for tests: one may have devices of another `kind`, such as the processor.
pub(crate) fn figures(py: Python<'_>, kind: &str) -> Vec<(u8, DeviceCounts)> {
    let all = |one: &Allocator| (one.counts)(py, kind, &Limits::new()).unwrap_or_default();
    let numbered =
        |one: &'static Allocator| all(one).into_iter().map(move |counts| (one.number as u8, counts));
    ALLOCATORS.iter().flat_map(numbered).collect()
}

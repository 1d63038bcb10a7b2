//! What frameworks have in use on devices, as their own allocators say.
//!
//! In: the GIL, at the end of a cycle or at a tick. Out, for each device: bytes in use, the most there were, and what the allocator took
//! and may take. What must not happen here: an import, a device or a context that is set up by a look, an allocation on a device, a wait for one; a Python
//! function of ours or of a framework's: lines are printed inside of functions that a compiler is at work on, and under debuggers.
//!
//! All that is called is C, a few microseconds each. Versions in which one of these functions is gone are told as a loss.

mod jax;
mod tensorflow;
mod torch;

use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::{CycleUnit, DeviceAllocator, DeviceCounts};
use pyo3::prelude::*;
use pyo3::types::PyModule;

use crate::device_pace::DevicePace;

/// A module may be in the middle of its import: an allocator is given up when so many answers in a row failed.
const MAX_FAILURES: u32 = 8;
/// What `TensorFlow` calls a GPU.
const GPU: &str = "GPU";

/// The allocators, and when they may be asked.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    pace: DevicePace,
    failures: [AtomicU32; DeviceAllocator::ALL.len()],
    /// Had their devices before this process was forked: locks of theirs may be held for ever here.
    is_inherited: [bool; DeviceAllocator::ALL.len()],
    limits: Limits,
}

/// What may be taken of each device, by its number: said once, when it is first in use.
#[derive(Debug, Default)]
struct Limits {
    tensorflow: OnceLock<Vec<(u64, u64)>>,
    torch: OnceLock<Vec<(u64, u64)>>,
}

/// What one allocator answered.
pub(crate) enum Answer {
    Counts(DeviceAllocator, DeviceCounts),
    /// It failed too often, and is not asked again.
    GivenUp(DeviceAllocator),
}

impl Devices {
    pub(crate) fn new(py: Python<'_>, is_forked: bool) -> Self {
        let is_inherited = DeviceAllocator::ALL.map(|one| is_forked && has_devices(py, one));
        Self { is_inherited, ..Self::default() }
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
        DeviceAllocator::ALL.into_iter().flat_map(move |one| self.ask_one(py, one))
    }

    fn ask_one(&self, py: Python<'_>, one: DeviceAllocator) -> Vec<Answer> {
        let at = one as usize;
        let Some(failures) = self.failures.get(at) else { return Vec::new() };
        if self.is_inherited.get(at).is_none_or(|is| *is) || failures.load(Relaxed) >= MAX_FAILURES {
            return Vec::new();
        }
        let Ok(all) = counts(py, one, GPU, &self.limits) else {
            let so_often = failures.fetch_add(1, Relaxed) + 1;
            return if so_often == MAX_FAILURES { vec![Answer::GivenUp(one)] } else { Vec::new() };
        };
        failures.store(0, Relaxed);
        let used = all.into_iter().filter(|counts| counts.peak.max(counts.in_use).unwrap_or(0) > 0);
        used.map(|counts| Answer::Counts(one, counts)).collect()
    }
}

/// What the allocators say now, for tests: `TensorFlow` has one for the processor, which is of another `kind`.
pub(crate) fn figures(py: Python<'_>, kind: &str) -> Vec<(u8, DeviceCounts)> {
    let limits = Limits::default();
    let all = |one: DeviceAllocator| counts(py, one, kind, &limits).unwrap_or_default();
    let numbered = |one: DeviceAllocator| all(one).into_iter().map(move |counts| (one as u8, counts));
    DeviceAllocator::ALL.into_iter().flat_map(numbered).collect()
}

/// What one allocator says of each of its devices.
fn counts(py: Python<'_>, one: DeviceAllocator, kind: &str, limits: &Limits) -> PyResult<Vec<DeviceCounts>> {
    match one {
        DeviceAllocator::TensorFlow => tensorflow::counts(py, kind, &limits.tensorflow),
        DeviceAllocator::PyTorch => torch::counts(py, &limits.torch),
        DeviceAllocator::Jax => jax::counts(py),
    }
}

fn has_devices(py: Python<'_>, one: DeviceAllocator) -> bool {
    match one {
        DeviceAllocator::TensorFlow => tensorflow::is_set_up(py),
        DeviceAllocator::PyTorch => torch::is_set_up(py),
        DeviceAllocator::Jax => jax::is_set_up(py),
    }
}

/// The same in words.
pub(crate) fn name(one: DeviceAllocator) -> &'static str {
    match one {
        DeviceAllocator::TensorFlow => "TensorFlow",
        DeviceAllocator::PyTorch => "PyTorch",
        DeviceAllocator::Jax => "JAX",
    }
}

/// What the module itself defines; no `__getattr__` of it runs.
fn own<'py>(
    module: &Bound<'py, PyModule>,
    name: &Bound<'py, pyo3::types::PyString>,
) -> Option<Bound<'py, PyAny>> {
    module.dict().get_item(name).ok().flatten()
}

/// What may be taken of this device.
fn limit_of(limits: &[(u64, u64)], device: u64) -> Option<u64> {
    limits.iter().find(|(number, _)| *number == device).map(|(_, bytes)| *bytes)
}

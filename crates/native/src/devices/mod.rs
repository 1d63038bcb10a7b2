//! What frameworks have in use on devices, as their own allocators say.
//!
//! In: the GIL, at the end of a cycle or at a tick. Out: bytes in use, the most there were, and what the allocator took. What must not
//! happen here: an import, a device or a context that is set up by a look, an allocation on a device, a wait for one; a Python
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
    /// What `TensorFlow`'s pools take when they begin: said once, with the device.
    limits: OnceLock<u64>,
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
        DeviceAllocator::ALL.into_iter().filter_map(move |one| {
            let at = one as usize;
            let failures = self.failures.get(at)?;
            if self.is_inherited.get(at).is_none_or(|is| *is) || failures.load(Relaxed) >= MAX_FAILURES {
                return None;
            }
            let Ok(counts) = counts(py, one, GPU, &self.limits) else {
                let so_often = failures.fetch_add(1, Relaxed) + 1;
                return (so_often == MAX_FAILURES).then_some(Answer::GivenUp(one));
            };
            failures.store(0, Relaxed);
            let counts = counts.filter(|counts| counts.peak.unwrap_or(0) > 0)?;
            Some(Answer::Counts(one, counts))
        })
    }
}

/// What the allocators say now, for tests: `TensorFlow` has one for the processor, which is of another `kind`.
pub(crate) fn figures(py: Python<'_>, kind: &str) -> Vec<(u8, DeviceCounts)> {
    let limits = OnceLock::new();
    let counts = |one: &DeviceAllocator| Some((*one as u8, counts(py, *one, kind, &limits).ok()??));
    DeviceAllocator::ALL.iter().filter_map(counts).collect()
}

/// What one allocator says; nothing where it has no device.
fn counts(
    py: Python<'_>,
    one: DeviceAllocator,
    kind: &str,
    limits: &OnceLock<u64>,
) -> PyResult<Option<DeviceCounts>> {
    match one {
        DeviceAllocator::TensorFlow => tensorflow::counts(py, kind, limits),
        DeviceAllocator::PyTorch => torch::counts(py),
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

/// Adds what one device says.
fn add(sum: &mut Option<u64>, bytes: u64) {
    *sum = Some(sum.unwrap_or(0).saturating_add(bytes));
}

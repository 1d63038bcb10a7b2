//! What frameworks are asked by Python's API: the part of the packs that cannot stand in `crates/frameworks`, whose tests, as the
//! command line, link no Python.
//!
//! In: nothing. Out: tables of allocators of devices, and of libraries with a pool of their own. What must not happen here: an import;
//! an order of the tables that changes: captures have answers in it.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "jax")]
mod jax;
#[cfg(feature = "tensorflow")]
mod tensorflow;
#[cfg(feature = "torch")]
mod torch;

use std::sync::OnceLock;

use nilometer_capture::{DeviceAllocator, DeviceCounts};
use pyo3::prelude::*;
use pyo3::types::{PyModule, PyString};

/// What may be taken of each device, by its number: said once, when one is first in use.
pub(crate) type Limits = OnceLock<Vec<(u64, u64)>>;

/// What a device is known by, with its number in CUDA.
pub(crate) type Uuids = Vec<(u64, String)>;

/// An allocator of devices.
#[derive(Debug)]
pub(crate) struct Allocator {
    /// Its number in captures.
    pub(crate) number: DeviceAllocator,
    /// The framework, as people call it.
    pub(crate) framework: &'static str,
    /// Whether the program has set it up.
    pub(crate) is_set_up: fn(Python<'_>) -> bool,
    /// What it says of each of its devices. It may have one for the processor, which is of another `kind`.
    pub(crate) counts: fn(Python<'_>, kind: &str, &Limits) -> PyResult<Vec<DeviceCounts>>,
    /// The UUIDs of these devices, by their numbers in CUDA, as far as it knows them.
    pub(crate) uuids: fn(Python<'_>, &[u64]) -> Uuids,
}

/// A library whose memory neither the C allocator's figures nor the recorder see.
#[derive(Debug)]
pub(crate) struct Pool {
    /// The module that tells of it.
    pub(crate) module: &'static str,
    /// Its function that says how many bytes are in use.
    pub(crate) used: &'static str,
    /// Whether the pool's memory is its own. `None`: nobody knows whose.
    pub(crate) is_own: fn(&Bound<'_, PyModule>) -> Option<bool>,
}

/// All allocators, by their numbers.
pub(crate) static ALLOCATORS: &[Allocator] = &[
    #[cfg(feature = "tensorflow")]
    tensorflow::ALLOCATOR,
    #[cfg(feature = "torch")]
    torch::ALLOCATOR,
    #[cfg(feature = "jax")]
    jax::ALLOCATOR,
];

/// All libraries.
pub(crate) static POOLS: &[Pool] = &[
    #[cfg(feature = "arrow")]
    arrow::POOL,
];

/// What the module itself defines; no `__getattr__` of it runs.
pub(crate) fn own<'py>(
    module: &Bound<'py, PyModule>,
    name: &Bound<'py, PyString>,
) -> Option<Bound<'py, PyAny>> {
    module.dict().get_item(name).ok().flatten()
}

/// What may be taken of this device.
#[cfg(any(feature = "tensorflow", feature = "torch"))]
fn limit_of(limits: &[(u64, u64)], device: u64) -> Option<u64> {
    limits.iter().find(|(number, _)| *number == device).map(|(_, bytes)| *bytes)
}

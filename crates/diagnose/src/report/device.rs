//! Memory of devices: what a framework's allocator has of each, and whether that grows.
//!
//! Sizes are bytes.

use serde::Serialize;

use super::{Bytes, Verdict};

/// What one framework has of one device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Device {
    /// `GPU 0`; `GPU` in captures from before devices were told apart.
    pub name: String,
    /// `TensorFlow`, `PyTorch` or `JAX`.
    pub framework: &'static str,
    /// Whether what tensors have in use goes on growing.
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub reason: String,
    /// In use at the last.
    pub in_use_bytes: u64,
    /// The most that was in use.
    pub peak_bytes: u64,
    /// What the framework's allocator holds, in use or not; null where that is nothing of its own.
    pub reserved_bytes: Option<u64>,
    /// The most that may come to be in use: what the allocator may take or, if that is less, what other processes leave of the device; null where neither is
    /// known.
    pub limit_bytes: Option<u64>,
    /// The device's memory, as its driver says; null where it was not asked, or not which of its devices this is.
    pub total_bytes: Option<u64>,
    /// What processes outside of the run have of it; null where that is not known.
    pub others: Option<DeviceOthers>,
    /// Why that is not known; null where it is, or where no driver was asked.
    pub others_unknown: Option<String>,
    /// How it grows; null where it does not, or where that is not known.
    pub growth: Option<DeviceGrowth>,
}

/// Memory of a device that processes outside of the run have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceOthers {
    /// At the last.
    pub bytes: u64,
    /// They may have less, down to nothing: the driver does not tell them from what it keeps, or from the program's own context.
    pub is_at_most: bool,
    /// The same in one sentence; null where it is too little to matter.
    pub sentence: Option<String>,
}

/// Growth of the memory in use on a device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceGrowth {
    /// Per cycle of this unit.
    pub bytes_per_cycle: Bytes,
    /// The unit, which may be coarser than the one that the program is judged by.
    pub unit: &'static str,
    /// Cycles until the limit at this rate, if no other program takes more of the device; null without a limit, and of garbage.
    pub cycles_left: Option<u64>,
}

//! The device that makes the job a leak: tensors on it are small objects in the program's own memory, which may stay flat.
//!
//! In: the verdict so far, devices judged. Out: the device that grows most. What must not happen here: a device's growth in the place of a
//! leak of the program itself or of a process, which stays the subject.

use crate::devices::{Growth, Judged};
use crate::report::Verdict;

/// `None` where the job leaks already, or no device does.
pub(crate) fn leaking(so_far: Verdict, devices: &[Judged]) -> Option<&Judged> {
    let rate = |device: &&Judged| match device.growth {
        Growth::Grows { per_cycle, .. } => per_cycle.estimate,
        _ => 0.0,
    };
    let leaking = devices.iter().filter(|device| device.verdict == Verdict::Leak && so_far != Verdict::Leak);
    leaking.max_by(|a, b| rate(a).total_cmp(&rate(b)))
}

//! `PyTorch`'s own allocator of GPUs.
//!
//! In: `torch.cuda`, once the program has set it up. Out: bytes of each GPU. What must not happen here: a question to another
//! allocator (`cudaMallocAsync`, a pluggable one): it may set up a context on each GPU to answer.

use nilometer_capture::{DeviceAllocator, DeviceCounts};
use pyo3::intern;
use pyo3::prelude::*;

use super::{Allocator, Limits, Uuids, limit_of, own};
use crate::interp;

/// What `PyTorch` calls the allocator that counts for itself.
const OWN_BACKEND: &str = "native";

pub(super) const ALLOCATOR: Allocator =
    Allocator { number: DeviceAllocator::PyTorch, framework: "PyTorch", is_set_up, counts, uuids };

fn is_set_up(py: Python<'_>) -> bool {
    let cuda = interp::loaded(py, intern!(py, "torch.cuda"));
    cuda.and_then(|cuda| own(&cuda, intern!(py, "_initialized"))?.is_truthy().ok()).unwrap_or(false)
}

fn counts(py: Python<'_>, _kind: &str, limits: &Limits) -> PyResult<Vec<DeviceCounts>> {
    if !is_set_up(py) {
        return Ok(Vec::new());
    }
    let Some(native) = interp::loaded(py, intern!(py, "torch._C")) else { return Ok(Vec::new()) };
    // After a fork that nobody told of, the child has the figures and no device.
    if let Some(is_bad_fork) = own(&native, intern!(py, "_cuda_isInBadFork"))
        && is_bad_fork.call0()?.is_truthy()?
    {
        return Ok(Vec::new());
    }
    if let Some(backend) = own(&native, intern!(py, "_cuda_getAllocatorBackend"))
        && backend.call0()?.extract::<String>()? != OWN_BACKEND
    {
        return Ok(Vec::new());
    }
    let count: u64 = native.getattr(intern!(py, "_cuda_getDeviceCount"))?.call0()?.extract()?;
    let stats = native.getattr(intern!(py, "_cuda_memoryStats"))?;
    let mut out = Vec::new();
    for device in 0..count {
        let said = stats.call1((device,))?;
        let figure = |name, key| -> PyResult<u64> {
            said.get_item(name)?.get_item(intern!(py, "all"))?.get_item(key)?.extract()
        };
        let (allocated, reserved) = (intern!(py, "allocated_bytes"), intern!(py, "reserved_bytes"));
        let (current, peak) = (intern!(py, "current"), intern!(py, "peak"));
        out.push(DeviceCounts {
            in_use: Some(figure(allocated, current)?),
            peak: Some(figure(allocated, peak)?),
            reserved: Some(figure(reserved, current)?),
            device: Some(device),
            limit: None,
            ordinal: Some(device),
        });
    }
    if out.iter().any(|counts| counts.in_use.unwrap_or(0) > 0) {
        // Asked outside of the lock: another thread may wait for it with the GIL.
        let limits = match limits.get() {
            Some(limits) => limits,
            None => limits.get_or_init({
                let totals = totals(py, count);
                move || totals
            }),
        };
        for counts in &mut out {
            counts.limit = counts.device.and_then(|device| limit_of(limits, device));
        }
    }
    Ok(out)
}

/// The UUID of each of these GPUs. Older versions do not tell it.
fn uuids(py: Python<'_>, devices: &[u64]) -> Uuids {
    let cuda = interp::loaded(py, intern!(py, "torch.cuda"));
    let Some(properties) = cuda.and_then(|cuda| own(&cuda, intern!(py, "_get_device_properties"))) else {
        return Vec::new();
    };
    let uuid = |device: u64| {
        let uuid = properties.call1((device,)).ok()?.getattr(intern!(py, "uuid")).ok()?;
        Some((device, uuid.str().ok()?.to_str().ok()?.to_owned()))
    };
    devices.iter().copied().filter_map(uuid).collect()
}

/// The memory of each GPU. Another version of `PyTorch` may not tell it.
fn totals(py: Python<'_>, count: u64) -> Vec<(u64, u64)> {
    let cuda = interp::loaded(py, intern!(py, "torch.cuda"));
    let Some(properties) = cuda.and_then(|cuda| own(&cuda, intern!(py, "_get_device_properties"))) else {
        return Vec::new();
    };
    let total = |device: u64| {
        let properties = properties.call1((device,)).ok()?;
        Some((device, properties.getattr(intern!(py, "total_memory")).ok()?.extract().ok()?))
    };
    (0..count).filter_map(total).collect()
}

//! `PyTorch`'s own allocator of GPUs.
//!
//! In: `torch.cuda`, once the program has set it up. Out: bytes, summed over the GPUs. What must not happen here: a question to another
//! allocator (`cudaMallocAsync`, a pluggable one): it may set up a context on each GPU to answer.

use nilometer_capture::DeviceCounts;
use pyo3::intern;
use pyo3::prelude::*;

use super::{add, own};
use crate::interp;

/// What `PyTorch` calls the allocator that counts for itself.
const OWN_BACKEND: &str = "native";

pub(super) fn is_set_up(py: Python<'_>) -> bool {
    let cuda = interp::loaded(py, intern!(py, "torch.cuda"));
    cuda.and_then(|cuda| own(&cuda, intern!(py, "_initialized"))?.is_truthy().ok()).unwrap_or(false)
}

pub(super) fn counts(py: Python<'_>) -> PyResult<Option<DeviceCounts>> {
    if !is_set_up(py) {
        return Ok(None);
    }
    let Some(native) = interp::loaded(py, intern!(py, "torch._C")) else { return Ok(None) };
    // After a fork that nobody told of, the child has the figures and no device.
    if let Some(is_bad_fork) = own(&native, intern!(py, "_cuda_isInBadFork"))
        && is_bad_fork.call0()?.is_truthy()?
    {
        return Ok(None);
    }
    if let Some(backend) = own(&native, intern!(py, "_cuda_getAllocatorBackend"))
        && backend.call0()?.extract::<String>()? != OWN_BACKEND
    {
        return Ok(None);
    }
    let count: usize = native.getattr(intern!(py, "_cuda_getDeviceCount"))?.call0()?.extract()?;
    let stats = native.getattr(intern!(py, "_cuda_memoryStats"))?;
    let mut out = DeviceCounts::default();
    for device in 0..count {
        let said = stats.call1((device,))?;
        let figure = |name, key| -> PyResult<u64> {
            said.get_item(name)?.get_item(intern!(py, "all"))?.get_item(key)?.extract()
        };
        let (allocated, reserved) = (intern!(py, "allocated_bytes"), intern!(py, "reserved_bytes"));
        let (current, peak) = (intern!(py, "current"), intern!(py, "peak"));
        add(&mut out.in_use, figure(allocated, current)?);
        add(&mut out.peak, figure(allocated, peak)?);
        add(&mut out.reserved, figure(reserved, current)?);
    }
    Ok(Some(out))
}

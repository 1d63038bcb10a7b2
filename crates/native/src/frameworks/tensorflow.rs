//! `TensorFlow`'s allocators of devices.
//!
//! In: the module that has its eager context, as the program has set it up. Out: bytes of each device of a kind. What must not happen
//! here: a context that is set up by a look.

use nilometer_capture::{DeviceAllocator, DeviceCounts};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::{Allocator, Limits, limit_of, own};
use crate::interp;

const GPU: &str = "GPU";

pub(super) const ALLOCATOR: Allocator = Allocator {
    number: DeviceAllocator::TensorFlow,
    framework: "TensorFlow",
    is_set_up,
    counts,
    uuids: |_, _| Vec::new(),
};

/// The context, once it is set up.
fn context(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    let module = interp::loaded(py, intern!(py, "tensorflow.python.eager.context"))?;
    let context = own(&module, intern!(py, "_context"))?;
    let is_set_up = context.getattr(intern!(py, "_initialized")).ok()?.is_truthy().ok()?;
    is_set_up.then_some(context)
}

fn is_set_up(py: Python<'_>) -> bool {
    context(py).is_some()
}

fn counts(py: Python<'_>, kind: &str, limits: &Limits) -> PyResult<Vec<DeviceCounts>> {
    let Some(context) = context(py) else { return Ok(Vec::new()) };
    let devices = context.getattr(intern!(py, "_logical_devices"))?;
    if devices.is_none() {
        return Ok(Vec::new());
    }
    let mut out = Vec::new();
    let info = loaded(py, "tensorflow.python._pywrap_tfe", "TFE_GetMemoryInfo");
    let handle = context.getattr(intern!(py, "_context_handle"))?;
    let is_numbered_as_cuda_does = is_numbered_as_cuda_does(&context).unwrap_or(false);
    for device in devices.try_iter()? {
        let device = device?;
        let name: String = device.getattr(intern!(py, "name"))?.extract()?;
        let is_kind = device.getattr(intern!(py, "device_type"))?.extract::<String>()? == kind;
        // Those of other processes of a cluster have a job in their names.
        if !is_kind || name.contains("/job:") {
            continue;
        }
        let said = info.as_ref().map_err(|missing| missing.clone_ref(py))?.call1((&handle, &name))?;
        let device = number_of(&name);
        out.push(DeviceCounts {
            in_use: Some(said.get_item(intern!(py, "current"))?.extract()?),
            peak: Some(said.get_item(intern!(py, "peak"))?.extract()?),
            device,
            ordinal: device.filter(|_| is_numbered_as_cuda_does),
            ..DeviceCounts::default()
        });
    }
    if out.iter().any(|counts| counts.in_use.unwrap_or(0) > 0) {
        let takes_all = !grows(py, &context)?;
        let limits = match limits.get() {
            Some(limits) => limits,
            None => limits.get_or_init({
                // Of a pool that grows as it needs the limit is nothing but a help.
                let known = limits_of(py, &handle, kind);
                let known = if takes_all { known? } else { known.unwrap_or_default() };
                move || known
            }),
        };
        for counts in &mut out {
            counts.limit = counts.device.and_then(|device| limit_of(limits, device));
            let is_used = counts.in_use.unwrap_or(0) > 0;
            counts.reserved = counts.limit.filter(|_| takes_all && is_used);
        }
    }
    Ok(out)
}

/// Whether GPU `n` is CUDA's device `n`: where the program neither hides GPUs from `TensorFlow` nor cuts one in several.
fn is_numbered_as_cuda_does(context: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = context.py();
    let count = |list: &Bound<'_, PyString>| -> PyResult<usize> {
        let mut count = 0;
        for device in context.getattr(list)?.try_iter()? {
            count += usize::from(device?.getattr(intern!(py, "device_type"))?.extract::<String>()? == GPU);
        }
        Ok(count)
    };
    let all = count(intern!(py, "_physical_devices"))?;
    let logical = count(intern!(py, "_logical_devices"))?;
    Ok(all == logical && all == count(intern!(py, "_visible_device_list"))?)
}

/// The number at the end of a device's name: `/device:GPU:1`.
fn number_of(name: &str) -> Option<u64> {
    name.rsplit(':').next()?.parse().ok()
}

/// Whether a pool takes memory as it needs it, or is none of `TensorFlow`'s own kind.
fn grows(py: Python<'_>, context: &Bound<'_, PyAny>) -> PyResult<bool> {
    let variable = |name| std::env::var(name).unwrap_or_default().to_lowercase();
    let is_forced = matches!(variable("TF_FORCE_GPU_ALLOW_GROWTH").as_str(), "1" | "true");
    if is_forced || !variable("TF_GPU_ALLOCATOR").is_empty() {
        return Ok(true);
    }
    let map = context.getattr(intern!(py, "_memory_growth_map"))?;
    let Ok(map) = map.cast::<PyDict>() else { return Ok(false) };
    Ok(map.values().iter().any(|grows| grows.is_truthy().unwrap_or(false)))
}

/// What each pool may take: as one piece at its first allocation, unless it grows as it needs.
fn limits_of(py: Python<'_>, handle: &Bound<'_, PyAny>, kind: &str) -> PyResult<Vec<(u64, u64)>> {
    let eager = |name| loaded(py, "tensorflow.python._pywrap_tfe", name);
    let bytes = loaded(py, "tensorflow.python.client._pywrap_tf_session", "TF_DeviceListMemoryBytes")?;
    let (count, of_type, name, delete) = (
        eager("TF_DeviceListCount")?,
        eager("TF_DeviceListType")?,
        eager("TF_DeviceListName")?,
        eager("TF_DeleteDeviceList")?,
    );
    let list = eager("TFE_ContextListDevices")?.call1((handle,))?;
    let all = || -> PyResult<Vec<(u64, u64)>> {
        let mut all = Vec::new();
        for nth in 0..count.call1((&list,))?.extract::<usize>()? {
            let is_kind = of_type.call1((&list, nth))?.extract::<String>()? == kind;
            let name = name.call1((&list, nth))?.extract::<String>()?;
            if let Some(number) = number_of(&name).filter(|_| is_kind && name.contains("/job:localhost/")) {
                all.push((number, bytes.call1((&list, nth))?.extract()?));
            }
        }
        Ok(all)
    };
    let all = all();
    delete.call1((&list,))?;
    all
}

/// A function of a module that the program has loaded.
fn loaded<'py>(py: Python<'py>, module: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let missing = || pyo3::exceptions::PyAttributeError::new_err(format!("no {name} in {module}"));
    let module = interp::loaded(py, &PyString::new(py, module)).ok_or_else(missing)?;
    own(&module, &PyString::new(py, name)).ok_or_else(missing)
}

//! JAX's allocators of devices.
//!
//! In: the module that has JAX's backends, as the program has set them up. Out: bytes of each device of this process that is no
//! processor. What must not happen here: a backend that is set up by a look.

use nilometer_capture::{DeviceAllocator, DeviceCounts};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{Allocator, Limits, own};
use crate::interp;

const PROCESSOR: &str = "cpu";
/// What versions of JAX call the platform whose devices CUDA numbers.
const CUDA: [&str; 2] = ["cuda", "gpu"];

pub(super) const ALLOCATOR: Allocator =
    Allocator { number: DeviceAllocator::Jax, framework: "JAX", is_set_up, counts, uuids: |_, _| Vec::new() };

/// The backends that there are by now.
fn backends(py: Python<'_>) -> Vec<Bound<'_, PyAny>> {
    let bridge = interp::loaded(py, intern!(py, "jax._src.xla_bridge"));
    let found = bridge.and_then(|bridge| own(&bridge, intern!(py, "_backends"))?.cast_into::<PyDict>().ok());
    found.map(|found| found.values().iter().collect()).unwrap_or_default()
}

/// Its number in CUDA. Another version of JAX may not tell it.
fn ordinal(device: &Bound<'_, PyAny>) -> Option<u64> {
    device.getattr(intern!(device.py(), "local_hardware_id")).ok()?.extract().ok()
}

fn is_set_up(py: Python<'_>) -> bool {
    !backends(py).is_empty()
}

fn counts(py: Python<'_>, _kind: &str, _limits: &Limits) -> PyResult<Vec<DeviceCounts>> {
    let mut out = Vec::new();
    for backend in backends(py) {
        let platform: String = backend.getattr(intern!(py, "platform"))?.extract()?;
        if platform == PROCESSOR {
            continue;
        }
        let is_cuda = CUDA.contains(&platform.as_str());
        for (number, device) in (0..).zip(backend.call_method0(intern!(py, "local_devices"))?.try_iter()?) {
            let device = device?;
            let said = device.call_method0(intern!(py, "memory_stats"))?;
            if said.is_none() {
                continue;
            }
            let said = said.cast::<PyDict>()?;
            let figure = |key| -> PyResult<Option<u64>> {
                said.get_item(key)?.map(|bytes: Bound<'_, PyAny>| bytes.extract()).transpose()
            };
            out.push(DeviceCounts {
                in_use: figure(intern!(py, "bytes_in_use"))?,
                peak: figure(intern!(py, "peak_bytes_in_use"))?,
                reserved: figure(intern!(py, "pool_bytes"))?,
                device: Some(number),
                limit: figure(intern!(py, "bytes_limit"))?,
                ordinal: is_cuda.then(|| ordinal(&device)).flatten(),
            });
        }
    }
    Ok(out)
}

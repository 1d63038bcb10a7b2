//! JAX's allocator of devices, as reports speak of it.

use nilometer_capture::DeviceAllocator;
use nilometer_diagnose::pack::Device;

pub(super) const DEVICE: Device = Device {
    allocator: DeviceAllocator::Jax,
    framework: "JAX",
    takes_all: true,
    left_to_others: Some(
        "only where others need the GPU too: set `XLA_PYTHON_CLIENT_PREALLOCATE=false` before the start",
    ),
};

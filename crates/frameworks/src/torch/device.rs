//! PyTorch's allocator of GPUs, as reports speak of it.

use nilometer_capture::DeviceAllocator;
use nilometer_diagnose::pack::Device;

pub(super) const DEVICE: Device = Device {
    allocator: DeviceAllocator::PyTorch,
    framework: "PyTorch",
    takes_all: false,
    left_to_others: Some(
        "only where others need the GPU too: `torch.cuda.empty_cache()` after the part that needed so much",
    ),
};

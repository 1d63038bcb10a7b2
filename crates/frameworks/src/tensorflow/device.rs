//! TensorFlow's allocator of GPUs, as reports speak of it.

use nilometer_capture::DeviceAllocator;
use nilometer_diagnose::pack::Device;

pub(super) const DEVICE: Device = Device {
    allocator: DeviceAllocator::TensorFlow,
    framework: "TensorFlow",
    takes_all: true,
    left_to_others: Some(
        "only where others need the GPU too: `tf.config.experimental.set_memory_growth(gpu, True)`, before the first operation",
    ),
};

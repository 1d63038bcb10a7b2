//! What TensorFlow keeps from its own phases on, in words.

pub(super) const PHASES: [(&str, &str); 1] =
    [("first_op", "TensorFlow's runtime, started by the first operation")];

/// What its allocator of the processor's memory holds.
pub(super) const POOL: &str = "TensorFlow's pool of tensors";

//! Memory of GPUs, in words: a part of the memory, and a warning where what is in use grows.
//!
//! In: what a framework's allocator holds, and its growth. Out: a component, a warning. What must not happen here: a decision.

use nilometer_capture::DeviceAllocator;

use crate::report::{About, Component, Kind, Warning};
use crate::sizes::size;

/// What an allocator holds beyond what is in use; bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) allocator: DeviceAllocator,
    pub(crate) takes_all: bool,
    pub(crate) reserved: u64,
    /// Most that was in use.
    pub(crate) peak: u64,
    /// In use at the last.
    pub(crate) in_use: u64,
    /// What is in use does not grow.
    pub(crate) is_flat: bool,
    /// What is reserved rose by so much all the same.
    pub(crate) rose: Option<u64>,
}

/// What is in use grows with each cycle, which is called so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growing {
    pub(crate) allocator: DeviceAllocator,
    pub(crate) per_cycle: f64,
    pub(crate) word: &'static str,
    pub(crate) is_garbage: bool,
    /// Bytes in use at the last.
    pub(crate) in_use: u64,
}

/// The framework's name, and how it leaves more of a GPU to others.
fn framework(allocator: DeviceAllocator) -> (&'static str, &'static str) {
    match allocator {
        DeviceAllocator::TensorFlow => (
            "TensorFlow",
            "only where others need the GPU too: `tf.config.experimental.set_memory_growth(gpu, True)`, before the first operation",
        ),
        DeviceAllocator::PyTorch => (
            "PyTorch",
            "only where others need the GPU too: `torch.cuda.empty_cache()` after the part that needed so much",
        ),
        DeviceAllocator::Jax => (
            "JAX",
            "only where others need the GPU too: set `XLA_PYTHON_CLIENT_PREALLOCATE=false` before the start",
        ),
    }
}

/// What an allocator holds beyond what is in use.
pub(crate) fn reserved(held: &Held) -> Component {
    let Held { allocator, takes_all, reserved, peak, in_use, .. } = *held;
    let (framework, change) = framework(allocator);
    let [all, peak, used] = [reserved, peak, in_use].map(|bytes| size(bytes as f64));
    let sentence = if takes_all {
        format!(
            "GPU memory: {framework} took {all} when it began; tensors had {peak} of it in use at most. Tools that watch the GPU show \
             all that this and other programs took."
        )
    } else {
        format!(
            "GPU memory: {framework} holds {all}; tensors have {used} of it in use now and had {peak} at most. Tools that watch the GPU \
             show all that this and other programs hold."
        )
    };
    Component {
        kind: Kind::Reserved,
        phase: None,
        bytes: i64::try_from(reserved.saturating_sub(in_use)).unwrap_or(i64::MAX),
        bytes_per_cycle: None,
        sentence: format!("{sentence}{}", no_growth(held)),
        made_at: None,
        change: Some(change.to_owned()),
        prove: None,
    }
}

/// A second sentence, where what is in use does not grow.
fn no_growth(held: &Held) -> String {
    match held.rose {
        _ if !held.is_flat => String::new(),
        Some(rose) => {
            format!(
                " What it holds rose by {}, and what is in use did not: no leak on the GPU.",
                size(rose as f64)
            )
        }
        None => " What is in use does not grow: no leak on the GPU.".to_owned(),
    }
}

/// What is in use grows.
pub(crate) fn warning(growing: &Growing) -> Warning {
    let Growing { allocator, per_cycle, word, is_garbage, in_use } = *growing;
    let (framework, _) = framework(allocator);
    let (more, at_last) = (size(per_cycle), size(in_use as f64));
    let (sentence, change) = if is_garbage {
        (
            format!(
                "tensors of {framework} have {more} more of it in use with each {word}, {at_last} at the last. Python's collection at \
                 the end gave it back: garbage that waited for it"
            ),
            format!(
                "call `gc.collect()` at the end of each {word}, or break the reference cycle that holds tensors: a kept exception, a \
                 closure, a module that knows its parent"
            ),
        )
    } else {
        (
            format!(
                "tensors of {framework} have {more} more of it in use with each {word}, {at_last} at the last (what {framework} \
                 merely reserves is not in this)"
            ),
            "tensors on a GPU are small objects in Python. Find the object that keeps more of them with each cycle: losses, \
             outputs, models. Keep `float(loss)` or a copy on the processor instead"
                .to_owned(),
        )
    };
    Warning {
        name: "gpu-memory-grows".to_owned(),
        about: About::GpuMemory,
        sentence,
        called_at: None,
        change,
    }
}

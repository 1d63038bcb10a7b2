//! Memory of GPUs: what a framework's allocator holds of it, what is in use, and whether that goes on growing.
//!
//! In: what allocators said. Out: a component of kind reserved, and a warning where what is in use grows. What must not happen here: a
//! change of the verdict, which is about the memory of the process; a warning of what is reserved, which is no tensor's.

use nilometer_capture::{Capture, DeviceAllocator};

use crate::cycles::Cycles;
use crate::device_growth::{Growth, growth};
use crate::devices::{Answer, Devices};
use crate::report::{About, Component, Kind, Warning};
use crate::sizes::size;
use crate::timeline::Timeline;

/// An allocator that grows as it needs rounds each piece up; what it holds beyond that was in use before.
const MIN_RESERVED_BYTES: u64 = 64 * 1024 * 1024;

/// A framework with an allocator of its own for GPUs.
struct Framework {
    allocator: DeviceAllocator,
    name: &'static str,
    /// Whether it takes most of a device at its first allocation. Else it takes as it needs, and gives nothing back.
    takes_all: bool,
    change: &'static str,
}

const FRAMEWORKS: [Framework; 3] = [
    Framework {
        allocator: DeviceAllocator::TensorFlow,
        name: "TensorFlow",
        takes_all: true,
        change: "only where others need the GPU too: `tf.config.experimental.set_memory_growth(gpu, True)`, before the first operation",
    },
    Framework {
        allocator: DeviceAllocator::PyTorch,
        name: "PyTorch",
        takes_all: false,
        change: "only where others need the GPU too: `torch.cuda.empty_cache()` after the part that needed so much",
    },
    Framework {
        allocator: DeviceAllocator::Jax,
        name: "JAX",
        takes_all: true,
        change: "only where others need the GPU too: set `XLA_PYTHON_CLIENT_PREALLOCATE=false` before the start",
    },
];

/// What is told of devices.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// What each framework's allocator holds beyond what is in use.
    pub(crate) reserved: Vec<Component>,
    /// Where memory in use grows with every cycle.
    pub(crate) growing: Vec<Warning>,
}

/// Of all frameworks that have something in use on a device.
pub(crate) fn told(devices: &Devices, (timeline, capture): (&Timeline, &Capture), cycles: &Cycles) -> Told {
    let mut out = Told::default();
    for framework in FRAMEWORKS {
        let answers = devices.answers(framework.allocator);
        let Some(last) = answers.iter().rev().find(|answer| answer.in_use > 0) else { continue };
        let growth = growth(devices, framework.allocator, (timeline, capture), cycles);
        out.reserved.extend(framework.reserved(answers, last, growth));
        out.growing.extend(framework.warning(last, growth));
    }
    out
}

impl Framework {
    fn reserved(&self, answers: &[Answer], last: &Answer, growth: Growth) -> Option<Component> {
        let Answer { in_use, peak, reserved, .. } = *last;
        let kept = reserved.saturating_sub(in_use);
        let is_worth_a_word = if self.takes_all { reserved > peak } else { kept >= MIN_RESERVED_BYTES };
        if !is_worth_a_word {
            return None;
        }
        let [all, peak, used] = [reserved, peak, in_use].map(|bytes| size(bytes as f64));
        let framework = self.name;
        let sentence = if self.takes_all {
            format!(
                "GPU memory: {framework} took {all} when it began and had {peak} of it in use at most, by tensors; tools that watch the GPU \
                 show what it took, with what other programs took."
            )
        } else {
            format!(
                "GPU memory: {framework} holds {all}, of which {used} are in use by tensors now and {peak} were at most; tools that watch \
                 the GPU show what it holds, with what other programs hold."
            )
        };
        let early = answers.get(answers.len() / 3).map_or(0, |answer| answer.reserved);
        let rose = reserved.saturating_sub(early);
        let no_growth = match growth {
            Growth::None if rose >= MIN_RESERVED_BYTES && !self.takes_all => {
                format!(
                    " What it holds rose by {}, and what is in use did not: no leak on the GPU.",
                    size(rose as f64)
                )
            }
            Growth::None => " What is in use does not grow: no leak on the GPU.".to_owned(),
            Growth::Unknown | Growth::Grows { .. } => String::new(),
        };
        Some(Component {
            kind: Kind::Reserved,
            phase: None,
            bytes: i64::try_from(kept).unwrap_or(i64::MAX),
            bytes_per_cycle: None,
            sentence: format!("{sentence}{no_growth}"),
            made_at: None,
            change: Some(self.change.to_owned()),
            prove: None,
        })
    }

    fn warning(&self, last: &Answer, growth: Growth) -> Option<Warning> {
        let Growth::Grows { per_cycle, word, is_garbage } = growth else { return None };
        let framework = self.name;
        let more = size(per_cycle);
        let at_last = size(last.in_use as f64);
        let (sentence, change) = if is_garbage {
            (
                format!(
                    "tensors of {framework} have {more} more of it in use with each {word}, {at_last} at the last; Python's collection at \
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
                "tensors on a GPU are small objects in Python: look for what keeps more of them with each cycle (losses, outputs, \
                 models), and keep `float(loss)` or a copy on the processor instead"
                    .to_owned(),
            )
        };
        Some(Warning {
            name: "gpu-memory-grows".to_owned(),
            about: About::GpuMemory,
            sentence,
            called_at: None,
            change,
        })
    }
}

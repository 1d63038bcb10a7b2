//! Memory of GPUs: what a framework's allocator holds of it, what is in use, and whether that goes on growing.
//!
//! In: what allocators said. Out: a component of kind reserved, and a warning where what is in use grows. What must not happen here: a
//! change of the verdict, which is about the memory of the process; a warning of what is reserved, which is no tensor's.

use nilometer_capture::{Capture, DeviceAllocator};

use crate::cycles::Cycles;
use crate::device_growth::{Growth, growth};
use crate::devices::{Answer, Devices};
use crate::report::{Component, Warning};
use crate::timeline::Timeline;
use crate::told::words::gpu::{self as words, Growing, Held};

/// An allocator that grows as it needs rounds each piece up; what it holds beyond that was in use before.
const MIN_RESERVED_BYTES: u64 = 64 * 1024 * 1024;

/// Frameworks with an allocator of their own for GPUs, and whether it takes most of a device at its first allocation. Else it takes as it
/// needs, and gives nothing back.
const FRAMEWORKS: [(DeviceAllocator, bool); 3] =
    [(DeviceAllocator::TensorFlow, true), (DeviceAllocator::PyTorch, false), (DeviceAllocator::Jax, true)];

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
    for (allocator, takes_all) in FRAMEWORKS {
        let answers = devices.answers(allocator);
        let Some(last) = answers.iter().rev().find(|answer| answer.in_use > 0) else { continue };
        let growth = growth(devices, allocator, (timeline, capture), cycles);
        let reserved = reserved((allocator, takes_all), answers, last, growth);
        out.reserved.extend(reserved.as_ref().map(words::reserved));
        if let Growth::Grows { per_cycle, word, is_garbage } = growth {
            let growing = Growing { allocator, per_cycle, word, is_garbage, in_use: last.in_use };
            out.growing.push(words::warning(&growing));
        }
    }
    out
}

fn reserved(
    (allocator, takes_all): (DeviceAllocator, bool),
    answers: &[Answer],
    last: &Answer,
    growth: Growth,
) -> Option<Held> {
    let Answer { in_use, peak, reserved, .. } = *last;
    let kept = reserved.saturating_sub(in_use);
    let is_worth_a_word = if takes_all { reserved > peak } else { kept >= MIN_RESERVED_BYTES };
    let early = answers.get(answers.len() / 3).map_or(0, |answer| answer.reserved);
    let rose = reserved.saturating_sub(early);
    is_worth_a_word.then_some(Held {
        allocator,
        takes_all,
        reserved,
        peak,
        in_use,
        is_flat: growth == Growth::None,
        rose: (rose >= MIN_RESERVED_BYTES && !takes_all).then_some(rose),
    })
}

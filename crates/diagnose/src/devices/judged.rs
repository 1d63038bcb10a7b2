//! The verdict on each device: whether what tensors have in use on it goes on growing.
//!
//! In: what each pool said, the cycles. Out: a judgement for each pool that was in use; `told/device.rs` puts it into words. What must not
//! happen here: a leak told of what is reserved, which is no tensor's; a verdict on the program, which `job` makes of this.

use nilometer_capture::{Capture, DeviceAllocator};

use super::growth::{Growth, growth};
use super::{Answer, Devices, Pool};
use crate::cycles::Cycles;
use crate::report::Verdict;
use crate::timeline::Timeline;

/// An allocator that grows as it needs rounds each piece up; what it holds beyond that was in use before.
const MIN_RESERVED_BYTES: u64 = 64 * 1024 * 1024;
/// What was reserved after such a part of the answers is what a rise is told from.
const EARLY_DIVISOR: usize = 3;

/// What is said of a pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged {
    pub(crate) pool: Pool,
    pub(crate) verdict: Verdict,
    pub(crate) last: Answer,
    pub(crate) growth: Growth,
    /// Cycles until the limit at this rate; `None` without a limit, and of garbage.
    pub(crate) cycles_left: Option<u64>,
    /// Bytes that it holds beyond what is in use, where they are worth a word.
    pub(crate) reserved: Option<u64>,
    /// Bytes that what it holds rose by, where that is much and what is in use did not.
    pub(crate) rose: Option<u64>,
}

/// Of all pools that had something in use.
pub(crate) fn judged(
    devices: &Devices,
    (timeline, capture): (&Timeline, &Capture),
    cycles: &Cycles,
) -> Vec<Judged> {
    let judge = |pool: Pool| {
        let answers = devices.answers(pool);
        let last = *answers.iter().rev().find(|answer| answer.in_use > 0)?;
        let growth = growth(devices, pool, (timeline, capture), cycles);
        let verdict = match growth {
            Growth::Grows { is_garbage: false, .. } => Verdict::Leak,
            Growth::Grows { is_garbage: true, .. } | Growth::None => Verdict::NoLeak,
            Growth::TooFew | Growth::Open => Verdict::Undecided,
        };
        let early = answers.get(answers.len() / EARLY_DIVISOR).map_or(0, |answer| answer.reserved);
        let rose = last.reserved.saturating_sub(early);
        let is_as_needed = !takes_all(pool.allocator);
        Some(Judged {
            pool,
            verdict,
            last,
            growth,
            cycles_left: cycles_left(&last, growth),
            reserved: reserved(pool, &last),
            rose: (growth == Growth::None && is_as_needed && rose >= MIN_RESERVED_BYTES).then_some(rose),
        })
    };
    devices.pools().filter_map(judge).collect()
}

/// Whether an allocator takes most of a device at its first allocation. Else it takes as it needs, and gives nothing back.
pub(crate) fn takes_all(allocator: DeviceAllocator) -> bool {
    match allocator {
        DeviceAllocator::TensorFlow | DeviceAllocator::Jax => true,
        DeviceAllocator::PyTorch => false,
    }
}

fn cycles_left(last: &Answer, growth: Growth) -> Option<u64> {
    let Growth::Grows { per_cycle, is_garbage: false, .. } = growth else { return None };
    let room = last.limit?.saturating_sub(last.in_use) as f64;
    Some((room / per_cycle.estimate).floor() as u64)
}

fn reserved(pool: Pool, last: &Answer) -> Option<u64> {
    let kept = last.reserved.saturating_sub(last.in_use);
    let is_worth_a_word =
        if takes_all(pool.allocator) { last.reserved > last.peak } else { kept >= MIN_RESERVED_BYTES };
    is_worth_a_word.then_some(kept)
}

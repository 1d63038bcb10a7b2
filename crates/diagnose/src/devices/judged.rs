//! The verdict on each device: whether what tensors have in use on it goes on growing.
//!
//! In: what each pool said, the cycles. Out: a judgement for each pool that was in use; `told/device` puts it into words. What must not
//! happen here: a leak told of what is reserved, which is no tensor's; a verdict on the program, which `job` makes of this.

use nilometer_capture::{Capture, DeviceAllocator};

use super::growth::{Growth, growth};
use super::whole::{Driver, Unknown, Whole};
use super::{Answer, Devices, Pool};
use crate::cycles::Cycles;
use crate::pack::{Device, Packs};
use crate::report::Verdict;
use crate::timeline::Timeline;

/// An allocator that grows as it needs rounds each piece up; what it holds beyond that was in use before.
const MIN_RESERVED_BYTES: u64 = 64 * 1024 * 1024;
/// What was reserved after such a part of the answers is what a rise is told from.
const EARLY_DIVISOR: usize = 3;

/// What is said of a pool.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) pool: Pool,
    /// What is known of its allocator.
    pub(crate) known: Device,
    pub(crate) verdict: Verdict,
    pub(crate) last: Answer,
    pub(crate) growth: Growth,
    /// The device with what others have of it.
    pub(crate) whole: Result<Whole, Unknown>,
    /// The most that may come to be in use: the allocator's own limit, or what others leave of the device.
    pub(crate) limit: Option<u64>,
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
    packs: Packs,
) -> Vec<Judged> {
    let driver = Driver::of(capture);
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
        let known = known(pool.allocator, packs);
        let is_as_needed = !known.takes_all;
        let whole = driver.whole(devices, pool);
        let left = whole.as_ref().ok().and_then(|whole| whole.room);
        let limit = [last.limit, left].into_iter().flatten().min();
        Some(Judged {
            pool,
            known,
            verdict,
            last,
            growth,
            whole,
            limit,
            cycles_left: cycles_left(limit, last.in_use, growth),
            reserved: reserved(&known, &last),
            rose: (growth == Growth::None && is_as_needed && rose >= MIN_RESERVED_BYTES).then_some(rose),
        })
    };
    devices.pools().filter_map(judge).collect()
}

/// What is known of an allocator; of one that nobody knows, that it takes as it needs.
fn known(allocator: DeviceAllocator, packs: Packs) -> Device {
    let of_packs = || packs.iter().filter_map(|pack| pack.device);
    let unknown = Device { allocator, framework: "a framework", takes_all: false, left_to_others: None };
    of_packs().find(|device| device.allocator == allocator).unwrap_or(unknown)
}

fn cycles_left(limit: Option<u64>, in_use: u64, growth: Growth) -> Option<u64> {
    let Growth::Grows { per_cycle, is_garbage: false, .. } = growth else { return None };
    let room = limit?.saturating_sub(in_use) as f64;
    Some((room / per_cycle.estimate).floor() as u64)
}

fn reserved(known: &Device, last: &Answer) -> Option<u64> {
    let kept = last.reserved.saturating_sub(last.in_use);
    let is_worth_a_word =
        if known.takes_all { last.reserved > last.peak } else { kept >= MIN_RESERVED_BYTES };
    is_worth_a_word.then_some(kept)
}

//! The whole of a device: its memory, what other processes have of it, and what is left for one pool.
//!
//! In: what the driver said, and what a pool said at about that time. Out: those numbers, or why there are none. What must not happen here: another
//! GPU's numbers, or memory of the program itself told as another's. Where the driver does not say what the program holds, what
//! the pool holds is taken away instead, and the rest is an upper bound.

use nilometer_capture::{Capture, GpuCounts, Observation, Record};

use super::order::Order;
use super::{Answer, Devices, Pool};

/// Numbers of a device. Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    /// All of it.
    pub(crate) total: u64,
    /// What processes outside of this run have.
    pub(crate) others: u64,
    /// They may have less: what the driver keeps, or the program's own context, is counted to them.
    pub(crate) is_at_most: bool,
    /// The most that the pool could come to hold.
    pub(crate) room: Option<u64>,
}

/// Why nothing is known of the device as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// The driver was not asked: no CUDA, or a capture of before.
    NotAsked,
    /// It refused, by these words.
    Refused(String),
    /// It has not answered, or told of no GPU.
    Silent,
    /// Which of its GPUs the device is.
    Which,
    /// GPUs are cut into instances.
    Cut,
    /// The program had nothing in use at the moments when the driver was asked.
    TooShort,
    /// What the driver says does not fit what the pool holds.
    Contradicts,
}

/// All that was said of the machine's GPUs.
#[derive(Debug)]
pub(super) struct Driver<'c> {
    order: Order<'c>,
    said: Vec<(u64, &'c GpuCounts)>,
}

impl<'c> Driver<'c> {
    pub(super) fn of(capture: &'c Capture) -> Self {
        let said = capture.records.iter().filter_map(|stamped| match &stamped.record {
            Record::Observation(Observation::Gpu(counts)) => Some((stamped.at_ns, counts)),
            _ => None,
        });
        Self { order: Order::of(capture), said: said.collect() }
    }

    /// What is known of a pool's device.
    pub(super) fn whole(&self, devices: &Devices, pool: Pool) -> Result<Whole, Unknown> {
        if let Some(refused) = self.order.refused {
            return Err(Unknown::Refused(refused.to_owned()));
        }
        if !self.order.is_known() {
            return Err(if self.order.was_asked { Unknown::Silent } else { Unknown::NotAsked });
        }
        let answers = devices.answers(pool);
        let last = answers.last().ok_or(Unknown::TooShort)?;
        let index = self.order.index(last.ordinal.ok_or(Unknown::Which)?)?;
        let before = || self.said.iter().filter(|(at_ns, _)| *at_ns <= last.at_ns);
        let of = |(_, counts): &&(u64, &GpuCounts)| counts.index == Some(index);
        let (at_ns, said) = before().rev().find(of).ok_or(Unknown::TooShort)?;
        let held = held(answers, *at_ns).ok_or(Unknown::TooShort)?;
        let total = said.total.ok_or(Unknown::Contradicts)?;
        let free = said.free.ok_or(Unknown::Contradicts)?;
        let reserved = said.reserved.unwrap_or(0);
        let taken = total.checked_sub(free).and_then(|rest| rest.checked_sub(reserved));
        let taken = taken.ok_or(Unknown::Contradicts)?;
        let is_elsewhere = || before().any(|(_, counts)| counts.own.is_some());
        // The program is listed at another GPU and not at this one, or holds less than its pool.
        if said.own.map_or(taken < held || is_elsewhere(), |own| own < held) {
            let is_early = answers.first().is_some_and(|first| *at_ns < first.at_ns);
            return Err(if is_early { Unknown::TooShort } else { Unknown::Contradicts });
        }
        let has_pool = last.reserved > 0;
        Ok(Whole {
            total,
            others: taken.saturating_sub(said.own.unwrap_or(held)),
            is_at_most: said.own.is_none() || said.reserved.is_none(),
            room: Some(held).filter(|_| has_pool).or(said.own).map(|held| held.saturating_add(free)),
        })
    }
}

/// What the pool held then, at least: the less of the answers before and after.
fn held(answers: &[Answer], at_ns: u64) -> Option<u64> {
    let size = |answer: &Answer| answer.reserved.max(answer.in_use);
    let next = answers.partition_point(|answer| answer.at_ns <= at_ns);
    let before = next.checked_sub(1).and_then(|last| answers.get(last)).map(size);
    let after = answers.get(next).map(size);
    before.into_iter().chain(after).min()
}

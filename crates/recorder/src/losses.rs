//! Why samples were lost, and how many for each reason.
//!
//! In: a reason, where a sample or the end of one could not be kept. Out: totals, which the capture says and the report explains. What
//! must not happen here: a cost where nothing is lost. Only paths that have failed already count, by one relaxed addition.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::SamplingCount;

/// Why a sample, its stack, or its end was not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// All rooms to walk a stack in are taken (`scratch.rs`).
    ScratchFull,
    /// Another thread holds the tree of stacks for too long (`stacks/mod.rs`).
    StacksBusy,
    /// The tree of stacks is full: the sample is kept, without a stack.
    StacksFull,
    /// No place in the table of samples (`table.rs`).
    TableFull,
    /// The counter of its address is full of others, or is being cleared (`counter.rs`).
    FilterBusy,
    /// No place among the mappings (`mappings.rs`).
    MappingsFull,
    /// The recorder is at work on this thread already (`reentry.rs`).
    Reentrant,
    /// The capture took no record of its birth, its stack or a module.
    CaptureRefused,
    /// The capture took no record of its death: it seems to live.
    DeathsRefused,
    /// Its death came while the recorder was at work, and too many waited already (`pending.rs`): it seems to live.
    DeathsPending,
}

const REASONS: usize = Loss::DeathsPending as usize + 1;

/// Totals since the start.
#[derive(Default)]
pub(crate) struct Losses([AtomicU64; REASONS]);

impl Losses {
    #[cold]
    pub(crate) fn count(&self, loss: Loss) {
        if let Some(total) = self.0.get(loss as usize) {
            total.fetch_add(1, Relaxed);
        }
    }

    fn of(&self, loss: Loss) -> u64 {
        self.0.get(loss as usize).map_or(0, |total| total.load(Relaxed))
    }

    /// Puts the totals beside the other counts. A sample without a stack is kept, and not among the dropped.
    pub(crate) fn fill(&self, count: &mut SamplingCount) {
        let all: u64 = self.0.iter().map(|total| total.load(Relaxed)).sum();
        count.dropped = Some(all.saturating_sub(self.of(Loss::StacksFull)));
        count.scratch_full = Some(self.of(Loss::ScratchFull));
        count.stacks_busy = Some(self.of(Loss::StacksBusy));
        count.stacks_full = Some(self.of(Loss::StacksFull));
        count.table_full = Some(self.of(Loss::TableFull));
        count.filter_busy = Some(self.of(Loss::FilterBusy));
        count.mappings_full = Some(self.of(Loss::MappingsFull));
        count.reentrant = Some(self.of(Loss::Reentrant));
        count.capture_refused = Some(self.of(Loss::CaptureRefused));
        count.deaths_refused = Some(self.of(Loss::DeathsRefused));
        count.deaths_pending = Some(self.of(Loss::DeathsPending));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_own_total_and_dropped_is_their_sum_without_samples_that_were_kept() {
        let losses = Losses::default();
        let all = [
            Loss::ScratchFull,
            Loss::StacksBusy,
            Loss::StacksFull,
            Loss::TableFull,
            Loss::FilterBusy,
            Loss::MappingsFull,
            Loss::Reentrant,
            Loss::CaptureRefused,
            Loss::DeathsRefused,
            Loss::DeathsPending,
        ];
        for (times, loss) in all.into_iter().enumerate() {
            (0..=times).for_each(|_| losses.count(loss));
        }
        let mut count = SamplingCount::default();
        losses.fill(&mut count);
        let reasons = [
            count.scratch_full,
            count.stacks_busy,
            count.stacks_full,
            count.table_full,
            count.filter_busy,
            count.mappings_full,
            count.reentrant,
            count.capture_refused,
            count.deaths_refused,
            count.deaths_pending,
        ];
        assert_eq!(reasons, std::array::from_fn(|index| Some(index as u64 + 1)));
        assert_eq!(count.dropped, Some(55 - 3));
    }
}

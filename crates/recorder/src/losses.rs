//! Why samples were lost, and how many for each reason.
//!
//! In: a reason, where a sample or the end of one could not be kept. Out: totals, which the capture says and the report explains. What
//! must not happen here: a cost where nothing is lost. Only paths that have failed already count, by one relaxed addition.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

pub(crate) use nilometer_capture::Loss;
use nilometer_capture::SamplingCount;

/// Totals since the start.
#[derive(Default)]
pub(crate) struct Losses([AtomicU64; Loss::ALL.len()]);

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

    /// Puts the totals beside the other counts.
    pub(crate) fn fill(&self, count: &mut SamplingCount) {
        let dropped = Loss::ALL.iter().filter(|loss| !loss.keeps_sample());
        count.dropped = Some(dropped.map(|loss| self.of(*loss)).sum());
        for loss in Loss::ALL {
            count.set_lost(*loss, self.of(*loss));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_own_total_and_dropped_is_their_sum_without_samples_that_were_kept() {
        let losses = Losses::default();
        for (times, loss) in Loss::ALL.iter().enumerate() {
            (0..=times).for_each(|_| losses.count(*loss));
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
        assert_eq!(count.dropped, Some(55 - 3 - 9 - 10));
    }
}

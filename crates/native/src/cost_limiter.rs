//! What something costs, smoothed, and whether that allows it again.
//!
//! In: the clock and what it cost each time. Out: yes or no. Pure apart from its own counters, as [`pacing`](crate::pacing) is. What must
//! not happen here: a single slow time, which a shared machine has, that silences the rest.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// The usual pause as a multiple of the smoothed cost: at most 0.25 % of the time.
pub(crate) const PAUSE_FACTOR: u64 = 400;
/// A part of a reading that costs no more than this goes with every reading.
const MAX_CHEAP_NS: u64 = 2_000_000;
/// One time counts as no more than so many times the usual one.
const MAX_COST_FACTOR: u64 = 8;

/// Smoothed cost of something, and when it happened last. Nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct CostLimiter {
    cost: AtomicU64,
    last: AtomicU64,
}

impl CostLimiter {
    /// Whether it may happen again under its share of the time.
    pub(crate) fn is_due(&self, now: u64) -> bool {
        self.is_due_after(PAUSE_FACTOR, now)
    }

    /// For a part of a reading: cheap ones always, dear ones after a pause of so many times their cost.
    pub(crate) fn is_cheap_or_due(&self, pause: u64, now: u64) -> bool {
        self.dear_cost() == 0 || self.is_due_after(pause, now)
    }

    /// It ended at `now` and took `cost`; gives what of it counts.
    pub(crate) fn note(&self, now: u64, cost: u64) -> u64 {
        let before = self.cost();
        // One preempted reading must not silence the rest: on a shared machine one in a thousand takes a hundred times as long
        // as the others, of this thread's own time. A heap that got slow shows within a few.
        let counted = if before == 0 { cost } else { cost.min(before.saturating_mul(MAX_COST_FACTOR)) };
        let smoothed = if before == 0 { cost } else { before - before / 4 + counted / 4 };
        self.cost.store(smoothed.max(1), Relaxed);
        self.last.store(now, Relaxed);
        counted
    }

    /// The same; gives what counts of it if it is dear now, else 0.
    pub(crate) fn note_dear(&self, now: u64, cost: u64) -> u64 {
        let counted = self.note(now, cost);
        if self.dear_cost() == 0 { 0 } else { counted }
    }

    /// Smoothed cost of a part of a reading, where that is too much for every reading; else 0. Nanoseconds.
    pub(crate) fn dear_cost(&self) -> u64 {
        Some(self.cost()).filter(|cost| *cost > MAX_CHEAP_NS).unwrap_or(0)
    }

    /// Smoothed cost, nanoseconds.
    pub(crate) fn cost(&self) -> u64 {
        self.cost.load(Relaxed)
    }

    /// When it last ended, nanoseconds of the same clock.
    pub(crate) fn last(&self) -> u64 {
        self.last.load(Relaxed)
    }

    fn is_due_after(&self, pause: u64, now: u64) -> bool {
        pause_is_over(self.cost(), pause, self.last(), now)
    }
}

/// Whether so many times the cost went by since it last ended.
pub(crate) fn pause_is_over(cost: u64, pause: u64, last: u64, now: u64) -> bool {
    cost == 0 || now.saturating_sub(last) >= cost.saturating_mul(pause)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const SECOND_NS: u64 = 1000 * MS;

    #[test]
    fn a_dear_part_is_taken_seldom_and_a_cheap_one_always() {
        let dear = CostLimiter::default();
        assert!(dear.is_cheap_or_due(PAUSE_FACTOR, 0), "nobody knows yet what it costs");
        dear.note(SECOND_NS, 250 * MS);
        assert!(!dear.is_cheap_or_due(PAUSE_FACTOR, 20 * SECOND_NS));
        assert!(dear.is_cheap_or_due(PAUSE_FACTOR, 102 * SECOND_NS));
        let cheap = CostLimiter::default();
        cheap.note(SECOND_NS, MS);
        assert!(cheap.is_cheap_or_due(PAUSE_FACTOR, SECOND_NS));
    }

    #[test]
    fn one_preempted_reading_does_not_silence_the_rest() {
        let pace = CostLimiter::default();
        for _ in 0..20 {
            pace.note(SECOND_NS, MS);
        }
        pace.note(SECOND_NS, 40 * MS);
        for _ in 0..10 {
            pace.note(SECOND_NS, MS);
        }
        assert!(pace.is_due(2 * SECOND_NS));
    }

    #[test]
    fn a_part_that_got_dear_is_left_out_after_a_few() {
        let pace = CostLimiter::default();
        pace.note(SECOND_NS, MS / 4);
        let mut taken = 0;
        while taken < 20 && pace.is_cheap_or_due(PAUSE_FACTOR, SECOND_NS) {
            pace.note(SECOND_NS, 50 * MS);
            taken += 1;
        }
        assert!((1..6).contains(&taken), "{taken}");
    }
}

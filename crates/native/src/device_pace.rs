//! When allocators of devices may be asked: at the ends of cycles, the seldom ones first.
//!
//! In: the clock, and what asking took. Out: yes or no. Pure apart from its own counters, as [`pacing`](crate::pacing) is. What must not
//! happen here: a unit that ends often and leaves nothing to one that ends seldom.
//!
//! An answer takes some 20 us where a reading of the process takes a millisecond, so that they have a budget of their own. In the middle of
//! a step a device has what the step works with in use, in an epoch's end it has not: each unit is a series of its own.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::CycleUnit;

use crate::cost_limiter::{CostLimiter, pause_is_over};

/// What all of it may take, beside one part in so many of the time.
const ALLOWANCE_NS: u64 = 20_000_000;
const ALLOWANCE_DIVISOR: u64 = 500;
/// The pause of a unit as a multiple of the smoothed cost. A unit whose turns are further apart is asked at each.
const PAUSE_FACTOR: u64 = 500;
/// A pause is never shorter: without a device, asking takes less than a microsecond.
const MIN_PAUSE_NS: u64 = 1_000_000;
/// After so many answers of a unit they are so far apart: each takes 30 bytes of the capture.
const MAX_DENSE_ANSWERS: u64 = 512;
const SPARSE_INTERVAL_NS: u64 = 250_000_000;

/// Decides when to ask.
#[derive(Debug)]
pub(crate) struct DevicePace {
    cost: CostLimiter,
    spent: AtomicU64,
    units: [Unit; CycleUnit::COUNT],
    clock: Unit,
}

#[derive(Debug, Default)]
struct Unit {
    turned: AtomicU64,
    asked: AtomicU64,
    answers: AtomicU64,
}

impl Default for DevicePace {
    fn default() -> Self {
        let units = std::array::from_fn(|_| Unit::default());
        Self { cost: CostLimiter::default(), spent: AtomicU64::new(0), units, clock: Unit::default() }
    }
}

impl DevicePace {
    /// Whether to ask now, at the end of a cycle of this unit, or by the clock.
    pub(crate) fn wants(&self, unit: Option<CycleUnit>, now: u64) -> bool {
        let Some(of) = self.of(unit) else { return false };
        let before = of.turned.swap(now, Relaxed);
        let asked = of.asked.load(Relaxed);
        let cost = self.cost.cost().max(MIN_PAUSE_NS / PAUSE_FACTOR);
        let is_seldom = unit.is_some() && pause_is_over(cost, PAUSE_FACTOR, before, now);
        let share = ALLOWANCE_NS + now / ALLOWANCE_DIVISOR;
        if self.spent.load(Relaxed) > if is_seldom { share } else { share / 2 } {
            return false;
        }
        let has_rested =
            of.answers.load(Relaxed) < MAX_DENSE_ANSWERS || now.saturating_sub(asked) >= SPARSE_INTERVAL_NS;
        has_rested && (is_seldom || pause_is_over(cost, PAUSE_FACTOR, asked, now))
    }

    /// It was asked, which took `cost` and ended at `now`.
    pub(crate) fn note(&self, unit: Option<CycleUnit>, now: u64, cost: u64) {
        self.spent.fetch_add(self.cost.note(now, cost), Relaxed);
        if let Some(of) = self.of(unit) {
            of.asked.store(now, Relaxed);
            of.answers.fetch_add(1, Relaxed);
        }
    }

    fn of(&self, unit: Option<CycleUnit>) -> Option<&Unit> {
        unit.map_or(Some(&self.clock), |unit| self.units.get(unit.index()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use nilometer_capture::Found;

    use super::*;

    const US: u64 = 1000;
    const MS: u64 = 1000 * US;
    const SECOND_NS: u64 = 1000 * MS;

    /// Units that end so far apart, for so long; each answer takes `cost`. How often each was asked.
    fn drive<const N: usize>(units: [(Option<CycleUnit>, u64); N], duration: u64, cost: u64) -> [u64; N] {
        let pace = DevicePace::default();
        let mut asked = [0; N];
        for tick in 0..duration / MS {
            let now = SECOND_NS + tick * MS;
            for (at, (unit, apart)) in units.into_iter().enumerate() {
                if (tick * MS).is_multiple_of(apart) && pace.wants(unit, now) {
                    pace.note(unit, now, cost);
                    asked[at] += 1;
                }
            }
        }
        asked
    }

    fn line() -> Option<CycleUnit> {
        Found::new(0).map(CycleUnit::Found)
    }

    #[test]
    fn an_epoch_is_asked_at_each_end_beside_steps_that_are_asked_now_and_then() {
        let [steps, epochs] =
            drive([(Some(CycleUnit::Update), 2 * MS), (line(), 500 * MS)], 60 * SECOND_NS, 20 * US);
        assert_eq!(epochs, 120);
        assert!((500..1000).contains(&steps), "{steps} of 30,000");
    }

    #[test]
    fn it_takes_one_part_in_five_hundred_at_most() {
        for cost in [US, 50 * US, 5 * MS] {
            let asked = drive(
                [(Some(CycleUnit::Update), MS), (line(), 10 * MS), (None, 250 * MS)],
                60 * SECOND_NS,
                cost,
            );
            let spent = asked.iter().sum::<u64>() * cost;
            assert!(
                spent <= 61 * SECOND_NS / ALLOWANCE_DIVISOR + ALLOWANCE_NS + cost,
                "{asked:?} of {cost} ns"
            );
        }
    }

    #[test]
    fn where_the_answer_costs_nothing_it_is_asked_once_a_millisecond_at_most() {
        let pace = DevicePace::default();
        let asked = (0..100_000_u64).filter(|turn| {
            let now = SECOND_NS + turn * US;
            let wants = pace.wants(Some(CycleUnit::Call), now);
            if wants {
                pace.note(Some(CycleUnit::Call), now, 300);
            }
            wants
        });
        assert!(asked.count() <= 101);
    }

    #[test]
    fn an_endless_job_is_asked_four_times_a_second() {
        let [epochs] = drive([(line(), 20 * MS)], 120 * SECOND_NS, US);
        assert!((MAX_DENSE_ANSWERS..MAX_DENSE_ANSWERS + 480).contains(&epochs), "{epochs}");
    }
}

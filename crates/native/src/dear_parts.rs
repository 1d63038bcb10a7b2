//! Who gets the dear parts of a reading: figures of the C allocator and of Python's heap that take more than 2 ms.
//!
//! In: who asks, what the parts cost, the clock. Out: the depth of a reading. Pure apart from its own counters, as the
//! [schedule](crate::reading_schedule) is. What must not happen here: a frequent asker that leaves nothing to a rare one.
//!
//! A cycle is judged by a whole reading alone, and nobody knows during the run which unit will be judged. So units that turn
//! seldom may use up the share of the time, frequent ones half of it. Phases and the clock wait for longer.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::CycleUnit;

use crate::cost_limiter::{PAUSE_FACTOR, pause_is_over};
use crate::reading::Depth;
use crate::reading_schedule::Asker;

/// What whole readings may take together at ends of cycles, and beside it one part in so many of the time: 0.5 %.
const ALLOWANCE_NS: u64 = 120_000_000;
const DIVISOR: u64 = 200;
/// A unit is rare if its turns are this many times the cost apart: all of them together take 1 % then.
const RARE_FACTOR: u64 = 100;
/// A frequent unit spreads its half over the run.
const CYCLE_PAUSE_FACTOR: u64 = 20;
/// Among cycles the clock and phases wait for so many times the cost: neither is judged.
const OTHER_PAUSE_FACTOR: u64 = 2000;

/// What dear parts took, and when each unit had them.
#[derive(Debug)]
pub(crate) struct DearParts {
    spent: AtomicU64,
    /// What of it frequent units took.
    spent_often: AtomicU64,
    turned: [AtomicU64; CycleUnit::COUNT],
    /// How far the last two turns of each unit are apart.
    apart: [AtomicU64; CycleUnit::COUNT],
    had: [AtomicU64; CycleUnit::COUNT],
}

impl Default for DearParts {
    fn default() -> Self {
        Self {
            spent: AtomicU64::new(0),
            spent_often: AtomicU64::new(0),
            turned: [const { AtomicU64::new(0) }; CycleUnit::COUNT],
            apart: [const { AtomicU64::new(0) }; CycleUnit::COUNT],
            had: [const { AtomicU64::new(0) }; CycleUnit::COUNT],
        }
    }
}

impl DearParts {
    /// A unit turns at `now`, be it read or not.
    pub(crate) fn turn(&self, unit: CycleUnit, now: u64) {
        if let (Some(turned), Some(apart)) = (self.turned.get(unit.index()), self.apart.get(unit.index())) {
            apart.store(now.saturating_sub(turned.swap(now, Relaxed)), Relaxed);
        }
    }

    /// How deep a reading for `asker` goes at `now`, where the dear parts take `cost` together.
    pub(crate) fn depth(&self, asker: Asker, cost: u64, is_among_cycles: bool, now: u64) -> Depth {
        match asker {
            Asker::Cycle(unit) if self.is_owed(unit, cost, now) => Depth::Whole,
            Asker::Cycle(_) => Depth::Cheap,
            Asker::Tick if !is_among_cycles => Depth::Paced(PAUSE_FACTOR),
            Asker::Once => Depth::Paced(PAUSE_FACTOR),
            Asker::Tick | Asker::Phase => Depth::Paced(OTHER_PAUSE_FACTOR),
        }
    }

    fn is_owed(&self, unit: CycleUnit, cost: u64, now: u64) -> bool {
        let had = self.had.get(unit.index()).map_or(0, |had| had.load(Relaxed));
        let share = ALLOWANCE_NS + now / DIVISOR;
        let has_left = self.spent.load(Relaxed) <= share
            && (self.is_rare(unit, cost) || self.spent_often.load(Relaxed) <= share / 2);
        has_left && pause_is_over(cost, CYCLE_PAUSE_FACTOR, had, now)
    }

    fn is_rare(&self, unit: CycleUnit, cost: u64) -> bool {
        let apart = self.apart.get(unit.index()).map_or(0, |apart| apart.load(Relaxed));
        apart >= cost.saturating_mul(RARE_FACTOR)
    }

    /// A whole reading for `asker` ended at `now`; its dear parts took `cost`.
    pub(crate) fn note(&self, asker: Asker, now: u64, cost: u64) {
        self.spent.fetch_add(cost, Relaxed);
        if let Asker::Cycle(unit) = asker
            && let Some(had) = self.had.get(unit.index())
        {
            had.store(now, Relaxed);
            if !self.is_rare(unit, cost) {
                self.spent_often.fetch_add(cost, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nilometer_capture::Found;

    const MS: u64 = 1_000_000;
    const SECOND_NS: u64 = 1000 * MS;

    /// Who asks, and how far apart.
    type Often = (Asker, u64);

    /// How often each of them got the parts in `duration`, at a cost of 10 ms.
    fn drive(askers: &[Often], duration: u64) -> Vec<u64> {
        let parts = DearParts::default();
        let (cost, mut last) = (10 * MS, 0);
        let mut got = vec![0; askers.len()];
        for now in (20 * SECOND_NS..20 * SECOND_NS + duration).step_by(MS as usize) {
            for (place, (asker, apart)) in askers.iter().enumerate() {
                // Of several that turn at one moment each asks a little later.
                if !(now / MS).saturating_sub(place as u64).is_multiple_of(apart / MS) {
                    continue;
                }
                if let Asker::Cycle(unit) = asker {
                    parts.turn(*unit, now);
                }
                let is_due = match parts.depth(*asker, cost, true, now) {
                    Depth::Whole => true,
                    Depth::Cheap => false,
                    Depth::Paced(factor) => pause_is_over(cost, factor, last, now),
                };
                if is_due {
                    last = now;
                    parts.note(*asker, now, cost);
                    got[place] += 1;
                }
            }
        }
        got
    }

    fn found(place: u8) -> Asker {
        Asker::Cycle(CycleUnit::Found(Found::new(place).expect("there is room")))
    }

    #[test]
    fn each_of_several_rare_units_gets_them_at_every_turn() {
        // Two epochs per fit, and a printed line and a turn of a loop beside each fit.
        let epoch = Asker::Cycle(CycleUnit::Epoch);
        let fit = Asker::Cycle(CycleUnit::Fit);
        let got = drive(
            &[(epoch, 13 * SECOND_NS), (fit, 26 * SECOND_NS), (found(0), 26 * SECOND_NS)],
            520 * SECOND_NS,
        );
        assert_eq!(got, [40, 20, 20]);
    }

    #[test]
    fn a_frequent_unit_leaves_half_of_the_share_to_a_rare_one() {
        let got = drive(&[(found(0), 50 * MS), (found(1), 4 * SECOND_NS)], 100 * SECOND_NS);
        assert_eq!(got[1], 25, "every turn of the rare one");
        assert!((20..=37).contains(&got[0]), "{} of the frequent one", got[0]);
    }

    #[test]
    fn phases_and_the_clock_leave_them_to_cycles() {
        for other in [Asker::Phase, Asker::Tick] {
            let got =
                drive(&[(other, 25 * MS), (Asker::Cycle(CycleUnit::Epoch), 2 * SECOND_NS)], 60 * SECOND_NS);
            assert!(got[1] >= 29 && got[0] <= 4, "{got:?}");
        }
    }

    #[test]
    fn all_together_stay_within_the_share() {
        let many: Vec<Often> =
            (0..30).map(|place| (found(place), SECOND_NS + u64::from(place) * 7 * MS)).collect();
        let got: u64 = drive(&many, 100 * SECOND_NS).iter().sum();
        assert!(got * 10 * MS <= ALLOWANCE_NS + 120 * SECOND_NS / DIVISOR + 10 * MS, "{got} readings");
    }

    #[test]
    fn what_costs_nothing_is_in_every_reading() {
        let parts = DearParts::default();
        for turn in 0..100 {
            assert_eq!(parts.depth(found(0), 0, true, turn), Depth::Whole);
            parts.note(found(0), turn, 0);
        }
    }
}

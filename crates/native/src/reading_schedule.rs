//! When a reading may be taken: what readings cost decides how often they happen.
//!
//! In: the clock and what earlier readings cost. Out: yes or no. Pure apart from its own counters; no clock, no lock, no
//! allocation, so that the ticker's thread and the program's threads may ask at once.
//!
//! The beginning of each kind is read whole, because that is where one-time growth and the first cycles stand. Later the
//! cost rules: cycles get the largest share, phases may not starve them, ticks fill silence; less of it where cycles come.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::{CycleUnit, Found, MAX_FOUND};

use crate::cost_limiter::{CostLimiter, pause_is_over};

/// So many cycles of each unit are read in any case.
const ALWAYS: u64 = 8;
/// So many edges of each phase: what a phase takes once it takes at first, and what it takes each time shows in a few. Phases that come
/// seldom are affordable anyway; a program of short epochs would pay for each of them with a look at all of Python's heap.
const ALWAYS_PHASE: u64 = 4;
/// So many cycles are read while the [allowance](ReadingSchedule::has_allowance) lasts: a short run must be judged by these.
const MAX_EARLY_CYCLES: u64 = 64;
/// What early readings may take together, and beside it one part of the time so far.
const ALLOWANCE_NS: u64 = 60_000_000;
const ALLOWANCE_DIVISOR: u64 = 400;
/// What readings at the turns of found units may take, beside one part in so many of the time. Of 96 rounds in
/// 5 s, 28 were read with a third of it, and a sawtooth of twelve rounds was not to be told.
const FOUND_ALLOWANCE_NS: u64 = 60_000_000;
const FOUND_DIVISOR: u64 = 800;
/// Pauses as multiples of the smoothed cost, as [`PAUSE`] is.
const CYCLE_PAUSE_FACTOR: u64 = 500;
const PHASE_PAUSE_FACTOR: u64 = 2000;
/// The same for cycles while the allowance lasts.
const EARLY_PAUSE_FACTOR: u64 = 50;
/// While cycles are read, which tell what stays, the clock adds what lies between them no more often than this. So long after
/// one was read, as long cycles have it, there may be none.
const TICK_AMONG_CYCLES_NS: u64 = 1_000_000_000;
const AMONG_CYCLES_NS: u64 = 10_000_000_000;

/// Who asks for a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// The end of a cycle of this unit.
    Cycle(CycleUnit),
    /// The beginning or end of a phase.
    Phase,
    /// The clock.
    Tick,
    /// Moments that come once.
    Once,
}

/// Decides about whole readings.
#[derive(Debug)]
pub(crate) struct ReadingSchedule {
    whole: CostLimiter,
    last_cycle: [AtomicU64; CycleUnit::COUNT],
    last_phase: AtomicU64,
    spent: AtomicU64,
    /// When each found unit turned last, and what readings at their turns took.
    turned: [AtomicU64; MAX_FOUND as usize],
    found_spent: AtomicU64,
}

impl Default for ReadingSchedule {
    fn default() -> Self {
        Self {
            whole: CostLimiter::default(),
            last_cycle: [const { AtomicU64::new(0) }; CycleUnit::COUNT],
            last_phase: AtomicU64::new(0),
            spent: AtomicU64::new(0),
            turned: [const { AtomicU64::new(0) }; MAX_FOUND as usize],
            found_spent: AtomicU64::new(0),
        }
    }
}

impl ReadingSchedule {
    /// Whether the `nth` asker of its kind (from 1) gets a reading now.
    pub(crate) fn wants(&self, asker: Asker, nth: u64, now: u64) -> bool {
        let cost = self.whole.cost();
        match asker {
            Asker::Once => true,
            Asker::Cycle(CycleUnit::Found(unit)) => self.wants_found(unit, now),
            Asker::Cycle(unit) => {
                let first = nth <= ALWAYS;
                let last = self.last_of(unit).map_or(0, |last| last.load(Relaxed));
                // What the first cycles leave of the allowance is spread over those that follow.
                let early = || nth <= MAX_EARLY_CYCLES || pause_is_over(cost, EARLY_PAUSE_FACTOR, last, now);
                first
                    || self.has_allowance(now) && early()
                    || pause_is_over(cost, CYCLE_PAUSE_FACTOR, last, now)
            }
            Asker::Phase => {
                let last = self.last_phase.load(Relaxed);
                let first = nth <= ALWAYS_PHASE;
                first || self.whole.is_due(now) && pause_is_over(cost, PHASE_PAUSE_FACTOR, last, now)
            }
            Asker::Tick => {
                let pause = if self.is_among_cycles(now) { TICK_AMONG_CYCLES_NS } else { 0 };
                self.whole.is_due(now) && now.saturating_sub(self.last()) >= pause
            }
        }
    }

    /// A program may print thirty kinds of lines in each round. All found units share one part in [`FOUND_DIVISOR`] of the time, and one that
    /// turns seldom goes before those that turn often: it is nearer to what a person would name.
    fn wants_found(&self, unit: Found, now: u64) -> bool {
        let cost = self.whole.cost();
        let turned = self.turned.get(unit.place()).map_or(0, |turned| turned.swap(now, Relaxed));
        let spent = self.found_spent.load(Relaxed);
        let last = self.last_of(CycleUnit::Found(unit)).map_or(0, |last| last.load(Relaxed));
        let is_early = spent <= FOUND_ALLOWANCE_NS / 2;
        let is_rare = pause_is_over(cost, CYCLE_PAUSE_FACTOR, turned, now);
        let share = FOUND_ALLOWANCE_NS + now / FOUND_DIVISOR;
        if spent > if is_rare { share } else { share / 2 } {
            return false;
        }
        is_rare
            || pause_is_over(cost, EARLY_PAUSE_FACTOR, last, now) && is_early
            || pause_is_over(cost, CYCLE_PAUSE_FACTOR, last, now) && self.whole.is_due(now)
    }

    /// A reading for `asker` ended at `now` and took `cost`, dear parts left out.
    pub(crate) fn note(&self, asker: Asker, now: u64, cost: u64) {
        let counted = self.whole.note(now, cost);
        self.spent.fetch_add(counted, Relaxed);
        match asker {
            Asker::Cycle(unit) => {
                if let Some(last) = self.last_of(unit) {
                    last.store(now, Relaxed);
                }
                if matches!(unit, CycleUnit::Found(_)) {
                    self.found_spent.fetch_add(counted, Relaxed);
                }
            }
            Asker::Phase => self.last_phase.store(now, Relaxed),
            Asker::Tick | Asker::Once => {}
        }
    }

    /// When the last reading of any kind ended.
    pub(crate) fn last(&self) -> u64 {
        self.whole.last()
    }

    /// Whether a cycle was read a short while ago.
    pub(crate) fn is_among_cycles(&self, now: u64) -> bool {
        let last = self.last_cycle.iter().map(|last| last.load(Relaxed)).max().unwrap_or(0);
        last != 0 && now.saturating_sub(last) < AMONG_CYCLES_NS
    }

    fn last_of(&self, unit: CycleUnit) -> Option<&AtomicU64> {
        self.last_cycle.get(unit.index())
    }

    fn has_allowance(&self, now: u64) -> bool {
        self.spent.load(Relaxed) <= ALLOWANCE_NS + now / ALLOWANCE_DIVISOR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const SECOND_NS: u64 = 1000 * MS;

    /// A program that marks every `period` for `duration`; each reading takes `cost`. Gives how many were read.
    fn drive(pacer: &ReadingSchedule, asker: Asker, period: u64, duration: u64, cost: u64) -> u64 {
        drive_from(pacer, asker, SECOND_NS, period, duration, cost)
    }

    fn drive_from(
        pacer: &ReadingSchedule,
        asker: Asker,
        from: u64,
        period: u64,
        duration: u64,
        cost: u64,
    ) -> u64 {
        let (mut now, mut nth, mut taken) = (from, 0, 0);
        while now < from + duration {
            nth += 1;
            if pacer.wants(asker, nth, now) {
                now += cost;
                taken += 1;
                pacer.note(asker, now, cost);
            }
            now += period;
        }
        taken
    }

    #[test]
    fn slow_cycles_are_all_read() {
        let pacer = ReadingSchedule::default();
        assert_eq!(drive(&pacer, Asker::Cycle(CycleUnit::Epoch), SECOND_NS, 300 * SECOND_NS, MS / 2), 300);
    }

    #[test]
    fn fast_marks_cost_at_most_a_quarter_percent_beyond_the_allowance() {
        for asker in [Asker::Cycle(CycleUnit::Step), Asker::Phase, Asker::Tick] {
            let pacer = ReadingSchedule::default();
            let cost = MS / 2;
            let spent = drive(&pacer, asker, 50_000, 60 * SECOND_NS, cost) * cost;
            // It is driven from the first second to the sixty-first.
            assert!(spent <= 61 * SECOND_NS / 400 + ALLOWANCE_NS + cost, "{asker:?} took {spent} ns");
            assert!(spent >= 60 * SECOND_NS / 4000, "{asker:?} took only {spent} ns");
        }
    }

    #[test]
    fn the_clock_asks_seldom_among_cycles_and_often_where_none_come() {
        let pacer = ReadingSchedule::default();
        let ticks = |from: u64, to: u64| drive_from(&pacer, Asker::Tick, from, 250 * MS, to - from, MS / 10);
        assert_eq!(ticks(SECOND_NS, 5 * SECOND_NS), 16);
        pacer.note(Asker::Cycle(CycleUnit::Epoch), 5 * SECOND_NS, MS / 10);
        assert_eq!(ticks(5 * SECOND_NS + 250 * MS, 15 * SECOND_NS), 9, "one a second");
        assert!(ticks(15 * SECOND_NS, 19 * SECOND_NS) >= 15, "an epoch that lasts long");
    }

    #[test]
    fn early_readings_stop_when_the_allowance_is_used_up() {
        let pacer = ReadingSchedule::default();
        let taken = drive(&pacer, Asker::Cycle(CycleUnit::Epoch), 1000, SECOND_NS, 20 * MS);
        assert!((ALWAYS..MAX_EARLY_CYCLES / 4).contains(&taken), "{taken} readings of 20 ms in a row");
    }

    #[test]
    fn what_is_left_of_the_allowance_is_spread_over_short_cycles() {
        // Three hundred rounds of 2.5 ms, as a custom loop has them.
        let taken = drive(
            &ReadingSchedule::default(),
            Asker::Cycle(CycleUnit::Call),
            5 * MS / 2,
            300 * 5 * MS / 2,
            2 * MS / 5,
        );
        assert!(taken >= 85, "{taken}");
    }

    #[test]
    fn phases_do_not_starve_cycles() {
        let pacer = ReadingSchedule::default();
        let (cost, mut now, mut cycles) = (MS, SECOND_NS, 0);
        for nth in 1..=10_000 {
            for asker in [Asker::Phase, Asker::Phase, Asker::Cycle(CycleUnit::Epoch)] {
                now += 30 * MS;
                if pacer.wants(asker, nth, now) {
                    now += cost;
                    pacer.note(asker, now, cost);
                    cycles += u64::from(asker != Asker::Phase);
                }
            }
        }
        assert!(cycles > 1_500, "{cycles} of 10,000 epochs were read");
    }

    #[test]
    fn one_slow_reading_leaves_a_cheap_part_in_and_the_allowance_whole() {
        let pace = CostLimiter::default();
        let pacer = ReadingSchedule::default();
        for _ in 0..10 {
            pace.note(SECOND_NS, MS / 4);
            pacer.note(Asker::Tick, SECOND_NS, MS / 4);
        }
        pace.note(2 * SECOND_NS, 58 * MS);
        pacer.note(Asker::Tick, 2 * SECOND_NS, 58 * MS);
        assert!(pace.is_cheap_or_due(crate::cost_limiter::PAUSE_FACTOR, 2 * SECOND_NS));
        let taken = drive(&pacer, Asker::Cycle(CycleUnit::Epoch), 30 * MS, 900 * MS, MS / 2);
        assert!(taken >= 28, "{taken} of 30 short epochs were read");
    }

    #[test]
    fn thirty_kinds_of_lines_cost_no_more_than_their_share() {
        let pacer = ReadingSchedule::default();
        let (cost, mut now, mut taken) = (MS / 2, SECOND_NS, 0);
        for _ in 0..60_000 {
            for place in 0..30 {
                now += 30_000;
                let asker = Asker::Cycle(CycleUnit::Found(Found::new(place).expect("there is room")));
                if pacer.wants(asker, u64::MAX, now) {
                    now += cost;
                    pacer.note(asker, now, cost);
                    taken += 1;
                }
            }
        }
        let most = FOUND_ALLOWANCE_NS + now / FOUND_DIVISOR + cost;
        assert!(taken * cost <= most && taken * cost >= most / 8, "{taken} readings in {now} ns");
    }

    #[test]
    fn a_line_of_each_round_is_read_beside_the_lines_of_its_steps() {
        let pacer = ReadingSchedule::default();
        let unit = |place| Asker::Cycle(CycleUnit::Found(Found::new(place).expect("there is room")));
        let (cost, mut now, mut rounds) = (MS / 2, SECOND_NS, 0);
        for step in 1..=60_000_u64 {
            now += 2 * MS;
            for (place, is_due) in [(0, true), (1, step.is_multiple_of(500))] {
                if is_due && pacer.wants(unit(place), u64::MAX, now) {
                    now += cost;
                    pacer.note(unit(place), now, cost);
                    rounds += u64::from(place == 1);
                }
            }
        }
        assert_eq!(rounds, 120);
    }

    #[test]
    fn nothing_overflows() {
        let pacer = ReadingSchedule::default();
        pacer.note(Asker::Once, u64::MAX, u64::MAX);
        pacer.note(Asker::Once, 0, u64::MAX);
        assert!(!pacer.wants(Asker::Tick, u64::MAX, 5));
    }
}

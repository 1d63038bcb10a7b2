//! When to read how much of a child's memory is its own.
//!
//! The kernel walks all pages of the process for it: 8 to 25 ms for one of 260 MiB, and the process may wait when it maps memory
//! meanwhile. In: a reading that is dear. Out: its value, at the moments when it may be taken. What must not happen here: more
//! than a thousandth of the time, for all processes together.

use std::time::{Duration, Instant};

/// All such readings together may take one part in this many of the time.
const MIN_TIME_PER_COST: u32 = 1000;
/// Between the first reading of a process and the second.
const MIN_GAP: Duration = Duration::from_secs(2);
/// The next one comes when the process is older by one part in this many: so the last one lies in the last third of its life.
const AGE_PER_GAP: u32 = 2;

/// The time that the readings of all processes share.
pub(super) struct Pace {
    next: Instant,
}

/// When the next reading of one process is due.
pub(super) struct Turn {
    first: Instant,
    next: Instant,
}

impl Turn {
    /// Of a process that was just found: at once.
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self { first: now, next: now }
    }

    fn taken(&mut self, now: Instant) {
        let age = now.saturating_duration_since(self.first);
        self.next = now + MIN_GAP.max(age / AGE_PER_GAP);
    }
}

impl Pace {
    pub(super) fn new() -> Self {
        Self { next: Instant::now() }
    }

    /// Takes the reading if it is due and there is time for it.
    pub(super) fn read(&mut self, turn: &mut Turn, take: impl FnOnce() -> Option<u64>) -> Option<u64> {
        let began = Instant::now();
        if began < self.next || began < turn.next {
            return None;
        }
        let value = take();
        let now = Instant::now();
        self.next = now + now.saturating_duration_since(began) * MIN_TIME_PER_COST;
        turn.taken(now);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dear_reading_makes_all_others_wait() {
        let mut pace = Pace::new();
        let dear = || {
            std::thread::sleep(Duration::from_millis(5));
            Some(1)
        };
        assert_eq!(pace.read(&mut Turn::new(), dear), Some(1));
        assert_eq!(pace.read(&mut Turn::new(), || Some(2)), None, "five seconds must pass first");
    }

    #[test]
    fn one_process_has_its_turn_ever_more_rarely() {
        let mut turn = Turn::new();
        let first = turn.first;
        turn.taken(first);
        assert_eq!(turn.next, first + MIN_GAP);
        turn.taken(first + Duration::from_mins(1));
        assert_eq!(turn.next, first + Duration::from_secs(90));
    }
}

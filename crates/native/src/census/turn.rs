//! How often something was done, when last, and how long it took.
//!
//! In: when each began. Out: whether it may be done again. What must not happen here: a share of the program's time that grows with
//! the number of its cycles.

use std::time::{Duration, Instant};

/// How often something was done, when last, and how long it took.
#[derive(Clone, Copy, Default)]
pub(super) struct Turn {
    pub(super) times: u32,
    spent: Duration,
    last: Option<(Instant, Duration)>,
}

impl Turn {
    pub(super) fn is_due(&self, pause: u32) -> bool {
        self.last.is_none_or(|(end, took)| end.elapsed() >= took * pause)
    }

    /// Whether it ended at least so long ago.
    pub(super) fn rests(&self, pause: Duration) -> bool {
        self.last.is_none_or(|(end, _)| end.elapsed() >= pause)
    }

    /// Whether all of them together took no more than this part of `age`.
    pub(super) fn is_within(&self, part: u32, age: Duration) -> bool {
        self.spent.saturating_mul(part) <= age
    }

    pub(super) fn note(&mut self, began: Instant) {
        let took = began.elapsed();
        self.times = self.times.saturating_add(1);
        self.spent = self.spent.saturating_add(took);
        self.last = Some((Instant::now(), took));
    }
}

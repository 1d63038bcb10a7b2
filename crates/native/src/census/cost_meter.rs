//! How often something was done, when last, and what it took.
//!
//! In: this thread's own time when each began. Out: whether it may be done again. What must not happen here: a share of the program's
//! time that grows with the number of its cycles; time on the wall, most of which is other programs' where these share the processor.

use std::time::{Duration, Instant};

use crate::heap::thread_cpu_ns;

/// This thread's own time at the beginning of something.
#[derive(Clone, Copy)]
pub(super) struct Began(u64);

impl Began {
    pub(super) fn now() -> Self {
        Self(thread_cpu_ns())
    }
}

/// How often something was done, when last, and what it took.
#[derive(Clone, Copy, Default)]
pub(super) struct CostMeter {
    pub(super) times: u32,
    spent: Duration,
    last: Option<(Instant, Duration)>,
}

impl CostMeter {
    pub(super) fn is_due(&self, pause: u32) -> bool {
        self.last.is_none_or(|(end, took)| end.elapsed() >= took * pause)
    }

    /// What the last one took.
    pub(super) fn took(&self) -> Duration {
        self.last.map_or(Duration::ZERO, |(_, took)| took)
    }

    /// Whether it ended at least so long ago.
    pub(super) fn rests(&self, pause: Duration) -> bool {
        self.last.is_none_or(|(end, _)| end.elapsed() >= pause)
    }

    /// Whether all of them together took no more than this part of `age`.
    pub(super) fn is_within(&self, part: u32, age: Duration) -> bool {
        self.spent.saturating_mul(part) <= age
    }

    pub(super) fn note(&mut self, began: Began) {
        let took = Duration::from_nanos(thread_cpu_ns().saturating_sub(began.0));
        self.times = self.times.saturating_add(1);
        self.spent = self.spent.saturating_add(took);
        self.last = Some((Instant::now(), took));
    }
}

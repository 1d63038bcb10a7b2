//! How often something was done, when last, and how long it took.

use std::time::{Duration, Instant};

/// How often something was done, when last, and how long it took.
#[derive(Clone, Copy, Default)]
pub(super) struct Turn {
    pub(super) times: u32,
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

    pub(super) fn note(&mut self, began: Instant) {
        self.times = self.times.saturating_add(1);
        self.last = Some((Instant::now(), began.elapsed()));
    }
}

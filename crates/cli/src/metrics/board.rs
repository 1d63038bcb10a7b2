//! The last figures, for everyone who asks.
//!
//! In: figures, as they are made. Out: text with their age. What must not happen here: an evaluation; whoever asks waits for none.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use nilometer_report::{Evaluations, Form, Status};

/// What is known.
#[derive(Default)]
pub(super) struct Board(Mutex<Known>);

#[derive(Default)]
struct Known {
    statuses: Vec<Status>,
    made: Option<Instant>,
    done: u64,
    failed: u64,
}

impl Board {
    /// New figures; none where the evaluation failed, and the old ones stay.
    pub(super) fn put(&self, statuses: Option<Vec<Status>>) {
        let mut known = self.known();
        match statuses {
            Some(statuses) => {
                known.statuses = statuses;
                known.made = Some(Instant::now());
                known.done += 1;
            }
            None => known.failed += 1,
        }
    }

    /// Text for a scraper.
    pub(super) fn text(&self, form: Form) -> String {
        let known = self.known();
        nilometer_report::metrics(&known.statuses, known.evaluations(), form)
    }

    /// The document for a collector.
    pub(super) fn otlp(&self, at_ns: u64, began_ns: u64) -> String {
        let known = self.known();
        nilometer_report::otlp(&known.statuses, known.evaluations(), at_ns, began_ns)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn evaluations(&self) -> Evaluations {
        let age_seconds = self.made.map(|made| made.elapsed().as_millis() as f64 / 1000.0);
        Evaluations { age_seconds, done: self.done, failed: self.failed }
    }
}

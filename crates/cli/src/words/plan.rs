//! `nilometer plan`: how far it is, and what limits the plan. The plan's own sentences are those of `crates/plan`.

use std::path::Path;

use nilometer_diagnose::{duration, size};

use super::program;
use crate::messages::Failure;

/// A run that has ended.
pub(crate) fn ran(batch: u64, peak: u64, seconds: f64) -> String {
    format!("batch {batch}: {} at most, in {}\n", size(peak as f64), duration(seconds))
}

/// Its time was over before a `fit` was.
pub(crate) fn no_fit_in_time(log: &Path) -> Failure {
    Failure::new(format!("no `fit` came to its end in time; the program's output is in {}", log.display()))
        .hint("--budget gives it more time")
}

/// The program was over before a `fit` was.
pub(crate) fn no_fit(exit_code: Option<i32>, log: &Path, outside: Option<&str>) -> Failure {
    Failure::new(format!(
        "the program ended {} before a `fit` came to its end; its output is in {}",
        program::ended(exit_code),
        log.display()
    ))
    .hint(program::advice(outside))
}

/// A note on a run whose time was over.
pub(crate) fn cut(batch: Option<u64>, log: &str) -> String {
    format!("the run{} was ended because its time was over; see {log}", with(batch))
}

/// A note on a run that failed.
pub(crate) fn failed(batch: Option<u64>, exit_code: Option<i32>, log: &str) -> String {
    format!("the run{} ended with {}; see {log}", with(batch), program::ending(exit_code))
}

fn with(batch: Option<u64>) -> String {
    batch.map_or(String::new(), |batch| format!(" with batch {batch}"))
}

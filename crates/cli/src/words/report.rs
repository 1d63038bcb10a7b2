//! `nilometer report`: a file that cannot be read, a form that cannot be made, and what it does meanwhile.

use std::fmt::Display;
use std::path::Path;

use crate::messages::{Failure, Fault};

pub(crate) const READING: &str = "reading the capture";
pub(crate) const JUDGING: &str = "looking for what grows";
pub(crate) const SORTING: &str = "sorting the stacks";

/// A terminal is not sent bytes; `to` is a file that may be.
pub(crate) fn binary(to: &str) -> Failure {
    Failure::new("this form is binary, so a terminal cannot show it").hint(format!("-o {to}"))
}

pub(crate) fn not_redacted() -> Failure {
    Failure::new("evidence holds folder names and source lines, so it cannot be redacted")
        .hint("--format json --redact")
}

/// A warning.
pub(crate) fn no_summary(error: &dyn Display) -> String {
    format!("the step's summary cannot be written ({error})")
}

/// What follows each file that was written.
pub(crate) fn written(path: &Path) -> String {
    format!("Report: {}\n", path.display())
}

/// The unit that was asked for does not repeat; `others` do.
pub(crate) fn no_cycle(unit: &str, path: &Path, others: &[String]) -> Failure {
    Failure::new(format!("no cycle called {unit} repeats in {}", path.display()))
        .hint(format!("--cycle takes {}", others.join(", ")))
}

pub(crate) fn newer(path: &Path) -> Failure {
    Failure::new(format!("{} was made by a newer nilometer", path.display()))
        .hint("update nilometer")
        .of(Fault::Newer)
}

/// Evidence that cannot be read.
pub(crate) fn damaged(path: &Path) -> Failure {
    Failure::new(format!("{} is damaged, or was made by another version of nilometer", path.display()))
        .hint("write it again from its capture: nilometer report --format evidence")
        .of(Fault::Damaged)
}

/// A warning: an event file that grew no further.
pub(crate) fn events_ended(path: &Path, error: &dyn Display) -> String {
    format!("{} could not be written any further ({error})", path.display())
}

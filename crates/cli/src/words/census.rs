//! `nilometer census`, and what process ids say of captures.

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use crate::messages::Failure;

/// A hint.
pub(crate) const ENDED: &str = "the program has ended; this is what its last look at the heap saw";

pub(crate) fn ended_before(pid: u32, capture: &Path) -> Failure {
    Failure::new(format!("process {pid} ended before it could look at its heap"))
        .hint(format!("nilometer report {}", capture.display()))
}

pub(crate) fn no_look(pid: u32, waited: Duration) -> Failure {
    Failure::new(format!(
        "process {pid} did not look at its heap within {} s: its main thread is in a long call",
        waited.as_secs()
    ))
    .hint("try again, or wait longer with --wait")
}

pub(crate) fn closed(pid: u32, error: &dyn Display) -> Failure {
    Failure::new(format!("process {pid} cannot be inspected ({error})"))
        .hint("give the capture's file instead of the process id")
}

pub(crate) fn no_capture(pid: u32) -> Failure {
    Failure::new(format!("process {pid} writes no capture"))
        .hint("only a program under `nilometer run`, or one that was attached to, can be asked")
}

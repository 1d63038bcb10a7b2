//! The program together with the processes that it started.
//!
//! Sizes are bytes.

use serde::Serialize;

use super::{Bytes, Verdict};

/// Whose memory the verdict is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Job {
    /// The verdict on the program's own process alone.
    pub program: Verdict,
    /// The process that makes the verdict a leak, where that is not the program itself.
    pub culprit: Option<Culprit>,
}

impl Job {
    /// Of a program whose own process is what the verdict is about.
    pub fn own(program: Verdict) -> Self {
        Self { program, culprit: None }
    }
}

/// A process that the program started, and that leaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Culprit {
    /// Its process id.
    pub pid: u64,
    /// What it is for.
    pub role: String,
    /// What it grows by with each cycle of the program; null where the program has too few, or its own capture says it.
    pub bytes_per_cycle: Option<Bytes>,
    /// The same per minute; null where its own capture says it.
    pub bytes_per_minute: Option<Bytes>,
    /// In words, what it grows by.
    pub rate: String,
    /// How many processes of its kind ran beside it, itself included.
    pub of: u64,
    /// How many of them grow.
    pub growing: u64,
}

//! The program together with the processes that it started and the devices that it uses.
//!
//! Sizes are bytes.

use serde::Serialize;

use super::{Bytes, Verdict};

/// Whose memory the verdict is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Job {
    /// The verdict on the program's own process alone.
    pub program: Verdict,
    /// The process that makes the verdict a leak, where that is not the program itself.
    pub culprit: Option<Culprit>,
    /// The device whose memory makes the verdict a leak, as `devices` names it, where that is not the program itself or a process.
    pub device: Option<String>,
    /// Workers that replace each other and grow: what all their lives say together. They leak if the culprit is one of them.
    pub lives: Option<Lives>,
}

impl Job {
    /// Of a program whose own process is what the verdict is about.
    pub fn own(program: Verdict) -> Self {
        Self { program, culprit: None, device: None, lives: None }
    }

    /// Whether the verdict is about the memory of the program's own process.
    pub fn is_own(&self) -> bool {
        self.culprit.is_none() && self.device.is_none()
    }
}

/// A process that the program started, and that leaks.
#[derive(Clone, Debug, PartialEq, Serialize)]
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

/// Lives of workers that serve requests or tasks and replace each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lives {
    /// How many were seen.
    pub count: u64,
    /// How many of them the figures rest on.
    pub judged: u64,
    /// What they serve: `request`, `task`.
    pub unit: &'static str,
    /// The median length of a life.
    pub seconds: f64,
    /// What the median life served while it was recorded.
    pub cycles: u64,
    /// What each of these keeps.
    pub bytes_per_cycle: Bytes,
    /// What all of them keep by the end of such a life.
    pub bytes_per_life: i64,
}

//! How workers that replace each other are told.
//!
//! In: what all lives together keep, or may keep. Out: sentences without their full stop. What must not happen here: a decision.

use nilometer_stats::Interval;

use super::{own, said};
use crate::children::Said;
use crate::report::{Lives, Verdict};
use crate::sizes::{counted, duration, plural, size};

/// What they keep, and what the worker says that says most.
pub(super) fn keep(rate: &Interval, unit: &str, by: &Said) -> String {
    format!("workers keep {} until they are replaced{}", per(rate, unit), said(by))
}

/// Why the job leaks though the program itself does not.
pub(super) fn reason(rate: &Interval, lives: &Lives, by: Option<&Said>, program: Verdict) -> String {
    format!(
        "workers keep {} (95 %: {} to {}) until they are replaced: recycling hides it. Each lives {} and keeps {} by then. \
         Judged by {} of {} lives{}; {}",
        per(rate, lives.unit),
        size(rate.low),
        size(rate.high),
        duration(lives.seconds),
        size(lives.bytes_per_life as f64),
        lives.judged,
        lives.count,
        by.map_or(String::new(), said),
        own(program, "does not leak")
    )
}

/// Why nobody can say that the job does not leak.
pub(super) fn open_reason(rate: &Interval, lives: &Lives, times: u64) -> String {
    let unit = lives.unit;
    format!(
        "workers are replaced after {}, before their growth can be judged. {} lives grew by {} (95 %: {} to {}): that may be garbage, \
         or the start of a life. In one run, let each worker serve {times} times as many {}",
        duration(lives.seconds),
        lives.judged,
        per(rate, unit),
        size(rate.low),
        size(rate.high),
        plural(unit)
    )
}

/// Why the job does not leak though the program itself ran too short.
pub(super) fn served_reason(workers: u64, served: u64, unit: &str, rose: f64) -> String {
    let who = if workers == 1 { "its worker".to_owned() } else { format!("its {workers} workers") };
    let verb = if workers == 1 { "does" } else { "do" };
    format!(
        "{who} {verb} not leak, by {}; live memory of the program itself rose by {} meanwhile",
        counted(served, unit),
        size(rose)
    )
}

/// `2.3 KiB per request`.
fn per(rate: &Interval, unit: &str) -> String {
    format!("{} per {unit}", size(rate.estimate))
}

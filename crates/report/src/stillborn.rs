//! A program that failed before anything could repeat: whoever mistyped a path wants one sentence, not a screen.
//!
//! In: a report. Out: that sentence, or nothing where there is more to tell.

use nilometer_diagnose::{Report, Verdict};

use crate::words::course;

/// A run this short, in seconds, that failed has nothing to tell of memory.
const MAX_SECONDS: f64 = 1.5;

/// `nilometer  train.py: ended after 0.2 s with exit code 2. Too little repeated for a verdict.`
pub(crate) fn stillborn(report: &Report) -> Option<String> {
    let program = &report.program;
    let exit = program.exit.as_ref().filter(|exit| !exit.oom_killed)?;
    let end = match (exit.code, exit.signal) {
        (_, Some(signal)) => format!("by signal {signal}"),
        (Some(code), None) if code != 0 => format!("with exit code {code}"),
        _ => return None,
    };
    let is_told = report.verdict != Verdict::Undecided || program.seconds >= MAX_SECONDS;
    (!is_told).then(|| course::stillborn(&program.name, program.seconds, &end))
}

//! What to run next where a leak is known and its maker is not, or where a process that was not looked into grows: a verdict must
//! never be the end of the road.
//!
//! In: the finished report. Out: commands, each with what it is for. What must not happen here: a command that this program
//! cannot be given to, or one that would see no more than this run did.

use crate::report::{NextStep, Process, Report, Verdict};
use crate::told::words::next_step::{self, Step};

/// Below this share of a growth its findings are not the answer.
const ANSWERED: f64 = 0.5;
/// Samples of the growth that make a line's site sure.
const SAMPLES: f64 = 64.0;
const MIN_SAMPLE_BYTES: u64 = 4096;
/// Finer sampling needs more of the program's time than it is given by default.
const MAX_OVERHEAD_PERCENT: u32 = 10;

/// Steps for this report; none where nothing grows, or where what was found accounts for it. `looked_into`: whether a
/// process that the program started was recorded, too.
pub(crate) fn next_steps(report: &Report, looked_into: impl Fn(u64) -> bool) -> Vec<NextStep> {
    // What came as `-m`, `-c` or on stdin is not typed again so easily.
    let Some(script) = report.program.argv.first().filter(|word| !word.starts_with('-')) else {
        return Vec::new();
    };
    let mut out = of_program(report);
    let grows = |process: &&Process| process.bytes_per_minute.is_some();
    let growing = report.processes.iter().filter(grows).map(|process| process.pid);
    if growing.chain(report.job.culprit.as_ref().map(|culprit| culprit.pid)).any(|pid| !looked_into(pid)) {
        out.push(Step::LookIntoChildren);
    }
    out.into_iter().map(|step| next_step::told(step, script)).collect()
}

fn of_program(report: &Report) -> Vec<Step> {
    let growth = report.growth.as_ref().filter(|_| report.job.program == Verdict::Leak);
    let Some(growth) = growth.filter(|growth| growth.explained.unwrap_or(0.0) < ANSWERED) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    // A program without cycles has nothing that `prove` could compare.
    if report.cycles.unit != "window" {
        out.push(Step::Prove);
    }
    let asked = report.sampling.as_ref().and_then(|sampling| sampling.asked_mean);
    let cycles = report.cycles.count.saturating_sub(growth.since_cycle).max(1);
    let grown = growth.bytes_per_cycle.estimate as f64 * cycles as f64;
    let finer = ((grown / SAMPLES) as u64).next_power_of_two() / 2;
    let finer = finer.max(MIN_SAMPLE_BYTES);
    if asked.is_some_and(|asked| finer < asked) {
        out.push(Step::SampleMore { kib: finer >> 10, max_overhead_percent: MAX_OVERHEAD_PERCENT });
    }
    out
}

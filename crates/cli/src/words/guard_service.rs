//! `nilometer guard` of a service: why it does not start, and what it does while the service runs.

use std::io::Error;
use std::time::Duration;

use nilometer_diagnose::{duration, plural, size};
use nilometer_report::Status;

use crate::guard::{Judged, Slow};
use crate::messages::Failure;

pub(crate) const REQUEST: &str = "request";
pub(crate) const TASK: &str = "task";

/// uvicorn without workers.
pub(crate) fn one_process() -> Failure {
    Failure::new(
        "uvicorn serves in one process here, and nobody would replace it; the guard replaces workers",
    )
    .hint("give it --workers 2, or run it under gunicorn; nilometer run shows what grows")
}

pub(crate) fn other_pool(pool: &str) -> Failure {
    Failure::new(format!(
        "a worker of Celery's pool {pool} cannot be replaced; the guard replaces processes of prefork"
    ))
    .hint("use --pool prefork; nilometer run shows what grows")
}

/// An option that is of trainings alone.
pub(crate) fn of_trainings(option: &str) -> Failure {
    Failure::new(format!(
        "{option} is for trainings; a service saves nothing, and the guard replaces its workers"
    ))
    .hint("leave it out")
}

pub(crate) fn no_folder(error: &Error) -> Failure {
    Failure::new(format!(
        "no folder for temporary files can be made, by which workers are asked to end: {error}"
    ))
    .hint("set TMPDIR to a folder that can be written to")
}

/// A warning.
pub(crate) fn no_thread(error: &Error) -> String {
    format!("the service is not guarded: {error}")
}

/// `380 MiB of 400 MiB (--limit) are in use, and the next 6 s may add 12 MiB`.
pub(crate) fn near(judged: &Judged, growth: u64, ahead: Duration) -> String {
    let [used, limit, growth] =
        [judged.judgement.used, judged.judgement.limit, growth].map(|bytes| size(bytes as f64));
    let ahead = duration(ahead.as_secs_f64());
    format!("{used} of {limit} ({}) are in use, and the next {ahead} may add {growth}", judged.kind.words())
}

/// A worker is asked to end, for what its capture says.
pub(crate) fn asked(state: &str, pid: u32, noun: &str, status: &Status, kept: f64) -> String {
    let rate = size(status.growth.map_or(0.0, |growth| growth.estimate as f64));
    let endpoint = status.endpoints.first().map_or(String::new(), |endpoint| {
        let own = size(endpoint.bytes_per_request.estimate as f64);
        format!(", made in {} ({own} per {noun} of it)", endpoint.name)
    });
    let mut text = format!("\nnilometer guard: {state}\n");
    text.push_str(&format!("    leaks  worker {pid}: {rate} per {noun}{endpoint}, {} so far\n", size(kept)));
    if let Some(finding) = status.findings.first() {
        let place = if finding.place.is_empty() { String::new() } else { format!(" ({})", finding.place) };
        let held =
            if finding.holder.is_empty() { String::new() } else { format!(", held by {}", finding.holder) };
        text.push_str(&format!("    why    {}{place}{held}, {}\n", finding.sentence, finding.confidence));
    }
    text.push_str(&format!("    done   worker {pid} is asked to finish its {} and to end\n", plural(noun)));
    text
}

/// A dry run.
pub(crate) fn would_have_asked(at: Duration, state: &str, status: &Status, kept: f64) -> String {
    let (pid, at) = (status.pid.unwrap_or(0), duration(at.as_secs_f64()));
    let why = status.findings.first().map_or(String::new(), |finding| format!(": {}", finding.sentence));
    format!(
        "The guard would have asked worker {pid} to end, {at} after the start.\n{state}.\n\
         The worker kept {} by its end{why}\n",
        size(kept)
    )
}

/// A dry run; `is_met`: the limit came near, and no worker was known to leak.
pub(crate) fn would_have_asked_nobody(at: Duration, state: &str, is_met: bool) -> String {
    let at = duration(at.as_secs_f64());
    let why = if is_met { " No worker is known to keep memory." } else { "" };
    format!(
        "The guard would have asked no worker to end.{why} It was nearest {at} after the start.\n{state}.\n"
    )
}

/// The limit is near, and nobody is asked.
pub(crate) fn nobody(state: &str) -> String {
    format!("nilometer guard: {state}; no worker is known to keep memory, so none is asked to end\n")
}

/// The worker was no worker any more.
pub(crate) fn gone(pid: u32) -> String {
    format!("nilometer guard: worker {pid} had ended by itself\n")
}

pub(crate) fn slow(pid: u32, what: Slow) -> String {
    let what = match what {
        Slow::End => format!("worker {pid} is still at its work"),
        Slow::Replacement => format!("worker {pid} has ended, and no other took its place yet"),
    };
    format!("nilometer guard: {what}; until then no other worker is asked to end\n")
}

/// Another worker serves in its place.
pub(crate) fn done(pid: u32, by: u32, took: Duration, served: bool, now: Option<&Judged>) -> String {
    let took = duration(took.as_secs_f64());
    let does = if served { "serves in its place" } else { "took its place and had nothing to serve yet" };
    let state = now.map_or(String::new(), |now| {
        let [used, limit] = [now.judgement.used, now.judgement.limit].map(|bytes| size(bytes as f64));
        format!("; {used} of {limit} are in use")
    });
    format!("nilometer guard: worker {pid} has ended, and {by} {does} after {took}{state}\n")
}

/// A guard must not hide a leak.
pub(crate) fn replaced_in_all(count: u32) -> String {
    let count = if count == 1 { "one worker".to_owned() } else { format!("{count} workers") };
    format!("The guard had {count} replaced. A replacement ends no leak.\n")
}

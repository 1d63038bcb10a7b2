//! What the processes that a program started add to its report.
//!
//! In: what was settled of the job. Out: the report with it. What must not happen here: a decision.

mod child;
mod workers;

use crate::children::Said;
use crate::job::{Child, Culprit, Growing, Pace, Reason, Settled};
use crate::report::{self, Bytes, Finding, Report, Verdict};
use crate::sizes::size;

/// Adds the children to what is said about the program.
pub(super) fn tell(report: &mut Report, settled: Settled) {
    let Settled { verdict, reason, culprit, findings, lives, processes } = settled;
    report.verdict = verdict;
    if let Some(reason) = reason {
        report.reason = words(&reason);
    }
    if verdict != Verdict::Undecided {
        report.cycles.needed = None;
    }
    report.job.culprit = culprit.map(told);
    report.job.lives = lives;
    report.findings.extend(findings.into_iter().map(finding));
    report.processes = processes;
}

/// The sentence.
fn words(reason: &Reason) -> String {
    match reason {
        Reason::Child { child, growing, flat, undecided, own } => {
            child::reason(child, *growing, (*flat, *undecided), *own)
        }
        Reason::Workers { rate, lives, said, own } => workers::reason(rate, lives, said.as_deref(), *own),
        Reason::WorkersOpen { rate, lives, times } => workers::open_reason(rate, lives, *times),
        Reason::Served { workers, served, unit, rose } => {
            workers::served_reason(*workers, *served, unit, *rose)
        }
    }
}

/// `4.0 MiB per step`.
fn rate(pace: &Pace) -> String {
    let per = |bytes: f64, unit: &str| format!("{} per {unit}", size(bytes));
    match pace {
        Pace::Seen { rise, unit } => match rise.per_cycle {
            Some(rate) => per(rate.estimate, unit),
            None => per(rise.per_minute.estimate, "minute"),
        },
        Pace::Said(said) => said.rate.clone(),
        Pace::Shared { rate, unit } => per(rate.estimate, unit),
    }
}

/// `: fill() keeps arrays, held by fill(): kept[*], kept at app.py:9, in POST /score`; nothing where neither is known.
fn said(said: &Said) -> String {
    let held = said.held_by.as_ref().map_or(String::new(), |path| format!(", held by {path}"));
    let held = held + &said.kept_at.as_ref().map_or(String::new(), |line| format!(", kept at {line}"));
    let made_in = said.endpoint.as_ref().map_or(String::new(), |endpoint| format!(", in {endpoint}"));
    said.finding.as_ref().map_or(made_in.clone(), |finding| format!(": {finding}{held}{made_in}"))
}

fn told(culprit: Culprit) -> report::Culprit {
    let Culprit { child: Child { pid, role, pace }, of, growing } = culprit;
    let (bytes_per_cycle, bytes_per_minute) = match &pace {
        Pace::Seen { rise, .. } => {
            (rise.per_cycle.as_ref().map(Bytes::round), Some(Bytes::round(&rise.per_minute)))
        }
        Pace::Said(_) | Pace::Shared { .. } => (None, None),
    };
    report::Culprit { pid, role, bytes_per_cycle, bytes_per_minute, rate: rate(&pace), of, growing }
}

fn finding(growing: Growing) -> Finding {
    let (pid, bytes_per_cycle, sentence) = match growing {
        Growing::Child { child, bytes_per_cycle } => (child.pid, bytes_per_cycle, child::grows(&child)),
        Growing::Worker { pid, said, rate, unit } => {
            (pid, Bytes::default(), workers::keep(&rate, unit, &said))
        }
    };
    Finding {
        cause: "child-process".to_owned(),
        confidence: "likely",
        sentence,
        bytes_per_cycle,
        process: Some(pid),
        ..Finding::default()
    }
}

/// What is said of the program itself: it `does not`, or `does not leak`.
fn own(verdict: Verdict, does_not: &str) -> String {
    match verdict {
        Verdict::NoLeak => format!("the program itself {does_not}"),
        Verdict::Leak | Verdict::Undecided => "whether the program itself leaks is undecided".to_owned(),
    }
}

//! `nilometer guard --dry-run CAPTURE` of a service: when the guard would first have asked a worker to end, and which.
//!
//! In: the program's capture, and those of its workers beside it. Out: a few lines. What must not happen here: a worker that is named though
//! its capture does not say that it leaks, or that had not begun by then.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use nilometer_capture::{Capture, Record};
use nilometer_report::Status;

use super::rule::{self, LOOK_INTERVAL};
use crate::guard::look::{Judged, Kind};
use crate::guard::rule::{EpochEnd, History};
use crate::lookup::Files;
use crate::words::guard_service as words;

/// A process that was not read for so long has ended.
const MAX_SILENCE_NS: u64 = 3_000_000_000;

/// A worker by its own capture.
struct Worker {
    status: Status,
    /// When it began, on the clock of the program's capture.
    begin_ns: u64,
    pid: u32,
}

/// What the guard would have done; none where the program had no recorded workers.
pub(in crate::guard) fn told(path: &Path, capture: &Capture, kind: Kind, limit: u64) -> Option<String> {
    let workers = workers(path, capture);
    if workers.is_empty() {
        return None;
    }
    let ahead = rule::ahead(Duration::ZERO);
    let mut history = History::default();
    let mut nearest: Option<(u64, Judged)> = None;
    let mut is_met = false;
    for (at_ns, used) in looks(capture) {
        let judgement = history.epoch_ended(EpochEnd { used, limit, ..EpochEnd::default() }, 0);
        let judged = Judged { kind, judgement };
        if nearest.is_none_or(|(_, nearest)| judgement.room() < nearest.judgement.room()) {
            nearest = Some((at_ns, judged));
        }
        if !rule::is_near(&judgement, ahead) {
            continue;
        }
        is_met = true;
        let there: Vec<&Worker> = workers.iter().filter(|worker| worker.begin_ns <= at_ns).collect();
        let pids: Vec<u32> = there.iter().map(|worker| worker.pid).collect();
        let statuses: Vec<Status> = there.iter().map(|worker| worker.status.clone()).collect();
        if let Some(status) = rule::choose(&statuses, &pids) {
            let state = words::near(&judged, rule::growth_in(&judgement, ahead), ahead);
            return Some(words::would_have_asked(
                Duration::from_nanos(at_ns),
                &state,
                status,
                rule::kept(status),
            ));
        }
    }
    let (at_ns, judged) = nearest?;
    let state = words::near(&judged, rule::growth_in(&judged.judgement, ahead), ahead);
    Some(words::would_have_asked_nobody(Duration::from_nanos(at_ns), &state, is_met))
}

/// Memory of the program and all below it, as often as the guard looks.
fn looks(capture: &Capture) -> Vec<(u64, u64)> {
    let step = u64::try_from(LOOK_INTERVAL.as_nanos()).unwrap_or(u64::MAX);
    let mut levels: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    let mut next = step;
    let mut out = Vec::new();
    for stamped in &capture.records {
        let Record::Process(reading) = &stamped.record else { continue };
        let (Some(pid), Some(anonymous)) = (reading.pid, reading.rss_anon) else { continue };
        let bytes = anonymous + reading.rss_shmem.unwrap_or(0) + reading.swap.unwrap_or(0);
        levels.insert(pid, (stamped.at_ns, bytes));
        if stamped.at_ns >= next {
            levels.retain(|_, (at_ns, _)| *at_ns + MAX_SILENCE_NS >= stamped.at_ns);
            out.push((stamped.at_ns, levels.values().map(|(_, bytes)| bytes).sum()));
            next = stamped.at_ns + step;
        }
    }
    out
}

/// The captures beside the program's that its children made, judged.
fn workers(path: &Path, program: &Capture) -> Vec<Worker> {
    let Some(pid) = fact(program, "pid") else { return Vec::new() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let captures = entries.filter(|path| path.extension().is_some_and(|extension| extension == "nilo"));
    captures.filter_map(|path| worker(&path, &pid, program.header.start_mono_ns)).collect()
}

fn worker(path: &Path, program: &str, since_ns: u64) -> Option<Worker> {
    let capture = Capture::open_streamed(path).ok()?;
    if fact(&capture, "parent")? != program {
        return None;
    }
    let begin_ns = capture.header.start_mono_ns.checked_sub(since_ns)?;
    let report = nilometer_diagnose::diagnose_with(&capture, &mut Files::default());
    let status = Status::of(&report, &path.display().to_string(), true);
    Some(Worker { begin_ns, pid: status.pid.and_then(|pid| u32::try_from(pid).ok())?, status })
}

fn fact(capture: &Capture, key: &str) -> Option<String> {
    capture.records.iter().find_map(|stamped| match &stamped.record {
        Record::Fact { key: this, value } if this == key => Some(value.clone()),
        _ => None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;
    use nilometer_capture::{ProcessReading, Writer};

    #[test]
    fn memory_of_all_that_run_is_added_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.nilo");
        let writer = Writer::create(&path, false).unwrap();
        let second = 1_000_000_000;
        for at in 0..9 {
            for (pid, ends) in [(1, 9), (2, 3)] {
                if at < ends {
                    let reading = ProcessReading {
                        pid: Some(pid),
                        rss_anon: Some(10 * pid),
                        ..ProcessReading::default()
                    };
                    writer.append_at(at * second, &Record::Process(Box::new(reading)));
                }
            }
        }
        drop(writer);
        let capture = Capture::open(&path).unwrap();
        assert_eq!(looks(&capture), [(2 * second, 30), (4 * second, 30), (6 * second, 10), (8 * second, 10)]);
        assert_eq!(told(&path, &capture, Kind::Asked, 100), None, "it has no workers");
    }
}

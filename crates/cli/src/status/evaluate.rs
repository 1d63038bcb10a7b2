//! From a capture to its state, by the reading that `report` and `serve` use.
//!
//! In: a path. Out: a [`Status`], always: what cannot be read says why. What must not happen here: a judgement of our own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use nilometer_capture::{Capture, Record, Stamped};
use nilometer_diagnose::child_fact;
use nilometer_host::field::number;
use nilometer_host::process::Process;
use nilometer_host::stat::ticks_per_second;
use nilometer_report::{Service, Status};

use crate::census;
use crate::lookup::Files;
use crate::name_cache::NameCache;
use crate::progress::Progress;
use crate::report::{Read, open};
use crate::serve::capture_list::Stamp;

/// Reading a capture again may take one part in this many of the time.
const READ_TIME_DIVISOR: u32 = 20;
/// The clock may have been set between the start of a process and that of its capture.
const CLOCK_SLACK_SECS: f64 = 60.0;

/// What a capture says of the run that it is a part of.
#[derive(Clone)]
pub(super) struct About {
    pub(super) run: Option<String>,
    /// Another process of the run started this one.
    pub(super) is_child: bool,
    /// What it says of itself to the capture of the program.
    pub(super) said: Option<(String, String)>,
}

/// The verdict on a program and its workers, and what it rests on.
struct Job {
    said: Vec<(String, String)>,
    told: (Status, Option<Service>),
    next: Instant,
}

/// States that were made before, and the names that were looked up for them.
pub(crate) struct Evaluator {
    known: HashMap<PathBuf, Known>,
    jobs: HashMap<PathBuf, Job>,
    files: NameCache<Files>,
}

struct Known {
    status: Status,
    about: Option<About>,
    stamp: Option<Stamp>,
    next: Instant,
}

impl Evaluator {
    pub(crate) fn new() -> Self {
        Self { known: HashMap::new(), jobs: HashMap::new(), files: NameCache::new(Files::default()) }
    }

    /// The state of a capture. One that was made shortly before is told again, with whether its process still runs.
    pub(crate) fn status(&mut self, path: &Path) -> Status {
        let stamp = Stamp::of(path);
        if let Some(known) = self.known.get(path) {
            let runs = known.status.running && known.status.pid.is_some_and(is_there);
            if runs == known.status.running && (known.stamp == stamp || Instant::now() < known.next) {
                return known.status.clone();
            }
        }
        let began = Instant::now();
        let (status, about) = self.read(path);
        let next = Instant::now() + began.elapsed() * READ_TIME_DIVISOR;
        self.known.insert(path.to_owned(), Known { status: status.clone(), about, stamp, next });
        status
    }

    /// What was said by a capture whose state was made.
    pub(super) fn about(&self, path: &Path) -> Option<About> {
        self.known.get(path)?.about.clone()
    }

    /// The state of a program by its capture and by what its workers say, and what all lives of them say together; none if the capture
    /// cannot be read.
    pub(super) fn job(
        &mut self,
        path: &Path,
        said: Vec<(String, String)>,
    ) -> Option<(Status, Option<Service>)> {
        if let Some(job) = self.jobs.get(path).filter(|job| job.said == said || Instant::now() < job.next) {
            return Some(job.told.clone());
        }
        let began = Instant::now();
        let mut capture = open(path).ok()?;
        let (at_ns, pid) = capture.records.last().map(|last| (last.at_ns, last.pid))?;
        let facts = said.iter().cloned().map(|(key, value)| Record::Fact { key, value });
        capture.records.extend(facts.map(|record| Stamped { at_ns, pid, record }));
        let report = Read::from(&capture, false, &mut self.files, &Progress::default()).report;
        let lives = report.job.lives.as_ref().map(|lives| Service {
            unit: lives.unit.to_owned(),
            growth: Some(lives.bytes_per_cycle),
            ..Service::default()
        });
        let told = (Status::of(&report, &path.display().to_string(), runs(&capture)), lives);
        let next = Instant::now() + began.elapsed() * READ_TIME_DIVISOR;
        self.jobs.insert(path.to_owned(), Job { said, told: told.clone(), next });
        Some(told)
    }

    /// As if the capture had been read.
    #[cfg(test)]
    pub(super) fn know(&mut self, path: &Path, about: About) {
        let (status, next) = (Status::default(), Instant::now());
        self.known.insert(path.to_owned(), Known { status, about: Some(about), stamp: None, next });
    }

    fn read(&mut self, path: &Path) -> (Status, Option<About>) {
        let name = path.display().to_string();
        let capture = match open(path) {
            Ok(capture) => capture,
            Err(failure) => {
                let (_, what, hint) = failure.into_parts();
                let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
                return (Status::unreadable(&name, &format!("{what}{hint}")), None);
            }
        };
        let read = Read::from(&capture, false, &mut self.files, &Progress::default());
        let pid = read.report.program.pid;
        let about = About {
            run: fact(&capture, "run"),
            is_child: fact(&capture, "parent").is_some(),
            said: pid
                .map(|pid| child_fact(pid, &capture, &read.report, true, nilometer_frameworks::DIAGNOSE)),
        };
        (Status::of(&read.report, &name, runs(&capture)), Some(about))
    }
}

fn fact(capture: &Capture, key: &str) -> Option<String> {
    capture.records.iter().rev().find_map(|stamped| match &stamped.record {
        Record::Fact { key: this, value } if this == key => Some(value.clone()),
        _ => None,
    })
}

/// Whether its process runs. Process ids come again: one that began long after the capture did is another process. One that nobody has
/// waited for has ended all the same.
fn runs(capture: &Capture) -> bool {
    let Some(pid) = census::running(capture).filter(|pid| is_there(u64::from(*pid))) else { return false };
    let began = capture.header.start_unix_ns as f64 / Duration::from_secs(1).as_nanos() as f64;
    process_began(pid).is_none_or(|process| process < began + CLOCK_SLACK_SECS)
}

/// When the process began, in seconds since 1970.
fn process_began(pid: u32) -> Option<f64> {
    let ticks = Process::open(pid)?.stat(&mut Vec::new())?.started_ticks as f64;
    let uptime = number(&std::fs::read("/proc/uptime").ok()?)? as f64;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs_f64();
    Some(now - uptime + ticks / ticks_per_second() as f64)
}

fn is_there(pid: u64) -> bool {
    let process = u32::try_from(pid).ok().and_then(Process::open);
    let stat = process.and_then(|process| process.stat(&mut Vec::new()));
    stat.is_some_and(|stat| !matches!(stat.state, b'Z' | b'X'))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_process_began_before_now_and_after_the_one_that_started_it() {
        let mine = process_began(std::process::id()).unwrap();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs_f64();
        let parent = process_began(std::os::unix::process::parent_id()).unwrap();
        // The uptime is read in whole seconds.
        assert!(parent <= mine + 1.0 && mine <= now + 1.0, "{parent} {mine} {now}");
    }
}

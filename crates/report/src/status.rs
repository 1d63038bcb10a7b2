//! The state of one recorded process in a few figures: what `nilometer status` prints and services export.
//!
//! In: a report. Out: a [`Status`], which travels as JSON between processes and is drawn as a table, as metrics, as OTLP.
//! What must not happen here: an argument or a folder of the program's, which may hold secrets, or text without an end.

use nilometer_diagnose::{Bytes, Endpoint, Finding, Kind, Report, Verdict};
use serde::{Deserialize, Serialize};

use crate::claim::place;

/// The name and version of the JSON.
const SCHEMA: &str = "nilometer.status/1";
/// Findings of a process that are told.
const MAX_FINDINGS: usize = 5;
/// Characters of a text that comes from the program.
const MAX_TEXT_CHARS: usize = 160;

/// One process. Sizes are bytes, times are seconds; what is not known is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The capture's path.
    pub capture: String,
    /// Why the capture cannot be read; all else is empty then.
    pub error: Option<String>,
    /// Whether the process runs now.
    pub running: bool,
    /// Its process id.
    pub pid: Option<u64>,
    /// What the user named.
    pub program: String,
    /// Python's version.
    pub python: Option<String>,
    /// Leak, no leak or undecided.
    pub verdict: Option<Verdict>,
    /// Why.
    pub reason: String,
    /// What repeats.
    pub unit: String,
    /// How many of them ended.
    pub cycles: u64,
    /// How long it has run.
    pub seconds: f64,
    /// In use at the last reading.
    pub live_bytes: Option<u64>,
    /// Free memory that the allocator keeps.
    pub retained_bytes: Option<u64>,
    /// What pools of tensors took and have not handed out.
    pub reserved_bytes: Option<u64>,
    /// Mapped files that are resident.
    pub file_backed_bytes: Option<u64>,
    /// Anonymous resident memory.
    pub anonymous_bytes: Option<u64>,
    /// Most resident memory.
    pub peak_bytes: Option<u64>,
    /// Growth per cycle with its 95 % interval.
    pub growth: Option<Bytes>,
    /// `cgroup` or `ram`.
    pub limit: Option<String>,
    /// The limit that would be met first.
    pub limit_bytes: Option<u64>,
    /// What is left below it.
    pub headroom_bytes: Option<u64>,
    /// When it is reached at this rate; only of a leak.
    pub limit_in_seconds: Option<f64>,
    /// What causes the growth, the biggest first.
    pub findings: Vec<TopFinding>,
    /// The endpoints that surely make a part of the growth.
    #[serde(default)]
    pub endpoints: Vec<TopEndpoint>,
    /// What its recorded workers do together; the verdict is of all of it then. Null of a program without any.
    #[serde(default)]
    pub service: Option<Service>,
    /// The process id of the program whose worker this is.
    #[serde(default)]
    pub worker_of: Option<u64>,
}

/// Workers of one program, those that were replaced among them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Service {
    /// How many run now.
    pub workers: u64,
    /// How many that have ended are judged with them.
    pub ended: u64,
    /// What they serve.
    pub unit: String,
    /// How many of them the workers that are judged have served.
    pub cycles: u64,
    /// What they grow by with each, all lives together or the one that leaks most.
    pub growth: Option<Bytes>,
}

/// An endpoint that grows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TopEndpoint {
    /// `POST /score`, or the name of a task.
    pub name: String,
    /// What memory grows by per request of it.
    pub bytes_per_request: Bytes,
}

/// A finding in one sentence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TopFinding {
    /// The cause's name.
    pub cause: String,
    /// `certain`, `likely` or `possible`.
    pub confidence: String,
    /// What happens.
    pub sentence: String,
    /// Its share of the growth.
    pub bytes_per_cycle: Bytes,
    /// The file's name and the line to look at: `train.py:30`; empty if it is not known.
    pub place: String,
    /// The path that keeps it; empty if it is not known.
    pub holder: String,
}

impl Status {
    /// The figures of a report.
    pub fn of(report: &Report, capture: &str, running: bool) -> Self {
        let (program, memory) = (&report.program, &report.memory);
        let growth = report.growth_told();
        Self {
            capture: capture.to_owned(),
            error: None,
            running,
            pid: program.pid,
            program: told(&program.name),
            python: program.python.as_deref().map(told),
            verdict: Some(report.verdict),
            reason: report.reason.clone(),
            unit: report.cycles.unit.to_owned(),
            cycles: report.cycles.count,
            seconds: program.seconds,
            live_bytes: memory.live_bytes,
            retained_bytes: part(report, Kind::Retained),
            reserved_bytes: part(report, Kind::Reserved),
            file_backed_bytes: report.timeline.iter().rev().find_map(|point| point.file_bytes),
            anonymous_bytes: memory.anonymous_bytes,
            peak_bytes: memory.peak_bytes,
            growth,
            limit: memory.limit.map(str::to_owned),
            limit_bytes: memory.limit_bytes,
            headroom_bytes: memory.headroom_bytes,
            limit_in_seconds: report.forecast.as_ref().and_then(|forecast| forecast.seconds_left),
            findings: report.findings.iter().take(MAX_FINDINGS).map(TopFinding::of).collect(),
            endpoints: endpoints(report),
            service: None,
            worker_of: None,
        }
    }

    /// Of a capture that cannot be read.
    pub fn unreadable(capture: &str, error: &str) -> Self {
        Self { capture: capture.to_owned(), error: Some(error.to_owned()), ..Self::default() }
    }
}

impl TopFinding {
    fn of(finding: &Finding) -> Self {
        let place = place(finding).map_or(String::new(), |site| {
            // Folders may name a user or a customer.
            let name = site.file.rsplit('/').next().unwrap_or_default();
            format!("{name}:{}", site.line)
        });
        Self {
            cause: told(&finding.cause),
            confidence: finding.confidence.to_owned(),
            sentence: told(&finding.sentence),
            bytes_per_cycle: finding.bytes_per_cycle,
            place: told(&place),
            holder: told(finding.holder.as_ref().map_or("", |holder| &holder.path)),
        }
    }
}

/// The endpoints that grow, the first of them.
fn endpoints(report: &Report) -> Vec<TopEndpoint> {
    let all = report.growth.iter().flat_map(|growth| &growth.endpoints);
    let of = |one: &Endpoint| TopEndpoint { name: told(&one.name), bytes_per_request: one.bytes_per_request };
    all.filter(|one| one.grows).take(MAX_FINDINGS).map(of).collect()
}

/// The parts of the curve of one kind together; none where there are none.
fn part(report: &Report, kind: Kind) -> Option<u64> {
    let mut parts = report.components.iter().filter(|part| part.kind == kind).peekable();
    parts.peek()?;
    Some(parts.map(|part| u64::try_from(part.bytes).unwrap_or(0)).sum())
}

/// A text of the program's: on one line, no longer than it may be.
fn told(text: &str) -> String {
    let mut clean = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let mut out: String = clean.by_ref().take(MAX_TEXT_CHARS).collect();
    if clean.next().is_some() {
        out.pop();
        out.push('\u{2026}');
    }
    out
}

/// What [`status_json`] writes.
#[derive(Serialize, Deserialize)]
struct Document {
    schema: String,
    processes: Vec<Status>,
}

/// One JSON document on one line.
pub fn status_json(statuses: &[Status]) -> String {
    let document = Document { schema: SCHEMA.to_owned(), processes: statuses.to_vec() };
    // Strings, whole numbers and finite floats: it always serialises.
    serde_json::to_string(&document).map_or_else(|_| String::new(), |text| text + "\n")
}

/// Reads what [`status_json`] wrote; none if it is something else.
pub fn statuses(json: &[u8]) -> Option<Vec<Status>> {
    let document: Document = serde_json::from_slice(json).ok()?;
    (document.schema == SCHEMA).then_some(document.processes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_program_have_an_end_and_no_lines() {
        assert_eq!(told("a\nb\u{1b}[2J"), "a b [2J");
        let long = told(&"x".repeat(1000));
        assert_eq!((long.chars().count(), long.ends_with('\u{2026}')), (MAX_TEXT_CHARS, true));
    }

    #[test]
    fn what_is_written_is_read_again_and_nothing_else() {
        let one = Status { verdict: Some(Verdict::Leak), seconds: 1.5, ..Status::default() };
        assert_eq!(statuses(status_json(std::slice::from_ref(&one)).as_bytes()), Some(vec![one]));
        for other in ["", "{}", "[]", "{\"schema\":\"nilometer.status/2\",\"processes\":[]}"] {
            assert_eq!(statuses(other.as_bytes()), None, "{other}");
        }
    }
}

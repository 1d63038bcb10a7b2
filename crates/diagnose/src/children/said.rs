//! What a child's own capture says of it.
//!
//! In: a fact of the program's capture, which `nilometer run --children` writes at the end, one for each child that was judged. Out:
//! its verdict and the words for it. What must not happen here: trust in the form of a fact; what cannot be read is not there.

use serde_json::Value;

use nilometer_capture::Capture;

use super::looks::Looks;
use super::unseen;
use crate::report::{Report, Verdict};
use crate::sizes::size;

/// A rise of which so much is beyond what the process's allocators know is not judged by what they say.
const MIN_UNSEEN_RATIO: f64 = 0.5;

/// The verdict of a child's own capture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    pub(crate) verdict: Verdict,
    /// `7.6 MiB per window`.
    pub(crate) rate: String,
    finding: Option<String>,
    held_by: Option<String>,
    /// The endpoint that makes it: `POST /score`.
    endpoint: Option<String>,
    /// Growth that its live bytes do not have, in bytes per minute.
    unseen: f64,
    pub(crate) looks: Looks,
}

/// The key and the value of the fact that tells a program's capture what a child's own capture says.
pub fn child_fact(pid: u64, capture: &Capture, report: &Report) -> (String, String) {
    let rate = report
        .growth
        .as_ref()
        .map(|growth| format!("{} per {}", size(growth.bytes_per_cycle.estimate as f64), report.cycles.unit));
    let finding = report.findings.first();
    let held_by = finding.and_then(|finding| finding.holder.as_ref()).map(|holder| &holder.path);
    let endpoints = report.growth.as_ref().map_or(&[][..], |growth| &growth.endpoints);
    let endpoint =
        endpoints.iter().find(|one| one.grows && one.together_with.is_empty()).map(|one| &one.name);
    let value = serde_json::json!({
        "verdict": report.job.program, "rate": rate, "held_by": held_by, "endpoint": endpoint,
        "finding": finding.map(|finding| &finding.sentence),
        "unseen_per_minute": unseen::per_minute(capture).round(), "looks": Looks::of(capture).told(),
    });
    (key(pid), value.to_string())
}

/// The key of the fact about this child.
pub(crate) fn key(pid: u64) -> String {
    format!("child.{pid}.judged")
}

impl Said {
    /// From the fact's value.
    pub(crate) fn read(fact: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(fact).ok()?;
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        let verdict = match text("verdict")?.as_str() {
            "leak" => Verdict::Leak,
            "no_leak" => Verdict::NoLeak,
            _ => Verdict::Undecided,
        };
        let (finding, held_by, endpoint) = (text("finding"), text("held_by"), text("endpoint"));
        let unseen = value.get("unseen_per_minute").and_then(Value::as_f64).unwrap_or(0.0);
        let looks = Looks::read(value.get("looks"));
        Some(Self {
            verdict,
            rate: text("rate").unwrap_or_default(),
            finding,
            held_by,
            endpoint,
            unseen,
            looks,
        })
    }

    /// Whether a rise of so many bytes per minute is memory that its verdict is not about.
    pub(crate) fn misses(&self, per_minute: f64) -> bool {
        self.unseen >= MIN_UNSEEN_RATIO * per_minute
    }

    /// `: fill() keeps arrays, held by fill(): kept[*], in POST /score`; nothing where neither is known.
    pub(crate) fn words(&self) -> String {
        let held = self.held_by.as_ref().map_or(String::new(), |path| format!(", held by {path}"));
        let made_in = self.endpoint.as_ref().map_or(String::new(), |endpoint| format!(", in {endpoint}"));
        self.finding.as_ref().map_or(made_in.clone(), |finding| format!(": {finding}{held}{made_in}"))
    }
}

//! What a child's own capture says of it.
//!
//! In: a fact of the program's capture, which `nilometer run --children` writes at the end, one for each child that was judged. Out:
//! its verdict, and what it rests on. What must not happen here: trust in the form of a fact; what cannot be read is not there.

use serde_json::Value;

use nilometer_capture::Capture;
use nilometer_stats::Interval;

use super::lived::Lived;
use super::looks::Looks;
use super::unseen;
use crate::pack::Packs;
use crate::report::{Bytes, Report, Verdict};
use crate::sizes::size;

/// A rise of which so much is beyond what the process's allocators know is not judged by what they say.
const MIN_UNSEEN_RATIO: f64 = 0.5;
/// Bytes of each text at most: a record's text of more than 4,096 is cut off, and can no longer be read.
const MAX_TEXT_BYTES: usize = 200;

/// The verdict of a child's own capture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    pub(crate) verdict: Verdict,
    /// `7.6 MiB per window`.
    pub(crate) rate: String,
    /// The sentence of its first finding.
    pub(crate) finding: Option<String>,
    pub(crate) held_by: Option<String>,
    /// The line that keeps it: `app.py:12`.
    pub(crate) kept_at: Option<String>,
    /// The endpoint that makes it: `POST /score`.
    pub(crate) endpoint: Option<String>,
    /// Growth that its live bytes do not have, in bytes per minute.
    unseen: f64,
    pub(crate) looks: Looks,
    /// What it kept while it served requests or tasks.
    pub(crate) lived: Option<Lived>,
    /// What it grows by per cycle, where it leaks.
    pub(crate) growth: Option<Interval>,
}

/// The key and the value of the fact that tells a program's capture what a child's own capture says. `is_sample` if the child was not
/// chosen for what it grew by: only such a one speaks for others of its kind.
pub fn child_fact(
    pid: u64,
    capture: &Capture,
    report: &Report,
    is_sample: bool,
    packs: Packs,
) -> (String, String) {
    let rate = report
        .growth
        .as_ref()
        .map(|growth| format!("{} per {}", size(growth.bytes_per_cycle.estimate as f64), report.cycles.unit));
    let finding = report.findings.first();
    let held_by = finding.and_then(|finding| finding.holder.as_ref()).map(|holder| &holder.path);
    let kept_at = finding.and_then(|finding| finding.sites.iter().find(|site| site.role == "kept_at"));
    let kept_at = kept_at.filter(|site| site.line > 0).map(|site| format!("{}:{}", site.file, site.line));
    let endpoints = report.growth.as_ref().map_or(&[][..], |growth| &growth.endpoints);
    let endpoint =
        endpoints.iter().find(|one| one.grows && one.together_with.is_empty()).map(|one| &one.name);
    let sentence = finding.map(|finding| finding.sentence.as_str());
    let value = serde_json::json!({
        "verdict": report.job.program, "rate": rate, "held_by": held_by.map(|text| short(text)),
        "kept_at": kept_at.as_deref().map(short), "endpoint": endpoint.map(|text| short(text)),
        "finding": sentence.map(short),
        "unseen_per_minute": unseen::per_minute(capture).round(), "looks": Looks::of(capture).told(),
        "lived": Lived::of(capture, packs).filter(|_| is_sample).map(|lived| lived.told()),
        "growth": report.growth.as_ref().map(|growth| growth.bytes_per_cycle),
    });
    (key(pid), value.to_string())
}

/// Its beginning, where it is long.
fn short(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT_BYTES)).unwrap_or_default()
}

/// The key of the fact about this child.
pub(crate) fn key(pid: u64) -> String {
    format!("child.{pid}.judged")
}

/// The child that a fact of this key is about.
pub(crate) fn pid_of(key: &str) -> Option<u64> {
    key.strip_prefix("child.")?.strip_suffix(".judged")?.parse().ok()
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
        let kept_at = text("kept_at");
        let unseen = value.get("unseen_per_minute").and_then(Value::as_f64).unwrap_or(0.0);
        let looks = Looks::read(value.get("looks"));
        let lived = value.get("lived").and_then(Lived::read);
        let growth =
            value.get("growth").and_then(|bytes| serde_json::from_value::<Bytes>(bytes.clone()).ok());
        let growth = growth.filter(|_| verdict == Verdict::Leak).map(|bytes| Interval {
            estimate: bytes.estimate as f64,
            low: bytes.low as f64,
            high: bytes.high as f64,
        });
        Some(Self {
            verdict,
            rate: text("rate").unwrap_or_default(),
            finding,
            held_by,
            kept_at,
            endpoint,
            unseen,
            looks,
            lived,
            growth,
        })
    }

    /// Whether a rise of so many bytes per minute is memory that its verdict is not about.
    pub(crate) fn misses(&self, per_minute: f64) -> bool {
        self.unseen >= MIN_UNSEEN_RATIO * per_minute
    }
}

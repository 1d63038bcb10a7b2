//! What a child's own capture says of it.
//!
//! In: a fact of the program's capture, which `nilometer run --children` writes at the end, one for each child that was judged. Out:
//! its verdict and the words for it. What must not happen here: trust in the form of a fact; what cannot be read is not there.

use serde_json::Value;

use crate::program::Outside;
use crate::report::{Report, Verdict};
use crate::sizes::size;

/// The verdict of a child's own capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) verdict: Verdict,
    /// `7.6 MiB per window`.
    pub(crate) rate: String,
    finding: Option<String>,
    held_by: Option<String>,
}

/// The key and the value of the fact that tells a program's capture what a child's own capture says.
pub fn child_fact(pid: u64, report: &Report) -> (String, String) {
    let rate = report
        .growth
        .as_ref()
        .map(|growth| format!("{} per {}", size(growth.bytes_per_cycle.estimate as f64), report.cycles.unit));
    let finding = report.findings.first();
    let held_by = finding.and_then(|finding| finding.holder.as_ref()).map(|holder| &holder.path);
    let value = serde_json::json!({
        "verdict": report.job.program, "rate": rate, "held_by": held_by,
        "finding": finding.map(|finding| &finding.sentence),
    });
    (key(pid), value.to_string())
}

fn key(pid: u64) -> String {
    format!("child.{pid}.judged")
}

impl Said {
    pub(crate) fn of(outside: &Outside, pid: u64) -> Option<Self> {
        let value: Value = serde_json::from_str(outside.fact(&key(pid))?).ok()?;
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        let verdict = match text("verdict")?.as_str() {
            "leak" => Verdict::Leak,
            "no_leak" => Verdict::NoLeak,
            _ => Verdict::Undecided,
        };
        let (finding, held_by) = (text("finding"), text("held_by"));
        Some(Self { verdict, rate: text("rate").unwrap_or_default(), finding, held_by })
    }

    /// `: fill() keeps arrays, held by fill(): kept[*]`; nothing where no finding was made.
    pub(crate) fn words(&self) -> String {
        let held = self.held_by.as_ref().map_or(String::new(), |path| format!(", held by {path}"));
        self.finding.as_ref().map_or(String::new(), |finding| format!(": {finding}{held}"))
    }
}

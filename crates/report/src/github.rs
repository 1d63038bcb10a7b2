//! Annotations of a workflow run on GitHub: a line per finding and per warning, at its place in the source.
//!
//! What must not happen here: a text of the program's that ends the command and begins another; percent, line breaks and,
//! in properties, colons and commas are written as their codes.

use nilometer_diagnose::{Report, Verdict};

use crate::claim::{place, sentence};
use crate::headline::Headline;

/// Annotations; GitHub shows at most ten of a kind per step.
const MAX_ANNOTATIONS: usize = 10;

/// Workflow commands, one per line.
pub fn github(report: &Report) -> String {
    let kind = match report.verdict {
        Verdict::Leak => "error",
        Verdict::NoLeak => "notice",
        Verdict::Undecided => "warning",
    };
    let mut out =
        format!("::{kind} title={}::{}\n", property("Nilometer"), data(&Headline::of(report).sentence()));
    for finding in report.findings.iter().take(MAX_ANNOTATIONS - 1) {
        let mut properties = Vec::new();
        if let Some(site) = place(finding) {
            properties.push(format!("file={}", property(&site.file)));
            properties.push(format!("line={}", site.line));
        }
        properties.push(format!("title={}", property(&finding.cause)));
        out +=
            &format!("::{kind} {}::{}\n", properties.join(","), data(&sentence(finding, report.cycles.unit)));
    }
    // Of these there are three at most.
    for warning in &report.warnings {
        let mut properties = Vec::new();
        if let Some(site) = &warning.called_at {
            properties.push(format!("file={}", property(&site.file)));
            properties.push(format!("line={}", site.line));
        }
        properties.push(format!("title={}", property(&warning.name)));
        let text = format!("{}: {}; {}", warning.about.words(), warning.sentence, warning.change);
        out += &format!("::warning {}::{}\n", properties.join(","), data(&text));
    }
    out
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

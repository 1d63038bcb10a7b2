//! The report as a small piece of HTML, for the output of a notebook's cell.
//!
//! In: a report, and the file that it is of. Out: one `div` that needs nothing else. What must not happen here: a string of
//! the program's that a browser takes for markup; a script or a style sheet, which notebooks that are not trusted take
//! out; a colour of text, which cannot be read on every background.

use nilometer_diagnose::{Finding, Report, Verdict};

use crate::claim::{place, rate};
use crate::headline::Headline;
use crate::markdown::quoted;

const BOX: &str = "border:1px solid rgba(128,128,128,.4);border-left-width:4px;padding:.5em .8em;max-width:60em;\
                   line-height:1.45;color:inherit;background:transparent";
const LINE: &str = "margin:.2em 0";
const CODE: &str =
    "font-family:monospace;color:inherit;background:rgba(128,128,128,.15);overflow-wrap:anywhere";

/// The verdict, the growth, the first finding, and how to see the rest.
pub fn card(report: &Report, file: &str) -> String {
    let (word, color) = match report.verdict {
        Verdict::Leak => ("LEAK", "#d33"),
        Verdict::NoLeak => ("NO LEAK", "#2a4"),
        Verdict::Undecided => ("UNDECIDED", "#c80"),
    };
    let mut out = format!("<div style=\"{BOX};border-left-color:{color}\">\n");
    out += &line(&format!("<strong>{word}</strong> &nbsp;{}", code(&report.program.name)));
    let headline = Headline::of(report);
    let growth = headline.growth().unwrap_or_else(|| headline.why());
    out += &line(&text(&growth));
    if let Some(finding) = report.findings.first() {
        out += &self::finding(finding, report.cycles.unit);
    }
    if let Some(more) = report.findings.len().checked_sub(2) {
        let ones = if more == 0 { "finding" } else { "findings" };
        out += &line(&format!("and {} more {ones}", more + 1));
    }
    let command = format!("nilometer report {} --html", quoted(file));
    out += &line(&format!("The whole page: {}", code(&command)));
    out + "</div>"
}

fn finding(finding: &Finding, unit: &str) -> String {
    let claim = format!("{}{}, {}", finding.sentence, rate(finding, unit), finding.confidence);
    let mut out = line(&text(&claim));
    if let Some(site) = place(finding) {
        let source =
            site.text.as_deref().map_or(String::new(), |source| format!("<br>{}", code(source.trim())));
        let role = site.role.replace('_', " ");
        out += &line(&format!("{role} {}{source}", code(&format!("{}:{}", site.file, site.line))));
    }
    if let Some(change) = &finding.change {
        out += &line(&format!("<strong>change</strong> {}", text(change)));
    }
    out
}

fn line(markup: &str) -> String {
    format!("<div style=\"{LINE}\">{markup}</div>\n")
}

fn code(words: &str) -> String {
    format!("<code style=\"{CODE}\">{}</code>", text(words))
}

/// Text between tags.
fn text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

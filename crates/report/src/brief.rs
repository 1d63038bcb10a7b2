//! The report in a few lines of text, for programs that print it: what ran, the verdict, the first finding.
//!
//! In: a report and a style. Out: the terminal's own lines, without a line break at their end.

use nilometer_diagnose::Report;

use crate::Style;
use crate::stillborn::stillborn;
use crate::terminal::Screen;

/// How the terminal's screen begins, with the first finding alone.
pub fn brief(report: &Report, style: &Style) -> String {
    let mut screen = Screen::new(style);
    if let Some(words) = stillborn(report) {
        screen.line(&words, 11);
    } else {
        screen.heading(report);
        screen.verdict(report);
        screen.findings(report.findings.get(..1).unwrap_or_default(), report.cycles.unit);
        match report.findings.len() {
            0 | 1 => {}
            2 => screen.line("     and 1 more finding", 5),
            findings => screen.line(&format!("     and {} more findings", findings - 1), 5),
        }
    }
    screen.out.trim_end().to_owned()
}

//! The report as one HTML page.
//!
//! In: a report, and the sampled memory if there is one. Out: a whole document that needs nothing else. What must not
//! happen here: a string of the program's that a browser takes for markup.

use nilometer_diagnose::{Profile, Report};

/// How the page is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HtmlOptions {
    /// Leave out paths, arguments and source.
    pub redact: bool,
}

/// The page.
pub fn html(report: &Report, _profile: Option<&Profile>, _options: &HtmlOptions) -> String {
    let text = crate::terminal(report, &crate::Style { width: 100, color: false });
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    format!("<!doctype html>\n<meta charset=\"utf-8\">\n<title>Nilometer</title>\n<pre>{text}</pre>\n")
}

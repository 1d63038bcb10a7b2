//! The report of a file for a Python program that asks for it: `nilometer.read(path)`, `Report.to_html(path)`.
//!
//! In: a capture, or evidence of one. Out: its report in the forms that Python shows, or as a page, or why there is none,
//! in words and in one word for programs. What must not happen here: a byte to stdout or stderr, which are the caller's.

use std::path::Path;

use nilometer_report::{HtmlOptions, Style};

use crate::messages::{Failure, Fault};
use crate::report::Read;

/// For text that may be shown anywhere.
const STYLE: Style = Style { width: 100, color: false };

/// A report that was read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// As `nilometer report --format json` prints it.
    pub report: String,
    /// In a few lines of text.
    pub brief: String,
    /// As HTML for a notebook.
    pub card: String,
}

/// Why there is none.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// `missing`, `not_a_capture`, `newer`, `damaged` or `other`.
    pub kind: &'static str,
    /// What happened, and to what.
    pub what: String,
    /// What to do next; empty if nobody knows.
    pub hint: String,
}

/// Reads a file and judges it, by the rules and with the names and lines of `nilometer report`.
///
/// # Errors
///
/// Where the file is missing, is something else, is damaged, or was made by a newer version.
pub fn read(path: &Path) -> Result<Reading, Refusal> {
    let read = Read::silently(path, false)?;
    let report = &read.report;
    Ok(Reading {
        report: nilometer_report::json(report),
        brief: nilometer_report::brief(report, &STYLE),
        card: nilometer_report::card(report, &path.to_string_lossy()),
    })
}

/// Reads a file and makes its page, as `nilometer report --html` does.
///
/// # Errors
///
/// As [`read`] has them.
pub fn page(path: &Path, redact: bool) -> Result<String, Refusal> {
    let mut read = Read::silently(path, true)?;
    if redact {
        nilometer_report::redact(&mut read.report, read.profile.as_mut());
    }
    Ok(nilometer_report::html(&read.report, read.profile.as_ref(), &HtmlOptions { redact }))
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let (fault, what, hint) = failure.into_parts();
        let kind = match fault {
            Fault::Missing => "missing",
            Fault::NotACapture => "not_a_capture",
            Fault::Newer => "newer",
            Fault::Damaged => "damaged",
            Fault::Other => "other",
        };
        Self { kind, what, hint: hint.unwrap_or_default() }
    }
}

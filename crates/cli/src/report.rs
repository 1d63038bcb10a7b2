//! `nilometer report FILE`: the screen or the JSON of a capture, also while its program still runs.

use std::io::stdout;

use nilometer_capture::Capture;

use crate::args::{Format, ReportOptions};
use crate::lookup::Files;
use crate::say::{Failure, to_stdout};
use crate::style;

pub(crate) fn report(options: &ReportOptions) -> Result<(), Failure> {
    // The capture's errors bring their own hint, after a semicolon.
    let capture = Capture::open(&options.file).map_err(|error| {
        let said = error.to_string();
        match said.split_once("; ") {
            Some((what, hint)) => Failure::new(what).hint(hint),
            None => Failure::new(said),
        }
    })?;
    let report = nilometer_diagnose::diagnose_with(&capture, &mut Files::default());
    let mut text = match options.format {
        Format::Terminal => nilometer_report::terminal(&report, &style::of(&stdout(), 1)),
        Format::Json => nilometer_report::json(&report),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    to_stdout(&text)
}

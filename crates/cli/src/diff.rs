//! `nilometer diff A B`: what differs between two captures, and an exit code for whoever must not grow.

use std::io::stdout;

use nilometer_diagnose::Verdict;

use crate::options::{DiffFormat, DiffOptions};
use crate::report::{Read, write};
use crate::say::{self, Failure, bytes_to_stdout};
use crate::style;

/// The exit code of `--fail-on-growth`.
const GREW: i32 = 1;

pub(crate) fn diff(options: &DiffOptions) -> Result<i32, Failure> {
    let (a, b) = (Read::of(&options.a, true)?, Read::of(&options.b, true)?);
    let diff = nilometer_diagnose::diff(a.side(), b.side());
    let text = match options.format {
        DiffFormat::Terminal => nilometer_report::diff_terminal(&diff, &style::of(&stdout(), 1)),
        DiffFormat::Json => nilometer_report::diff_json(&diff),
    };
    match options.output.as_ref().filter(|path| path.as_os_str() != "-") {
        Some(path) => write(path, text.as_bytes())?,
        None => bytes_to_stdout(text.as_bytes())?,
    }
    let Some(bytes) = options.fail_on_growth else { return Ok(0) };
    if diff.growth.is_none() && (diff.b.verdict != Verdict::NoLeak) {
        say::warning(format!("whether it grows more is not known: {}", diff.sentence));
    }
    Ok(if diff.grew_beyond(bytes.cast_signed()) { GREW } else { 0 })
}

//! `nilometer diff A B`: what differs between two captures, and an exit code for whoever must not grow.

use std::io::stdout;
use std::path::{Path, PathBuf};

use nilometer_diagnose::Verdict;
use nilometer_report::Style;

use crate::messages::{self, Failure, bytes_to_stdout};
use crate::options::{DiffFormat, DiffOptions};
use crate::report::{Read, write};
use crate::style;

/// The exit code of `--fail-on-growth`.
const GREW: i32 = 1;

pub(crate) fn diff(options: &DiffOptions) -> Result<i32, Failure> {
    let (a, b) = (Read::of(&options.a, true)?, Read::of(&options.b, true)?);
    let diff = nilometer_diagnose::diff(a.side(), b.side());
    let text = match options.format() {
        DiffFormat::Terminal => nilometer_report::diff_terminal(&diff, &screen(options)),
        DiffFormat::Html => nilometer_report::diff_html(&diff),
        DiffFormat::Json => nilometer_report::diff_json(&diff),
    };
    match to(options) {
        Some(path) => write(&path, text.as_bytes())?,
        None => bytes_to_stdout(text.as_bytes())?,
    }
    let Some(bytes) = options.fail_on_growth else { return Ok(0) };
    if diff.growth.is_none() && (diff.b.verdict != Verdict::NoLeak) {
        messages::warning(crate::words::diff::open(&diff.sentence));
    }
    Ok(if diff.grew_beyond(bytes.cast_signed()) { GREW } else { 0 })
}

/// How it looks on a screen; a file has no colour.
fn screen(options: &DiffOptions) -> Style {
    let mut style = style::of(&stdout(), 1);
    style.color &= options.output.is_none();
    style
}

/// The file to write; none for stdout. A page goes to a file of its usual name, also in a folder.
fn to(options: &DiffOptions) -> Option<PathBuf> {
    let format = options.format();
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = format!("{}-to-{}.{}", stem(&options.a), stem(&options.b), format.ending());
    match &options.output {
        Some(path) if path.as_os_str() == "-" => None,
        Some(path) if path.is_dir() => Some(path.join(name)),
        Some(path) => Some(path.clone()),
        None => (format == DiffFormat::Html).then(|| name.into()),
    }
}

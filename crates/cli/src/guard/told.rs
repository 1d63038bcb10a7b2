//! What the guard says on stderr once the program has ended.
//!
//! In: a stop, the run's capture. Out: what `words/guard` makes of them, on stderr. The program itself has said one line when it was
//! stopped. What must not happen here: a sentence.

use std::ffi::OsString;
use std::path::Path;

use nilometer_capture::Capture;
use nilometer_diagnose::{Report, Verdict};

use super::stop::Stop;
use crate::lookup::Files;
use crate::messages;
use crate::supervisor::Outcome;
use crate::supervisor::kernel::Change;
use crate::words::guard as words;

/// Where it stopped, why, what was saved, and what leaks.
pub(super) fn stopped(stop: &Stop, outcome: &Outcome, quiet: bool) {
    let judged = outcome.capture.as_deref().and_then(|path| Capture::open_streamed(path).ok());
    let leak =
        judged.map(|capture| leak(&nilometer_diagnose::diagnose_with(&capture, &mut Files::default())));
    let checkpoint = (stop.checkpoint.as_path(), stop.bytes);
    messages::to_stderr(&words::stopped(&stop.words(), &stop.why, checkpoint, leak.as_deref(), quiet));
}

/// The top finding with its line, or the verdict.
fn leak(report: &Report) -> String {
    let is_clean = report.verdict == Verdict::NoLeak;
    let Some(finding) = report.findings.first().filter(|_| !is_clean) else {
        return words::no_finding(is_clean, &report.reason);
    };
    let site = finding.sites.iter().find(|site| site.line > 0);
    words::finding(&finding.sentence, site.map(|site| (site.file.as_str(), site.line)))
}

/// The program caught what was to end it.
pub(super) fn went_on(change: Change) {
    messages::warning(words::went_on(change));
}

/// How often it was started anew.
pub(super) fn restarted(times: u32) {
    if times > 0 {
        messages::to_stderr(&words::restarted(times));
    }
}

/// What to type next.
pub(super) fn go_on(folder: &Path, program: &[OsString]) {
    messages::to_stderr(&words::go_on(&super::command(folder, program)));
}

/// Another attempt would do the same again.
pub(super) fn gave_up(stop: &Stop) {
    let (warning, hint) = words::gave_up(&stop.words());
    messages::warning(warning);
    messages::hint(hint);
}

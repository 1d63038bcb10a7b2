//! What the guard says on stderr once the program has ended.
//!
//! In: a stop, the run's capture. Out: words. The program itself has said one line when it was stopped.

use std::ffi::OsString;
use std::path::Path;

use nilometer_capture::Capture;
use nilometer_diagnose::{Report, Verdict, size};

use super::stop::Stop;
use crate::lookup::Files;
use crate::messages;
use crate::supervisor::Outcome;
use crate::supervisor::kernel::Change;

/// Where it stopped, why, what was saved, and what leaks.
pub(super) fn stopped(stop: &Stop, outcome: &Outcome, quiet: bool) {
    let mut text = format!("\nnilometer guard: training was saved and stopped {}\n", stop.words());
    text.push_str(&format!("    why    {}\n", stop.why));
    text.push_str(&format!("    saved  {} in {}\n", size(stop.bytes as f64), stop.checkpoint.display()));
    let judged = outcome.capture.as_deref().and_then(|path| Capture::open_streamed(path).ok());
    if let Some(capture) = judged {
        let report = nilometer_diagnose::diagnose_with(&capture, &mut Files::default());
        text.push_str(&format!("    leaks  {}\n", leak(&report)));
    }
    if quiet {
        text.push('\n');
    }
    messages::to_stderr(&text);
}

/// The top finding with its line, or the verdict.
fn leak(report: &Report) -> String {
    let Some(finding) = report.findings.first().filter(|_| report.verdict != Verdict::NoLeak) else {
        return match report.verdict {
            Verdict::NoLeak => format!("nothing was found to leak: {}", report.reason),
            _ => format!("not known yet: {}", report.reason),
        };
    };
    let site = finding.sites.iter().find(|site| site.line > 0);
    let place = site.map(|site| format!(" ({}:{})", site.file, site.line)).unwrap_or_default();
    format!("{}{place}", finding.sentence)
}

/// The program caught what was to end it.
pub(super) fn went_on(change: Change) {
    let how = match change {
        Change::Exited(code) => format!("and ended with exit code {code}"),
        Change::Killed(signal) => format!("and was ended by signal {signal}"),
        Change::Stopped(_) | Change::Continued => "and went on".to_owned(),
    };
    messages::warning(format!(
        "the program caught SystemExit {how}; what it did after the stop is of a training that is not finished"
    ));
}

/// How often it was started anew: a guard must not hide a leak.
pub(super) fn restarted(times: u32) {
    if times > 0 {
        let times = if times == 1 { "once".to_owned() } else { format!("{times} times") };
        messages::to_stderr(&format!("The guard restarted the program {times}. A restart ends no leak.\n"));
    }
}

/// What to type next.
pub(super) fn go_on(folder: &Path, program: &[OsString]) {
    messages::to_stderr(&format!("Go on with: {}\n", super::command(folder, program)));
}

/// Another attempt would do the same again.
pub(super) fn gave_up(stop: &Stop) {
    messages::warning(format!(
        "this attempt came no further than the one before ({}), so the guard gives up",
        stop.words()
    ));
    messages::hint(
        "raise the limit, or end the leak: memory that earlier fits leave is there again after each restart",
    );
}

//! `nilometer attach` and `nilometer detach`.

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use nilometer_attach::Refusal;

use crate::messages::Failure;

/// The fact of a recording that was asked for without samples.
pub(crate) const NO_RECORDER: &str = "off: attached without --record";
/// Why the folder in the program's `/tmp` is not used.
pub(crate) const NOT_OURS: &str = "other users may change it";

pub(crate) fn recorded_already(pid: u32, capture: &Path) -> Failure {
    Failure::new(format!("process {pid} is recorded already, into {}", capture.display()))
        .hint(format!("nilometer report {}", capture.display()))
}

/// It cannot be attached to.
pub(crate) fn refused(pid: u32, refusal: &Refusal) -> Failure {
    Failure::new(format!("process {pid} cannot be attached to: {refusal}"))
        .hint(refusal.remedy().replace("PID", &pid.to_string()))
}

/// Its main thread did not come to the call; where that is, if it is known.
pub(crate) fn not_taken(pid: u32, waited: Duration, place: Option<&str>) -> Failure {
    Failure::new(format!(
        "process {pid} did not run Python code for {} s: its main thread is {}; nothing was changed in it",
        waited.as_secs(),
        inside(place)
    ))
    .hint("try again when that call is over, or start the program under `nilometer run`")
}

/// It took the call, and says why it cannot record; it has no words of its own for a Ctrl-C.
pub(crate) fn not_begun(pid: u32, answer: &str) -> Failure {
    let why = if answer == "interrupted" { "it was interrupted (Ctrl-C)" } else { answer };
    Failure::new(format!("process {pid} could not begin to record: {why}"))
        .hint("the program's user must be able to read nilometer's folder and to write the capture (-o)")
}

pub(crate) fn no_answer(pid: u32) -> Failure {
    Failure::new(format!("process {pid} took the call but did not answer"))
        .hint(format!("see whether it still runs: ps -p {pid}"))
}

pub(crate) fn stopped() -> Failure {
    Failure::new("stopped before the program joined; nothing was changed in it")
}

/// A hint while it waits.
pub(crate) fn waiting(place: Option<&str>) -> String {
    format!("waiting for the program's main thread, which is {}", inside(place))
}

/// Where a main thread is that does not come.
fn inside(place: Option<&str>) -> String {
    place.map_or_else(|| "in a long call".to_owned(), |name| format!("in a call of {name}"))
}

/// `minor` is Python's; `took` until the program joined, `pause` while all its threads stood still.
pub(crate) fn attached(pid: u32, program: &str, minor: u64, took: Duration, pause: Duration) -> String {
    format!(
        "nilometer  attached to {pid} ({program}, Python 3.{minor}) in {} ms; it stood still for {:.1} ms. Ctrl-C detaches.\n",
        took.as_millis(),
        pause.as_secs_f64() * 1e3
    )
}

/// The script for the program has no place.
pub(crate) fn no_place(path: &Path, error: &dyn Display) -> Failure {
    super::system::cannot_write(path, error)
        .hint("set TMPDIR to a folder that this command and the program can write to")
}

pub(crate) fn no_script(path: &Path, error: &dyn Display) -> Failure {
    super::system::cannot_read(path, error).hint("install nilometer again")
}

/// A capture is in the way.
pub(crate) fn exists(path: &Path) -> Failure {
    Failure::new(format!("{} exists already", path.display()))
        .hint("-o names another file; -f overwrites a capture")
}

/// The program's user cannot get the capture.
pub(crate) fn not_given(capture: &Path, error: &dyn Display) -> Failure {
    Failure::new(format!("{} cannot be given to the program's user ({error})", capture.display()))
        .hint("-o names a file that this user and the program's user can write to")
}

/// A hint: a capture that could not be brought home.
pub(crate) fn stays(capture: &Path) -> String {
    format!("the capture stays among the program's files: {}", capture.display())
}

/// The program sees other files than we do, and cannot get ours.
pub(crate) fn other_files(pid: u32, error: &dyn Display) -> Failure {
    Failure::new(format!(
        "process {pid} sees other files than this command, and nilometer cannot be copied into its /tmp ({error})"
    ))
    .hint("install nilometer in its container and run this command there")
}

pub(crate) fn not_recorded(pid: u32) -> Failure {
    Failure::new(format!("process {pid} is not recorded"))
        .hint("nilometer attach PID records a program that runs")
}

/// `run` has started it.
pub(crate) fn under_run(pid: u32, capture: &Path) -> Failure {
    Failure::new(format!("process {pid} runs under `nilometer run`, so it cannot be detached"))
        .hint(format!("nilometer report {} shows what was recorded so far", capture.display()))
}

/// The capture, where it still lies where it was written.
pub(crate) fn detached(pid: u32, capture: Option<&Path>) -> String {
    let place = capture.map(|path| format!(" Capture: {}", path.display())).unwrap_or_default();
    format!("nilometer  detached from {pid}.{place}\n")
}

/// A warning and its hint.
pub(crate) fn still_inside(pid: u32, why: &str) -> (String, String) {
    (format!("the hooks are still in process {pid}: {why}"), format!("nilometer detach {pid} tries again"))
}

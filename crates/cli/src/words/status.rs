//! `nilometer status`.

use crate::messages::Failure;

/// Nothing to show, of what was asked for or of this user.
pub(crate) fn none(of_folder: bool) -> &'static str {
    if of_folder { "there is no capture in this folder" } else { "no process of yours is recorded now" }
}

/// A hint.
pub(crate) const HOW_TO_RECORD: &str =
    "nilometer run SCRIPT records a program, nilometer attach PID one that runs";

pub(crate) fn no_file(what: &str) -> Failure {
    Failure::new(format!("there is no file {what}")).hint("nilometer status shows what runs now")
}

pub(crate) fn no_process(pid: u32) -> Failure {
    Failure::new(format!("there is no process {pid} now"))
        .hint("nilometer status DIR shows the captures of a folder, also of processes that have ended")
}

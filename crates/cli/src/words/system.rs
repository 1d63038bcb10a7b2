//! What the system refuses: a file, a folder, a process, a signal, an address.

use std::fmt::Display;
use std::path::Path;

use crate::messages::Failure;

pub(crate) fn cannot_write(path: &Path, error: &dyn Display) -> Failure {
    Failure::new(not_written(path, error))
}

/// The same as a warning.
pub(crate) fn not_written(path: &Path, error: &dyn Display) -> String {
    format!("{} cannot be written ({error})", path.display())
}

pub(crate) fn cannot_read(path: &Path, error: &dyn Display) -> Failure {
    Failure::new(format!("{} cannot be read ({error})", path.display()))
}

pub(crate) fn cannot_make(folder: &Path, error: &dyn Display) -> Failure {
    Failure::new(format!("{} cannot be made ({error})", folder.display()))
}

pub(crate) fn cannot_copy(path: &Path, error: &dyn Display) -> Failure {
    Failure::new(format!("{} cannot be copied ({error})", path.display()))
}

pub(crate) fn cannot_start(program: &str, error: &dyn Display) -> Failure {
    Failure::new(format!("{program} could not be started ({error})"))
}

pub(crate) fn cannot_watch_signals(error: &dyn Display) -> Failure {
    Failure::new(format!("nilometer cannot watch for signals ({error})"))
}

pub(crate) fn cannot_wait(error: &dyn Display) -> Failure {
    Failure::new(format!("nilometer cannot wait for the program to end ({error})"))
}

pub(crate) fn cannot_print(error: &dyn Display) -> Failure {
    Failure::new(format!("stdout cannot be written ({error})"))
}

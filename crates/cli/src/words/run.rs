//! `nilometer run`: where its capture goes, and what of the program is not seen.

use std::fmt::Display;
use std::path::Path;

use super::program::ISOLATED;
use crate::messages::Failure;

/// A loss: our boot does not run in the program. `isolated` Python ignores its environment; else our folder has no name there.
pub(crate) fn no_boot(isolated: bool) -> String {
    let why =
        if isolated { ISOLATED } else { "nilometer is installed in a folder that PYTHONPATH cannot name" };
    format!("{why}, so marks and live memory could not be recorded")
}

/// The interpreter is gone.
pub(crate) fn cannot_start(python: &str, error: &dyn Display) -> Failure {
    super::system::cannot_start(python, error)
        .hint("check that the Python that nilometer is installed in is still there")
}

/// A warning: an earlier capture that was to be continued.
pub(crate) fn not_continued(error: &dyn Display) -> String {
    format!("the earlier capture cannot be continued: {error}")
}

/// A warning: the capture's first place is not to be had.
pub(crate) fn elsewhere(error: &dyn Display, capture: &Path) -> String {
    format!("{error}; the capture goes to {} instead", capture.display())
}

/// A warning: nor is the second.
pub(crate) fn unrecorded(error: &dyn Display) -> String {
    format!("{error}; the program runs without being recorded")
}

/// The last line.
pub(crate) fn capture(path: &Path) -> String {
    format!("Capture: {}\n", path.display())
}

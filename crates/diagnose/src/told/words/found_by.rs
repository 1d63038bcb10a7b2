//! How a unit was found that no hook knows, in words. `--cycle` finds it again by the text between the marks.
//!
//! In: the line or the loop. Out: words for it. What must not happen here: another mark around a line than the one that is read back.

use crate::report::RUNS_OF;

/// A kind of printed line, with a place for what changes in it.
pub(crate) fn line(line: &str) -> String {
    format!("the printed line `{line}`")
}

/// A loop, by its file and line.
pub(crate) fn loop_at(place: &str) -> String {
    format!("the loop at {place}")
}

/// A cell of a notebook, as the notebook calls it.
pub(crate) fn cell(cell: &str) -> String {
    format!("{RUNS_OF}{cell}")
}

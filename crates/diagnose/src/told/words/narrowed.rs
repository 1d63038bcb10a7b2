//! Reasons where a part of a run was judged: its last hours, or the cells of a notebook.
//!
//! In: the part, and its own reason. Out: a sentence without its full stop. What must not happen here: a decision.

/// The reason of a leak that the last hours of a long run show.
pub(crate) fn in_the_last(hours: u64, reason: &str) -> String {
    let last = if hours < 48 { format!("{hours} hours") } else { format!("{} days", hours / 24) };
    format!("in the last {last} {reason}")
}

/// Of a notebook none of whose cells is run again and again.
pub(crate) fn no_cell_repeats() -> &'static str {
    "a verdict needs one cell that ran 8 times, with no cell between that left memory: cells that differ are not compared. \
     `%nilometer` says what each of them left"
}

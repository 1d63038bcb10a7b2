//! What became of a growth between two runs, in words.
//!
//! In: the units of two runs, and the growth of both where they can be compared. Out: a sentence without its full stop; names of levels.
//! What must not happen here: a comparison of numbers.

use crate::sizes::{plural, size};

/// Memory in no phase.
pub(crate) const OUTSIDE_OF_PHASES: &str = "outside of all phases";
/// Levels.
pub(crate) const PEAK: &str = "peak";
pub(crate) const LIVE_AT_END: &str = "live at the end";
pub(crate) const ANONYMOUS_AT_END: &str = "anonymous at the end";

/// Live memory at the end of a cycle that both runs have.
pub(crate) fn live_at(unit: &str, cycle: u64) -> String {
    format!("live at {unit} {cycle}")
}

/// What became of a growth.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Became {
    Same,
    More,
    Less,
    /// The second run does not leak.
    Mended,
}

/// What became of it: from so many bytes per cycle to so many.
pub(crate) fn growth(became: Became, (from, to): (i64, i64), unit: &str) -> String {
    let by = size((to - from).abs() as f64);
    let (from, to) = (size(from as f64), size(to as f64));
    match became {
        Became::Same => format!("growth per {unit} is the same, as far as can be told ({from}, now {to})"),
        Became::More => format!("it grows {by} more per {unit} than before ({from}, now {to})"),
        Became::Less => format!("it grows {by} less per {unit} than before ({from}, now {to})"),
        Became::Mended => format!("it does not leak any more ({from} per {unit} before)"),
    }
}

/// Why nothing became of it.
pub(crate) fn no_growth(before: &str, after: &str) -> String {
    if before == after {
        "one of the runs is too short to say how it grows".to_owned()
    } else {
        format!(
            "the first run counts {}, the second {}: their growth cannot be compared",
            plural(before),
            plural(after)
        )
    }
}

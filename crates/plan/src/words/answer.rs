//! The answer in a sentence, and notes on what the plan leaves out.

use nilometer_diagnose::size;

use crate::plan::Limit;

/// The whole interval lies below the limit.
pub(crate) fn fits(batch: u64, limit: &Limit) -> String {
    format!("a batch of {batch} fits in {}", memory(limit))
}

/// The whole interval lies above it; `largest` is the largest batch that fits, if one of those that were run does.
pub(crate) fn does_not_fit(batch: u64, limit: &Limit, largest: Option<u64>) -> String {
    let other = match largest {
        Some(largest) => format!("the largest batch that fits is {largest}"),
        None => "nor does the smallest batch that was run".to_owned(),
    };
    format!("a batch of {batch} does not fit in {}; {other}", memory(limit))
}

/// The limit lies within the interval.
pub(crate) fn may_not_fit(batch: u64, limit: &Limit, largest: Option<u64>) -> String {
    let other = match largest {
        Some(largest) => format!("a batch of {largest} does"),
        None => "no batch that was run is sure to fit".to_owned(),
    };
    format!("a batch of {batch} may not fit in {}; {other}", memory(limit))
}

/// Nothing says how much memory there is.
pub(crate) const NO_LIMIT: &str = "no limit is known";

/// Only what can be counted was asked for.
pub(crate) fn exact_parts(bytes: u64) -> String {
    format!(
        "weights, optimizer, gradients and data copies take {}; activations are not counted",
        size(bytes as f64)
    )
}

/// A note: the program has a GPU.
pub(crate) const ON_GPU: &str = "the program trains on a GPU; the plan does not count memory there";

/// A note: a run was ended before the program did what comes after `fit`.
pub(crate) const END_NOT_SEEN: &str =
    "not every run came to the program's end, so the plan leaves out its memory outside of `fit`";

/// `4.0 GiB (the cgroup's limit)`.
fn memory(limit: &Limit) -> String {
    format!("{} ({})", size(limit.bytes as f64), limit.source)
}

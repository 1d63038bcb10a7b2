//! The growth that a verdict rests on, and when it meets the limit.

use nilometer_diagnose::{Bytes, duration, size};

/// `+7.6 MiB per epoch since epoch 3 (95 %: 7.6 MiB to 7.7 MiB)`.
pub(crate) fn since(bytes: &Bytes, unit: &str, cycle: u64) -> String {
    format!("+{} per {unit} since {unit} {cycle} ({})", size(bytes.estimate as f64), interval(bytes))
}

/// The same of a notebook's cell, whose number is not that of its runs.
pub(crate) fn since_run(bytes: &Bytes, cell: &str, run: u64) -> String {
    format!("+{} per run of {cell}, since its run {run} ({})", size(bytes.estimate as f64), interval(bytes))
}

/// The 95 % interval.
pub(crate) fn interval(bytes: &Bytes) -> String {
    format!("95 %: {} to {}", size(bytes.low as f64), size(bytes.high as f64))
}

/// A cycle, and the seconds to its end if they are known.
pub(crate) type Moment = (u64, Option<f64>);

/// When the limit is met, for a terminal; `earliest` where the interval allows for much less time.
pub(crate) fn limit(likely: Option<Moment>, earliest: Option<Moment>, unit: &str) -> String {
    let mut text = String::new();
    if let Some((cycle, seconds)) = earliest {
        text += &format!(" The limit is reached at {unit} {cycle} at the earliest{};", within(seconds));
    }
    if let Some((cycle, seconds)) = likely {
        let rate = match earliest {
            Some(_) => "by the lesser rate",
            None => "At this rate the limit is reached",
        };
        text += &format!(" {rate} at {unit} {cycle}{}.", within(seconds));
    }
    text
}

/// The same with the limit's name and its size in bytes, in one sentence.
pub(crate) fn named_limit(
    limit: (u64, &str),
    likely: Moment,
    earliest: Option<Moment>,
    unit: &str,
) -> String {
    let earliest = earliest.map_or(String::new(), |(cycle, seconds)| {
        format!(", at the earliest at {unit} {cycle}{}", within(seconds))
    });
    let (bytes, name) = (size(limit.0 as f64), limit.1);
    let (cycle, when) = (likely.0, within(likely.1));
    format!(" The limit of {bytes} ({name}) is reached at {unit} {cycle}{when}{earliest}.")
}

fn within(seconds: Option<f64>) -> String {
    seconds.map_or(String::new(), |seconds| format!(", in {}", duration(seconds)))
}

/// What an undecided verdict needs.
pub(crate) fn needed(cycles: u64, unit: &str) -> String {
    format!(" Run {cycles} more {unit}{}.", if cycles == 1 { "" } else { "s" })
}

/// The same on the live line.
pub(crate) fn undecided(needed: Option<u64>, unit: &str) -> String {
    needed.map_or("undecided".to_owned(), |cycles| format!("undecided, {cycles} more {unit}s needed"))
}

/// One sentence, where there is room for one: `Memory of train.py leaks: +8.0 MiB per epoch since epoch 2`.
pub(crate) fn leaks(program: &str, why: &str) -> String {
    format!("Memory of {program} leaks: {why}")
}

pub(crate) fn does_not_leak(program: &str, why: &str) -> String {
    format!("Memory of {program} does not leak: {why}")
}

pub(crate) fn may_leak(program: &str, why: &str) -> String {
    format!("Whether memory of {program} leaks is undecided: {why}")
}

//! The growth that a verdict rests on, and when it meets the limit.

use nilometer_diagnose::{Bytes, duration, plural, size};

/// `+7.6 MiB per epoch`.
pub(crate) fn amount(size: &str, unit: &str) -> String {
    format!("+{size} per {unit}")
}

/// The unit of a notebook's cell, whose number is not that of its runs.
pub(crate) fn run_of(cell: &str) -> String {
    format!("run of {cell}")
}

/// Behind an amount: from which cycle on.
pub(crate) fn since(unit: &str, cycle: u64) -> String {
    format!("since {unit} {cycle}")
}

/// Behind an amount: whose memory it is.
pub(crate) fn in_child(role: &str, pid: u64) -> String {
    format!("in {role} (pid {pid})")
}

pub(crate) const STARTED: &str = ", a process that the program started";

pub(crate) fn on_device(device: &str, framework: &str) -> String {
    format!("on {device} ({framework})")
}

/// The 95 % interval.
pub(crate) fn interval(bytes: &Bytes) -> String {
    format!("95 %: {} to {}", size(bytes.low as f64), size(bytes.high as f64))
}

/// A cycle, and the seconds to its end if they are known.
pub(crate) type Moment = (u64, Option<f64>);

/// When the limit is met, for a terminal; `earliest` where the interval allows for much less time.
pub(crate) fn limit(likely: Moment, earliest: Option<Moment>, unit: &str) -> String {
    let likely_at = format!("at {unit} {}{}.", likely.0, within(likely.1));
    let Some((cycle, seconds)) = earliest else {
        return format!(" At this rate the limit is reached {likely_at}");
    };
    let within = within(seconds);
    format!(" The limit is reached at {unit} {cycle} at the earliest{within}; by the estimate, {likely_at}")
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

/// When a device is full.
pub(crate) fn device_is_full(cycles: u64, unit: &str) -> String {
    format!(" It is full in {} more.", counted(cycles, unit))
}

/// What an undecided verdict needs.
pub(crate) fn needed(cycles: u64, unit: &str) -> String {
    format!("Run {}.", more(cycles, unit))
}

/// The same behind a colon.
pub(crate) fn run_more(cycles: u64, unit: &str) -> String {
    format!("run {}.", more(cycles, unit))
}

fn more(cycles: u64, unit: &str) -> String {
    format!("{cycles} more {unit}{}", if cycles == 1 { "" } else { "s" })
}

/// Behind the word of a verdict where nothing else is known: of a leak, of one that is undecided, of none.
pub(crate) const GROWS_AND_STAYS: &str = "memory grows and stays.";
pub(crate) const SO_FAR: &str = "so far.";

pub(crate) fn after(cycles: u64, unit: &str) -> String {
    format!("in {}.", counted(cycles, unit))
}

fn counted(cycles: u64, unit: &str) -> String {
    format!("{cycles} {unit}{}", if cycles == 1 { "" } else { "s" })
}

/// On the live line: `leak: +8.0 MiB per epoch, limit in 2 h`.
pub(crate) fn live_leak(amount: &str, left: Option<f64>, earliest: bool) -> String {
    let sure = if earliest { " at the earliest" } else { "" };
    let until = left.map_or(String::new(), |seconds| format!(", limit in {}{sure}", duration(seconds)));
    format!("leak: {amount}{until}")
}

/// The same of a process or a device.
pub(crate) fn live_leak_elsewhere(amount: &str, place: &str) -> String {
    format!("leak {place}: {amount}")
}

pub(crate) const NO_LEAK: &str = "no leak";

/// What an undecided verdict needs, on the live line.
pub(crate) fn undecided(needed: Option<u64>, unit: &str) -> String {
    needed
        .map_or("undecided".to_owned(), |cycles| format!("undecided, {cycles} more {} needed", plural(unit)))
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

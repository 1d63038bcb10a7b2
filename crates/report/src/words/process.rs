//! Processes that the program started.

use nilometer_diagnose::size;

/// Beneath a verdict on the program's own process: that others grow.
pub(crate) fn others_grow(count: usize) -> String {
    let (some, grow) = if count == 1 { ("One process", "grows") } else { ("Processes", "grow") };
    format!("{some} that it started {grow}: {} below.", super::title::CHILDREN)
}

/// Its levels in bytes; `peak` where it is far above the last one.
pub(crate) fn levels(role: &str, pid: u64, first: u64, peak: Option<u64>, last: u64) -> String {
    let [first, last] = [first, last].map(|bytes| size(bytes as f64));
    let peak = peak.map_or(String::new(), |bytes| size(bytes as f64) + " at most, ");
    format!("{role} (pid {pid}): {first} at first, {peak}{last} at last")
}

/// Behind its levels; `word` is the verdict, in its colour.
pub(crate) fn grows(word: &str, bytes_per_minute: i64) -> String {
    format!(", {word} by {} per minute to the end", size(bytes_per_minute as f64))
}

/// What a forked process copied of what it inherited: no leak, and dear where there are many of them.
pub(crate) fn turned_private(bytes: u64) -> String {
    format!(
        "; {} of what it inherited turned private: reading Python objects writes their reference counts",
        size(bytes as f64)
    )
}

/// Beneath the row of a service in `nilometer status`.
pub(crate) fn judged_together(running: u64, ended: u64) -> String {
    let workers = |count: u64| format!("{count} worker{}", if count == 1 { "" } else { "s" });
    if running == 0 {
        return format!("judged with {} that ended", workers(ended));
    }
    let run = if running == 1 { "runs" } else { "run" };
    format!("judged with {} that {run} and {ended} that ended", workers(running))
}

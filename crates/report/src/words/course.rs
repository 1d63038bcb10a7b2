//! The course of a run: how far it came, since when it is recorded, how it ended.

use nilometer_diagnose::{Attached, CycleCount, Exit, PRINTED_LINE, Report, counted, duration, size};

/// How far the program came.
pub(crate) fn course(report: &Report) -> String {
    let time = duration(report.program.seconds);
    match (report.cycles.unit, report.cycles.seconds) {
        ("window", Some(seconds)) => {
            let windows = format!("{} of {}", counted(report.cycles.count, "window"), duration(seconds));
            // Cycles may have been seen of which too few could be read, or windows were asked for.
            if report.cycles.alternatives.is_empty() {
                format!("{time}, no cycle seen ({windows} serve)")
            } else {
                format!("{time}, told by {windows}")
            }
        }
        (unit, _) => {
            format!("{}{} in {time}", counted(report.cycles.count, unit), found(&report.cycles))
        }
    }
}

/// How the cycle was found, where no hook knows it.
fn found(cycles: &CycleCount) -> String {
    let Some(how) = &cycles.found_by else { return String::new() };
    match how.split('`').nth(1).filter(|_| cycles.unit == PRINTED_LINE) {
        Some(text) => format!(" (`{text}`)"),
        None => format!(" (counted by {how})"),
    }
}

/// What a recording that began late cannot tell.
pub(crate) fn since_attach(attached: &Attached) -> String {
    let age = duration(attached.uptime_seconds);
    let before = attached
        .resident_bytes
        .map_or_else(|| "the memory".to_owned(), |bytes| format!("the {}", size(bytes as f64)));
    format!("attached {age} after its start; nobody saw what made {before} that it had by then")
}

/// The limit that is nearest.
pub(crate) fn limit_words(limit: &str) -> &'static str {
    match limit {
        "cgroup" => "cgroup limit",
        _ => "RAM",
    }
}

/// How the program ended, if that is worth a line.
pub(crate) fn ending(exit: &Exit) -> Option<String> {
    let by_limit = match exit.limit {
        Some("cgroup") => Some("killed by the cgroup's memory limit"),
        Some("ram") => Some("killed because the machine ran out of memory"),
        Some("rlimit") => Some("ended by its memory resource limit (ulimit)"),
        _ => None,
    };
    match (by_limit, exit.code, exit.signal) {
        (Some(words), _, Some(signal)) => Some(format!("{words} (signal {signal})")),
        (Some(words), Some(code), _) => Some(format!("{words} (exit code {code})")),
        (None, _, Some(signal)) => Some(format!("ended by signal {signal}{}", signal_name(signal))),
        (None, Some(code), _) if code != 0 => Some(format!("exit code {code}")),
        _ => None,
    }
}

/// A program that failed before anything could repeat; `end` is how.
pub(crate) fn stillborn(program: &str, seconds: f64, end: &str) -> String {
    let time = duration(seconds);
    format!("nilometer  {program}: ended after {time} {end}. Too little repeated for a verdict.")
}

/// The name behind the numbers that end training jobs.
fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        3 => " (SIGQUIT)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

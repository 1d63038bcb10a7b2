//! Functions that TensorFlow traces again and again, and why it does.
//!
//! In: the traces of a capture and the cycles that are judged. Out: those functions that are still being traced late in
//! the run, the most often traced first; the line that most late traces come from. What must not happen here: a word about the traces at the beginning, about
//! shapes that have all been seen by now, or about functions that a library makes anew for its own work.

use std::collections::{BTreeMap, BTreeSet};

use nilometer_capture::{Capture, Observation, Record, Trace};
use nilometer_model::{CodeFolders, FileOwner};

use crate::cycles::Cycles;
use crate::report::Retraced;
use crate::source_files::shown;

/// A function that was traced no more often than this had its reasons.
const MAX_USUAL_TRACES: u64 = 5;
/// The last part of the cycles, one in so many, ...
const LATE_DIVISOR: usize = 3;
/// ... in which at least so many traces come from what goes on.
const MIN_LATE_TRACES: u64 = 2;
/// How the reason begins where it is the arguments, not the function, that are new.
const BY_ARGUMENT: &str = "argument ";

/// The functions that are traced again and again.
pub(crate) fn retraced(
    capture: &Capture,
    cycles: &Cycles,
    folders: &CodeFolders,
    folder: Option<&str>,
) -> Vec<Retraced> {
    let mut functions: BTreeMap<_, Vec<(u64, &Trace)>> = BTreeMap::new();
    for stamped in &capture.records {
        if let Record::Observation(Observation::Trace(trace)) = &stamped.record {
            let place = (trace.file.as_str(), trace.line, trace.function.as_str());
            functions.entry(place).or_default().push((stamped.at_ns, trace));
        }
    }
    let mut out: Vec<_> =
        functions.values().filter_map(|traces| one(traces, cycles, folders, folder)).collect();
    out.sort_by(|a, b| b.traces.cmp(&a.traces).then_with(|| (&a.file, a.line).cmp(&(&b.file, b.line))));
    out
}

/// The line of the program that most traces of the second half of the cycles come from, whatever is traced.
pub(crate) fn called_most(
    capture: &Capture,
    cycles: &Cycles,
    folders: &CodeFolders,
    folder: Option<&str>,
) -> Option<(String, u32)> {
    let from_ns = cycles.points.get(cycles.points.len() / 2)?.at_ns;
    let mut callers: BTreeMap<(&str, u64), u64> = BTreeMap::new();
    let mut all = 0;
    for stamped in capture.records.iter().filter(|r| r.at_ns > from_ns) {
        let Record::Observation(Observation::Trace(trace)) = &stamped.record else { continue };
        all += 1;
        if trace.caller_line > 0 && folders.is_users(&trace.caller_file) {
            *callers.entry((trace.caller_file.as_str(), trace.caller_line)).or_default() += 1;
        }
    }
    let ((file, line), most) = callers.into_iter().max_by_key(|(_, count)| *count)?;
    (2 * most > all).then_some((shown(file, FileOwner::User, folder).to_owned(), u32::try_from(line).ok()?))
}

fn one(
    traces: &[(u64, &Trace)],
    cycles: &Cycles,
    folders: &CodeFolders,
    folder: Option<&str>,
) -> Option<Retraced> {
    let (_, last) = traces.last()?;
    let why = why(traces, last);
    if last.nth <= MAX_USUAL_TRACES || !(folders.is_users(&last.file) || why.starts_with(BY_ARGUMENT)) {
        return None;
    }
    let points = &cycles.points;
    let begins = points.get(points.len() - points.len() / LATE_DIVISOR - 1)?;
    let end = points.last()?;
    // By their numbers: of a function that is traced very often not every trace is told.
    let before =
        traces.iter().take_while(|(at_ns, _)| *at_ns <= begins.at_ns).last().map_or(0, |(_, t)| t.nth);
    let late = last.nth.saturating_sub(before);
    if late < MIN_LATE_TRACES || points.len() < LATE_DIVISOR {
        return None;
    }
    Some(Retraced {
        function: last.function.clone(),
        file: shown(&last.file, folders.owner_of(&last.file), folder).to_owned(),
        line: last.line,
        caller_file: shown(&last.caller_file, folders.owner_of(&last.caller_file), folder).to_owned(),
        caller_line: last.caller_line,
        traces: last.nth,
        per_cycle: late as f64 / end.ordinal.saturating_sub(begins.ordinal).max(1) as f64,
        why,
    })
}

/// Why it goes on being traced. Of several arguments that differ now and then it is the one with the most values: one of three heads
/// comes again, the name of an episode never does.
fn why(traces: &[(u64, &Trace)], last: &Trace) -> String {
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut newest: BTreeMap<&str, &str> = BTreeMap::new();
    for (_, trace) in traces {
        for (said, name, value) in trace.why.split("; ").filter_map(argument) {
            values.entry(name).or_default().insert(value);
            newest.insert(name, said);
        }
    }
    // A function that is made anew has its first shapes each time.
    let renewed = || {
        traces.iter().map(|(_, t)| t.why.as_str()).filter(|w| !w.is_empty() && !w.starts_with(BY_ARGUMENT))
    };
    let distinct: usize = values.values().map(BTreeSet::len).sum();
    if let Some(anew) = renewed().next_back().filter(|_| distinct < renewed().count()) {
        return anew.to_owned();
    }
    let count = |name: &str| values.get(name).map_or(0, BTreeSet::len);
    let told = last.why.split("; ").filter_map(argument).map(|(_, name, _)| count(name)).max();
    let most = values.keys().max_by_key(|name| count(name));
    match (told, most) {
        (Some(told), Some(most)) if count(most) > told => {
            newest.get(most).map_or_else(String::new, |said| (*said).to_owned())
        }
        _ => last.why.clone(),
    }
}

/// `argument 'step' was 17, before 16 (a Python int)`: all of it, the name, the value.
fn argument(said: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = said.strip_prefix(BY_ARGUMENT)?.split_once(' ')?;
    let (value, _) = rest.split_once(", before ")?;
    Some((said, name, value))
}

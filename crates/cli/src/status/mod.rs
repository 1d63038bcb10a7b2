//! `nilometer status [PID|DIR|CAPTURE]`: a row per recorded process, running or ended.
//!
//! In: what was asked for. Out: a table or JSON on stdout, an exit code for probes. What must not happen here: a wait, a write to a
//! capture, or a word to the program.

mod evaluate;
mod find;
pub(crate) mod options;
mod service;

use std::io::{IsTerminal as _, stdout};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nilometer_diagnose::Verdict;
use nilometer_report::{Status, status_json, status_table};

pub(crate) use self::evaluate::Evaluator;
use self::options::{StatusFormat, StatusOptions};
use crate::messages::{self, Failure, bytes_to_stdout};
use crate::style;
use crate::supervisor::kernel::{self, Signals};
use crate::words::status as words;
use crate::words::system::cannot_watch_signals;

/// Something leaks, as `diff --fail-on-growth` has it.
const LEAKS: i32 = 1;
/// Nothing can be said, as of every command that could not do its work.
const UNKNOWN: i32 = 2;
/// Between two rounds of `--watch`, if they cost little.
const WATCH_INTERVAL: Duration = Duration::from_secs(2);
const ENDS: [libc::c_int; 2] = [libc::SIGINT, libc::SIGTERM];
/// Home, and nothing beneath.
const REDRAW: &str = "\x1b[H\x1b[J";

pub(crate) fn status(options: &StatusOptions) -> Result<i32, Failure> {
    let mut evaluator = Evaluator::new();
    if options.watch {
        return watch(options, &mut evaluator).map(|()| 0);
    }
    let statuses = evaluated(find::captures(options.what.as_deref())?, options.running_only, &mut evaluator);
    bytes_to_stdout(drawn(options, &statuses).as_bytes())?;
    if statuses.is_empty() {
        say_none(options);
    }
    Ok(if options.exit_code { code(&statuses) } else { 0 })
}

/// The states of these captures, and of recorded processes below those that run; `running_only`: without workers that have ended.
pub(crate) fn evaluated(
    mut paths: Vec<PathBuf>,
    running_only: bool,
    evaluator: &mut Evaluator,
) -> Vec<Status> {
    let mut statuses: Vec<Status> = Vec::new();
    // Of those that were found below another: which one that is.
    let mut parents = vec![None; paths.len()];
    while let Some(path) = paths.get(statuses.len()).cloned() {
        let at = statuses.len();
        let parent = parents.get(at).copied().flatten().and_then(|parent: usize| statuses.get(parent));
        let status = evaluator.status(&path);
        let status = parent.map_or(status.clone(), |parent| below(status, parent));
        let pid = status.pid.and_then(|pid| u32::try_from(pid).ok());
        let mut others = pid.filter(|_| status.running).map(find::below).unwrap_or_default();
        // Those that run now may be none of the recorded.
        let is_program = evaluator.about(&path).is_some_and(|about| !about.is_child);
        if is_program && status.running && !running_only {
            let began = path.metadata().and_then(|about| about.created()).ok();
            others.extend(service::ended(&path, &others, began));
        }
        for path in others {
            // The same file may be written in another way.
            let same =
                |known: &PathBuf| *known == path || std::fs::canonicalize(known).is_ok_and(|it| it == path);
            if !paths.iter().any(same) {
                paths.push(path);
                parents.push(Some(at));
            }
        }
        statuses.push(status);
    }
    service::together(&paths, &statuses, evaluator)
}

/// A forked process does not say what ran and which limit is ahead: it has both from the one above it.
fn below(status: Status, parent: &Status) -> Status {
    /// What the diagnosis calls a program of which nobody said the name.
    const NAMELESS: &str = "program";
    let is_nameless = status.program == NAMELESS;
    let program = if is_nameless { parent.program.clone() } else { status.program.clone() };
    let limit = status.limit.clone().or_else(|| parent.limit.clone());
    let (limit_bytes, headroom_bytes) = match status.limit_bytes {
        Some(_) => (status.limit_bytes, status.headroom_bytes),
        None => (parent.limit_bytes, parent.headroom_bytes),
    };
    Status { program, limit, limit_bytes, headroom_bytes, ..status }
}

fn watch(options: &StatusOptions, evaluator: &mut Evaluator) -> Result<(), Failure> {
    kernel::block(&ENDS);
    let mut signals = Signals::open(&ENDS).map_err(|error| cannot_watch_signals(&error))?;
    let what = options.what.as_deref();
    // A process keeps its capture when it ends; a folder gets new ones.
    let one =
        what.filter(|what| !Path::new(what).is_dir()).map(|what| find::captures(Some(what))).transpose()?;
    let redraws = stdout().is_terminal() && options.format == StatusFormat::Terminal;
    while signals.next().is_none() {
        let began = Instant::now();
        let paths = one.clone().map_or_else(|| find::captures(what), Ok)?;
        let statuses = evaluated(paths, options.running_only, evaluator);
        let text = match (options.format, statuses.is_empty()) {
            (StatusFormat::Terminal, true) => format!("{}\n", none(options)),
            _ => drawn(options, &statuses),
        };
        let text = match options.format {
            _ if redraws => format!("{REDRAW}{text}"),
            // Without a terminal the rounds stand one beneath the other.
            StatusFormat::Terminal => format!("{text}\n"),
            StatusFormat::Json => text,
        };
        bytes_to_stdout(text.as_bytes())?;
        signals.wait(WATCH_INTERVAL.saturating_sub(began.elapsed()));
    }
    Ok(())
}

fn drawn(options: &StatusOptions, statuses: &[Status]) -> String {
    match options.format {
        StatusFormat::Json => status_json(statuses),
        StatusFormat::Terminal => status_table(statuses, &style::of(&stdout(), 1), stdout().is_terminal()),
    }
}

fn none(options: &StatusOptions) -> &'static str {
    words::none(options.what.is_some())
}

fn say_none(options: &StatusOptions) {
    messages::to_stderr(&format!("nilometer  {}\n", none(options)));
    messages::hint(words::HOW_TO_RECORD);
}

/// A leak is news whatever else cannot be read.
fn code(statuses: &[Status]) -> i32 {
    if statuses.iter().any(|status| status.verdict == Some(Verdict::Leak)) {
        return LEAKS;
    }
    if statuses.is_empty() || statuses.iter().any(|status| status.error.is_some()) { UNKNOWN } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forked_process_has_the_name_and_the_limit_of_the_one_above() {
        let limit = Some("cgroup".to_owned());
        let parent = Status {
            program: "server.py".to_owned(),
            limit,
            limit_bytes: Some(9),
            headroom_bytes: Some(4),
            ..Status::default()
        };
        let child = Status { program: "program".to_owned(), pid: Some(2), ..Status::default() };
        assert_eq!(below(child, &parent), Status { pid: Some(2), ..parent.clone() });
        let own = Status {
            program: "worker.py".to_owned(),
            limit_bytes: Some(8),
            limit: Some("ram".to_owned()),
            ..Status::default()
        };
        assert_eq!(below(own.clone(), &parent), own);
    }

    #[test]
    fn a_leak_comes_before_what_cannot_be_read_and_that_before_all_is_well() {
        let of = |verdict| Status { verdict: Some(verdict), ..Status::default() };
        let (leak, fine, open) = (of(Verdict::Leak), of(Verdict::NoLeak), of(Verdict::Undecided));
        let torn = Status::unreadable("x", "torn");
        assert_eq!(code(&[]), 2);
        assert_eq!(code(&[fine.clone(), open.clone()]), 0);
        assert_eq!(code(&[fine.clone(), torn.clone()]), 2);
        assert_eq!(code(&[torn, leak, fine]), 1);
    }
}

//! `nilometer census PID-or-FILE`: asks a running program to look at its heap, and prints who holds what.
//!
//! In: a process id, or a capture. Out: the holders of the look that was asked for; of the last one where the program has
//! ended. What must not happen here: a wait without an end, or anything sent to a process that no capture names.

use std::fs::{File, metadata};
use std::io::{BufRead as _, BufReader, stdout};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nilometer_capture::{Capture, Observation, Record, Writer};
use nilometer_host::process::Process;

use crate::lookup::Files;
use crate::messages::{Failure, bytes_to_stdout, hint};
use crate::options::{CensusFormat, CensusOptions};
use crate::report::open;
use crate::style;
use crate::words::census as words;

/// Between two looks into the capture.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// A census that goes over every edge.
const WHOLE: u64 = 2;

pub(crate) fn census(options: &CensusOptions) -> Result<(), Failure> {
    let path = capture_of(&options.target)?;
    let capture = open(&path)?;
    let capture = if let Some(pid) = running(&capture) {
        asked(&path, &capture, pid, Duration::from_secs(options.wait))?
    } else {
        hint(words::ENDED);
        capture
    };
    let report = nilometer_diagnose::diagnose_with(&capture, &mut Files::default());
    let mut text = match options.format {
        CensusFormat::Terminal => nilometer_report::holders(&report, &style::of(&stdout(), 1)),
        CensusFormat::Json => nilometer_report::json(&report),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    bytes_to_stdout(text.as_bytes())
}

/// Asks, and waits for the answer.
fn asked(path: &Path, before: &Capture, pid: u32, most: Duration) -> Result<Capture, Failure> {
    let writer = Writer::join(path)?;
    let seen = looks(before);
    writer.board().ask_census();
    let begun = Instant::now();
    loop {
        sleep(POLL_INTERVAL);
        let capture = open(path)?;
        if looks(&capture) > seen {
            return Ok(capture);
        }
        if Process::open(pid).is_none() {
            return Err(words::ended_before(pid, path));
        }
        if begun.elapsed() > most {
            return Err(words::no_look(pid, most));
        }
    }
}

fn looks(capture: &Capture) -> usize {
    let is_whole = |record: &Record| matches!(record, Record::Observation(Observation::Census(counts)) if counts.depth == Some(WHOLE));
    capture.records.iter().filter(|stamped| is_whole(&stamped.record)).count()
}

/// The program of the capture, if it still runs.
pub(crate) fn running(capture: &Capture) -> Option<u32> {
    if capture.records.iter().any(|stamped| matches!(stamped.record, Record::Exit(_))) {
        return None;
    }
    let pid = capture.records.iter().find_map(|stamped| match &stamped.record {
        Record::Fact { key, value } if key == "pid" => value.parse().ok(),
        _ => None,
    })?;
    Process::open(pid).map(|_| pid)
}

/// A capture by its path, or by the process that writes it.
pub(crate) fn capture_of(target: &str) -> Result<PathBuf, Failure> {
    let Some(pid) = target.parse::<u32>().ok().filter(|_| metadata(target).is_err()) else {
        return Ok(target.into());
    };
    let paths = mapped(pid).map_err(|error| words::closed(pid, &error))?;
    paths.into_iter().find(|path| Capture::open_streamed(path).is_ok()).ok_or_else(|| words::no_capture(pid))
}

/// The capture that a process writes to now, if it writes to any.
pub(crate) fn written_by(pid: u32) -> Option<PathBuf> {
    let has_ended =
        |capture: &Capture| capture.records.iter().any(|stamped| matches!(stamped.record, Record::Exit(_)));
    // A program that sees other files than we do names them in its own way.
    let in_its_view = |path: &PathBuf| {
        let inside = path.strip_prefix("/").map(|rest| Path::new(&format!("/proc/{pid}/root")).join(rest));
        [Some(path.clone()), inside.ok()].into_iter().flatten()
    };
    mapped(pid)
        .ok()?
        .iter()
        .flat_map(in_its_view)
        .find(|path| Capture::open_streamed(path).is_ok_and(|capture| !has_ended(&capture)))
}

/// The files in a process' memory that are called as captures are.
pub(crate) fn mapped(pid: u32) -> std::io::Result<Vec<PathBuf>> {
    let maps = File::open(format!("/proc/{pid}/maps"))?;
    let mut paths: Vec<PathBuf> = BufReader::new(maps)
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| line.find('/').and_then(|at| line.get(at..)).map(PathBuf::from))
        .filter(|path| path.extension().is_some_and(|extension| extension == "nilo"))
        .collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

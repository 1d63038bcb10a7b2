//! `nilometer detach PID`, and the end of every attached recording.
//!
//! In: a process that `attach` came to. Out: the process without our hooks, and a capture that is whole. Where the command that
//! attached still watches, it is asked to end; else the work is done here.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nilometer_attach::Target;
use nilometer_capture::{Capture, Exit, MemoryKill, Record, Writer};

use super::enter::enter;
use super::errand::Errand;
use super::follow::is_alive;
use super::options::DetachOptions;
use super::package;
use super::view::View;
use crate::messages::{self, Failure};
use crate::supervisor::kernel;
use crate::supervisor::readings::Readings;
use crate::supervisor::{Recorded, recorder};
use crate::words::attach as words;
use crate::{census, run};

/// A program that is inside of a long call is waited for so long.
const MAX_WAIT: Duration = Duration::from_secs(15);
/// Between two looks whether the other command has ended the recording.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

pub(crate) fn detach(options: &DetachOptions) -> Result<i32, Failure> {
    let pid = options.pid;
    let path = census::written_by(pid).ok_or_else(|| words::not_recorded(pid))?;
    let capture = crate::report::open(&path)?;
    let Some(by) = attached_by(&capture) else {
        return Err(words::under_run(pid, &path));
    };
    if is_attach(by) && kernel::send(by.cast_signed(), libc::SIGTERM) {
        let until = Instant::now() + MAX_WAIT * 2;
        while census::written_by(pid).is_some_and(|now| now == path) && Instant::now() < until {
            sleep(POLL_INTERVAL);
        }
        // The other command has brought a capture home that lay with the program, and says where.
        messages::to_stderr(&words::detached(pid, path.exists().then_some(path.as_path())));
        return Ok(0);
    }
    let target = Target::inspect(pid).map_err(|refusal| words::refused(pid, &refusal))?;
    let view = View::of(pid, target.shares_files(), package()?)?;
    let has_left = leave(&target, &view);
    if !has_left {
        return Ok(2);
    }
    let writer = Writer::join(&path)?;
    complete(&writer, &path, &mut Readings::new(pid), false);
    run::tell(&path, &[], Recorded::None, false);
    Ok(0)
}

/// Takes the hooks out of the program; whether that is done.
pub(crate) fn leave(target: &Target, view: &View) -> bool {
    let pid = target.pid();
    let errand = match Errand::new(pid, view, "_end({answer})") {
        Ok(errand) => errand,
        Err(failure) => {
            failure.tell();
            return false;
        }
    };
    let failure = match enter(target, &errand, MAX_WAIT, || false) {
        Ok(_) => return true,
        Err(_gone) if !is_alive(pid) => return true,
        Err(missed) => missed.failure(pid),
    };
    let (warning, hint) = words::still_inside(pid, failure.words());
    messages::warning(warning);
    messages::hint(hint);
    false
}

/// Nothing more comes into the capture.
pub(crate) fn complete(writer: &Writer, path: &Path, readings: &mut Readings, recorder_was_wanted: bool) {
    writer.append(&Record::Surroundings(readings.surroundings(true)));
    if recorder_was_wanted && let Ok(capture) = Capture::open_streamed(path) {
        recorder::tell_whether_on(&capture, writer);
    }
    // How the program ends, or has ended, is between it and its parent.
    writer.append(&Record::Exit(Exit { code: None, signal: None, memory_kill: MemoryKill::None }));
}

/// The command that attached, by what the capture says.
fn attached_by(capture: &Capture) -> Option<u32> {
    capture.records.iter().rev().find_map(|stamped| match &stamped.record {
        Record::Fact { key, value } if key == "attached.by" => value.parse().ok(),
        _ => None,
    })
}

/// Whether this process is a command that attached, and not another one that got its number.
fn is_attach(pid: u32) -> bool {
    let line = nilometer_host::process::command_line(pid, &mut Vec::new()).unwrap_or_default();
    line.iter().any(|word| word.ends_with("nilometer") || word.ends_with("nilometer/__main__.py"))
        && line.iter().any(|word| word == "attach")
}

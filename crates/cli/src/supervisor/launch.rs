//! From a plan to a running program with a capture: the barrier, the first place and the second.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use libc::pid_t;
use nilometer_capture::{Surroundings, Writer};

use super::Plan;
use super::environment::{Leads, recorded, untouched};
use super::keep::Keep;
use super::kernel::Inherited;
use super::readings::Readings;
use super::spawn::Command;
use crate::capture_path::{Templates, with_pid};
use crate::messages::{Failure, hint, warning};
use crate::words::{run as said, system};

/// A program that runs.
pub(crate) struct Launched {
    pub(crate) pid: pid_t,
    pub(crate) readings: Readings,
    /// The surroundings before the program's first instruction.
    pub(crate) before: Surroundings,
    /// Where it is recorded, if that is possible at all.
    pub(crate) recording: Option<Recording>,
}

/// A capture that is being written.
pub(crate) struct Recording {
    pub(crate) writer: Writer,
    pub(crate) path: PathBuf,
    /// The path for any process of this run.
    pub(crate) template: PathBuf,
}

/// Starts the program; `prepare` writes the facts before its first instruction.
pub(crate) fn launch(
    plan: &Plan,
    leads: &Leads<'_>,
    signals: &Inherited,
    prepare: impl FnOnce(&Writer, u32),
) -> Result<Launched, Failure> {
    let words = std::iter::once(plan.python.clone().into())
        .chain(plan.flags.iter().map(OsString::from))
        .chain(plan.program.iter().cloned())
        .collect();
    // The child's environment must exist before its pid, and so before we know which place will take the capture.
    let environments = vec![
        untouched(),
        recorded(untouched(), leads, &plan.templates.first),
        recorded(untouched(), leads, &plan.templates.second),
    ];
    let held = Command::new(words, environments)
        .and_then(|command| command.fork(signals))
        .map_err(|error| system::cannot_start(&plan.python, &error))?;
    let pid = held.pid();

    let (recording, choice) = record(plan, pid.unsigned_abs());
    let mut readings = Readings::new(pid.unsigned_abs());
    let before = readings.surroundings(true);
    if let Some(recording) = &recording {
        prepare(&recording.writer, pid.unsigned_abs());
    }
    let path = recording.as_ref().map(|recording| recording.path.clone());
    if let Err(error) = held.release(choice) {
        // Nothing ran, so nothing is in it.
        path.map(std::fs::remove_file).transpose().unwrap_or_default();
        return Err(said::cannot_start(&plan.python, &error));
    }
    if let Some(recording) = &recording {
        readings.take(&recording.writer);
    }
    Ok(Launched { pid, readings, before, recording })
}

/// Goes on in the capture of an earlier run, where it is to be kept for long.
fn resumed(plan: &Plan, path: &Path, pid: u32) -> Option<Writer> {
    if !matches!(plan.keep, Keep::Bytes(_)) || plan.overwrite || !path.is_file() {
        return None;
    }
    Writer::resume(path, &[pid, std::process::id()])
        .inspect_err(|error| warning(said::not_continued(error)))
        .ok()
}

/// Makes the capture, at the first place or else the second; and which environment goes with it.
fn record(plan: &Plan, pid: u32) -> (Option<Recording>, u8) {
    let Templates { first: first_template, second: second_template } = &plan.templates;
    let first = with_pid(first_template, pid);
    if let Some(writer) = resumed(plan, &first, pid) {
        return (Some(Recording { writer, path: first, template: first_template.clone() }), 1);
    }
    let error = match Writer::create(&first, plan.overwrite) {
        Ok(writer) => {
            return (Some(Recording { writer, path: first, template: first_template.clone() }), 1);
        }
        Err(error) => error,
    };
    let second = with_pid(second_template, pid);
    if let Ok(writer) = Writer::create(&second, false) {
        warning(said::elsewhere(&error, &second));
        hint(error.hint());
        return (Some(Recording { writer, path: second, template: second_template.clone() }), 2);
    }
    warning(said::unrecorded(&error));
    hint(error.hint());
    (None, 0)
}

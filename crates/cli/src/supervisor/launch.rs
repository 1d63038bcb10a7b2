//! From a plan to a running program with a capture: the environments, the barrier, the first place and the second.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use libc::pid_t;
use nilometer_capture::{Surroundings, Writer};

use super::Plan;
use super::kernel::Inherited;
use super::readings::Readings;
use super::spawn::Command;
use crate::env;
use crate::place::with_pid;
use crate::say::{Failure, warning};

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
}

type Environment = Vec<(OsString, OsString)>;

/// Starts the program; `prepare` writes the facts before its first instruction.
pub(crate) fn launch(
    plan: &Plan,
    signals: &Inherited,
    prepare: impl FnOnce(&Writer, u32),
) -> Result<Launched, Failure> {
    let words = std::iter::once(plan.python.clone().into())
        .chain(plan.flags.iter().map(OsString::from))
        .chain(plan.program.iter().cloned())
        .collect();
    let inherited = || std::env::vars_os().filter(|(name, _)| name != env::PACKAGE).collect();
    // The child's environment must exist before its pid, and so before we know which place will take the capture.
    let environments = vec![
        inherited(),
        recorded(&inherited, plan.package.as_deref(), &plan.templates.first),
        recorded(&inherited, plan.package.as_deref(), &plan.templates.second),
    ];
    let could_not =
        |error: std::io::Error| Failure::new(format!("{} could not be started ({error})", plan.python));
    let held =
        Command::new(words, environments).and_then(|command| command.fork(signals)).map_err(could_not)?;
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
        return Err(
            could_not(error).hint("check that the Python that nilometer is installed in is still there")
        );
    }
    if let Some(recording) = &recording {
        readings.take(&recording.writer);
    }
    Ok(Launched { pid, readings, before, recording })
}

/// Makes the capture, at the first place or else the second; and which environment goes with it.
fn record(plan: &Plan, pid: u32) -> (Option<Recording>, u8) {
    let first = with_pid(&plan.templates.first, pid);
    let error = match Writer::create(&first, plan.overwrite) {
        Ok(writer) => return (Some(Recording { writer, path: first }), 1),
        Err(error) => error,
    };
    let second = with_pid(&plan.templates.second, pid);
    if let Ok(writer) = Writer::create(&second, false) {
        warning(format!("{error}; the capture goes to {} instead", second.display()));
        return (Some(Recording { writer, path: second }), 2);
    }
    warning(format!("{error}; the program runs without being recorded"));
    (None, 0)
}

/// The environment that leads Python to our boot folder, and the boot to the capture.
fn recorded(inherited: &dyn Fn() -> Environment, package: Option<&Path>, template: &Path) -> Environment {
    let mut environment = inherited();
    let Some(package) = package else { return environment };
    let place = environment.iter().position(|(name, _)| name == env::PYTHONPATH);
    let old = place.map(|at| environment[at].1.clone());
    let mut path = package.join("_boot").into_os_string();
    if let Some(old) = old.as_ref().filter(|old| !old.is_empty()) {
        path.push(":");
        path.push(old);
    }
    let set = if old.is_some() { "1" } else { "0" };
    // In its old place: a program may print its environment, and the order is part of that.
    match place {
        Some(at) => environment[at].1 = path,
        None => environment.push((env::PYTHONPATH.into(), path)),
    }
    environment.push((env::OLD_PYTHONPATH.into(), old.unwrap_or_default()));
    environment.push((env::OLD_PYTHONPATH_SET.into(), set.into()));
    environment.push((env::CAPTURE.into(), template.into()));
    environment
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<'e>(environment: &'e Environment, name: &str) -> Option<&'e str> {
        environment.iter().find(|(key, _)| key == name).and_then(|(_, value)| value.to_str())
    }

    fn with(pairs: &[(&str, &str)]) -> Environment {
        let inherited = || pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        recorded(&inherited, Some(Path::new("/site/nilometer")), Path::new("/x/{pid}.nilo"))
    }

    #[test]
    fn the_boot_folder_goes_in_front_and_the_old_path_is_told() {
        let environment = with(&[("PYTHONPATH", "/mine:/yours"), ("A", "1"), ("B", "2")]);
        assert_eq!(environment[0].0, "PYTHONPATH");
        assert_eq!(environment[1].0, "A");
        assert_eq!(value(&environment, "PYTHONPATH"), Some("/site/nilometer/_boot:/mine:/yours"));
        assert_eq!(value(&environment, "_NILOMETER_PYTHONPATH"), Some("/mine:/yours"));
        assert_eq!(value(&environment, "_NILOMETER_PYTHONPATH_SET"), Some("1"));
        assert_eq!(value(&environment, "_NILOMETER_CAPTURE"), Some("/x/{pid}.nilo"));
        assert_eq!(value(&environment, "A"), Some("1"));
    }

    #[test]
    fn unset_and_empty_are_told_apart() {
        let unset = with(&[]);
        assert_eq!(value(&unset, "PYTHONPATH"), Some("/site/nilometer/_boot"));
        assert_eq!(value(&unset, "_NILOMETER_PYTHONPATH_SET"), Some("0"));
        let empty = with(&[("PYTHONPATH", "")]);
        assert_eq!(value(&empty, "PYTHONPATH"), Some("/site/nilometer/_boot"));
        assert_eq!(value(&empty, "_NILOMETER_PYTHONPATH_SET"), Some("1"));
    }
}

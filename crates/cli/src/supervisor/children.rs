//! The captures of the program's children (`--children`): which they are, and what only we know about them.
//!
//! A child makes its own capture, and says in it to which run it belongs. In: the template and the run's number. Out: the
//! captures, each with what the supervisor saw of that process: its role, its readings from outside, its end.
//! What must not happen here: a look into every capture that lies in the folder from earlier days.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use nilometer_capture::{Capture, Exit, MemoryKill, Observation, Record, Surroundings, Writer};

use crate::capture_path;
use crate::words::children::TAKEN;

/// A child with a capture of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Child {
    pub(crate) pid: u32,
    /// What it is for, as far as anyone said.
    pub(crate) role: Option<String>,
    pub(crate) capture: PathBuf,
}

/// The run whose children are looked for.
pub(crate) struct Family<'a> {
    /// The program's own capture, read.
    pub(crate) program: &'a Capture,
    pub(crate) program_pid: u32,
    pub(crate) template: &'a Path,
    pub(crate) run: u64,
    pub(crate) started: SystemTime,
    /// Writes to the program's capture.
    pub(crate) writer: &'a Writer,
    /// The surroundings after the end.
    pub(crate) after: &'a Surroundings,
}

/// Finds the children's captures and completes them; in the order of their pids.
pub(crate) fn complete(family: &Family<'_>) -> Vec<Child> {
    let found: Vec<(u32, PathBuf, Capture)> = captures(family);
    let mut roles = BTreeMap::new();
    for capture in std::iter::once(family.program).chain(found.iter().map(|(_, _, capture)| capture)) {
        take_roles(capture, &mut roles);
    }
    let is_found = |pid| found.iter().any(|(found, ..)| *found == pid);
    let taken = roles
        .keys()
        .filter_map(|pid| u32::try_from(*pid).ok())
        .filter(|pid| !is_found(*pid) && capture_path::with_pid(family.template, *pid).exists())
        .count();
    if taken > 0 {
        family.writer.append(&Record::Loss { what: TAKEN.to_owned(), count: taken as u64 });
    }
    let mut children = Vec::new();
    for (pid, path, capture) in found {
        let role = roles.get(&u64::from(pid)).map(String::as_str).or_else(|| fact(&capture, "command"));
        let role = role.map(str::to_owned);
        tell(family, pid, role.as_deref(), &path, &capture);
        children.push(Child { pid, role, capture: path });
    }
    children
}

/// Captures of this run in the template's folder, without the program's own.
fn captures(family: &Family<'_>) -> Vec<(u32, PathBuf, Capture)> {
    let run = family.run.to_string();
    let mut found = Vec::new();
    for entry in
        family.template.parent().and_then(|folder| folder.read_dir().ok()).into_iter().flatten().flatten()
    {
        let path = entry.path();
        let Some(pid) = capture_path::pid_of(family.template, &path).filter(|pid| *pid != family.program_pid)
        else {
            continue;
        };
        let changed = entry.metadata().and_then(|about| about.modified()).ok();
        if changed.is_some_and(|changed| changed < family.started) {
            continue;
        }
        if let Ok(capture) = Capture::open_streamed(&path)
            && fact(&capture, "run") == Some(&run)
        {
            found.push((pid, path, capture));
        }
    }
    found.sort_by_key(|(pid, ..)| *pid);
    found
}

/// What a process said about its own children is better than the command that others saw.
fn take_roles(capture: &Capture, roles: &mut BTreeMap<u64, String>) {
    for stamped in &capture.records {
        if let Record::Child { pid, role, .. } = &stamped.record {
            if stamped.pid == std::process::id() {
                roles.entry(*pid).or_insert_with(|| role.clone());
            } else {
                roles.insert(*pid, role.clone());
            }
        }
    }
}

/// Writes down in a child's capture what the program's capture knows about it.
fn tell(family: &Family<'_>, pid: u32, role: Option<&str>, path: &Path, capture: &Capture) {
    let Ok(writer) = Writer::join(path) else { return };
    let append = |key: &str, value: String| writer.append(&Record::Fact { key: key.to_owned(), value });
    let script = fact(family.program, "script").unwrap_or("the program");
    append(
        "script",
        role.map_or_else(|| format!("{script}, child {pid}"), |role| format!("{script}, {role}")),
    );
    for key in ["argv", "python", "cwd", "nilometer"] {
        if let Some(value) = fact(family.program, key) {
            append(key, value.to_owned());
        }
    }
    for stamped in &family.program.records {
        let is_told = match &stamped.record {
            Record::Process(reading) => reading.pid == Some(u64::from(pid)),
            // The machine's GPUs are the child's as well.
            Record::Observation(Observation::Gpu(_)) => true,
            Record::Fact { key, .. } => key.starts_with("nvml."),
            _ => false,
        };
        if is_told {
            let at = stamped.at_ns + family.program.header.start_mono_ns;
            // Readings of a pid from before the capture are those of the process it was before.
            if let Some(at) = at.checked_sub(capture.header.start_mono_ns) {
                writer.append_at(at, &stamped.record);
            }
        }
    }
    writer.append(&Record::Surroundings(family.after.clone()));
    // How it ended is between it and its parent; that it ended can be seen.
    if !Path::new(&format!("/proc/{pid}")).exists() {
        writer.append(&Record::Exit(Exit { code: None, signal: None, memory_kill: MemoryKill::None }));
    }
}

fn fact<'c>(capture: &'c Capture, key: &str) -> Option<&'c str> {
    capture.records.iter().rev().find_map(|stamped| match &stamped.record {
        Record::Fact { key: this, value } if this == key => Some(value.as_str()),
        _ => None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn capture(path: &Path, run: u64) -> Writer {
        let writer = Writer::create(path, false).unwrap();
        writer.append(&Record::Fact { key: "run".to_owned(), value: run.to_string() });
        writer
    }

    #[test]
    fn only_captures_of_the_run_are_the_programs_children() {
        let folder = tempfile::tempdir().unwrap();
        let template = folder.path().join("nilometer-a.{pid}.nilo");
        let at = |pid| capture_path::with_pid(&template, pid);
        let program = capture(&at(10), 7);
        // Pids that no process has: above the largest that the kernel gives.
        let (child, other, gone) = (0x7FFF_0001, 0x7FFF_0002, 0x7FFF_0003);
        program.append(&Record::Child { pid: child.into(), parent: 10, role: "worker".to_owned() });
        capture(&at(child), 7);
        capture(&at(other), 8);
        std::fs::write(folder.path().join("nilometer-a.x.nilo"), "text").unwrap();
        std::fs::write(at(gone), "text").unwrap();
        let opened = Capture::open(&at(10)).unwrap();
        let family = Family {
            program: &opened,
            program_pid: 10,
            template: &template,
            run: 7,
            started: SystemTime::UNIX_EPOCH,
            writer: &program,
            after: &Surroundings::default(),
        };
        let found = complete(&family);
        assert_eq!(found.len(), 1);
        let before = Capture::open(&at(10)).unwrap();
        assert_eq!((found[0].pid, &found[0].capture), (child, &at(child)));
        let completed = Capture::open(&at(child)).unwrap();
        assert!(completed.records.iter().any(|stamped| matches!(stamped.record, Record::Exit(_))));
        assert!(fact(&completed, "script").is_some());
        let later = Family { started: SystemTime::now() + std::time::Duration::from_secs(9), ..family };
        assert_eq!(complete(&later), []);
        let told = |capture: &Capture| {
            capture.records.iter().filter(|stamped| matches!(stamped.record, Record::Loss { .. })).count()
        };
        assert_eq!((told(&before), told(&Capture::open(&at(10)).unwrap())), (0, 1));
    }
}

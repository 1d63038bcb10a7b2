//! Whether the recorder can be put into the program, and by which words.
//!
//! The recorder is a library that the dynamic loader puts in front of all others (`LD_PRELOAD`). In: what was asked for,
//! the interpreter, the package. Out: the entry and the settings, or the reason why the run goes on without it. What must
//! not happen here: an entry that the loader would refuse, since it says so on the program's stderr.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use nilometer_capture::{Capture, Record, Sampling, Stamped, Writer};

use super::elf::{self, Elf, Kind};
use super::kernel;
use crate::words::recorder as words;

/// The recorder's file in the package.
const FILE: &str = "_recorder.so";

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wanted {
    /// Mean bytes between samples.
    pub(crate) sample: u64,
    /// Most of the program's time that it may take, as a part of one.
    pub(crate) overhead: f64,
}

/// The recorder of one run.
#[derive(Debug)]
pub(crate) enum Recorder {
    On(Preload),
    /// Not asked for.
    Unwanted,
    /// Not possible, and why.
    Impossible(NoRecorder),
}

/// Why it is not in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRecorder {
    /// The package has no recorder, or none that can be read.
    Missing,
    /// The interpreter has no dynamic loader.
    Static,
    /// It has musl's.
    Musl,
    /// It is for another kind of machine.
    Machine,
    /// It gains privileges when it starts, and its loader drops what it is told from outside.
    Secure,
    /// It was to start and did not: a `#!` script in the place of Python, a sandbox, a program that ended before it was loaded.
    NotSeen,
}

/// What the program's environment needs for it.
#[derive(Debug)]
pub(crate) struct Preload {
    /// What stands in `LD_PRELOAD`.
    pub(crate) entry: OsString,
    pub(crate) wanted: Wanted,
    /// Holds the file open where `entry` names it by its descriptor.
    _file: Option<File>,
}

impl Recorder {
    /// Looks whether it can be put into this interpreter.
    pub(crate) fn prepare(wanted: Option<Wanted>, python: &Path, package: Option<&Path>) -> Self {
        let Some(wanted) = wanted else { return Self::Unwanted };
        let Some(path) = package.map(|package| package.join(FILE)) else {
            return Self::Impossible(NoRecorder::Missing);
        };
        let Ok((file, Kind::Elf(library))) = File::open(&path).and_then(|file| Ok((file, elf::look(&path)?)))
        else {
            return Self::Impossible(NoRecorder::Missing);
        };
        match refusal(python, &library) {
            Some(reason) => Self::Impossible(reason),
            None if can_be_said(path.as_os_str()) => {
                Self::On(Preload { entry: path.into_os_string(), wanted, _file: None })
            }
            None => {
                let entry = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()).into();
                Self::On(Preload { entry, wanted, _file: Some(file) })
            }
        }
    }

    /// The fact that says so, if it is off from the start.
    pub(crate) fn off(&self) -> Option<String> {
        match self {
            Self::On(_) => None,
            Self::Unwanted => Some(words::UNWANTED.to_owned()),
            Self::Impossible(reason) => Some(words::off(*reason)),
        }
    }

    /// How to put it into the program, if it can be.
    pub(crate) fn preload(&self) -> Option<&Preload> {
        match self {
            Self::On(preload) => Some(preload),
            Self::Unwanted | Self::Impossible(_) => None,
        }
    }
}

impl Preload {
    #[cfg(test)]
    pub(crate) fn of(entry: OsString, wanted: Wanted) -> Self {
        Self { entry, wanted, _file: None }
    }

    /// The value of `LD_PRELOAD`: the recorder, then what stood there.
    pub(crate) fn in_front_of(&self, old: Option<&OsStr>) -> OsString {
        let mut value = self.entry.clone();
        if let Some(old) = old.filter(|old| !old.is_empty()) {
            value.push(":");
            value.push(old);
        }
        value
    }

    /// What the recorder is told; `run` is the number of the run if children are recorded too.
    pub(crate) fn settings(&self, run: Option<u64>, alone: bool, old: Option<&OsStr>) -> OsString {
        let Wanted { sample, overhead } = self.wanted;
        let children = run.map_or_else(|| "children=0".to_owned(), |run| format!("children=1,run={run}"));
        let mut settings = OsString::from(format!(
            "sample={sample},overhead={overhead},{children},alone={}",
            u8::from(alone)
        ));
        // Last, as it may hold anything.
        if let Some(old) = old {
            settings.push(",preload=");
            settings.push(old);
        }
        settings
    }
}

/// Why the loader would not put this library into the interpreter; a script's interpreter is not known here.
fn refusal(python: &Path, library: &Elf) -> Option<NoRecorder> {
    let Ok(Kind::Elf(program)) = elf::look(python) else { return None };
    let loader = match program.loader {
        _ if program.machine != library.machine => return Some(NoRecorder::Machine),
        None => return Some(NoRecorder::Static),
        Some(loader) => loader,
    };
    if loader.windows(7).any(|part| part == b"ld-musl") {
        return Some(NoRecorder::Musl);
    }
    let about = std::fs::metadata(python).ok()?;
    let (user, group) = kernel::effective_ids();
    let gains = about.mode() & libc::S_ISUID != 0 && about.uid() != user
        || about.mode() & libc::S_ISGID != 0 && about.gid() != group
        || user != 0 && kernel::has_capabilities(python);
    gains.then_some(NoRecorder::Secure)
}

/// Whether `LD_PRELOAD` can say this path: spaces and colons end it there, and `$` has a meaning.
fn can_be_said(path: &OsStr) -> bool {
    !path.as_bytes().iter().any(|byte| b" :$".contains(byte))
}

/// After the end: whether the recorder ran in the program, as it was meant to.
pub(crate) fn tell_whether_on(capture: &Capture, writer: &Writer) {
    let began = |stamped: &Stamped| matches!(stamped.record, Record::Sampling(Sampling::Start { .. }));
    let is_on = capture.records.iter().any(began);
    let value = if is_on { "on".to_owned() } else { words::off(NoRecorder::NotSeen) };
    writer.append(&Record::Fact { key: "recorder".to_owned(), value });
    if !is_on {
        writer.append(&Record::Loss { what: words::consequence(NoRecorder::NotSeen), count: 1 });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    const DEFAULT_SETTINGS: Wanted = Wanted { sample: 524_288, overhead: 0.02 };

    /// A package whose recorder is this very test program, which is as much ELF as the real one.
    fn package(name: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join(name);
        std::fs::create_dir(&package).unwrap();
        std::os::unix::fs::symlink(std::env::current_exe().unwrap(), package.join(FILE)).unwrap();
        (folder, package)
    }

    fn on(python: &Path, package: &Path) -> Preload {
        match Recorder::prepare(Some(DEFAULT_SETTINGS), python, Some(package)) {
            Recorder::On(preload) => preload,
            other => panic!("{other:?}"),
        }
    }

    fn reason(python: &Path, package: &Path) -> NoRecorder {
        match Recorder::prepare(Some(DEFAULT_SETTINGS), python, Some(package)) {
            Recorder::Impossible(reason) => reason,
            other => panic!("{other:?}"),
        }
    }

    /// This program with some of its bytes changed.
    fn altered(folder: &Path, change: impl FnOnce(&mut Vec<u8>)) -> std::path::PathBuf {
        let mut bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        bytes.truncate(1 << 16);
        change(&mut bytes);
        let path = folder.join("python");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn it_stands_in_front_of_what_was_there() {
        let (_folder, package) = package("nilometer");
        let preload = on(&std::env::current_exe().unwrap(), &package);
        let entry = package.join(FILE).into_os_string().into_string().unwrap();
        assert_eq!(preload.in_front_of(None), entry.as_str());
        assert_eq!(preload.in_front_of(Some(OsStr::new(""))), entry.as_str());
        let both = preload.in_front_of(Some(OsStr::new("liba.so libb.so")));
        assert_eq!(both, format!("{entry}:liba.so libb.so").as_str());
    }

    #[test]
    fn settings_tell_unset_from_empty() {
        let (_folder, package) = package("nilometer");
        let preload = on(&std::env::current_exe().unwrap(), &package);
        let plain = "sample=524288,overhead=0.02,children=0,alone=0";
        assert_eq!(preload.settings(None, false, None), plain);
        assert_eq!(preload.settings(None, false, Some(OsStr::new(""))), format!("{plain},preload=").as_str());
        assert_eq!(
            preload.settings(Some(47), true, Some(OsStr::new("a,b=c"))),
            "sample=524288,overhead=0.02,children=1,run=47,alone=1,preload=a,b=c"
        );
    }

    #[test]
    fn a_path_that_cannot_be_said_is_said_by_its_descriptor() {
        for name in ["a b", "a:b", "$LIB"] {
            let (_folder, package) = package(name);
            let preload = on(&std::env::current_exe().unwrap(), &package);
            assert!(can_be_said(&preload.entry));
            let same = std::fs::canonicalize(&preload.entry).unwrap();
            assert_eq!(same, std::fs::canonicalize(std::env::current_exe().unwrap()).unwrap());
        }
    }

    #[test]
    fn what_the_loader_would_refuse_is_never_tried() {
        let (folder, package) = package("nilometer");
        let other_machine = altered(folder.path(), |bytes| bytes[18] ^= 1);
        assert_eq!(reason(&other_machine, &package), NoRecorder::Machine);
        let interpreter = b"/ld-linux";
        let at =
            |bytes: &[u8]| bytes.windows(interpreter.len()).position(|part| part == interpreter).unwrap();
        let musl = altered(folder.path(), |bytes| {
            let at = at(bytes);
            bytes[at..at + 8].copy_from_slice(b"/ld-musl");
        });
        assert_eq!(reason(&musl, &package), NoRecorder::Musl);
        let linked = altered(folder.path(), |bytes| bytes[56..58].fill(0));
        assert_eq!(reason(&linked, &package), NoRecorder::Static);
    }

    #[test]
    fn a_setgid_python_takes_nothing() {
        use std::os::unix::fs::{PermissionsExt as _, chown};
        let (folder, package) = package("nilometer");
        let python = altered(folder.path(), |_| ());
        if chown(&python, Some(1), None).is_err() {
            return; // only root can give files away
        }
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o4755)).unwrap();
        assert_eq!(reason(&python, &package), NoRecorder::Secure);
        chown(&python, Some(0), None).unwrap();
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o4755)).unwrap();
        on(&python, &package);
    }

    #[test]
    fn a_missing_recorder_and_a_script_as_python() {
        let (folder, package) = package("nilometer");
        let own = std::env::current_exe().unwrap();
        assert_eq!(reason(&own, folder.path()), NoRecorder::Missing);
        let shim = folder.path().join("shim");
        std::fs::write(&shim, "#!/bin/sh\nexec python3 \"$@\"\n").unwrap();
        on(&shim, &package);
        assert!(matches!(Recorder::prepare(None, &own, Some(&package)), Recorder::Unwanted));
    }
}

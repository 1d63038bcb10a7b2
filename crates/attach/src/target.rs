//! A process that can be attached to: its Python, the version, the symbols.
//!
//! In: a process id. Out: [`Target`], or the reason why not. Only reads; the process keeps running
//! undisturbed.

use std::fs;
use std::io::ErrorKind;

use crate::image::{self, Head, Image};
use crate::layout::{self, Layout};
use crate::maps::{self, Mapping};
use crate::memory::Memory;
use crate::proc_status;
use crate::refusal::Refusal;
use crate::request;
use crate::words;

/// A process with a known `CPython`.
#[derive(Debug)]
pub struct Target {
    pub(crate) pid: u32,
    pub(crate) memory: Memory,
    /// The address of `_PyRuntime`.
    pub(crate) runtime: u64,
    pub(crate) entry: EntryPoint,
    pub(crate) detour: Detour,
    /// Python's image and the C library: both stay loaded.
    pub(crate) images: Vec<Image>,
    minor: u64,
    shares_files: bool,
}

/// How the main thread gets a script.
#[derive(Debug)]
pub(crate) enum EntryPoint {
    /// By a pending call: 3.10 to 3.13.
    Queue(Queue),
    /// By the fields of PEP 768: 3.14.
    Request,
}

/// Facts for a pending call: the layout, and the address of `PyRun_SimpleString`.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) layout: &'static Layout,
    pub(crate) run: u64,
}

/// A function that a woken thread calls and that does not take our call, and one that does. Both are `int
/// f(void)`, need the GIL, and handle signals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detour {
    pub(crate) from: u64,
    pub(crate) to: u64,
}

/// The first version with PEP 768.
const MINOR_WITH_REQUESTS: u64 = 14;

impl Target {
    /// Inspects a process.
    ///
    /// # Errors
    /// The reason why it cannot be attached to.
    pub fn inspect(pid: u32) -> Result<Self, Refusal> {
        if let Some(refusal) = proc_status::refusal(pid) {
            return Err(refusal);
        }
        let shares_files = proc_status::shares_files(pid)?;
        let memory = Memory::of(pid);
        let maps = read_maps(pid)?;
        let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        let program = program.to_string_lossy();
        let name = program.rsplit('/').next().unwrap_or_default().to_owned();
        let files = files(&maps, &program);
        // Only now it is known whether the memory may be read.
        let Some(first) = files.first() else { return Err(Refusal::NotPython(name)) };
        match image::head(memory, first.start) {
            Head::OtherMachine => return Err(Refusal::OtherMachine),
            Head::NotElf => {
                return Err(match memory.bytes(first.start, 4) {
                    None => Refusal::Forbidden(words::NO_MEMORY_TO_READ.to_owned()),
                    Some(_) => Refusal::NotPython(name),
                });
            }
            Head::Ours => {}
        }
        let python = files
            .iter()
            .filter_map(|file| Image::at(memory, file.start))
            .find_map(|image| image.symbol("_PyRuntime").map(|runtime| (image, runtime)));
        let Some((python, runtime)) = python else { return Err(none(&files, name)) };
        let libc = files
            .iter()
            .find(|file| file.file().starts_with("libc.so.6") || file.file().starts_with("libc-2."));
        let libc = libc.and_then(|file| Image::at(memory, file.start)).ok_or(Refusal::NotGlibc)?;
        let minor = minor(memory, &python)?;
        if python.symbol("_Py_DecRefShared").is_some() {
            return Err(Refusal::FreeThreaded);
        }
        if python.symbol("_Py_NegativeRefcount").is_some() || python.symbol("_Py_RefTotal").is_some() {
            return Err(Refusal::DebugBuild);
        }
        let symbol = |name| python.symbol(name).ok_or(Refusal::NoSymbol(name));
        let (signals, calls) = (symbol("PyErr_CheckSignals")?, symbol("Py_MakePendingCalls")?);
        let (entry, detour) = if minor == MINOR_WITH_REQUESTS {
            request::find(memory, runtime)?;
            (EntryPoint::Request, Detour { from: calls, to: signals })
        } else {
            let layout = layout::of(minor).ok_or(Refusal::Version(3, minor))?;
            layout.find(memory, runtime)?;
            let run = symbol("PyRun_SimpleString")?;
            (EntryPoint::Queue(Queue { layout, run }), Detour { from: signals, to: calls })
        };
        Ok(Self { pid, memory, runtime, entry, detour, images: vec![python, libc], minor, shares_files })
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether it sees the same files as this process.
    pub fn shares_files(&self) -> bool {
        self.shares_files
    }

    /// The minor version of its Python: 11 for 3.11.
    pub fn minor(&self) -> u64 {
        self.minor
    }
}

/// The current mappings of a process.
pub(crate) fn read_maps(pid: u32) -> Result<Vec<Mapping>, Refusal> {
    match fs::read(format!("/proc/{pid}/maps")) {
        Ok(text) => Ok(maps::parse(&String::from_utf8_lossy(&text))),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(Refusal::Forbidden(error.to_string()))
        }
        Err(_gone) => Err(Refusal::Gone),
    }
}

/// The starts of mapped files, each once: the program first, because its symbols take precedence over those
/// of libraries.
fn files<'m>(maps: &'m [Mapping], program: &str) -> Vec<&'m Mapping> {
    let mut files: Vec<&Mapping> = Vec::new();
    for mapping in maps.iter().filter(|one| one.offset == 0 && one.private && one.name.starts_with('/')) {
        if !files.iter().any(|file| file.name == mapping.name) {
            files.push(mapping);
        }
    }
    // Stable: libraries stay in address order, but those with Python in their name come first, as the likely
    // ones.
    files.sort_by_key(|file| (file.name != program, !file.file().contains("python")));
    files
}

fn none(files: &[&Mapping], name: String) -> Refusal {
    let is_pypy =
        files.iter().any(|file| file.file().starts_with("libpypy") || file.file().starts_with("pypy"));
    let is_python = files.iter().any(|file| file.file().contains("python"));
    if is_pypy {
        Refusal::NotCPython(name)
    } else if is_python {
        Refusal::NoSymbol("_PyRuntime")
    } else {
        Refusal::NotPython(name)
    }
}

/// The minor version. No symbol gives it before 3.11; a symbol new in 3.10 distinguishes 3.10 from 3.9.
fn minor(memory: Memory, python: &Image) -> Result<u64, Refusal> {
    let Some(said) = python.symbol("Py_Version") else {
        return if python.symbol("Py_IsNone").is_some() { Ok(10) } else { Err(Refusal::TooOld) };
    };
    let said = memory.word(said).ok_or(Refusal::Gone)?;
    let (major, minor) = (said >> 24, said >> 16 & 0xff);
    let is_known = major == 3 && (layout::of(minor).is_some() || minor == MINOR_WITH_REQUESTS);
    if is_known { Ok(minor) } else { Err(Refusal::Version(major, minor)) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_python_is_refused() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        // Between fork and exec it is still this program.
        while fs::read(format!("/proc/{}/comm", child.id())).unwrap() != b"sleep\n" {
            std::thread::yield_now();
        }
        assert_eq!(Target::inspect(child.id()).unwrap_err(), Refusal::NotPython("sleep".to_owned()));
        child.kill().unwrap();
        while fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap().split(' ').nth(2) != Some("Z")
        {
            std::thread::yield_now();
        }
        assert_eq!(Target::inspect(child.id()).unwrap_err(), Refusal::Zombie);
        child.wait().unwrap();
        assert_eq!(Target::inspect(child.id()).unwrap_err(), Refusal::NoProcess);
    }

    #[test]
    fn the_program_is_looked_into_first_then_what_is_called_python() {
        let text = "1000-2000 r--p 00000000 08:01 1 /lib/a.so\n2000-3000 r--p 00000000 08:01 2 /lib/libpython3.11.so\n\
                    3000-4000 r--p 00000000 08:01 3 /bin/prog\n4000-5000 r-xp 00001000 08:01 3 /bin/prog\n";
        let maps = maps::parse(text);
        let names: Vec<_> = files(&maps, "/bin/prog").into_iter().map(Mapping::file).collect();
        assert_eq!(names, ["prog", "libpython3.11.so", "a.so"]);
        assert_eq!(none(&files(&maps, "/bin/prog"), "prog".to_owned()), Refusal::NoSymbol("_PyRuntime"));
    }
}

//! The program's start: fork, wait at a barrier, exec.
//!
//! In: the words, the environments to choose from. Out: a child whose pid is known before its first instruction, so that
//! the capture can carry that pid in its name and be there when Python starts.
//! Between fork and exec nothing allocates, locks or panics: the process may have had other threads.
#![expect(unsafe_code, reason = "fork and exec: a barrier between the two is beyond std::process")]

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, RawFd};
use std::os::unix::ffi::OsStringExt as _;

use libc::{c_char, pid_t};

use super::kernel::Inherited;

/// A program, ready to be started.
pub(crate) struct Command {
    /// The path of the interpreter, and all words from it on.
    words: Vec<CString>,
    /// One of these becomes the program's environment.
    environments: Vec<Vec<CString>>,
}

/// The program's process, which waits at the barrier.
pub(crate) struct Held {
    pid: pid_t,
    barrier: File,
    failure: File,
}

impl Command {
    /// Prepares everything that the child will need.
    ///
    /// # Errors
    /// A word with a zero byte in it.
    pub(crate) fn new(
        words: Vec<OsString>,
        environments: Vec<Vec<(OsString, OsString)>>,
    ) -> io::Result<Self> {
        let words = words.into_iter().map(c_string).collect::<io::Result<Vec<_>>>()?;
        let mut prepared = Vec::new();
        for environment in environments {
            let lines = environment.into_iter().map(|(mut line, value)| {
                line.push("=");
                line.push(value);
                c_string(line)
            });
            prepared.push(lines.collect::<io::Result<Vec<_>>>()?);
        }
        Ok(Self { words, environments: prepared })
    }

    /// Forks. When it is let go, the child finds its signals as they were inherited.
    ///
    /// # Errors
    /// No process or descriptor is to be had.
    pub(crate) fn fork(&self, inherited: &Inherited) -> io::Result<Held> {
        let words = pointers(&self.words);
        let environments: Vec<_> = self.environments.iter().map(|lines| pointers(lines)).collect();
        let (barrier_end, barrier) = pipe()?;
        let (failure, failure_end) = pipe()?;
        // SAFETY: plain call.
        let parent = unsafe { libc::getpid() };
        // SAFETY: the child calls `become_program` only, which keeps to async-signal-safe calls and never returns.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                // Ours in the copy too: left open, the child would never see that we are gone.
                // SAFETY: closing descriptors of this very process, which goes on to exec or end.
                unsafe {
                    libc::close(barrier.as_raw_fd());
                    libc::close(failure.as_raw_fd());
                }
                become_program(
                    &words,
                    &environments,
                    inherited,
                    parent,
                    barrier_end.as_raw_fd(),
                    failure_end.as_raw_fd(),
                )
            }
            pid => Ok(Held { pid, barrier, failure }),
        }
    }
}

impl Held {
    /// The pid the program has from its first instruction on.
    pub(crate) fn pid(&self) -> pid_t {
        self.pid
    }

    /// Lets it go with this one of its environments.
    ///
    /// # Errors
    /// The interpreter could not be executed.
    pub(crate) fn release(mut self, environment: u8) -> io::Result<pid_t> {
        // If this fails the child is gone, and whoever waits for it will see that.
        self.barrier.write_all(&[environment]).unwrap_or_default();
        drop(self.barrier);
        let mut code = [0; 4];
        match self.failure.read_exact(&mut code) {
            Ok(()) => Err(io::Error::from_raw_os_error(i32::from_ne_bytes(code))),
            // The pipe closes itself on exec.
            Err(_) => Ok(self.pid),
        }
    }
}

/// The child's part.
fn become_program(
    words: &[*const c_char],
    environments: &[Vec<*const c_char>],
    inherited: &Inherited,
    parent: pid_t,
    barrier: RawFd,
    failure: RawFd,
) -> ! {
    // SAFETY: only async-signal-safe calls; all pointers were made before the fork and end with null.
    unsafe {
        // If nilometer is killed outright the program goes with it, as it would have if it had been killed itself.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let mut choice = 0_u8;
        let got = libc::read(barrier, (&raw mut choice).cast(), 1);
        if got != 1 || libc::getppid() != parent {
            libc::_exit(127);
        }
        inherited.restore();
        if let (Some(program), Some(environment)) = (words.first(), environments.get(usize::from(choice))) {
            libc::execve(*program, words.as_ptr(), environment.as_ptr());
        }
        let code = io::Error::last_os_error().raw_os_error().unwrap_or(libc::ENOENT).to_ne_bytes();
        libc::write(failure, code.as_ptr().cast(), code.len());
        libc::_exit(127);
    }
}

fn c_string(text: OsString) -> io::Result<CString> {
    CString::new(text.into_vec()).map_err(io::Error::from)
}

/// The list that `execve` wants; it borrows from `strings`, which must stay.
fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_ptr()).chain(std::iter::once(std::ptr::null())).collect()
}

/// The two ends of a pipe, reading and writing; closed on exec.
fn pipe() -> io::Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: both are new and ours alone.
    Ok(unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) })
}

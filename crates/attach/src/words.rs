//! The sentences of this crate: each refusal names the fact, and its remedy the next step.
//!
//! In: why a process cannot be attached to. Out: words. What must not happen here: a decision.

use std::fmt;

use crate::refusal::Refusal;

pub(crate) const CALL_STILL_WAITS: &str = "the queue (an earlier call still waits)";
pub(crate) const QUEUE_IS_FULL: &str = "the queue (it is full)";
pub(crate) const REQUEST_STILL_WAITS: &str = "its way in for debuggers (an earlier request still waits)";
pub(crate) const UNKNOWN_CODE: &str = "code that was not recognized";
pub(crate) const NO_MEMORY_TO_READ: &str = "its memory cannot be read";
pub(crate) const WAITS_IN_KERNEL: &str = "it waits inside the kernel";
pub(crate) const TRACER_FAILED: &str = "the tracing thread failed";

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProcess => write!(f, "there is no process with this number"),
            Self::Zombie => write!(f, "it has ended already"),
            Self::Thread(process) => write!(f, "it is a thread of process {process}"),
            Self::Own => write!(f, "it is the process that runs this command"),
            Self::OtherUser(uid) => write!(f, "it belongs to another user (uid {uid})"),
            Self::Yama(scope) => write!(f, "the kernel lets nobody attach here (ptrace_scope is {scope})"),
            Self::Forbidden(why) => write!(f, "the kernel does not let this process look into it ({why})"),
            Self::Traced(pid, name) => write!(f, "process {pid} ({name}) traces it already"),
            Self::Stopped => write!(f, "it is stopped"),
            Self::Strict => write!(f, "it is in seccomp's strict mode, where opening a file would end it"),
            Self::Filtered => {
                write!(
                    f,
                    "it filters its own system calls (seccomp), and what is new to the filter may end it"
                )
            }
            Self::OtherMachine => write!(f, "it is not a program for x86-64"),
            Self::NotGlibc => write!(f, "its C library is not glibc"),
            Self::NotPython(name) => write!(f, "there is no Python in it ({name})"),
            Self::NotCPython(name) => write!(f, "its Python is not CPython ({name})"),
            Self::NoSymbol(name) => write!(f, "its Python was linked without the symbol {name}"),
            Self::Version(major, minor) => write!(f, "its Python is {major}.{minor}; 3.10 to 3.14 are known"),
            Self::TooOld => write!(f, "its Python is older than 3.10"),
            Self::FreeThreaded => write!(f, "its Python is built without the GIL"),
            Self::DebugBuild => write!(f, "its Python is a debug build"),
            Self::SubInterpreters => write!(f, "it has more than one interpreter"),
            Self::DebuggingOff => write!(f, "its Python was started without remote debugging"),
            Self::NotReady => write!(f, "Python in it has not started yet, or is ending"),
            Self::Unknown(what) => {
                write!(
                    f,
                    "its Python is laid out otherwise than the known ones ({what}); nothing was written"
                )
            }
            Self::Busy(what) => write!(f, "{what} was in use each time it was looked at"),
            Self::WouldNotStop => write!(f, "one of its threads does not stop: it waits inside the kernel"),
            Self::NoRoom => write!(f, "there is no free place in it for the call"),
            Self::Gone => write!(f, "it ended meanwhile"),
        }
    }
}

/// Helps in most cases.
const RUN: &str = "start it under `nilometer run`";

impl Refusal {
    /// What to do next.
    pub fn remedy(&self) -> String {
        match self {
            Self::NoProcess | Self::Zombie | Self::Gone => "pgrep -af python shows what runs".to_owned(),
            Self::Thread(process) => format!("nilometer attach {process}"),
            Self::Own => "give the number of the program to be watched".to_owned(),
            Self::OtherUser(uid) => {
                format!("run this command as that user (uid {uid}), or as root")
            }
            Self::Yama(1) => "run this command as root, or set /proc/sys/kernel/yama/ptrace_scope to 0; \
                              or start it under `nilometer run`"
                .to_owned(),
            Self::Yama(2) => "run this command as root, or start it under `nilometer run`".to_owned(),
            Self::Yama(_) => format!("only a restart of the machine changes that; {RUN}"),
            Self::Forbidden(_) => {
                format!("run this command as root; in a container, with the capability SYS_PTRACE; or {RUN}")
            }
            Self::Traced(pid, name) => format!("end that first: {name} (process {pid})"),
            Self::Stopped => "let it go on first: kill -CONT PID".to_owned(),
            Self::DebuggingOff => {
                format!("start it without PYTHON_DISABLE_REMOTE_DEBUG and -X disable-remote-debug; or {RUN}")
            }
            Self::NotReady | Self::Busy(_) | Self::WouldNotStop => "try again in a moment".to_owned(),
            Self::SubInterpreters
            | Self::Strict
            | Self::Filtered
            | Self::OtherMachine
            | Self::NotGlibc
            | Self::NotPython(_)
            | Self::NotCPython(_)
            | Self::NoSymbol(_)
            | Self::Version(..)
            | Self::TooOld
            | Self::FreeThreaded
            | Self::DebugBuild
            | Self::Unknown(_)
            | Self::NoRoom => RUN.to_owned(),
        }
    }
}

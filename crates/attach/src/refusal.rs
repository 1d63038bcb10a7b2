//! Every reason not to attach.
//!
//! `words` says each, and what to do instead. A returned refusal means that nothing was
//! changed in the process.

/// Why a process cannot be attached to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such process.
    NoProcess,
    /// It has ended, and its parent has not yet collected the exit code.
    Zombie,
    /// It is a thread of the process with this number.
    Thread(u32),
    /// It is this process.
    Own,
    /// It belongs to the user with this number.
    OtherUser(u32),
    /// Yama forbids it; its `ptrace_scope`.
    Yama(u64),
    /// The kernel refuses, with these words.
    Forbidden(String),
    /// The process with this number and name traces it already.
    Traced(u32, String),
    /// A signal has stopped it.
    Stopped,
    /// It runs in seccomp's strict mode.
    Strict,
    /// It has system call filters that this process does not have.
    Filtered,
    /// It is not for x86-64.
    OtherMachine,
    /// Its C library is not glibc.
    NotGlibc,
    /// No Python in it; the name of the program.
    NotPython(String),
    /// `PyPy`, or another Python that is not `CPython`.
    NotCPython(String),
    /// The symbol that is missing in its Python.
    NoSymbol(&'static str),
    /// An unknown version: major and minor.
    Version(u64, u64),
    /// It is older than 3.10, which only one symbol distinguishes from older versions.
    TooOld,
    /// Built without the global interpreter lock.
    FreeThreaded,
    /// Built with `Py_DEBUG`.
    DebugBuild,
    /// It has more than one interpreter.
    SubInterpreters,
    /// The program's user has disabled remote debugging in 3.14.
    DebuggingOff,
    /// Python has not started in it yet, or is ending.
    NotReady,
    /// The layout is unknown: the name of the failed check.
    Unknown(&'static str),
    /// The queue or its lock was in use each time.
    Busy(&'static str),
    /// A thread did not stop in time.
    WouldNotStop,
    /// No room for the text of the call.
    NoRoom,
    /// It ended meanwhile.
    Gone,
}

impl std::error::Error for Refusal {}

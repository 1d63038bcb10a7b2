//! System calls that std has no face for: waiting, signals, the terminal.
//!
//! In and out: plain values. Each function is one call, or one call and its retry.
#![expect(unsafe_code, reason = "system calls that std has no face for")]

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use libc::{c_int, pid_t};

/// Puts something harmless where a standard stream is closed, else the next file opened (a capture) would stand there
/// and get our words. Closed on exec: the program finds the stream closed, as it would have without us.
pub(crate) fn fill_closed_streams() {
    for fd in 0..3 {
        // SAFETY: asks about a number; the path is a constant. The lowest free descriptor is this one.
        unsafe {
            if libc::fcntl(fd, libc::F_GETFD) < 0 {
                libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
            }
        }
    }
}

/// A set of signals.
#[derive(Clone, Copy)]
struct SignalSet(libc::sigset_t);

impl SignalSet {
    fn of(signals: &[c_int]) -> Self {
        let mut set = std::mem::MaybeUninit::uninit();
        // SAFETY: `sigemptyset` fills the set; `sigaddset` takes any number and refuses bad ones.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            for signal in signals {
                libc::sigaddset(set.as_mut_ptr(), *signal);
            }
            Self(set.assume_init())
        }
    }

    /// Makes this the calling thread's mask. Async-signal-safe.
    fn restore(&self) {
        // SAFETY: both pointers are valid or null; cannot fail with this `how`.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut()) };
    }
}

/// How signals stood when this process started, which is how the program shall find them.
#[derive(Clone, Copy)]
pub(crate) struct Inherited {
    mask: SignalSet,
    ignores_children: bool,
}

impl Inherited {
    /// Makes it so again, in the program's process. Async-signal-safe.
    pub(crate) fn restore(&self) {
        // Python's handlers would go at exec anyway, but no signal must land in one before. Python ignores two signals
        // for itself; whoever ignored others meant it for the program too.
        for signal in 1..=libc::SIGRTMAX() {
            let action = action(signal);
            let handled = action != libc::SIG_IGN && action != libc::SIG_DFL;
            if handled || matches!(signal, libc::SIGPIPE | libc::SIGXFSZ) {
                set_action(signal, libc::SIG_DFL);
            }
        }
        if self.ignores_children {
            set_action(libc::SIGCHLD, libc::SIG_IGN);
        }
        self.mask.restore();
    }
}

/// Sees to it that this command's process finds its signals as they were inherited, and ends when we do.
pub(crate) fn start_clean(command: &mut std::process::Command, inherited: Inherited) {
    let prepare = move || {
        // SAFETY: a plain call.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        inherited.restore();
        Ok(())
    };
    // SAFETY: both calls in it are async-signal-safe, and nothing in it allocates.
    unsafe { std::os::unix::process::CommandExt::pre_exec(command, prepare) };
}

/// What a later program finds is what the first one found, not what we have made of it since.
static FIRST: OnceLock<Inherited> = OnceLock::new();
/// What a process beside the program may take.
#[derive(Clone, Copy)]
pub(crate) struct Modesty {
    pub(crate) bytes: u64,
    pub(crate) cpu_seconds: u64,
    /// As `nice` has it: 19 is served last, 0 like the program.
    pub(crate) nice: c_int,
}

/// Sees to it that this command's process takes no more, is served as it says, and is killed before the program where memory ends.
pub(crate) fn be_modest(command: &mut std::process::Command, most: Modesty) {
    let limit = |most| libc::rlimit { rlim_cur: most, rlim_max: most };
    let limits = [
        (libc::RLIMIT_DATA, limit(most.bytes)),
        (libc::RLIMIT_CPU, limit(most.cpu_seconds)),
        (libc::RLIMIT_CORE, limit(0)),
    ];
    let prepare = move || {
        // SAFETY: plain calls with valid pointers, all async-signal-safe; a refusal leaves things as they are.
        unsafe {
            for (resource, limit) in &limits {
                libc::setrlimit(*resource, limit);
            }
            libc::setpriority(libc::PRIO_PROCESS, 0, most.nice);
            let fd = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
            libc::write(fd, c"1000".as_ptr().cast(), 4);
            libc::close(fd);
        }
        Ok(())
    };
    // SAFETY: nothing in it allocates, and its calls are async-signal-safe.
    unsafe { std::os::unix::process::CommandExt::pre_exec(command, prepare) };
}

/// Blocks these signals in the calling thread, and sees to it that ends of children are told.
pub(crate) fn block(signals: &[c_int]) -> Inherited {
    let set = SignalSet::of(signals);
    let mut mask = SignalSet::of(&[]);
    // SAFETY: both sets are valid; cannot fail with this `how`.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set.0, &raw mut mask.0) };
    // While they are ignored, an exit code goes to nobody.
    let ignores_children = action(libc::SIGCHLD) == libc::SIG_IGN;
    set_action(libc::SIGCHLD, libc::SIG_DFL);
    *FIRST.get_or_init(|| Inherited { mask, ignores_children })
}

/// A signal that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Came {
    pub(crate) signal: c_int,
    /// The process that sent it; `None` if the kernel did, on behalf of the terminal.
    pub(crate) sender: Option<u32>,
}

/// Blocked signals, to be read one by one.
pub(crate) struct Signals(File);

impl Signals {
    /// Signals of this set; they must be blocked.
    pub(crate) fn open(signals: &[c_int]) -> io::Result<Self> {
        let set = SignalSet::of(signals);
        // SAFETY: the set is valid; -1 asks for a new descriptor.
        let fd = unsafe { libc::signalfd(-1, &raw const set.0, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and ours alone.
        Ok(Self(unsafe { File::from_raw_fd(fd) }))
    }

    /// The next one, if one is there.
    pub(crate) fn next(&mut self) -> Option<Came> {
        const SIZE: usize = size_of::<libc::signalfd_siginfo>();
        let mut bytes = [0_u8; SIZE];
        if self.0.read(&mut bytes).ok()? != SIZE {
            return None;
        }
        // SAFETY: the kernel filled all of it, and the struct is plain numbers.
        let info: libc::signalfd_siginfo = unsafe { std::ptr::read_unaligned(bytes.as_ptr().cast()) };
        let by_process = matches!(info.ssi_code, libc::SI_USER | libc::SI_QUEUE | libc::SI_TKILL);
        Some(Came { signal: info.ssi_signo.cast_signed(), sender: by_process.then_some(info.ssi_pid) })
    }

    /// Waits until a signal is there or the time is over.
    pub(crate) fn wait(&self, time: Duration) {
        let mut poll = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // Rounded up: waking a moment too early would spin through the rest of the time.
        let milliseconds = c_int::try_from(time.as_micros().div_ceil(1000)).unwrap_or(c_int::MAX);
        // SAFETY: one valid entry. An interrupted wait is a short one.
        unsafe { libc::poll(&raw mut poll, 1, milliseconds) };
    }
}

/// What became of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Exited(i32),
    Killed(c_int),
    Stopped(c_int),
    Continued,
}

/// What happened to the child, if anything new did; and the largest resident memory it had, in bytes, once it ended.
pub(crate) fn wait_for(pid: pid_t) -> io::Result<Option<(Change, Option<u64>)>> {
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    let options = libc::WNOHANG | libc::WUNTRACED | libc::WCONTINUED;
    // SAFETY: both pointers are valid for the write.
    let waited = unsafe { libc::wait4(pid, &raw mut status, options, usage.as_mut_ptr()) };
    if waited < 0 {
        return Err(io::Error::last_os_error());
    }
    if waited == 0 {
        return Ok(None);
    }
    // SAFETY: a struct of numbers, zeroed above and perhaps filled by the kernel.
    let usage = unsafe { usage.assume_init() };
    let peak = u64::try_from(usage.ru_maxrss).ok().and_then(|kib| kib.checked_mul(1024));
    Ok(Some(if libc::WIFEXITED(status) {
        (Change::Exited(libc::WEXITSTATUS(status)), peak)
    } else if libc::WIFSIGNALED(status) {
        (Change::Killed(libc::WTERMSIG(status)), peak)
    } else if libc::WIFSTOPPED(status) {
        (Change::Stopped(libc::WSTOPSIG(status)), None)
    } else {
        (Change::Continued, None)
    }))
}

/// Sends a signal; whether there was anyone to get it.
pub(crate) fn send(pid: pid_t, signal: c_int) -> bool {
    // SAFETY: `kill` takes any numbers.
    unsafe { libc::kill(pid, signal) == 0 }
}

/// Sets what a signal does, `SIG_DFL` or `SIG_IGN`. Async-signal-safe.
fn set_action(signal: c_int, action: libc::sighandler_t) {
    // SAFETY: both are valid actions for any signal; a bad number is refused.
    unsafe { libc::signal(signal, action) };
}

/// What a signal does now. Async-signal-safe.
fn action(signal: c_int) -> libc::sighandler_t {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: only asks; the struct is plain numbers, zeroed before.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init().sa_sigaction
    }
}

/// Takes a signal's default action upon this process, as if nobody had ever blocked it.
///
/// Comes back after a stop has ended, or if the signal could not do its work.
pub(crate) fn suffer(signal: c_int) {
    set_action(signal, libc::SIG_DFL);
    let set = SignalSet::of(&[signal]);
    let mut before = SignalSet::of(&[]);
    // SAFETY: plain calls with valid pointers; the signal is for ourselves.
    unsafe {
        libc::kill(libc::getpid(), signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set.0, &raw mut before.0);
    }
    before.restore();
}

/// Makes sure that our own end by a signal leaves no core file: the program's is the one of interest.
pub(crate) fn forbid_core() {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: plain calls; a refusal changes nothing.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        // Core patterns that are pipes do not ask the limit, they ask this.
        libc::prctl(libc::PR_SET_DUMPABLE, 0);
    }
}

/// The user and the group that this process acts as.
pub(crate) fn effective_ids() -> (u32, u32) {
    // SAFETY: no arguments, cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Whether executing this file would give capabilities to the process.
pub(crate) fn has_capabilities(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: both are strings; a size of zero only asks how long the value is.
    unsafe { libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) > 0 }
}

/// Rows and columns of the terminal behind a descriptor.
pub(crate) fn window_size(fd: RawFd) -> Option<(u16, u16)> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the struct is valid for the write; a bad descriptor is refused.
    let failed = unsafe { libc::ioctl(fd, libc::TIOCGWINSZ, &raw mut size) };
    (failed == 0 && size.ws_row > 0 && size.ws_col > 0).then_some((size.ws_row, size.ws_col))
}

/// Whether we are in the foreground of the terminal behind a descriptor.
pub(crate) fn in_foreground(fd: RawFd) -> bool {
    // SAFETY: plain calls; a bad descriptor is refused.
    unsafe { libc::tcgetpgrp(fd) == libc::getpgrp() }
}

/// The calling thread runs only when nobody else wants to.
pub(crate) fn step_back() {
    const LAST: c_int = 19;
    // SAFETY: takes numbers only; 0 is the calling thread.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, LAST) };
}

/// What the allocator keeps of freed memory goes back to the machine.
pub(crate) fn give_memory_back() {
    // SAFETY: takes a number only.
    unsafe { libc::malloc_trim(0) };
}

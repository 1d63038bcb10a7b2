//! The few `ptrace` requests that are used, one function each.
//!
//! A tracer is a thread. All requests for a tracee must come from the thread that seized it; when that thread
//! ends, the kernel detaches all of them. What must not happen here: an option that would kill the process
//! together with its tracer.
#![expect(unsafe_code, reason = "ptrace and waitpid")]

use std::io;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::null_mut;
use std::time::Duration;

use libc::{c_int, c_void, pid_t, user_regs_struct};

const POLL_INTERVAL: Duration = Duration::from_micros(20);
/// The event of the stop that `interrupt` causes.
const EVENT_STOP: c_int = 128;

/// The result of a non-blocking wait for a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopEvent {
    Nothing,
    /// Stopped by our interrupt.
    Interrupted,
    /// The whole process is stopped by this signal.
    Group(c_int),
    /// Stopped before the delivery of this signal, which it gets when it is resumed with it.
    Signal(c_int),
    /// It has ended.
    Gone,
}

/// Becomes the tracer of a thread, which keeps running.
pub(crate) fn seize(tid: pid_t) -> io::Result<()> {
    request(libc::PTRACE_SEIZE, tid, null_mut(), null_mut())
}

/// Tells a thread to stop.
pub(crate) fn interrupt(tid: pid_t) -> io::Result<()> {
    request(libc::PTRACE_INTERRUPT, tid, null_mut(), null_mut())
}

/// Resumes a thread with the signal that it was about to get (0: none).
pub(crate) fn go_on(tid: pid_t, signal: c_int) -> io::Result<()> {
    request(libc::PTRACE_CONT, tid, null_mut(), signal as usize as *mut c_void)
}

/// Detaches from a thread.
pub(crate) fn detach(tid: pid_t, signal: c_int) -> io::Result<()> {
    request(libc::PTRACE_DETACH, tid, null_mut(), signal as usize as *mut c_void)
}

/// The registers of a stopped thread.
pub(crate) fn registers(tid: pid_t) -> io::Result<user_regs_struct> {
    let mut registers = MaybeUninit::<user_regs_struct>::zeroed();
    request(libc::PTRACE_GETREGS, tid, null_mut(), registers.as_mut_ptr().cast())?;
    // SAFETY: numbers, zeroed above and filled by the kernel.
    Ok(unsafe { registers.assume_init() })
}

/// Sets the registers of a stopped thread.
pub(crate) fn set_registers(tid: pid_t, registers: &user_regs_struct) -> io::Result<()> {
    request(libc::PTRACE_SETREGS, tid, null_mut(), (&raw const *registers).cast_mut().cast())
}

/// Sets a debug register of a stopped thread.
pub(crate) fn set_debug(tid: pid_t, number: usize, value: u64) -> io::Result<()> {
    let at = offset_of!(libc::user, u_debugreg) + number * size_of::<u64>();
    request(libc::PTRACE_POKEUSER, tid, at as *mut c_void, value as *mut c_void)
}

/// Removes the breakpoint of a stopped thread, and the trap that it may have hit at the same moment. The
/// kernel reports an interrupt first, and the trap would kill the thread once it has no tracer. Gives the
/// signal to resume it with.
pub(crate) fn clear_breakpoint(tid: pid_t, mut event: StopEvent) -> c_int {
    set_debug(tid, 7, 0).unwrap_or_default();
    set_debug(tid, 0, 0).unwrap_or_default();
    loop {
        let signal = match event {
            StopEvent::Signal(libc::SIGTRAP) | StopEvent::Gone => return 0,
            StopEvent::Signal(signal) => signal,
            _ => 0,
        };
        if !trap_waits(tid) || go_on(tid, signal).is_err() {
            return signal;
        }
        event = loop {
            match poll(tid) {
                StopEvent::Nothing => pause(),
                other => break other,
            }
        };
    }
}

/// Whether a trap is pending for a stopped thread.
fn trap_waits(tid: pid_t) -> bool {
    const MAX_PENDING_SIGNALS: usize = 32;
    /// `struct ptrace_peeksiginfo_args`: from the first signal on, of this thread alone, at most `count`.
    #[repr(C)]
    struct Which {
        first: u64,
        flags: u32,
        count: i32,
    }
    let mut which = Which { first: 0, flags: 0, count: 32 };
    let mut found = [const { MaybeUninit::<libc::siginfo_t>::zeroed() }; MAX_PENDING_SIGNALS];
    // SAFETY: the request reads `which`, fills at most as many entries as `found` has, and returns their
    // number.
    let count = unsafe {
        libc::ptrace(
            libc::PTRACE_PEEKSIGINFO,
            tid,
            (&raw mut which).cast::<c_void>(),
            found.as_mut_ptr().cast::<c_void>(),
        )
    };
    let count = usize::try_from(count).unwrap_or_default();
    // SAFETY: plain numbers, zeroed above and perhaps filled by the kernel.
    found.iter().take(count).any(|one| unsafe { one.assume_init_ref() }.si_signo == libc::SIGTRAP)
}

/// A debug register of a stopped thread.
#[cfg(test)]
pub(crate) fn debug(tid: pid_t, number: usize) -> i64 {
    let at = offset_of!(libc::user, u_debugreg) + number * size_of::<u64>();
    // SAFETY: this request takes no pointer of ours; the result is the word.
    unsafe { libc::ptrace(libc::PTRACE_PEEKUSER, tid, at as *mut c_void, null_mut::<c_void>()) }
}

/// The state change of a thread; does not wait.
pub(crate) fn poll(tid: pid_t) -> StopEvent {
    let mut status = 0;
    // SAFETY: `status` is ours to write.
    let waited = unsafe { libc::waitpid(tid, &raw mut status, libc::__WALL | libc::WNOHANG) };
    if waited == 0 {
        return StopEvent::Nothing;
    }
    if waited != tid || !libc::WIFSTOPPED(status) {
        return StopEvent::Gone;
    }
    let signal = libc::WSTOPSIG(status);
    match status >> 16 {
        EVENT_STOP if signal == libc::SIGTRAP => StopEvent::Interrupted,
        EVENT_STOP => StopEvent::Group(signal),
        _ => StopEvent::Signal(signal),
    }
}

/// Keeps the calling thread from delays while other threads are stopped: no signals, short sleeps, and
/// real-time priority on a busy machine where that is allowed.
pub(crate) fn hurry() {
    let mut all = MaybeUninit::<libc::sigset_t>::zeroed();
    let first = libc::sched_param { sched_priority: 1 };
    // SAFETY: `sigfillset` fills the set; mask, slack and policy belong to this thread, which ends soon.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), null_mut());
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const first);
    }
}

/// Lets other threads run for a moment. A sleep, not a yield: the scheduler prefers a thread that slept over
/// one that worked.
pub(crate) fn pause() {
    std::thread::sleep(POLL_INTERVAL);
}

fn request(what: libc::c_uint, tid: pid_t, address: *mut c_void, data: *mut c_void) -> io::Result<()> {
    // SAFETY: requests of this module write only to registers that the caller has made room for.
    if unsafe { libc::ptrace(what, tid, address, data) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

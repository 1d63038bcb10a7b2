//! The few requests of `ptrace` that are used, each as one function.
//!
//! A tracer is a thread: all requests for a tracee must come from the one that seized it, and when it ends the kernel lets
//! go of all of them. What must not happen here: an option that would end the process with its tracer.
#![expect(unsafe_code, reason = "ptrace and waitpid")]

use std::io;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::null_mut;
use std::time::Duration;

use libc::{c_int, c_void, pid_t, user_regs_struct};

const REST: Duration = Duration::from_micros(20);
/// The stop that `interrupt` makes.
const EVENT_STOP: c_int = 128;

/// What a wait has told of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Nothing,
    /// It stands because it was interrupted.
    Interrupted,
    /// The whole process is stopped by this signal.
    Group(c_int),
    /// It was about to get this signal, and gets it when it goes on with it.
    Signal(c_int),
    /// It has ended.
    Gone,
}

/// Becomes the tracer of a thread, which goes on.
pub(crate) fn seize(tid: pid_t) -> io::Result<()> {
    request(libc::PTRACE_SEIZE, tid, null_mut(), null_mut())
}

/// Asks a thread to stop.
pub(crate) fn interrupt(tid: pid_t) -> io::Result<()> {
    request(libc::PTRACE_INTERRUPT, tid, null_mut(), null_mut())
}

/// Lets it go on, with the signal that it was about to get (0: none).
pub(crate) fn go_on(tid: pid_t, signal: c_int) -> io::Result<()> {
    request(libc::PTRACE_CONT, tid, null_mut(), signal as usize as *mut c_void)
}

/// Lets go of it for good.
pub(crate) fn detach(tid: pid_t, signal: c_int) -> io::Result<()> {
    request(libc::PTRACE_DETACH, tid, null_mut(), signal as usize as *mut c_void)
}

/// Its registers; it must stand.
pub(crate) fn registers(tid: pid_t) -> io::Result<user_regs_struct> {
    let mut registers = MaybeUninit::<user_regs_struct>::zeroed();
    request(libc::PTRACE_GETREGS, tid, null_mut(), registers.as_mut_ptr().cast())?;
    // SAFETY: numbers, zeroed above and filled by the kernel.
    Ok(unsafe { registers.assume_init() })
}

/// Gives it other registers; it must stand.
pub(crate) fn set_registers(tid: pid_t, registers: &user_regs_struct) -> io::Result<()> {
    request(libc::PTRACE_SETREGS, tid, null_mut(), (&raw const *registers).cast_mut().cast())
}

/// Sets one of its debug registers; it must stand.
pub(crate) fn set_debug(tid: pid_t, number: usize, value: u64) -> io::Result<()> {
    let at = offset_of!(libc::user, u_debugreg) + number * size_of::<u64>();
    request(libc::PTRACE_POKEUSER, tid, at as *mut c_void, value as *mut c_void)
}

/// Takes the breakpoint out of a thread that stands so, and the trap that it may have met at the same moment: the kernel tells of an
/// interrupt first, and the trap would end the thread once nobody traces it. The signal that it goes on with.
pub(crate) fn clear_breakpoint(tid: pid_t, mut told: Told) -> c_int {
    set_debug(tid, 7, 0).unwrap_or_default();
    set_debug(tid, 0, 0).unwrap_or_default();
    loop {
        let signal = match told {
            Told::Signal(libc::SIGTRAP) | Told::Gone => return 0,
            Told::Signal(signal) => signal,
            _ => 0,
        };
        if !trap_waits(tid) || go_on(tid, signal).is_err() {
            return signal;
        }
        told = loop {
            match self::told(tid) {
                Told::Nothing => rest(),
                other => break other,
            }
        };
    }
}

/// Whether a trap waits for a thread that stands.
fn trap_waits(tid: pid_t) -> bool {
    const MOST: usize = 32;
    /// `struct ptrace_peeksiginfo_args`: from the first one on, of this thread alone, at most so many.
    #[repr(C)]
    struct Which {
        first: u64,
        flags: u32,
        count: i32,
    }
    let mut which = Which { first: 0, flags: 0, count: 32 };
    let mut found = [const { MaybeUninit::<libc::siginfo_t>::zeroed() }; MOST];
    // SAFETY: the request reads `which` and fills at most so many as there is room for; it gives back how many.
    let count = unsafe {
        libc::ptrace(
            libc::PTRACE_PEEKSIGINFO,
            tid,
            (&raw mut which).cast::<c_void>(),
            found.as_mut_ptr().cast::<c_void>(),
        )
    };
    let count = usize::try_from(count).unwrap_or_default();
    // SAFETY: numbers, zeroed above and perhaps filled by the kernel.
    found.iter().take(count).any(|one| unsafe { one.assume_init_ref() }.si_signo == libc::SIGTRAP)
}

/// One of its debug registers; it must stand.
#[cfg(test)]
pub(crate) fn debug(tid: pid_t, number: usize) -> i64 {
    let at = offset_of!(libc::user, u_debugreg) + number * size_of::<u64>();
    // SAFETY: this request takes no pointer of ours; the answer is the word.
    unsafe { libc::ptrace(libc::PTRACE_PEEKUSER, tid, at as *mut c_void, null_mut::<c_void>()) }
}

/// What has become of a thread; does not wait.
pub(crate) fn told(tid: pid_t) -> Told {
    let mut status = 0;
    // SAFETY: `status` is ours to write.
    let waited = unsafe { libc::waitpid(tid, &raw mut status, libc::__WALL | libc::WNOHANG) };
    if waited == 0 {
        return Told::Nothing;
    }
    if waited != tid || !libc::WIFSTOPPED(status) {
        return Told::Gone;
    }
    let signal = libc::WSTOPSIG(status);
    match status >> 16 {
        EVENT_STOP if signal == libc::SIGTRAP => Told::Interrupted,
        EVENT_STOP => Told::Group(signal),
        _ => Told::Signal(signal),
    }
}

/// Sees to it that the calling thread is not held up while others stand: no signals, short sleeps, and the first turn on
/// a busy machine where that is allowed.
pub(crate) fn hurry() {
    let mut all = MaybeUninit::<libc::sigset_t>::zeroed();
    let first = libc::sched_param { sched_priority: 1 };
    // SAFETY: `sigfillset` fills the set; mask, slack and policy are this thread's own, which ends soon.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), null_mut());
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const first);
    }
}

/// Gives others their turn for a moment. A sleep, not a yield: who has slept comes before who has worked.
pub(crate) fn rest() {
    std::thread::sleep(REST);
}

fn request(what: libc::c_uint, tid: pid_t, address: *mut c_void, data: *mut c_void) -> io::Result<()> {
    // SAFETY: no request of this module writes elsewhere than to the registers that its caller made room for.
    if unsafe { libc::ptrace(what, tid, address, data) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

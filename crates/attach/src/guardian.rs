//! A process that removes a breakpoint if this one dies while it is set.
//!
//! The breakpoint is a debug register of one thread; nothing is written into the program's code. Without a
//! tracer, SIGTRAP would kill a thread that hits it, so the breakpoint must not outlive this process. The
//! guardian waits on a pipe that only this process closes. If the breakpoint is set then, it seizes the
//! thread, clears the register, and detaches.
#![expect(unsafe_code, reason = "a forked process that makes nothing but system calls")]

use std::io;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering};

use libc::{c_int, pid_t};
use nilometer_host::descriptors::close_all_but;

use crate::ptrace::{self, StopEvent};

/// The guardian. It ends when this is dropped.
pub(crate) struct Guardian {
    pid: pid_t,
    /// This end of the pipe keeps it waiting.
    pipe: c_int,
    /// The thread whose breakpoint is set, or 0; in memory that both processes share.
    thread: *mut AtomicI32,
}

/// How often it tries, and the pause between tries: the kernel may still be ending this process's own trace.
const MAX_CLEAR_TRIES: u32 = 200;
const TRY_INTERVAL_NS: i64 = 500_000;

impl Guardian {
    /// Starts the guardian.
    ///
    /// # Errors
    /// No process, pipe or page is available.
    pub(crate) fn start() -> io::Result<Self> {
        let mut ends: [c_int; 2] = [0; 2];
        // SAFETY: a new page and a new pipe; the child makes system calls only and never returns.
        unsafe {
            let page = libc::mmap(
                null_mut(),
                size_of::<AtomicI32>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            if page == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
                let error = io::Error::last_os_error();
                libc::munmap(page, size_of::<AtomicI32>());
                return Err(error);
            }
            let thread = page.cast::<AtomicI32>();
            let pid = libc::fork();
            if pid == 0 {
                guard(ends[0], thread);
            }
            libc::close(ends[0]);
            if pid < 0 {
                let error = io::Error::last_os_error();
                libc::close(ends[1]);
                libc::munmap(page, size_of::<AtomicI32>());
                return Err(error);
            }
            Ok(Self { pid, pipe: ends[1], thread })
        }
    }

    /// Names the thread whose breakpoint is set; 0 for none.
    pub(crate) fn watch(&self, thread: pid_t) {
        // SAFETY: the page is mapped as long as this lives, and always an atomic number.
        unsafe { (*self.thread).store(thread, Ordering::SeqCst) };
    }
}

// SAFETY: the page is shared memory that is only used through an atomic number.
unsafe impl Send for Guardian {}
// SAFETY: as above.
unsafe impl Sync for Guardian {}

impl Drop for Guardian {
    fn drop(&mut self) {
        // SAFETY: both are ours; nobody has waited for this child, so its pid is still its own.
        unsafe {
            libc::close(self.pipe);
            libc::waitpid(self.pid, null_mut(), 0);
            libc::munmap(self.thread.cast(), size_of::<AtomicI32>());
        }
    }
}

/// The guardian's whole life.
fn guard(pipe: c_int, thread: *mut AtomicI32) -> ! {
    // SAFETY: async-signal-safe calls with valid pointers only; the fork inherited the page.
    unsafe {
        let mut all = MaybeUninit::<libc::sigset_t>::zeroed();
        libc::sigfillset(all.as_mut_ptr());
        libc::sigprocmask(libc::SIG_BLOCK, all.as_ptr(), null_mut());
        // Signals to the whole session must not end the guardian, too.
        libc::setsid();
        close_all_but(pipe);
        let mut byte = 0_u8;
        while libc::read(pipe, (&raw mut byte).cast(), 1) > 0 {}
        let armed = (*thread).load(Ordering::SeqCst);
        if armed != 0 {
            for _ in 0..MAX_CLEAR_TRIES {
                if free(armed) {
                    break;
                }
                let pause = libc::timespec { tv_sec: 0, tv_nsec: TRY_INTERVAL_NS };
                libc::nanosleep(&raw const pause, null_mut());
            }
        }
        libc::_exit(0)
    }
}

/// Clears the breakpoint of a thread. True: done, or the thread is gone. Allocates nothing.
fn free(thread: pid_t) -> bool {
    if let Err(error) = ptrace::seize(thread) {
        return error.raw_os_error() == Some(libc::ESRCH);
    }
    ptrace::interrupt(thread).unwrap_or_default();
    loop {
        match ptrace::poll(thread) {
            StopEvent::Nothing => ptrace::pause(),
            StopEvent::Gone => return true,
            event => {
                let signal = ptrace::clear_breakpoint(thread, event);
                ptrace::detach(thread, signal).unwrap_or_default();
                return true;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;
    use crate::stop::as_tracer;

    /// Stops a thread, does work on it, and ends without a detach, like a tracer that dies.
    fn with<Answer: Send>(thread: pid_t, work: impl FnOnce() -> Answer + Send) -> Answer {
        as_tracer(|| {
            // The kernel may still be detaching the thread; one that has ended cannot be seized any more.
            let had = (0..1000).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(1));
                ptrace::seize(thread).is_ok()
            });
            assert!(had, "the thread has ended");
            ptrace::interrupt(thread).unwrap();
            while ptrace::poll(thread) != StopEvent::Interrupted {
                std::thread::yield_now();
            }
            work()
        })
        .unwrap()
    }

    /// A program with a breakpoint that is never hit, in a page without code; and its guardian.
    fn guarded() -> (std::process::Child, Guardian) {
        let child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let thread = child.id().cast_signed();
        let guardian = Guardian::start().unwrap();
        guardian.watch(thread);
        with(thread, || {
            ptrace::set_debug(thread, 0, 4096).and_then(|()| ptrace::set_debug(thread, 7, 1)).unwrap();
        });
        (child, guardian)
    }

    #[test]
    fn a_breakpoint_that_outlives_us_is_taken_out() {
        let (mut child, guardian) = guarded();
        let thread = child.id().cast_signed();
        assert_eq!(with(thread, || ptrace::debug(thread, 7)) & 1, 1);
        // Our end of the pipe closes, as when this process dies.
        drop(guardian);
        assert_eq!(with(thread, || ptrace::debug(thread, 7)) & 1, 0);
        assert!(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn what_is_not_set_is_left_alone() {
        let (mut child, guardian) = guarded();
        let thread = child.id().cast_signed();
        guardian.watch(0);
        drop(guardian);
        assert_eq!(with(thread, || ptrace::debug(thread, 7)) & 1, 1);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// The kernel reports an interrupt before an earlier trap; if that trap is forgotten, it kills the
    /// thread.
    #[test]
    fn a_trap_that_waits_behind_an_interrupt_is_taken_out_too() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let thread = child.id().cast_signed();
        with(thread, || {
            // SAFETY: a plain call; the thread belongs to our own stopped child.
            assert_eq!(unsafe { libc::syscall(libc::SYS_tgkill, thread, thread, libc::SIGTRAP) }, 0);
            let signal = ptrace::clear_breakpoint(thread, StopEvent::Interrupted);
            ptrace::detach(thread, signal).unwrap();
        });
        // It can be stopped once more, so it lives.
        with(thread, || ());
        assert!(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

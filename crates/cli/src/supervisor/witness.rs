//! A process that only tells whether a signal went to the whole group.
//!
//! `kill %1`, `timeout` and batch systems signal the process group: the program got that signal itself, and a program
//! that ends gently on the first and at once on the second must not get another one from us. But a signal's sender, all
//! that the kernel tells, is the same in both cases. So a third process of the group keeps all signals blocked; if one
//! is pending there as well, it was for the group. The kernel has put it there before we can have read ours.
#![expect(unsafe_code, reason = "a forked process that makes nothing but system calls")]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{FromRawFd as _, RawFd};

use libc::{c_int, pid_t};
use nilometer_host::descriptors::close_all_but;
use nilometer_host::field::lines;
use nilometer_host::file::KernelFile;

/// The witness. It ends when it is dropped, or when this process ends in whatever way.
pub(crate) struct Witness {
    pid: pid_t,
    status: KernelFile,
    /// One byte in asks it to forget its signals, one byte back says it has.
    talk: File,
}

impl Witness {
    /// Starts it; `None` if there is no process to be had, and then every signal counts as meant for one.
    pub(crate) fn start() -> Option<Self> {
        let mut ends: [c_int; 2] = [0; 2];
        // SAFETY: room for two descriptors; the fork's child makes async-signal-safe calls only and never returns.
        unsafe {
            let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
            if libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) != 0 {
                return None;
            }
            let pid = libc::fork();
            if pid == 0 {
                testify(ends[1]);
            }
            libc::close(ends[1]);
            let mut talk = File::from_raw_fd(ends[0]);
            if pid < 0 {
                return None;
            }
            // It says hello once its signals are blocked.
            talk.read_exact(&mut [0]).ok()?;
            let status = KernelFile::open(format!("/proc/{pid}/status").as_ref())?;
            Some(Self { pid, status, talk })
        }
    }

    /// Whether it has this signal too; it has forgotten it afterwards.
    pub(crate) fn also_got(&self, signal: c_int) -> bool {
        let mut buffer = Vec::new();
        let pending = self.status.read(&mut buffer).map_or(0, pending_for_process);
        if pending == 0 {
            return false;
        }
        let mut talk = &self.talk;
        // If it is gone, a later signal finds nothing pending, which is the safe answer.
        talk.write_all(&[0]).and_then(|()| talk.read_exact(&mut [0])).unwrap_or_default();
        u32::try_from(signal - 1).is_ok_and(|bit| pending.checked_shr(bit).unwrap_or(0) & 1 == 1)
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        // SAFETY: our own child, not waited for before: its pid is still its own.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            libc::waitpid(self.pid, std::ptr::null_mut(), 0);
        }
    }
}

/// The signals pending for a process as a whole, as bits (`ShdPnd` in `/proc/<pid>/status`).
fn pending_for_process(status: &[u8]) -> u64 {
    lines(status, b':')
        .find(|(name, _)| *name == b"ShdPnd")
        .and_then(|(_, mask)| u64::from_str_radix(std::str::from_utf8(mask).ok()?.trim(), 16).ok())
        .unwrap_or(0)
}

/// The witness's whole life.
fn testify(talk: RawFd) -> ! {
    // SAFETY: async-signal-safe calls with valid pointers only.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let mut all = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
        libc::sigfillset(all.as_mut_ptr());
        libc::sigprocmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut());
        // What we hold open would keep other people's pipes from ending.
        close_all_but(talk);
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let mut byte = 0_u8;
        loop {
            if libc::write(talk, (&raw const byte).cast(), 1) != 1 {
                libc::_exit(0);
            }
            if libc::read(talk, (&raw mut byte).cast(), 1) != 1 {
                libc::_exit(0);
            }
            while libc::sigtimedwait(all.as_ptr(), std::ptr::null_mut(), &raw const now) > 0 {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;
    use crate::supervisor::kernel;

    #[test]
    fn it_has_what_it_was_sent_until_it_was_asked() {
        let witness = Witness::start().unwrap();
        assert!(!witness.also_got(libc::SIGTERM));
        assert!(kernel::send(witness.pid, libc::SIGTERM));
        assert!(witness.also_got(libc::SIGTERM));
        assert!(!witness.also_got(libc::SIGTERM));
    }

    #[test]
    fn another_signal_is_not_this_one() {
        let witness = Witness::start().unwrap();
        assert!(kernel::send(witness.pid, libc::SIGUSR1));
        assert!(!witness.also_got(libc::SIGTERM));
    }
}

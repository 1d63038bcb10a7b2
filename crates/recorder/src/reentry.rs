#![expect(unsafe_code, reason = "errno and cancellation are the C library's")]
//! The stretch in which the recorder is at work on a thread, which the program must not notice.
//!
//! In: nothing. Out: a guard. While it lives, allocations are the recorder's own, and the thread cannot be cancelled:
//! writing opens files now and then, which is a point of cancellation, and `malloc` is none. `errno` is put back.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::compiler_fence;

use crate::tls::{Block, block};

pub(crate) struct ReentryGuard {
    block: &'static Block,
    errno: i32,
    cancel: i32,
}

const PTHREAD_CANCEL_DISABLE: i32 = 1;

unsafe extern "C" {
    fn pthread_setcancelstate(state: i32, old: *mut i32) -> i32;
}

impl ReentryGuard {
    /// `None` if the recorder is at work on this thread already.
    pub(crate) fn begin() -> Option<Self> {
        let block = block();
        if block.busy.load(Relaxed) {
            return None;
        }
        block.busy.store(true, Relaxed);
        compiler_fence(std::sync::atomic::Ordering::SeqCst);
        let mut cancel = 0;
        // SAFETY: writes one number; `errno` is a variable of the thread.
        let errno = unsafe {
            pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &raw mut cancel);
            *libc::__errno_location()
        };
        Some(Self { block, errno, cancel })
    }
}

impl Drop for ReentryGuard {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe {
            *libc::__errno_location() = self.errno;
            pthread_setcancelstate(self.cancel, std::ptr::null_mut());
        }
        compiler_fence(std::sync::atomic::Ordering::SeqCst);
        self.block.busy.store(false, Relaxed);
    }
}

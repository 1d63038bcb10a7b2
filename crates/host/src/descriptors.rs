#![expect(unsafe_code, reason = "closes descriptors by number")]
//! The descriptors that a forked helper takes over from its maker.
//!
//! In: the one that it needs. Out: all others closed. What must not happen here: anything that is not async-signal-safe, for the
//! maker has threads.

use std::ffi::c_int;

/// Closes every descriptor of this process except `kept`. What it held open would keep other people's pipes from ending.
pub fn close_all_but(kept: c_int) {
    let below = kept.unsigned_abs();
    // SAFETY: closing numbers of this process, which uses none but `kept`. Before Linux 5.9 the call is unknown.
    unsafe {
        if libc::syscall(libc::SYS_close_range, below + 1, u32::MAX, 0) != 0 {
            for fd in kept + 1..1024 {
                libc::close(fd);
            }
        }
        for fd in 0..kept {
            libc::close(fd);
        }
    }
}

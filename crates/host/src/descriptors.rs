#![expect(unsafe_code, reason = "closes descriptors by number")]
//! The descriptors that a forked helper inherits.
//!
//! In: the one that it needs. Out: all others closed. What must not happen here: a call that is not
//! async-signal-safe, because the parent has threads.

use std::ffi::c_int;

/// Closes every descriptor of this process except `kept`. Otherwise other programs' pipes would never end.
pub fn close_all_but(kept: c_int) {
    let below = kept.unsigned_abs();
    // SAFETY: closes descriptors of this process, which uses only `kept`. Linux before 5.9 lacks the call.
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

//! Whether a page of memory can be read: a question to the kernel, without a signal, an allocation or a
//! change of `errno`.
#![expect(unsafe_code, reason = "a system call by hand")]

use std::arch::asm;

pub(crate) const PAGE: u64 = 4096;

/// `true` if the eight bytes at `address` can be read.
///
/// `rt_sigprocmask` copies the given mask before it refuses the unknown operation.
#[cold]
pub(crate) fn readable(address: u64) -> bool {
    const UNKNOWN_HOW: u64 = 99;
    const MASK_BYTES: u64 = 8;
    let answer: i64;
    // SAFETY: the call changes nothing, because its first argument is refused; it clobbers rcx and r11 only.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") libc::SYS_rt_sigprocmask => answer,
            in("rdi") UNKNOWN_HOW,
            in("rsi") address,
            in("rdx") 0,
            in("r10") MASK_BYTES,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack)
        );
    }
    answer == -i64::from(libc::EINVAL)
}

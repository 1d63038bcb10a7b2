//! The registers of the calling function, as they are at one instruction.
#![expect(unsafe_code, reason = "reads registers by instructions")]

use std::arch::asm;

/// The start of a walk: an address in a function, and the registers at that address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Registers {
    /// Address of the instruction at which the other registers hold.
    pub ip: u64,
    /// Stack pointer.
    pub sp: u64,
    /// Frame pointer, or any other use of `rbp` by the compiler.
    pub bp: u64,
    /// The other callee-saved registers. Seldom needed: some hand-written code finds its frame by them.
    pub rbx: u64,
    /// `r12` to `r15`.
    pub r12_r15: [u64; 4],
}

/// The registers of the calling function.
///
/// Use them before that function returns: afterwards its frame is gone.
#[inline(always)]
#[must_use]
pub fn here() -> Registers {
    let mut found = Registers::default();
    // SAFETY: stores eight words into `found`, whose fields lie in this order without gaps.
    unsafe {
        asm!(
            "lea {word}, [rip]",
            "mov [{to}], {word}",
            "mov [{to} + 8], rsp",
            "mov [{to} + 16], rbp",
            "mov [{to} + 24], rbx",
            "mov [{to} + 32], r12",
            "mov [{to} + 40], r13",
            "mov [{to} + 48], r14",
            "mov [{to} + 56], r15",
            to = in(reg) &raw mut found,
            word = out(reg) _,
            options(nostack, preserves_flags)
        );
    }
    found
}

#![expect(unsafe_code, reason = "reads and writes the thread's register of floating-point modes and flags")]
//! The thread's floating-point state, as the program left it.
//!
//! The recorder computes with fractions in the middle of a `malloc`, and that raises flags: a program that looks at its own
//! around a computation in which it allocates (numpy does, and warns or raises) would take ours for its. It may also have
//! asked for traps, or for another rounding.
//!
//! In: nothing. Out: a guard; while it lives there are the modes that every thread begins with, and afterwards modes and
//! flags are the program's again. What must not happen here: a computation in the function that makes the guard: the
//! compiler knows nothing of flags and may move it to the other side. What computes is called, and not inlined.

use std::arch::asm;

/// All exceptions masked, no flag raised, rounding to nearest.
const DEFAULT_MXCSR: u32 = 0x1f80;

pub(crate) struct Floats(u32);

impl Floats {
    #[inline(always)]
    pub(crate) fn begin() -> Self {
        let mut theirs = 0_u32;
        // SAFETY: stores the register into a number of ours.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut theirs, options(nostack, preserves_flags)) };
        set(DEFAULT_MXCSR);
        Self(theirs)
    }
}

impl Drop for Floats {
    #[inline(always)]
    fn drop(&mut self) {
        set(self.0);
    }
}

#[inline(always)]
fn set(state: u32) {
    // SAFETY: either the usual state or one that this register had; no reserved bit is set.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const state, options(nostack, preserves_flags)) };
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use std::hint::black_box;

    const RAISED: u32 = 0x3f;

    fn flags() -> u32 {
        let floats = Floats::begin();
        floats.0 & RAISED
    }

    #[inline(never)]
    fn raises() -> f64 {
        black_box(1.0) / black_box(3.0) + black_box(0.0) / black_box(0.0)
    }

    #[test]
    fn what_is_raised_meanwhile_is_forgotten_and_what_was_there_is_not() {
        set(DEFAULT_MXCSR);
        assert_eq!(flags(), 0);
        let floats = Floats::begin();
        black_box(raises());
        drop(floats);
        assert_eq!(flags(), 0);
        black_box(raises());
        let theirs = flags();
        assert_ne!(theirs, 0);
        drop(Floats::begin());
        assert_eq!(flags(), theirs);
        set(DEFAULT_MXCSR);
    }
}

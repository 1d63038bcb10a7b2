//! The memory that a walk may read: the part of the stack that is known to be readable.
//!
//! The bounds of a stack are never queried, because that reads files and allocates. A stack is mapped from
//! the stack pointer up to the outer frames, so pages are probed one by one as the walk reaches them. When a
//! walk reaches the thread's first frame, the range is kept for the thread: it is then the thread's own
//! stack, which stays.
#![expect(unsafe_code, reason = "reads frames, and the thread pointer")]

use crate::probe::{PAGE, readable};
use std::arch::asm;
use std::cell::Cell;

/// A larger frame is more likely a broken chain.
const MAX_FRAME_BYTES: u64 = 16 << 20;

thread_local! {
    /// First address, and first address behind, of the readable part of this thread's own stack.
    static OWN: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// The readable part, in whole pages.
#[derive(Clone, Copy)]
pub(crate) struct Stack {
    low: u64,
    high: u64,
}

impl Stack {
    /// The stack on which the caller runs now; `sp` lies on it.
    #[inline(always)]
    pub(crate) fn around(sp: u64) -> Stack {
        let (low, high) = OWN.try_with(Cell::get).unwrap_or((0, 0));
        if low <= sp && sp < high { Stack { low, high } } else { Stack::page(sp) }
    }

    #[cold]
    fn page(sp: u64) -> Stack {
        let low = sp & !(PAGE - 1);
        Stack { low, high: if readable(low) { low.saturating_add(PAGE) } else { low } }
    }

    /// The stack that a signal handler interrupted, perhaps the same.
    pub(crate) fn interrupted(self, sp: u64) -> Stack {
        if self.low <= sp && sp < self.high { self } else { Stack::around(sp) }
    }

    /// The word at `address`; `None` outside the stack.
    #[inline(always)]
    pub(crate) fn read(&mut self, address: u64) -> Option<u64> {
        if address & 7 != 0
            || (address.wrapping_sub(self.low) >= self.high - self.low && !self.reach(address))
        {
            return None;
        }
        // SAFETY: aligned, and inside pages that were found readable on a stack that is in use now.
        Some(unsafe { (address as *const u64).read_volatile() })
    }

    /// Extends the readable part up to `address`.
    #[cold]
    fn reach(&mut self, address: u64) -> bool {
        if address < self.high || address - self.high > MAX_FRAME_BYTES {
            return false;
        }
        let (own_low, own_high) = OWN.try_with(Cell::get).unwrap_or((0, 0));
        let thread = thread_pointer();
        while self.high <= address {
            if self.high == own_low {
                self.high = own_high;
                continue;
            }
            // The thread's control block ends its stack.
            let leaves = self.low < thread && thread <= self.high;
            if leaves || !readable(self.high) {
                return false;
            }
            self.high = self.high.saturating_add(PAGE);
        }
        true
    }

    /// Keeps the range for the thread: the walk has reached its first frame.
    #[inline(always)]
    pub(crate) fn keep(&self) {
        let mine = (self.low, self.high);
        let _gone = OWN.try_with(|own| {
            if own.get() != mine {
                own.set(mine);
            }
        });
    }
}

/// The address of the thread's control block. In all but the first thread it is at the upper end of the
/// stack.
fn thread_pointer() -> u64 {
    let pointer: u64;
    // SAFETY: the word at fs:0 holds its own address, by this machine's rules for thread-local storage.
    unsafe { asm!("mov {}, fs:0", out(reg) pointer, options(nostack, pure, readonly, preserves_flags)) };
    pointer
}

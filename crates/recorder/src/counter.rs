//! One counter of the filter, and the bit that says whether it is above zero.
//!
//! In: what comes and what goes, on any thread and in signal handlers. Out: the bit, which nearly every `free` asks for instead of the
//! counter: eight times as many of them lie in a cache line. What must not happen here: a wait, or a bit that is not set for what
//! was added. `tests/counter_loom.rs` tries the orders of steps.
//!
//! Who takes the last one away clears the bit; until that is done, the counter is closed, and who comes is refused: a sample that is
//! not taken does no harm, one whose death is overlooked seems to live for ever.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use crate::atomics::{AtomicU8, AtomicU64};

/// Bits of a counter.
pub(crate) const BITS: usize = 4;
/// It stays so for ever, and so does its bit.
const FULL: u8 = (1 << BITS) - 1;
/// Its bit is being cleared.
const CLOSED: u8 = FULL - 1;

/// Where a counter and its bit are.
pub(crate) struct Counter<'a> {
    pub(crate) flags: &'a AtomicU64,
    pub(crate) flag: u64,
    pub(crate) counters: &'a AtomicU8,
    pub(crate) shift: usize,
}

impl Counter<'_> {
    /// False if it is refused.
    pub(crate) fn add(&self) -> bool {
        let added = self.change(|count| match count {
            CLOSED => None,
            // The next number means something else.
            count if count + 1 >= CLOSED => Some(FULL),
            count => Some(count + 1),
        });
        let added = added.is_some();
        // Also where others have been counted: they may not have come to this line yet.
        if added && self.flags.load(Relaxed) & self.flag == 0 {
            self.flags.fetch_or(self.flag, Relaxed);
        }
        added
    }

    /// What was added, once.
    pub(crate) fn remove(&self) {
        let left = self.change(|count| match count {
            0 | CLOSED | FULL => None,
            1 => Some(CLOSED),
            count => Some(count - 1),
        });
        if left == Some(CLOSED) {
            self.flags.fetch_and(!self.flag, Relaxed);
            self.change(|_closed| Some(0));
        }
    }

    /// What it is then; `None` if it stays as it is.
    fn change(&self, to: impl Fn(u8) -> Option<u8>) -> Option<u8> {
        let mut all = self.counters.load(Acquire);
        loop {
            let count = to(all >> self.shift & FULL)?;
            let changed = all & !(FULL << self.shift) | count << self.shift;
            match self.counters.compare_exchange(all, changed, AcqRel, Acquire) {
                Ok(_) => return Some(count),
                Err(now) => all = now,
            }
        }
    }
}

//! A block that Python 3.10 frees too early is never given back.
//!
//! At its end, 3.10 frees the main interpreter's state, and a daemon thread that has waited for the GIL since before then
//! looks into it once more: a SIGSEGV, if what is left of the process takes longer than that thread's turn of 5 ms. It
//! happens without us; with us the end takes a little longer, and it would happen more often. So the block stays: the
//! process ends anyway.
//!
//! In: its address, when Python begins to end. Out: whether a `free` is of that block. What must not happen here: a cost for
//! other calls of `free`. The filter lets the address through, as if it were a sample.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use crate::filter::FILTER;

/// 0: none.
static SPARED: AtomicUsize = AtomicUsize::new(0);

/// This block stays, if there is one.
pub(crate) fn spare(address: usize) {
    if address != 0 && SPARED.swap(address, Relaxed) != address {
        // Refused only while another thread takes the last one out of the same counter.
        let _let_through = (0..1000).any(|_| FILTER.add_trial(address));
    }
}

/// Whether a block stays.
pub(crate) fn is_any() -> bool {
    SPARED.load(Relaxed) != 0
}

/// A block that the filter lets through is about to be freed: it is the one that stays.
pub(crate) fn is_spared(address: usize) -> bool {
    address != 0 && SPARED.load(Relaxed) == address
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It stays in the filter of the process, in a counter that no other test asks for.
    const BLOCK: usize = 0xf_ff00;

    #[test]
    fn one_block_stays_and_the_filter_lets_it_through() {
        assert!(!is_spared(0));
        assert!(!is_spared(BLOCK));
        spare(BLOCK);
        spare(BLOCK);
        assert!(is_spared(BLOCK) && FILTER.may_hold(BLOCK));
        assert!(!is_spared(0x1234_5680));
    }
}

//! Which addresses cannot be samples: a counting filter, one byte per 65,536th of the addresses.
//!
//! In: addresses. Out: "surely not" or "perhaps". This is all that most calls of `free` meet: one load. What must not
//! happen here: "surely not" for an address that is a sample. A counter that is full stays full.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

const SIZE: usize = 1 << 16;
const FULL: u8 = u8::MAX;

pub(crate) struct Filter([AtomicU8; SIZE]);

/// The filter of the process. Not behind the recorder's pointer: each `free` looks at it.
pub(crate) static FILTER: Filter = Filter::new();

impl Filter {
    #[allow(clippy::large_stack_arrays, reason = "made at compile time")]
    pub(crate) const fn new() -> Self {
        Self([const { AtomicU8::new(0) }; SIZE])
    }

    #[inline(always)]
    fn counter(&self, address: usize) -> &AtomicU8 {
        // Neighbours in the heap are neighbours here: what the program frees together costs few cache lines.
        let hash = (address >> 4 ^ address >> 20) as u16;
        // 16 bits: always inside.
        self.0.get(usize::from(hash)).unwrap_or(&self.0[0])
    }

    #[inline(always)]
    pub(crate) fn may_hold(&self, address: usize) -> bool {
        self.counter(address).load(Relaxed) != 0
    }

    pub(crate) fn add(&self, address: usize) {
        let _full = self.counter(address).try_update(Relaxed, Relaxed, |count| count.checked_add(1));
    }

    pub(crate) fn remove(&self, address: usize) {
        let _full_or_empty = self.counter(address).try_update(Relaxed, Relaxed, |count| match count {
            0 | FULL => None,
            count => Some(count - 1),
        });
    }

    /// For a forked child, which follows none of the parent's samples.
    pub(crate) fn clear(&self) {
        for counter in &self.0 {
            // Pages that are shared with the parent are copied when they are written.
            if counter.load(Relaxed) != 0 {
                counter.store(0, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "an array of 64 KiB is slow there")]
    fn holds_what_was_added_until_it_is_removed() {
        let filter = Filter::new();
        let addresses = (1..2000_usize).map(|n| 0x7f00_0000_0000 + n * 48);
        addresses.clone().for_each(|address| filter.add(address));
        assert!(addresses.clone().all(|address| filter.may_hold(address)));
        addresses.clone().for_each(|address| filter.remove(address));
        assert!(!addresses.clone().any(|address| filter.may_hold(address)));
        filter.add(64);
        filter.clear();
        assert!(!filter.may_hold(64));
    }

    #[test]
    #[cfg_attr(miri, ignore = "an array of 64 KiB is slow there")]
    fn a_full_counter_never_says_surely_not() {
        let filter = Filter::new();
        (0..300).for_each(|_| filter.add(4096));
        (0..300).for_each(|_| filter.remove(4096));
        assert!(filter.may_hold(4096));
    }
}

//! Which addresses cannot be samples: a counting filter, a bit and a counter for each 65,536th of the addresses.
//!
//! In: addresses. Out: "surely not" or "perhaps". This is all that most calls of `free` meet: one load of one bit. They are packed, as waiting
//! for that load is most of what it costs. Counters of two bits would be full within minutes. What must not happen here: "surely
//! not" for an address that is a sample. A counter that is full stays full.
//!
//! Trials are many and die fast, samples are few: whether an address that got "perhaps" is in the table of samples is asked of a second
//! set of counters, in which only those count and addresses that meet in the first lie apart.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU64};

use crate::counter::{BITS, Counter};
use crate::pages::prefetch;

const COUNTERS: usize = 1 << 16;
const IN_BYTE: usize = 8 / BITS;
const IN_WORD: usize = 64;

struct Set {
    flags: [AtomicU64; COUNTERS / IN_WORD],
    counters: [AtomicU8; COUNTERS / IN_BYTE],
}

/// The flags that `free` asks for lie in two pages.
#[repr(C, align(4096))]
pub(crate) struct Filter {
    all: Set,
    samples: Set,
}

/// The filter of the process. Not behind the recorder's pointer: each `free` looks at it.
pub(crate) static FILTER: Filter = Filter::new();

impl Filter {
    pub(crate) const fn new() -> Self {
        Self { all: Set::new(), samples: Set::new() }
    }

    /// All that most calls of `free` ask.
    #[inline(always)]
    pub(crate) fn may_hold(&self, address: usize) -> bool {
        // Neighbours in the heap are neighbours here: what the program frees together costs few cache lines.
        self.all.has(near(address))
    }

    /// What counts this address.
    #[inline]
    pub(crate) fn prefetch(&self, address: usize) {
        self.all.prefetch(near(address));
    }

    /// The same of samples alone, for those who got "perhaps".
    pub(crate) fn may_hold_sample(&self, address: usize) -> bool {
        self.samples.has(apart(address))
    }

    /// False if it cannot be followed at this moment.
    pub(crate) fn add_sample(&self, address: usize) -> bool {
        if !self.samples.counter(apart(address)).add() {
            return false;
        }
        let added = self.all.counter(near(address)).add();
        if !added {
            self.samples.counter(apart(address)).remove();
        }
        added
    }

    pub(crate) fn remove_sample(&self, address: usize) {
        self.all.counter(near(address)).remove();
        self.samples.counter(apart(address)).remove();
    }

    /// False if it cannot be followed at this moment.
    pub(crate) fn add_trial(&self, address: usize) -> bool {
        self.all.counter(near(address)).add()
    }

    pub(crate) fn remove_trial(&self, address: usize) {
        self.all.counter(near(address)).remove();
    }

    /// For a forked child, which follows none of the parent's samples.
    pub(crate) fn clear(&self) {
        self.all.clear();
        self.samples.clear();
    }
}

impl Set {
    #[allow(clippy::large_stack_arrays, reason = "made at compile time")]
    const fn new() -> Self {
        Self {
            flags: [const { AtomicU64::new(0) }; COUNTERS / IN_WORD],
            counters: [const { AtomicU8::new(0) }; COUNTERS / IN_BYTE],
        }
    }

    #[inline(always)]
    fn has(&self, hash: u16) -> bool {
        let hash = usize::from(hash);
        // 16 bits: always inside.
        self.flags.get(hash / IN_WORD).is_some_and(|flags| flags.load(Relaxed) >> (hash % IN_WORD) & 1 != 0)
    }

    #[inline]
    fn prefetch(&self, hash: u16) {
        prefetch(self.counters.get(usize::from(hash) / IN_BYTE));
        prefetch(self.flags.get(usize::from(hash) / IN_WORD));
    }

    fn counter(&self, hash: u16) -> Counter<'_> {
        let hash = usize::from(hash);
        Counter {
            flags: self.flags.get(hash / IN_WORD).unwrap_or(&self.flags[0]),
            flag: 1 << (hash % IN_WORD),
            counters: self.counters.get(hash / IN_BYTE).unwrap_or(&self.counters[0]),
            shift: hash % IN_BYTE * BITS,
        }
    }

    /// Pages that are shared with a parent are copied when they are written.
    fn clear(&self) {
        self.flags.iter().filter(|flags| flags.load(Relaxed) != 0).for_each(|flags| flags.store(0, Relaxed));
        self.counters
            .iter()
            .filter(|count| count.load(Relaxed) != 0)
            .for_each(|count| count.store(0, Relaxed));
    }
}

#[inline(always)]
fn near(address: usize) -> u16 {
    (address >> 4 ^ address >> 20) as u16
}

fn apart(address: usize) -> u16 {
    ((address >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "an array of 64 KiB is slow there")]
    fn holds_what_was_added_until_it_is_removed() {
        let filter = Filter::new();
        let addresses = (1..2000_usize).map(|n| 0x7f00_0000_0000 + n * 48);
        assert!(addresses.clone().all(|address| filter.add_sample(address)));
        assert!(addresses.clone().all(|address| filter.may_hold(address) && filter.may_hold_sample(address)));
        addresses.clone().for_each(|address| filter.remove_sample(address));
        let is_held = |address: &usize| filter.may_hold(*address);
        let is_sample = |address: &usize| filter.may_hold_sample(*address);
        assert_eq!(addresses.clone().filter(is_held).count(), 0);
        assert_eq!(addresses.clone().filter(is_sample).count(), 0);
        filter.add_sample(64);
        filter.clear();
        assert!(!filter.may_hold(64) && !filter.may_hold_sample(64));
    }

    #[test]
    #[cfg_attr(miri, ignore = "an array of 64 KiB is slow there")]
    fn a_full_counter_never_says_surely_not() {
        let filter = Filter::new();
        assert!((0..300).all(|_| filter.add_sample(4096)));
        (0..300).for_each(|_| filter.remove_sample(4096));
        assert!(filter.may_hold(4096) && filter.may_hold_sample(4096));
    }

    #[test]
    fn what_meets_here_does_not_meet_among_samples_and_trials_are_none() {
        let filter = Filter::new();
        let sample = 0x7f00_1234_5670;
        filter.add_sample(sample);
        // A mebibyte and 16 bytes away: the same first counter.
        let others = (1..64).map(|n| sample + n * ((1 << 20) + 16)).filter(|other| filter.may_hold(*other));
        let others: Vec<usize> = others.collect();
        assert!(others.len() > 8, "{}", others.len());
        assert!(others.iter().all(|other| !filter.may_hold_sample(*other)));
        filter.add_trial(64);
        assert!(filter.may_hold(64) && !filter.may_hold_sample(64));
        filter.remove_trial(64);
        assert!(!filter.may_hold(64));
    }
}

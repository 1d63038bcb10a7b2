//! Which addresses cannot be samples: a counting filter, four bits per 65,536th of the addresses.
//!
//! In: addresses. Out: "surely not" or "perhaps". This is all that most calls of `free` meet: one load. Counters are small because waiting
//! for that load is most of what it costs; of two bits, they would be full within minutes. What must not happen here: "surely
//! not" for an address that is a sample. A counter that is full stays full.
//!
//! Trials are many and die fast, samples are few: whether an address that got "perhaps" is in the table of samples is asked of a second
//! set of counters, in which only those count and addresses that meet in the first lie apart.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

/// Counters of a byte, and the bits of one.
const IN_BYTE: usize = 2;
const BITS: usize = 8 / IN_BYTE;
const SIZE: usize = (1 << 16) / IN_BYTE;
const FULL: u8 = (1 << BITS) - 1;

type Counters = [AtomicU8; SIZE];

pub(crate) struct Filter {
    all: Counters,
    samples: Counters,
}

/// The filter of the process. Not behind the recorder's pointer: each `free` looks at it.
pub(crate) static FILTER: Filter = Filter::new();

impl Filter {
    #[allow(clippy::large_stack_arrays, reason = "made at compile time")]
    pub(crate) const fn new() -> Self {
        Self { all: [const { AtomicU8::new(0) }; SIZE], samples: [const { AtomicU8::new(0) }; SIZE] }
    }

    /// All that most calls of `free` ask.
    #[inline(always)]
    pub(crate) fn may_hold(&self, address: usize) -> bool {
        // Neighbours in the heap are neighbours here: what the program frees together costs few cache lines.
        count(&self.all, near(address)) != 0
    }

    /// The same of samples alone, for those who got "perhaps".
    pub(crate) fn may_hold_sample(&self, address: usize) -> bool {
        count(&self.samples, apart(address)) != 0
    }

    pub(crate) fn add_sample(&self, address: usize) {
        update(&self.samples, apart(address), more);
        update(&self.all, near(address), more);
    }

    pub(crate) fn remove_sample(&self, address: usize) {
        update(&self.all, near(address), less);
        update(&self.samples, apart(address), less);
    }

    pub(crate) fn add_trial(&self, address: usize) {
        update(&self.all, near(address), more);
    }

    pub(crate) fn remove_trial(&self, address: usize) {
        update(&self.all, near(address), less);
    }

    /// For a forked child, which follows none of the parent's samples.
    pub(crate) fn clear(&self) {
        for counters in self.all.iter().chain(&self.samples) {
            // Pages that are shared with the parent are copied when they are written.
            if counters.load(Relaxed) != 0 {
                counters.store(0, Relaxed);
            }
        }
    }
}

#[inline(always)]
fn near(address: usize) -> u16 {
    (address >> 4 ^ address >> 20) as u16
}

fn apart(address: usize) -> u16 {
    ((address >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as u16
}

fn more(count: u8) -> Option<u8> {
    (count != FULL).then_some(count + 1)
}

fn less(count: u8) -> Option<u8> {
    (count != 0 && count != FULL).then(|| count - 1)
}

/// The byte with a counter, and how far to the left it is there.
#[inline(always)]
fn counter(counters: &Counters, hash: u16) -> (&AtomicU8, usize) {
    let hash = usize::from(hash);
    // 16 bits: always inside.
    (counters.get(hash / IN_BYTE).unwrap_or(&counters[0]), hash % IN_BYTE * BITS)
}

#[inline(always)]
fn count(counters: &Counters, hash: u16) -> u8 {
    let (byte, shift) = counter(counters, hash);
    byte.load(Relaxed) >> shift & FULL
}

fn update(counters: &Counters, hash: u16, change: impl Fn(u8) -> Option<u8>) {
    let (byte, shift) = counter(counters, hash);
    let _full_or_empty = byte.try_update(Relaxed, Relaxed, |all| {
        change(all >> shift & FULL).map(|count| all & !(FULL << shift) | count << shift)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "an array of 64 KiB is slow there")]
    fn holds_what_was_added_until_it_is_removed() {
        let filter = Filter::new();
        let addresses = (1..2000_usize).map(|n| 0x7f00_0000_0000 + n * 48);
        addresses.clone().for_each(|address| filter.add_sample(address));
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
        (0..300).for_each(|_| filter.add_sample(4096));
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

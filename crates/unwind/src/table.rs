//! Rules that were needed before, by address: one table for all threads, without locks.
//!
//! A slot is two words written one after the other: the rule, and the address mixed with the rule. Whoever reads
//! words of two different writers mixes out an address that nobody asked for, and takes it as a miss. That holds in any
//! order in which the words become visible, so all accesses are relaxed. The mix is a multiplication by an odd number:
//! with a plain XOR, rules that differ in one bit would turn a torn slot into a neighbouring address.

use crate::rule::Rule;
#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering::Relaxed};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Room for one rule.
#[repr(align(16))]
#[derive(Debug)]
pub(crate) struct Slot {
    mixed: AtomicU64,
    rule: AtomicU64,
}

impl Slot {
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Slot {
        Slot { mixed: AtomicU64::new(0), rule: AtomicU64::new(0) }
    }

    #[cfg(loom)]
    pub(crate) fn new() -> Slot {
        Slot { mixed: AtomicU64::new(0), rule: AtomicU64::new(0) }
    }

    /// The rule of `address`, if it is the one kept here. Address 0 is never asked for: empty slots answer to it.
    #[inline(always)]
    pub(crate) fn get(&self, address: u64) -> Option<Rule> {
        let rule = self.rule.load(Relaxed);
        (self.mixed.load(Relaxed) ^ rule.wrapping_mul(MIX) == address).then_some(Rule(rule))
    }

    pub(crate) fn set(&self, address: u64, rule: Rule) {
        self.rule.store(rule.0, Relaxed);
        self.mixed.store(address ^ rule.0.wrapping_mul(MIX), Relaxed);
    }

    /// The address of the rule that is kept here; 0 if none.
    pub(crate) fn address(&self) -> u64 {
        self.mixed.load(Relaxed) ^ self.rule.load(Relaxed).wrapping_mul(MIX)
    }

    pub(crate) fn clear(&self) {
        self.mixed.store(0, Relaxed);
        self.rule.store(0, Relaxed);
    }
}

/// `N` slots (a power of two, at least 2) in pairs.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    slots: [Slot; N],
}

#[cfg(not(loom))]
impl<const N: usize> Table<N> {
    pub(crate) const fn new() -> Self {
        Table { slots: [const { Slot::new() }; N] }
    }

    #[inline(always)]
    fn pair(&self, address: u64) -> Option<(&Slot, &Slot)> {
        let at = (address.wrapping_mul(MIX) >> (64 - N.trailing_zeros())) as usize;
        Some((self.slots.get(at)?, self.slots.get(at ^ 1)?))
    }

    #[inline(always)]
    pub(crate) fn get(&self, address: u64) -> Option<Rule> {
        let (first, second) = self.pair(address)?;
        first.get(address).or_else(|| second.get(address))
    }

    pub(crate) fn set(&self, address: u64, rule: Rule) {
        let Some((first, second)) = self.pair(address) else { return };
        if first.address() == 0 || first.address() == address || second.address() != 0 {
            // Of a full pair the slot that the address leads to is taken over: pairs are seldom full.
            first.set(address, rule);
        } else {
            second.set(address, rule);
        }
    }

    /// Forgets the rule of one address.
    pub(crate) fn forget_one(&self, address: u64) {
        let Some((first, second)) = self.pair(address) else { return };
        for slot in [first, second] {
            if slot.address() == address {
                slot.clear();
            }
        }
    }

    /// Forgets every rule of addresses in `start..end`.
    pub(crate) fn forget(&self, start: u64, end: u64) {
        for slot in &self.slots {
            if (start..end).contains(&slot.address()) {
                slot.clear();
            }
        }
    }
}

//! From an address to a number: which node stands for the object there.
//!
//! In: addresses of live objects. Out: numbers from 0, in the order of first asking. Open addressing: 8 bytes per node for the
//! address, 8 for each slot. A slot says all that is to be known of its address, so that asking waits for memory once. What
//! must not happen here: reading at an address.

use std::collections::HashMap;

use crate::memory::{in_large_pages, prefetch};

/// A slot: the node's number plus one in the low 24 bits, above it which address that is. Memory that comes zeroed need not
/// be touched before it is used.
const FREE: u64 = 0;
const NUMBER: u32 = 24;
/// The most nodes that slots can number, less what one batch may add.
pub(crate) const MOST: usize = 1 << 23;
/// Addresses are multiples of 8 below 2^47.
const KEY: u32 = 44;
/// An odd number, so that products modulo 2^44 are as different as keys: 2^44 over the golden ratio.
const SPREAD: u64 = 0x09E3_779B_97F5;
/// Steps from the slot where an address belongs to the one where it is, at most.
const FARTHEST: u64 = 256;
/// The fewest slots, as a power of two: then the rest of a key and the step fit above the number.
const SMALLEST: u32 = 12;

/// The nodes of a graph by address.
#[derive(Debug)]
pub(crate) struct Table {
    addresses: Vec<u64>,
    slots: Vec<u64>,
    bits: u32,
    /// Those that found no slot near enough: none, but for addresses that somebody chose for it.
    crowd: HashMap<u64, u32>,
}

/// Where an address is or would go.
enum Found {
    Node(u32),
    /// What the slot has to say, but for the number.
    Free(usize, u64),
    /// Too far away.
    Nowhere,
}

impl Table {
    /// With room for so many before it has to grow.
    pub(crate) fn with_capacity(nodes: usize) -> Table {
        let slots = nodes.saturating_mul(2).clamp(1 << SMALLEST, 1 << 30).next_power_of_two();
        let table = vec![FREE; slots];
        in_large_pages(&table);
        Table {
            addresses: Vec::with_capacity(nodes),
            slots: table,
            bits: slots.trailing_zeros(),
            crowd: HashMap::new(),
        }
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.addresses.len()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// The address of a node.
    #[inline]
    pub(crate) fn address(&self, node: u32) -> Option<u64> {
        self.addresses.get(node as usize).copied()
    }

    /// The node at an address, a new one if there was none: its number, and whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, address: u64) -> (u32, bool) {
        if self.addresses.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let node = self.addresses.len() as u32;
        match self.find(address) {
            Found::Node(node) => return (node, false),
            Found::Free(slot, tag) => self.take(slot, tag, node),
            Found::Nowhere => {
                if let Some(node) = self.crowd.get(&address) {
                    return (*node, false);
                }
                self.crowd.insert(address, node);
            }
        }
        self.addresses.push(address);
        (node, true)
    }

    /// The node at an address.
    pub(crate) fn get(&self, address: u64) -> Option<u32> {
        match self.find(address) {
            Found::Node(node) => Some(node),
            Found::Free(..) => None,
            Found::Nowhere => self.crowd.get(&address).copied(),
        }
    }

    /// Asks for the memory that [`Table::insert`] of an address will look at.
    #[inline]
    pub(crate) fn expect(&self, address: u64) {
        if let Some(slot) = self.slots.get(self.place(address).0) {
            prefetch(std::ptr::from_ref(slot) as u64);
        }
    }

    /// Gives the slots back; from now on only [`Table::address`] is asked.
    pub(crate) fn close(&mut self) {
        (self.slots, self.bits) = (vec![FREE; 1 << SMALLEST], SMALLEST);
    }

    /// The slot where an address belongs, and what is left of it then.
    #[inline]
    fn place(&self, address: u64) -> (usize, u64) {
        let key = (address >> 3).wrapping_mul(SPREAD) & ((1 << KEY) - 1);
        let rest = KEY - self.bits;
        ((key >> rest) as usize, key & ((1 << rest) - 1))
    }

    #[inline]
    fn find(&self, address: u64) -> Found {
        let mask = self.slots.len() - 1;
        let (home, rest) = self.place(address);
        for step in 0..FARTHEST {
            let slot = (home + step as usize) & mask;
            let tag = (rest << 8 | step) << NUMBER;
            match self.slots.get(slot) {
                Some(&FREE) => return Found::Free(slot, tag),
                Some(&taken) if taken >> NUMBER == tag >> NUMBER => {
                    return Found::Node((taken & ((1 << NUMBER) - 1)) as u32 - 1);
                }
                _ => {}
            }
        }
        Found::Nowhere
    }

    #[inline]
    fn take(&mut self, slot: usize, tag: u64, node: u32) {
        if let Some(free) = self.slots.get_mut(slot) {
            *free = tag | (u64::from(node) + 1);
        }
    }

    fn grow(&mut self) {
        self.bits += 1;
        self.slots = Vec::new(); // the old slots go before the new ones come
        self.slots = vec![FREE; 1 << self.bits];
        self.crowd.clear();
        for node in 0..self.addresses.len() {
            let Some(address) = self.addresses.get(node).copied() else { return };
            match self.find(address) {
                Found::Free(slot, tag) => self.take(slot, tag, node as u32),
                Found::Nowhere | Found::Node(_) => {
                    self.crowd.insert(address, node as u32);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_same_address_is_the_same_node() {
        let mut table = Table::with_capacity(0);
        assert!(table.is_empty());
        assert_eq!(table.insert(0x10), (0, true));
        assert_eq!(table.insert(0x20), (1, true));
        assert_eq!(table.insert(0x10), (0, false));
        assert_eq!((table.get(0x20), table.get(0x30)), (Some(1), None));
        assert_eq!((table.address(1), table.address(2)), (Some(0x20), None));
        table.close();
        assert_eq!((table.address(1), table.len()), (Some(0x20), 2));
    }

    #[test]
    fn addresses_that_want_the_same_slot() {
        // Keys that the product maps to one run of slots: multiples of its inverse modulo 2^44.
        let mut inverse = 1_u64;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(SPREAD.wrapping_mul(inverse)));
        }
        let crowd = |number: u64| (inverse.wrapping_mul(number) & ((1 << KEY) - 1)) << 3;
        let mut table = Table::with_capacity(0);
        for number in 0..1000 {
            assert_eq!(table.insert(crowd(number)), (number as u32, true));
        }
        for number in 0..1000 {
            assert_eq!(table.get(crowd(number)), Some(number as u32));
        }
        assert_eq!(table.get(crowd(1000)), None);
    }

    #[test]
    fn addresses_far_apart_stay_apart_when_the_table_grows() {
        let mut table = Table::with_capacity(0);
        // An odd multiplier modulo 2^44: all keys differ.
        let address = |number: u64| (number.wrapping_mul(0x0d_1b54_a32d_192e | 1) & ((1 << KEY) - 1)) << 3;
        for number in 0..20_000 {
            assert_eq!(table.insert(address(number)), (number as u32, true));
        }
        for number in 0..40_000 {
            assert_eq!(table.get(address(number)), (number < 20_000).then_some(number as u32));
        }
    }

    proptest! {
        #[test]
        fn as_a_hash_map(addresses in prop::collection::vec(0_u64..400, 0..2000)) {
            let mut table = Table::with_capacity(4);
            let mut slow = HashMap::new();
            for address in addresses {
                let next = slow.len() as u32;
                let expected = *slow.entry(address * 16).or_insert(next);
                prop_assert_eq!(table.insert(address * 16), (expected, expected == next && slow.len() as u32 > next));
            }
            for address in (0..6400).step_by(16) {
                prop_assert_eq!(table.get(address), slow.get(&address).copied());
            }
            prop_assert_eq!(table.len(), slow.len());
        }
    }
}

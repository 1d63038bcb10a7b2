//! From an address to the number of the node for the object there.
//!
//! In: addresses of live objects. Out: numbers from 0, in the order of insertion. Open addressing: 8 bytes
//! per node for the address, 8 per slot. A slot alone identifies its address, so that a lookup waits for
//! memory once. What must not happen here: a read at an address.

use std::collections::HashMap;

use crate::memory::{in_large_pages, prefetch};

/// A slot: the node's number plus one in the low 24 bits, the rest of the key above. Zeroed memory need not
/// be touched before it is used.
const FREE: u64 = 0;
const NUMBER_BITS: u32 = 24;
/// Slots can number this many nodes, with room left for one batch.
pub(crate) const MAX_NODES: usize = 1 << 23;
/// Addresses are multiples of 8 below 2^47.
const KEY_BITS: u32 = 44;
/// 2^44 over the golden ratio, made odd: so products modulo 2^44 are as distinct as the keys.
const HASH_MULTIPLIER: u64 = 0x09E3_779B_97F5;
/// Longest probe from an address's home slot.
const MAX_PROBES: u64 = 256;
/// Least number of slots, as a power of two: below it the rest of a key and the step would not fit above the
/// number.
const MIN_SLOT_BITS: u32 = 12;

/// The nodes of a graph by address.
#[derive(Debug)]
pub(crate) struct NodeTable {
    addresses: Vec<u64>,
    slots: Vec<u64>,
    bits: u32,
    /// Addresses whose probe found no free slot: none, unless somebody chose the addresses for that.
    overflow: HashMap<u64, u32>,
}

/// The result of a probe.
enum Lookup {
    Node(u32),
    /// A free slot, and its content without the number.
    Free(usize, u64),
    /// Neither the address nor a free slot within [`MAX_PROBES`].
    TooFar,
}

impl NodeTable {
    /// With capacity for this many nodes before it must grow.
    pub(crate) fn with_capacity(nodes: usize) -> NodeTable {
        let slots = nodes.saturating_mul(2).clamp(1 << MIN_SLOT_BITS, 1 << 30).next_power_of_two();
        let table = vec![FREE; slots];
        in_large_pages(&table);
        NodeTable {
            addresses: Vec::with_capacity(nodes),
            slots: table,
            bits: slots.trailing_zeros(),
            overflow: HashMap::new(),
        }
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.addresses.len()
    }

    /// The address of a node.
    #[inline]
    pub(crate) fn address(&self, node: u32) -> Option<u64> {
        self.addresses.get(node as usize).copied()
    }

    /// The node at an address: its number, and whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, address: u64) -> (u32, bool) {
        if self.addresses.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let node = self.addresses.len() as u32;
        match self.find(address) {
            Lookup::Node(node) => return (node, false),
            Lookup::Free(slot, tag) => self.take(slot, tag, node),
            Lookup::TooFar => {
                if let Some(node) = self.overflow.get(&address) {
                    return (*node, false);
                }
                self.overflow.insert(address, node);
            }
        }
        self.addresses.push(address);
        (node, true)
    }

    /// The node at an address.
    pub(crate) fn get(&self, address: u64) -> Option<u32> {
        match self.find(address) {
            Lookup::Node(node) => Some(node),
            Lookup::Free(..) => None,
            Lookup::TooFar => self.overflow.get(&address).copied(),
        }
    }

    /// Prefetches the slot that [`NodeTable::insert`] of an address will read.
    #[inline]
    pub(crate) fn prefetch_slot(&self, address: u64) {
        if let Some(slot) = self.slots.get(self.home(address).0) {
            prefetch(std::ptr::from_ref(slot) as u64);
        }
    }

    /// Frees the slots; from now on only [`NodeTable::address`] may be called.
    pub(crate) fn free_slots(&mut self) {
        (self.slots, self.bits) = (vec![FREE; 1 << MIN_SLOT_BITS], MIN_SLOT_BITS);
    }

    /// The home slot of an address, and the rest of its key.
    #[inline]
    fn home(&self, address: u64) -> (usize, u64) {
        let key = (address >> 3).wrapping_mul(HASH_MULTIPLIER) & ((1 << KEY_BITS) - 1);
        let rest = KEY_BITS - self.bits;
        ((key >> rest) as usize, key & ((1 << rest) - 1))
    }

    #[inline]
    fn find(&self, address: u64) -> Lookup {
        let mask = self.slots.len() - 1;
        let (home, rest) = self.home(address);
        for step in 0..MAX_PROBES {
            let slot = (home + step as usize) & mask;
            let tag = (rest << 8 | step) << NUMBER_BITS;
            match self.slots.get(slot) {
                Some(&FREE) => return Lookup::Free(slot, tag),
                Some(&taken) if taken >> NUMBER_BITS == tag >> NUMBER_BITS => {
                    return Lookup::Node((taken & ((1 << NUMBER_BITS) - 1)) as u32 - 1);
                }
                _ => {}
            }
        }
        Lookup::TooFar
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
        self.overflow.clear();
        for node in 0..self.addresses.len() {
            let Some(address) = self.addresses.get(node).copied() else { return };
            match self.find(address) {
                Lookup::Free(slot, tag) => self.take(slot, tag, node as u32),
                Lookup::TooFar | Lookup::Node(_) => {
                    self.overflow.insert(address, node as u32);
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
        let mut table = NodeTable::with_capacity(0);
        assert_eq!(table.len(), 0);
        assert_eq!(table.insert(0x10), (0, true));
        assert_eq!(table.insert(0x20), (1, true));
        assert_eq!(table.insert(0x10), (0, false));
        assert_eq!((table.get(0x20), table.get(0x30)), (Some(1), None));
        assert_eq!((table.address(1), table.address(2)), (Some(0x20), None));
        table.free_slots();
        assert_eq!((table.address(1), table.len()), (Some(0x20), 2));
    }

    #[test]
    fn addresses_that_want_the_same_slot() {
        // Keys that hash to one run of slots: multiples of the multiplier's inverse modulo 2^44.
        let mut inverse = 1_u64;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(HASH_MULTIPLIER.wrapping_mul(inverse)));
        }
        let overflow = |number: u64| (inverse.wrapping_mul(number) & ((1 << KEY_BITS) - 1)) << 3;
        let mut table = NodeTable::with_capacity(0);
        for number in 0..1000 {
            assert_eq!(table.insert(overflow(number)), (number as u32, true));
        }
        for number in 0..1000 {
            assert_eq!(table.get(overflow(number)), Some(number as u32));
        }
        assert_eq!(table.get(overflow(1000)), None);
    }

    #[test]
    fn addresses_far_apart_stay_apart_when_the_table_grows() {
        let mut table = NodeTable::with_capacity(0);
        // An odd multiplier modulo 2^44: all keys differ.
        let address =
            |number: u64| (number.wrapping_mul(0x0d_1b54_a32d_192e | 1) & ((1 << KEY_BITS) - 1)) << 3;
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
            let mut table = NodeTable::with_capacity(4);
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

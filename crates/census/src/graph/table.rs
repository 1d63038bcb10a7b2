//! From an address to a number: which node stands for the object there.
//!
//! In: addresses of live objects. Out: numbers from 0, in the order of first asking. Open addressing over `u32` slots: 8 bytes
//! per node for the address, 8 to 16 for the slots. What must not happen here: reading at an address.

use crate::memory::prefetch;

/// A slot holds a node's number plus one: memory that comes zeroed need not be touched before it is used.
const FREE: u32 = 0;
/// 2^64 over the golden ratio: neighbours in memory spread over the table.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The nodes of a graph by address.
#[derive(Debug)]
pub(crate) struct Table {
    addresses: Vec<u64>,
    slots: Vec<u32>,
    shift: u32,
}

impl Table {
    /// With room for so many before it has to grow.
    pub(crate) fn with_capacity(nodes: usize) -> Table {
        let bits = nodes.saturating_mul(2).clamp(64, 1 << 31).next_power_of_two().trailing_zeros();
        Table { addresses: Vec::with_capacity(nodes), slots: vec![FREE; 1 << bits], shift: 64 - bits }
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
    pub(crate) fn address(&self, node: u32) -> Option<u64> {
        self.addresses.get(node as usize).copied()
    }

    /// The node at an address, a new one if there was none: its number, and whether it is new.
    pub(crate) fn insert(&mut self, address: u64) -> (u32, bool) {
        if self.addresses.len() * 2 >= self.slots.len() {
            self.grow();
        }
        match self.slot(address) {
            (_, Some(node)) => (node, false),
            (slot, None) => {
                let node = self.addresses.len() as u32;
                self.addresses.push(address);
                if let Some(free) = self.slots.get_mut(slot) {
                    *free = node + 1;
                }
                (node, true)
            }
        }
    }

    /// The node at an address.
    pub(crate) fn get(&self, address: u64) -> Option<u32> {
        self.slot(address).1
    }

    /// Asks for the memory that [`Table::insert`] of an address will look at first.
    pub(crate) fn expect(&self, address: u64) {
        if let Some(slot) = self.slots.get(((address >> 3).wrapping_mul(SPREAD) >> self.shift) as usize) {
            prefetch(std::ptr::from_ref(slot) as u64);
        }
    }

    /// Asks for what it will look at next, given that the first has come.
    pub(crate) fn expect_address(&self, address: u64) {
        let slot = self.slots.get(((address >> 3).wrapping_mul(SPREAD) >> self.shift) as usize);
        if let Some(known) = slot.and_then(|taken| self.addresses.get((*taken as usize).wrapping_sub(1))) {
            prefetch(std::ptr::from_ref(known) as u64);
        }
    }

    /// The slot where an address is, with its node, or where it would go. Half of the slots are free, so there is an end.
    fn slot(&self, address: u64) -> (usize, Option<u32>) {
        let mask = self.slots.len() - 1;
        let mut slot = ((address >> 3).wrapping_mul(SPREAD) >> self.shift) as usize;
        loop {
            match self.slots.get(slot) {
                Some(&taken) if taken != FREE => {
                    let node = taken - 1;
                    if self.addresses.get(node as usize) == Some(&address) {
                        return (slot, Some(node));
                    }
                }
                _ => return (slot, None),
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        self.shift -= 1;
        self.slots = Vec::new(); // the old slots go before the new ones come
        self.slots = vec![FREE; 1 << (64 - self.shift)];
        for node in 0..self.addresses.len() {
            let (slot, _) = self.addresses.get(node).map_or((0, None), |address| self.slot(*address));
            if let Some(free) = self.slots.get_mut(slot) {
                *free = node as u32 + 1;
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
    }

    proptest! {
        #[test]
        fn as_a_hash_map(addresses in prop::collection::vec(0_u64..400, 0..2000)) {
            let mut table = Table::with_capacity(4);
            let mut slow = std::collections::HashMap::new();
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

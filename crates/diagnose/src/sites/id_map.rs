//! Maps by the numbers that a recorder gives: ids of samples, stacks, code and texts, addresses of code.
//!
//! In and out: as any map. There are a hundred thousand of them in a capture, and a report looks each up several times. What must
//! not happen here: names as keys, which a stranger may choose.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by id.
pub(crate) type ById<V> = HashMap<u64, V, BuildHasherDefault<Spread>>;

/// Spreads ids over a table. They count from 1, and who could choose them to lie badly would slow down the report of its own run.
#[derive(Debug, Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, id: u64) {
        // The golden ratio, as a fraction of 2^64; its product's high bits depend on all bits of the id.
        let product = u128::from(self.0 ^ id) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

//! Stacks that were seen before: most are, so most need no lock.
//!
//! In: the hash of a whole stack. Out: its innermost node. One place per hash, the last one wins. A place that two
//! threads write at once does not fit together and is not believed.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Release};

use crate::pages::Pages;

const PLACES: usize = 1 << 13;

pub(crate) struct StackCache(Pages<[AtomicU64; 2]>);

impl StackCache {
    pub(crate) fn new() -> Option<Self> {
        Pages::new(PLACES).map(Self)
    }

    pub(crate) fn get(&self, hash: u64) -> Option<u64> {
        let [key, node] = self.place(hash)?;
        let node = node.load(Acquire);
        (node != 0 && key.load(Acquire) == hash ^ node).then_some(node)
    }

    pub(crate) fn set(&self, hash: u64, node: u64) {
        if let Some([key, place]) = self.place(hash) {
            key.store(hash ^ node, Release);
            place.store(node, Release);
        }
    }

    fn place(&self, hash: u64) -> Option<&[AtomicU64; 2]> {
        self.0.all().get(hash as usize & (PLACES - 1))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn the_last_one_is_known() {
        let seen = StackCache::new().unwrap();
        assert_eq!(seen.get(77), None);
        seen.set(77, 5);
        assert_eq!((seen.get(77), seen.get(77 + PLACES as u64)), (Some(5), None));
        seen.set(77 + PLACES as u64, 6);
        assert_eq!((seen.get(77), seen.get(77 + PLACES as u64)), (None, Some(6)));
    }
}

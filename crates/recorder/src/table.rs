//! Which sample lies at an address: a table without locks.
//!
//! In: an address that a sample was given, or that is given back. Out: the sample's id. An address belongs to one owner
//! at a time, who makes it known by passing it on, so that its birth and its death never meet; different addresses may
//! meet in a bucket. Nothing is moved and nothing is left behind: an address may lie in one of two buckets of each level,
//! in any of eight places. A death is therefore found without waiting, also in a signal handler and after a fork.
//!
//! What must not happen here: an address that is in the table and not found. One for which there is no place is refused.

use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::bucket::{put, take, taken};
use crate::pages::Pages;

/// Places of a bucket: two cache lines.
const PLACES: usize = 8;
/// Buckets of the levels: 8,192, 65,536 and 262,144 places, of 16 bytes each.
const BUCKETS: [usize; 3] = if cfg!(miri) { [2, 1 << 4, 1 << 8] } else { [1 << 10, 1 << 13, 1 << 15] };

/// Address and id, one after the other.
type Bucket = [[AtomicU64; 2]; PLACES];

struct Level {
    used: AtomicBool,
    buckets: Pages<Bucket>,
}

pub(crate) struct Table([Level; 3]);

impl Table {
    /// `None` if there is no memory. What it takes is address space until it is used.
    pub(crate) fn new() -> Option<Self> {
        let level = |count| Some(Level { used: AtomicBool::new(false), buckets: Pages::new(count)? });
        let [first, second, third] = BUCKETS;
        Some(Self([level(first)?, level(second)?, level(third)?]))
    }

    /// False if there is no place for it.
    pub(crate) fn insert(&self, address: u64, id: u64) -> bool {
        address != 0 && self.0.iter().any(|level| level.insert(address, id))
    }

    /// Takes the address out; the id that it had.
    pub(crate) fn remove(&self, address: u64) -> Option<u64> {
        // `free` is called with null, and an empty place holds a zero.
        if address == 0 {
            return None;
        }
        self.0.iter().filter(|level| level.used.load(Relaxed)).find_map(|level| level.remove(address))
    }
}

impl Table {
    /// Every address that is in the table, with its id. Those that come or go meanwhile may be seen or not.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(u64, u64)) {
        let used = self.0.iter().filter(|level| level.used.load(Relaxed));
        for [address, id] in used.flat_map(|level| level.buckets.all()).flatten() {
            let at = address.load(Acquire);
            let id = id.load(Relaxed);
            // The id of a place that is just being taken may still be that of a sample which died there.
            if at != 0 {
                visit(at, id);
            }
        }
    }
}

impl Level {
    fn insert(&self, address: u64, id: u64) -> bool {
        let (one, other) = self.pair(address);
        // The emptier of two keeps both from running full: nine of ten places can be used.
        let (first, second) = if taken(one) <= taken(other) { (one, other) } else { (other, one) };
        let done = put(first, address, id) || put(second, address, id);
        if done && !self.used.load(Relaxed) {
            // Who passes the address on passes this on with it.
            self.used.store(true, Relaxed);
        }
        done
    }

    fn remove(&self, address: u64) -> Option<u64> {
        let (one, other) = self.pair(address);
        take(one, address).or_else(|| take(other, address))
    }

    fn pair(&self, address: u64) -> (&[[AtomicU64; 2]], &[[AtomicU64; 2]]) {
        let hash = (address >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let buckets = self.buckets.all();
        let mask = buckets.len().wrapping_sub(1);
        let bucket = |hash: u64| buckets.get(hash as usize & mask).map_or(&[][..], |bucket| &bucket[..]);
        (bucket(hash >> 40), bucket(hash >> 16))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;
    use std::collections::HashMap;

    fn places() -> usize {
        BUCKETS.iter().sum::<usize>() * PLACES
    }

    #[test]
    fn finds_what_it_holds_and_nothing_else() {
        let table = Table::new().unwrap();
        let mut model = HashMap::new();
        let mut x = 1_u64;
        let rounds = if cfg!(miri) { 2000 } else { 400_000 };
        for id in 1..rounds {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let address = 0x7f00_0000_0000 + (x >> 48) * 16;
            match model.remove(&address) {
                Some(known) => assert_eq!(table.remove(address), Some(known)),
                None if x & 4 == 0 => assert_eq!(table.remove(address), None),
                None => {
                    assert!(table.insert(address, id));
                    model.insert(address, id);
                }
            }
        }
        assert!(model.into_iter().all(|(address, id)| table.remove(address) == Some(id)));
    }

    #[test]
    fn every_sample_is_visited_once() {
        let table = Table::new().unwrap();
        let all: Vec<(u64, u64)> = (1..300).map(|id| (id << 12, id)).collect();
        assert!(all.iter().all(|(address, id)| table.insert(*address, *id)));
        assert_eq!(table.remove(7 << 12), Some(7));
        let mut seen = Vec::new();
        table.each(&mut |address, id| seen.push((address, id)));
        seen.sort_unstable();
        assert_eq!(seen, all.into_iter().filter(|(_, id)| *id != 7).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_lies_at_no_address() {
        let table = Table::new().unwrap();
        for id in 1..100 {
            assert!(table.insert(id << 12, id));
            assert_eq!(table.remove(id << 12), Some(id));
        }
        assert_eq!(table.remove(0), None, "an empty place is not a sample");
        assert!(!table.insert(0, 5));
    }

    #[test]
    #[cfg_attr(miri, ignore = "fills hundreds of thousands of places")]
    fn refuses_when_it_is_full_and_forgets_nothing() {
        let table = Table::new().unwrap();
        let addresses = (1..=places() as u64 + 1000).map(|n| n * 48 + 0x5555_0000_0000);
        let kept: Vec<u64> = addresses.filter(|address| table.insert(*address, address + 1)).collect();
        assert!(kept.len() > places() * 8 / 10 && kept.len() <= places(), "{} of {}", kept.len(), places());
        assert!(kept.iter().all(|address| table.remove(*address) == Some(address + 1)));
        assert!(kept.iter().all(|address| table.remove(*address).is_none()));
    }

    #[test]
    fn threads_with_addresses_of_their_own_do_not_disturb_each_other() {
        let table = Table::new().unwrap();
        let rounds = if cfg!(miri) { 30 } else { 30_000 };
        let work = |thread: u64| {
            for round in 0..rounds {
                let address = (thread << 32) + (round % 97) * 16 + 16;
                assert!(table.insert(address, round + 1));
                assert_eq!(table.remove(address), Some(round + 1));
                assert_eq!(table.remove(address), None);
            }
        };
        std::thread::scope(|scope| {
            (1..=4).for_each(|thread| drop(scope.spawn(move || work(thread))));
        });
    }
}

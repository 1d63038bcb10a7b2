//! How often each name was seen, for names that the program makes up as it goes.
//!
//! In: names. Out: the ordinal of this sighting. What must not happen here: allocation, a lock, growth without bound; a
//! program that names a phase after each of a million requests shares one slot after the first hundred.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

const SLOTS: usize = 128;
/// Names beyond this many share the last slot; the table stays sparse enough to search.
const PROBES: usize = 16;

/// A table of names and counts. Two names with the same 64-bit hash would share a count, which only costs a reading.
#[derive(Debug)]
pub(crate) struct Names {
    slots: [(AtomicU64, AtomicU64); SLOTS],
    others: AtomicU64,
}

impl Names {
    pub(crate) fn new() -> Self {
        Self { slots: [const { (AtomicU64::new(0), AtomicU64::new(0)) }; SLOTS], others: AtomicU64::new(0) }
    }

    /// Counts this name; gives how often it was seen, this time included.
    pub(crate) fn count(&self, name: &str) -> u64 {
        let hash = hash(name);
        for probe in 0..PROBES {
            let Some((key, count)) = self.slots.get((hash as usize).wrapping_add(probe) % SLOTS) else {
                break;
            };
            let owner = match key.compare_exchange(0, hash, Relaxed, Relaxed) {
                Ok(_) => hash,
                Err(owner) => owner,
            };
            if owner == hash {
                return count.fetch_add(1, Relaxed) + 1;
            }
        }
        self.others.fetch_add(1, Relaxed) + 1
    }
}

/// FNV-1a, never 0, which marks a free slot.
fn hash(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_counts_alone() {
        let names = Names::new();
        assert_eq!(names.count("epoch"), 1);
        assert_eq!(names.count("fit"), 1);
        assert_eq!(names.count("epoch"), 2);
        assert_eq!(names.count(""), 1);
    }

    #[test]
    fn a_million_names_share_what_is_left() {
        let names = Names::new();
        names.count("epoch");
        let highest = (0..1_000_000).map(|index| names.count(&format!("request {index}"))).max();
        assert!(highest > Some(900_000), "new names must not stay new for ever");
        assert_eq!(names.count("epoch"), 2);
    }
}

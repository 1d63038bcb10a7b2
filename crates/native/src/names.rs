//! How often each phase was seen, by name, for names that the program makes up as it goes.
//!
//! In: names. Out: the ordinal of this sighting. What must not happen here: allocation, a lock, growth without bound; a
//! program that names a phase after each of a million requests shares one slot after the first hundred.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::Edge;

const SLOTS: usize = 128;
/// Names that find no slot within so many share the last one; the table stays sparse enough to search.
const PROBES: usize = 16;
/// So many of each phase are recorded in full.
const RECORDED: u64 = 8192;

/// A table of names and counts. Two names with the same 64-bit hash would share a count, which only costs a reading.
#[derive(Debug)]
pub(crate) struct Names {
    slots: [Slot; SLOTS],
    others: Slot,
}

#[derive(Debug)]
struct Slot {
    hash: AtomicU64,
    begun: AtomicU64,
    ended: AtomicU64,
}

impl Slot {
    const fn free() -> Self {
        Self { hash: AtomicU64::new(0), begun: AtomicU64::new(0), ended: AtomicU64::new(0) }
    }

    fn count(&self, edge: Edge) -> u64 {
        let count = match edge {
            Edge::Begin => &self.begun,
            Edge::End => &self.ended,
        };
        count.fetch_add(1, Relaxed) + 1
    }
}

impl Names {
    pub(crate) fn new() -> Self {
        Self { slots: [const { Slot::free() }; SLOTS], others: Slot::free() }
    }

    /// Counts this edge of this phase; gives how often it was seen, this time included.
    pub(crate) fn count(&self, name: &str, edge: Edge) -> u64 {
        let hash = hash(name);
        for probe in 0..PROBES {
            let Some(slot) = self.slots.get((hash as usize).wrapping_add(probe) % SLOTS) else { break };
            let owner = match slot.hash.compare_exchange(0, hash, Relaxed, Relaxed) {
                Ok(_) => hash,
                Err(owner) => owner,
            };
            if owner == hash {
                return slot.count(edge);
            }
        }
        self.others.count(edge)
    }
}

/// Whether the `nth` of a phase is recorded: the first ones all, then every second, every fourth, ... as they double, so
/// that a service that runs for months fills no disk. It goes by the count alone, because begin and end must agree.
pub(crate) fn is_recorded(nth: u64) -> bool {
    nth <= RECORDED || nth.is_multiple_of((nth / RECORDED).next_power_of_two())
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
    fn each_name_and_edge_counts_alone() {
        let names = Names::new();
        assert_eq!(names.count("epoch", Edge::Begin), 1);
        assert_eq!(names.count("fit", Edge::Begin), 1);
        assert_eq!(names.count("epoch", Edge::End), 1);
        assert_eq!(names.count("epoch", Edge::Begin), 2);
        assert_eq!(names.count("", Edge::Begin), 1);
    }

    #[test]
    fn a_million_names_share_what_is_left() {
        let names = Names::new();
        names.count("epoch", Edge::Begin);
        let highest = (0..1_000_000).map(|index| names.count(&format!("request {index}"), Edge::Begin)).max();
        assert!(highest > Some(900_000), "new names must not stay new for ever");
        assert_eq!(names.count("epoch", Edge::Begin), 2);
    }

    #[test]
    fn endless_phases_are_recorded_ever_more_seldom() {
        let recorded = |range: std::ops::RangeInclusive<u64>| range.filter(|nth| is_recorded(*nth)).count();
        assert_eq!(recorded(1..=RECORDED), 8192);
        assert!((4_000..=8_192).contains(&recorded(8_193..=16_384)));
        let all = recorded(1..=10_000_000);
        assert!((30_000..100_000).contains(&all), "{all} of ten million");
        assert!((1..u64::MAX).step_by(usize::MAX / 1000).all(|nth| is_recorded(nth) || nth > RECORDED));
    }
}

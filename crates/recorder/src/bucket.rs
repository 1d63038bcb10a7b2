//! A bucket of the table: a few places, each with an address and the sample that lies there.
//!
//! In: addresses, each from the one thread that owns it at that moment. Out: their samples. What must not happen here: two
//! addresses in one place, or one that is put and not found. `tests/bucket_loom.rs` tries all orders of steps.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use crate::atomics::AtomicU64;

/// Address, 0 for none, and id.
pub(crate) type Place = [AtomicU64; 2];

/// How many places are taken.
pub(crate) fn taken(bucket: &[Place]) -> usize {
    bucket.iter().filter(|[address, _id]| address.load(Relaxed) != 0).count()
}

/// False if all places are taken.
pub(crate) fn put(bucket: &[Place], address: u64, id: u64) -> bool {
    for [place, of] in bucket {
        if place.load(Relaxed) == 0 && place.compare_exchange(0, address, AcqRel, Relaxed).is_ok() {
            // Only the owner of the address looks at this, and gets to know the address later.
            of.store(id, Relaxed);
            return true;
        }
    }
    false
}

/// Takes the address out; the id that it had.
pub(crate) fn take(bucket: &[Place], address: u64) -> Option<u64> {
    for [place, of] in bucket {
        if place.load(Acquire) == address {
            let id = of.load(Relaxed);
            // A program that gives back the same memory twice at once must not make two deaths of it.
            return place.compare_exchange(address, 0, Release, Relaxed).is_ok().then_some(id);
        }
    }
    None
}

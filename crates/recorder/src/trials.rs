//! Trials: allocations that are only watched for whether they stay, so that sizes which do are sampled more closely.
//!
//! In: addresses, each from the one thread that owns it at that moment. Out: which sizes stayed. There is no stack and nothing in the
//! capture, so a trial costs a twentieth of a sample, and one that is lost costs nothing: places are few, and who comes
//! takes one from another. What must not happen here: a wait, or an address in [`FILTER`] that is not in a place.
//! `tests/trials_loom.rs` tries all orders of steps.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use crate::alloc_class::AllocClass;
use crate::atomics::{AtomicU32, AtomicU64};
use crate::filter::FILTER;
use crate::pages::{Pages, prefetch};

/// Buckets of four places, a cache line each.
pub(crate) const BUCKETS: usize = if cfg!(miri) { 8 } else { 512 };
/// A place that is being filled; no address.
const FILLING: u64 = 2;

/// Address, 0 for none, and what lies there.
type Bucket = [[AtomicU64; 2]; 4];

pub(crate) struct Trials {
    buckets: Pages<Bucket>,
    /// Which place is taken from another next.
    turn: AtomicU32,
}

/// Bytes of a trial at most.
pub(crate) const MAX_TRIAL_BYTES: u32 = (1 << 28) - 1;

/// What lies at an address; in one word, so that it is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trial {
    pub(crate) key: AllocClass,
    /// When it was born.
    pub(crate) generation: u8,
    /// The bytes that it stands for, or [`MAX_TRIAL_BYTES`].
    pub(crate) bytes: u32,
}

impl Trial {
    pub(crate) fn pack(self) -> u64 {
        self.key.pack() << 36 | u64::from(self.generation) << 28 | u64::from(self.bytes.min(MAX_TRIAL_BYTES))
    }

    pub(crate) fn unpack(word: u64) -> Self {
        Self {
            key: AllocClass::unpack(word >> 36),
            generation: (word >> 28) as u8,
            bytes: word as u32 & MAX_TRIAL_BYTES,
        }
    }
}

impl Trials {
    /// `None` if there is no memory.
    pub(crate) fn new() -> Option<Self> {
        Some(Self { buckets: Pages::new(BUCKETS)?, turn: AtomicU32::new(0) })
    }

    /// Where a trial of this address lies or will.
    #[inline]
    pub(crate) fn prefetch(&self, address: u64) {
        prefetch(self.bucket(address).first());
    }

    /// The memory is about to be handed out.
    pub(crate) fn insert(&self, address: u64, trial: Trial) {
        if FILTER.may_hold(address as usize) {
            // What lay here has gone on a way that nobody saw.
            self.remove(address);
        }
        let bucket = self.bucket(address);
        let free = bucket.iter().find(|[at, _]| at.load(Relaxed) == 0);
        let turn = || bucket.get(self.turn.fetch_add(1, Relaxed) as usize % 4);
        let Some([at, of]) = free.or_else(turn) else { return };
        let before = at.load(Relaxed);
        if before == FILLING || at.compare_exchange(before, FILLING, AcqRel, Relaxed).is_err() {
            return;
        }
        if before != 0 {
            FILTER.remove_trial(before as usize);
        }
        of.store(trial.pack(), Relaxed);
        let is_followed = FILTER.add_trial(address as usize);
        at.store(if is_followed { address } else { 0 }, Release);
    }

    /// The memory is given back.
    pub(crate) fn remove(&self, address: u64) {
        if address == 0 || address == FILLING {
            return;
        }
        for [at, _of] in self.bucket(address) {
            if at.load(Relaxed) == address && at.compare_exchange(address, 0, AcqRel, Relaxed).is_ok() {
                FILTER.remove_trial(address as usize);
                return;
            }
        }
    }

    /// Shows each that lives; what is not kept is forgotten. One that comes in the place of another meanwhile may be taken for
    /// it: no harm is done.
    pub(crate) fn each(&self, mut keep: impl FnMut(Trial) -> bool) {
        for [at, of] in self.buckets.all().iter().flatten() {
            let address = at.load(Acquire);
            if address == 0 || address == FILLING || keep(Trial::unpack(of.load(Relaxed))) {
                continue;
            }
            if at.compare_exchange(address, 0, AcqRel, Relaxed).is_ok() {
                FILTER.remove_trial(address as usize);
            }
        }
    }

    fn bucket(&self, address: u64) -> &[[AtomicU64; 2]] {
        let hash = (address >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let buckets = self.buckets.all();
        buckets.get(hash as usize % buckets.len().max(1)).map_or(&[][..], |bucket| &bucket[..])
    }
}

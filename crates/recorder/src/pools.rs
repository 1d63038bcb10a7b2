//! Pools of tensor memory: which there are, what they have taken from the system, and what of it is in use.
//!
//! In: what the hooks of `pool_hooks` see. Out: sums for the readings, and whose memory a sample is. What must not happen
//! here: a pool whose figures are wrong is worse than one that is not counted, so what does not fit is left out.
//!
//! TensorFlow's CPU allocator (oneDNN builds) takes regions of doubling size from the C allocator and hands them out in
//! parts: to `malloc`'s figures a leak of tensors is a step now and then, and a tensor that was freed is still in use.
//!
//! A recorder that starts late meets pools that have handed out memory. What they had in use then is taken for both in use and
//! reserved, so that live memory goes on without a step: the room that they had free counts as in use for ever.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize};

use crate::tls::{Block, block};

/// Pools that are told apart at most: one for each device and NUMA node.
const POOLS: usize = 32;

/// Regions that are told apart at most; each is twice as large as the one before.
const REGIONS: usize = 256;

/// One pool.
#[derive(Debug)]
pub(crate) struct Pool {
    /// The allocator object, 0 if this place is free.
    object: AtomicU64,
    used: AtomicU64,
    reserved: AtomicU64,
    /// It has taken a region from the C allocator, or says so: its memory is memory of the process.
    on_host: AtomicBool,
    /// [`MEETING`], [`MET`] or [`LEFT_OUT`], where pools are met late.
    met: AtomicU8,
}

/// Whoever saw it first asks it what it has in use.
const MEETING: u8 = 0;
const MET: u8 = 1;
/// It did not say.
const LEFT_OUT: u8 = 2;

/// What a pool says of itself when it is met late.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met {
    pub(crate) used: u64,
    pub(crate) on_host: bool,
}

/// Which pools are counted: [`FROM_THE_BEGINNING`], [`FROM_NOW`] or [`NONE`].
static COUNTED: AtomicU8 = AtomicU8::new(FROM_THE_BEGINNING);
const FROM_THE_BEGINNING: u8 = 0;
const FROM_NOW: u8 = 1;
const NONE: u8 = 2;

/// A recorder starts late: pools are met when they are at work next.
#[cfg_attr(test, allow(dead_code, reason = "the hooks' own"))]
pub(crate) fn begin_late() {
    clear();
    COUNTED.store(FROM_NOW, Release);
}

/// The recorder was stopped: nobody knows any more what pools have in use.
pub(crate) fn forget() {
    COUNTED.store(NONE, Release);
    clear();
}

fn clear() {
    for pool in &ALL {
        pool.object.store(0, Relaxed);
        pool.used.store(0, Relaxed);
        pool.reserved.store(0, Relaxed);
        pool.on_host.store(false, Relaxed);
        pool.met.store(MEETING, Relaxed);
    }
    for region in &TAKEN {
        region.address.store(0, Relaxed);
    }
}

static ALL: [Pool; POOLS] = [const { Pool::new() }; POOLS];

/// The address in a place whose region was given back.
const GONE: usize = 1;

/// A region of a pool; all zero if this place is free.
struct Region {
    address: AtomicUsize,
    size: AtomicU64,
    /// Place in [`ALL`].
    pool: AtomicUsize,
}

static TAKEN: [Region; REGIONS] =
    [const { Region { address: AtomicUsize::new(0), size: AtomicU64::new(0), pool: AtomicUsize::new(0) } };
        REGIONS];

/// What all pools on the host together have, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) used: u64,
    pub(crate) reserved: u64,
}

impl Pool {
    const fn new() -> Self {
        Self {
            object: AtomicU64::new(0),
            used: AtomicU64::new(0),
            reserved: AtomicU64::new(0),
            on_host: AtomicBool::new(false),
            met: AtomicU8::new(MEETING),
        }
    }

    /// The pool of this allocator object; `None` if there are too many, or it is not counted. Where pools are met late, `meet`
    /// asks the object, once.
    pub(crate) fn of(object: u64, meet: impl FnOnce() -> Option<Met>) -> Option<&'static Self> {
        let counted = COUNTED.load(Acquire);
        if counted == NONE {
            return None;
        }
        let (mut is_first, is_late) = (false, counted == FROM_NOW);
        let pool = ALL.iter().find(|pool| {
            let here = pool.object.load(Relaxed);
            is_first = here == 0 && pool.object.compare_exchange(0, object, AcqRel, Relaxed).is_ok();
            here == object || is_first || (here == 0 && pool.object.load(Relaxed) == object)
        })?;
        if is_first && is_late {
            pool.meet(meet());
        }
        (!is_late || pool.met.load(Acquire) == MET).then_some(pool)
    }

    fn meet(&self, met: Option<Met>) {
        if let Some(Met { used, on_host }) = met {
            self.used.store(used, Relaxed);
            self.reserved.store(used, Relaxed);
            self.on_host.store(on_host, Relaxed);
        }
        self.met.store(if met.is_some() { MET } else { LEFT_OUT }, Release);
    }

    pub(crate) fn took(&self, bytes: u64) {
        self.used.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn gave_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Relaxed);
    }

    pub(crate) fn is_on_host(&self) -> bool {
        self.on_host.load(Relaxed)
    }
}

/// The stretch in which a pool is at work on this thread: what it takes from the C allocator then is a region.
pub(crate) struct Inside {
    block: &'static Block,
    before: usize,
}

impl Inside {
    pub(crate) fn enter(pool: Option<&'static Pool>) -> Self {
        let block = block();
        let place = pool.and_then(|pool| ALL.iter().position(|other| std::ptr::eq(pool, other)));
        // Counted from 1: a thread's block is all zero at first.
        let before = block.pool.swap(place.map_or(0, |place| place + 1), Relaxed);
        Self { block, before }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.block.pool.store(self.before, Relaxed);
    }
}

/// A pool at work on this thread has taken this memory from the C allocator; false if none is at work.
pub(crate) fn took_region(address: usize, size: usize) -> bool {
    let place = block().pool.load(Relaxed).wrapping_sub(1);
    let Some(pool) = ALL.get(place) else { return false };
    let free = TAKEN.iter().find(|region| {
        let here = region.address.load(Relaxed);
        (here == 0 || here == GONE) && region.address.compare_exchange(here, address, AcqRel, Relaxed).is_ok()
    });
    // Of a region that there is no place for nobody would know when it goes.
    let Some(region) = free else { return false };
    region.size.store(size as u64, Relaxed);
    region.pool.store(place, Relaxed);
    pool.reserved.fetch_add(size as u64, Relaxed);
    pool.on_host.store(true, Relaxed);
    true
}

/// Memory that was sampled is given back; it may be a region, as those are all sampled.
pub(crate) fn gave_back(address: usize) {
    for region in &TAKEN {
        let here = region.address.load(Relaxed);
        if here == 0 {
            return; // places are filled in order
        }
        if here == address {
            if let Some(pool) = ALL.get(region.pool.load(Relaxed)) {
                pool.reserved.fetch_sub(region.size.load(Relaxed), Relaxed);
            }
            // Not zero: what lies behind would not be found any more.
            region.address.store(GONE, Relaxed);
            return;
        }
    }
}

/// The sums over all pools on the host; `None` if there is no such pool.
pub(crate) fn sums() -> Option<Sums> {
    let mut sums = None;
    for pool in ALL.iter().filter(|pool| pool.is_on_host()) {
        let before = sums.unwrap_or_default();
        let Sums { used, reserved } = before;
        sums = Some(Sums {
            // Below zero where what was made just before the start has died.
            used: used.saturating_add(pool.used.load(Relaxed).cast_signed().max(0).cast_unsigned()),
            reserved: reserved.saturating_add(pool.reserved.load(Relaxed)),
        });
    }
    sums
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn what_a_pool_takes_and_hands_out_is_told() {
        assert!(!took_region(0x10_0000, 1 << 20), "no pool is at work");
        let pool = Pool::of(0xabc0, || None).unwrap();
        assert!(std::ptr::eq(pool, Pool::of(0xabc0, || None).unwrap()));
        assert_eq!(sums(), None, "nothing is on the host yet");
        {
            let _inside = Inside::enter(Some(pool));
            assert!(took_region(0x10_0000, 1 << 20));
            assert!(took_region(0x40_0000, 2 << 20));
        }
        assert!(!took_region(0x80_0000, 1 << 20), "none is at work any more");
        pool.took(4096);
        pool.took(256);
        pool.gave_back(256);
        assert_eq!(sums(), Some(Sums { used: 4096, reserved: 3 << 20 }));
        gave_back(0x10_0000);
        gave_back(0x77_0000);
        assert_eq!(sums(), Some(Sums { used: 4096, reserved: 2 << 20 }));
        gave_back(0x40_0000);
        assert_eq!(sums(), Some(Sums { used: 4096, reserved: 0 }));
    }

    #[test]
    fn what_a_pool_had_in_use_before_is_no_step() {
        /// Not shared with the test above.
        const OBJECT: u64 = 0xdef0;
        let pool = Pool::new();
        pool.object.store(OBJECT, Relaxed);
        assert_eq!(pool.met.load(Relaxed), MEETING);
        pool.meet(Some(Met { used: 5000, on_host: true }));
        pool.gave_back(3000);
        pool.took(700);
        let (used, reserved) = (pool.used.load(Relaxed), pool.reserved.load(Relaxed));
        assert_eq!((used, reserved, pool.is_on_host()), (2700, 5000, true));
        pool.meet(None);
        assert_eq!(pool.met.load(Relaxed), LEFT_OUT);
    }
}

//! The segment that is being written, shared by all threads, exchanged for the next one without a lock.
//!
//! In: a new segment from the thread that won the claim. Out: the current one, which stays mapped while it is in use.
//! What must not happen here: a wait (a thread may be gone after `fork` with anything held), a segment unmapped under a
//! thread that writes to it, or a slot touched that another thread left half-written at a `fork`.
#![expect(unsafe_code, reason = "a slot is exchanged under the claim and read under a count")]

use std::cell::UnsafeCell;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};

use crate::segment::Segment;

/// A thread that the scheduler stops in the middle of an append holds a slot: with as many slots as busy threads,
/// a loaded machine runs out of them.
const SLOTS: usize = 64;
const NONE: usize = usize::MAX;

#[derive(Default)]
struct Slot {
    users: AtomicUsize,
    /// Being exchanged; a fork in between leaves this set in the child for ever, and the slot unused.
    changing: AtomicBool,
    segment: UnsafeCell<Option<Segment>>,
}

pub(crate) struct Slots {
    current: AtomicUsize,
    /// Goes up with every exchange, so that a thread sees whether another one was faster.
    exchanges: AtomicU64,
    /// Process id of the thread that is claiming, 0 if none.
    claimer: AtomicU32,
    all: [Slot; SLOTS],
}

// SAFETY: `segment` is written only by the holder of the claim while the slot is neither current nor in use, and read
// only by threads that are counted in `users` and saw the slot current after they were counted.
unsafe impl Sync for Slots {}

/// The current segment, held.
pub(crate) struct InUse<'a> {
    users: &'a AtomicUsize,
    segment: &'a Segment,
}

impl std::ops::Deref for InUse<'_> {
    type Target = Segment;
    fn deref(&self) -> &Segment {
        self.segment
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        self.users.fetch_sub(1, SeqCst);
    }
}

impl Slots {
    pub(crate) fn new() -> Self {
        Self {
            current: AtomicUsize::new(NONE),
            exchanges: AtomicU64::new(0),
            claimer: AtomicU32::new(0),
            all: std::array::from_fn(|_index| Slot::default()),
        }
    }

    pub(crate) fn exchanges(&self) -> u64 {
        self.exchanges.load(SeqCst)
    }

    /// The current segment, if there is one.
    pub(crate) fn current(&self) -> Option<InUse<'_>> {
        loop {
            let index = self.current.load(SeqCst);
            let slot = self.all.get(index)?;
            slot.users.fetch_add(1, SeqCst);
            if self.current.load(SeqCst) == index {
                // SAFETY: counted, and current after that: the claimer either saw the count and left this slot alone,
                // or had finished writing it before it made it current.
                let segment = unsafe { (*slot.segment.get()).as_ref() };
                return segment.map(|segment| InUse { users: &slot.users, segment });
            }
            slot.users.fetch_sub(1, SeqCst); // exchanged in between
        }
    }

    /// The right to exchange, if no other thread of this process has it. A claim that a parent process held at `fork`
    /// is void here: its thread does not exist.
    pub(crate) fn claim(&self, pid: u32) -> Option<Claim<'_>> {
        let holder = self.claimer.load(SeqCst);
        let free = holder != pid && self.claimer.compare_exchange(holder, pid, SeqCst, SeqCst).is_ok();
        // Not `then_some`: a `Claim` that is made and dropped releases somebody else's.
        free.then(|| Claim(self))
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        for slot in &mut self.all {
            if *slot.changing.get_mut() {
                // Half-written when a fork copied it: not to be believed, not even to unmap it.
                std::mem::forget(slot.segment.get_mut().take());
            }
        }
    }
}

/// The right to exchange the segment.
pub(crate) struct Claim<'a>(&'a Slots);

impl Claim<'_> {
    /// Makes this the current segment; unmaps one that nobody uses any more. If all slots are in use, this one is
    /// unmapped instead: it keeps what it holds.
    pub(crate) fn exchange(&self, segment: Segment) {
        let current = self.0.current.load(SeqCst);
        for (index, slot) in self.0.all.iter().enumerate() {
            if index == current || slot.users.load(SeqCst) != 0 || slot.changing.swap(true, SeqCst) {
                continue;
            }
            // SAFETY: under the claim, so no other thread writes; not current and not in use, so no thread reads, and
            // one that counts itself in from now on sees that the slot is not current and leaves.
            unsafe { *slot.segment.get() = Some(segment) };
            slot.changing.store(false, SeqCst);
            self.0.current.store(index, SeqCst);
            self.0.exchanges.fetch_add(1, SeqCst);
            return;
        }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.claimer.store(0, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_refused_does_not_release_the_one_that_is_held() {
        let slots = Slots::new();
        let held = slots.claim(1);
        assert!(held.is_some());
        assert!(slots.claim(1).is_none());
        assert!(slots.claim(1).is_none());
        drop(held);
        assert!(slots.claim(1).is_some());
    }

    #[test]
    fn a_claim_of_the_parent_is_void_in_a_forked_child() {
        let slots = Slots::new();
        let _held_by_a_thread_that_fork_left_behind = slots.claim(1);
        let in_child = slots.claim(2);
        assert!(in_child.is_some());
        assert!(slots.claim(2).is_none());
    }
}

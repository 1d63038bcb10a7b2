#![expect(unsafe_code, reason = "rooms in a mapping, each held by one thread at a time")]
//! Room to walk stacks in, since a thread's own stack may be small.
//!
//! In: nothing. Out: a room of some 45 KiB, or nothing when all are taken. The first free one is given, so that few are
//! ever touched. What must not happen here: two holders of one room.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use nilometer_pyframes::Frame;

use crate::pages::{Pages, Zero};
use crate::splice::Item;

/// Native frames that are looked at.
pub(crate) const NATIVE: usize = 1024;
/// Python frames that are looked at.
pub(crate) const PYTHON: usize = 512;
/// Frames of both kinds that are kept.
pub(crate) const ITEMS: usize = 512;

const ROOMS: usize = 64;

/// What one walk needs.
pub(crate) struct Room {
    pub(crate) native: [u64; NATIVE],
    pub(crate) python: [Frame; PYTHON],
    pub(crate) items: [Item; ITEMS],
    /// For each of them, a hash of it and all further out.
    pub(crate) hashes: [u64; ITEMS],
}

struct Cell(UnsafeCell<Room>);

// SAFETY: numbers, booleans and an enum whose first variant is all zero (checked by a test below).
unsafe impl Zero for Cell {}
// SAFETY: reached by the holder of its bit alone.
unsafe impl Sync for Cell {}

pub(crate) struct Scratch {
    taken: AtomicU64,
    rooms: Pages<Cell>,
}

/// A room, held.
pub(crate) struct HeldRoom<'a> {
    of: &'a Scratch,
    bit: u64,
    cell: &'a Cell,
}

impl Scratch {
    pub(crate) fn new() -> Option<Self> {
        Some(Self { taken: AtomicU64::new(0), rooms: Pages::new(ROOMS)? })
    }

    pub(crate) fn take(&self) -> Option<HeldRoom<'_>> {
        loop {
            let taken = self.taken.load(Relaxed);
            let cell = self.rooms.all().get(taken.trailing_ones() as usize)?;
            let bit = 1 << taken.trailing_ones();
            if self.taken.compare_exchange_weak(taken, taken | bit, Acquire, Relaxed).is_ok() {
                return Some(HeldRoom { of: self, bit, cell });
            }
        }
    }
}

impl Deref for HeldRoom<'_> {
    type Target = Room;
    fn deref(&self) -> &Room {
        // SAFETY: the bit is ours.
        unsafe { &*self.cell.0.get() }
    }
}

impl DerefMut for HeldRoom<'_> {
    fn deref_mut(&mut self) -> &mut Room {
        // SAFETY: the bit is ours, and the guard is borrowed alone.
        unsafe { &mut *self.cell.0.get() }
    }
}

impl Drop for HeldRoom<'_> {
    fn drop(&mut self) {
        self.of.taken.fetch_and(!self.bit, Release);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn rooms_are_zero_first_and_end() {
        let scratch = Scratch::new().unwrap();
        let room = scratch.take().unwrap();
        assert_eq!(room.items[7], Item::default());
        assert_eq!(room.python[7], Frame::default());
        let rest: Vec<_> = std::iter::from_fn(|| scratch.take()).collect();
        assert_eq!(rest.len(), ROOMS - 1);
        drop(room);
        assert!(scratch.take().is_some());
    }
}

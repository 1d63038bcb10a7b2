//! The words that were patched, and what stood there.
//!
//! In: places, by the one thread that patches. Out: what to put back. What must not happen here: `malloc`, or room that
//! grows with the number of starts.

use crate::pages::Pages;

/// Programs with TensorFlow have some 300.
const MAX_SLOTS: usize = 1 << 13;

/// A word that was patched.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub(super) place: u64,
    pub(super) before: u64,
    /// Index of its hook.
    pub(super) hook: usize,
}

/// Place, what stood there, hook and round.
pub(super) struct Slots {
    all: Pages<[u64; 3]>,
    count: usize,
}

const ROUND_BITS: u32 = 32;

impl Slots {
    pub(super) const fn empty() -> Self {
        Self { all: Pages::empty(), count: 0 }
    }

    /// False if there is no memory.
    pub(super) fn prepare(&mut self) -> bool {
        if self.all.all().is_empty() {
            match Pages::new(MAX_SLOTS) {
                Some(all) => self.all = all,
                None => return false,
            }
        }
        true
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn has_room(&self) -> bool {
        self.count < self.all.all().len()
    }

    /// Keeps a slot, in place of an earlier one at its place: that one's object is gone.
    pub(super) fn keep(&mut self, slot: Slot, round: u32) {
        let known = self.position(slot.place);
        let index = known.unwrap_or(self.count);
        let word = (slot.hook as u64) << ROUND_BITS | u64::from(round);
        if let Some(free) = self.all.all_mut().get_mut(index) {
            *free = [slot.place, slot.before, word];
            self.count += usize::from(known.is_none());
        }
    }

    /// A slot that was met again, as it was left.
    pub(super) fn meet(&mut self, place: u64, round: u32) {
        if let Some(index) = self.position(place)
            && let Some([_place, _before, word]) = self.all.all_mut().get_mut(index)
        {
            *word = *word >> ROUND_BITS << ROUND_BITS | u64::from(round);
        }
    }

    /// Forgets what was not met in this round: its object is gone.
    pub(super) fn forget_others(&mut self, round: u32) {
        let mut kept = 0;
        let count = self.count;
        let all = self.all.all_mut();
        for index in 0..count {
            let Some(slot) = all.get(index).copied() else { break };
            if slot[2] as u32 == round
                && let Some(place) = all.get_mut(kept)
            {
                *place = slot;
                kept += 1;
            }
        }
        self.count = kept;
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    pub(super) fn each(&self) -> impl Iterator<Item = Slot> {
        self.all.all().iter().take(self.count).map(|&[place, before, word]| Slot {
            place,
            before,
            hook: (word >> ROUND_BITS) as usize,
        })
    }

    fn position(&self, place: u64) -> Option<usize> {
        self.all.all().iter().take(self.count).position(|slot| slot[0] == place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_kept_once_and_forgotten_with_its_object() {
        let mut slots = Slots::empty();
        assert!(!slots.has_room() && slots.prepare() && slots.prepare() && slots.has_room());
        let slot = |place| Slot { place, before: place + 1, hook: 3 };
        (1..5).for_each(|place| slots.keep(slot(place), 1));
        slots.keep(Slot { before: 77, ..slot(3) }, 1);
        assert_eq!(slots.count(), 4);
        slots.meet(3, 2);
        slots.meet(9, 2);
        slots.keep(slot(9), 2);
        slots.forget_others(2);
        let left: Vec<_> = slots.each().map(|slot| (slot.place, slot.before, slot.hook)).collect();
        assert_eq!(left, [(3, 77, 3), (9, 10, 3)]);
    }
}

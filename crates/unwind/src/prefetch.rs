//! Prefetches the rules that a walk will need: those of the last walk from about the same stack depth.
//!
//! A walk waits for one rule after the other, because each rule is needed to find the next frame. Between two
//! samples the program fills the caches, so each rule comes from far memory. Most frames of a stack are those
//! of the stack before. So their rules are prefetched together before the first is used.
//!
//! In: the table slots of rules, in the order of a walk. Out: prefetched cache lines. What must not happen
//! here: trust in a rule because it was expected. A hint only says what to fetch. Two threads may overwrite
//! each other's hint; then one walk is as slow as without.

use std::sync::atomic::AtomicU16;
use std::sync::atomic::Ordering::Relaxed;

use crate::table::RuleTable;

/// Rules of one hint; the outermost frames of a deeper stack go without.
const MAX_HINT_RULES: usize = 63;
/// Number of hints, a power of two. Two cache lines each.
const HINT_COUNT: usize = 256;
/// Stack pointers in the same 4 KiB share a hint.
const SP_SHIFT_BITS: u32 = 12;

/// The table slots of the rules of one walk, innermost first.
#[repr(align(128))]
pub(crate) struct Hint {
    places: [AtomicU16; MAX_HINT_RULES],
    used: AtomicU16,
}

static ALL: [Hint; HINT_COUNT] = [const { Hint::new() }; HINT_COUNT];

/// The hint for walks that begin at this stack pointer.
#[inline(always)]
pub(crate) fn at(sp: u64) -> &'static Hint {
    let spread = (sp >> SP_SHIFT_BITS).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let place = (spread >> (64 - HINT_COUNT.trailing_zeros())) as usize;
    ALL.get(place).unwrap_or(&ALL[0])
}

impl Hint {
    const fn new() -> Self {
        Self { places: [const { AtomicU16::new(0) }; MAX_HINT_RULES], used: AtomicU16::new(0) }
    }

    /// Prefetches the rules of the last walk.
    #[inline(always)]
    pub(crate) fn follow<const N: usize>(&self, rules: &RuleTable<N>) {
        for place in self.slots() {
            rules.prefetch(place.load(Relaxed));
        }
    }

    #[inline(always)]
    fn slots(&self) -> &[AtomicU16] {
        self.places.get(..usize::from(self.used.load(Relaxed))).unwrap_or_default()
    }

    /// Records the table slot of the walk's `nth` rule.
    #[inline(always)]
    pub(crate) fn note(&self, nth: usize, place: u16) {
        if let Some(known) = self.places.get(nth) {
            known.store(place, Relaxed);
        }
    }

    /// Records how many rules the walk used.
    #[inline(always)]
    pub(crate) fn finish(&self, noted: usize) {
        self.used.store(noted.min(MAX_HINT_RULES) as u16, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(hint: &Hint) -> Vec<u16> {
        hint.slots().iter().map(|place| place.load(Relaxed)).collect()
    }

    #[test]
    fn a_hint_tells_the_last_walk_and_no_more_than_it_has_room_for() {
        let hint = Hint::new();
        assert!(told(&hint).is_empty());
        let walk = |places: std::ops::Range<u16>| {
            let noted = places.len();
            places.enumerate().for_each(|(nth, place)| hint.note(nth, place));
            hint.finish(noted);
        };
        walk(10..200);
        assert_eq!(told(&hint), (10..10 + MAX_HINT_RULES as u16).collect::<Vec<_>>());
        walk(500..503);
        assert_eq!(told(&hint), [500, 501, 502]);
    }

    #[test]
    fn stacks_lie_apart_and_near_places_of_one_do_not() {
        let of = |sp: u64| std::ptr::from_ref(at(sp)) as usize;
        assert_eq!(of(0x7ffd_1234_0010), of(0x7ffd_1234_0ff8));
        let others =
            (1..20_u64).filter(|thread| of(0x7f00_0000_0000 + (thread << 23)) != of(0x7f00_0000_0000));
        assert!(others.count() > 15);
    }
}

//! Which rules a walk will need: those that the last walk from about the same depth of the stack needed.
//!
//! A walk waits for one rule after the other, since where a frame's caller is stands in its rule; and between two samples the
//! program fills the caches, so that each of them is fetched from afar. Most frames of a stack are those of the stack before, so
//! their rules are asked for at once, before the first is used.
//!
//! In: the places of rules in the table, in the order of a walk. Out: they are on their way into the cache. What must not happen here: a
//! rule that is believed because it was expected. A hint says what to fetch and nothing else; what two threads write at once is wrong for one
//! walk, which is then as slow as it was.

use std::sync::atomic::AtomicU16;
use std::sync::atomic::Ordering::Relaxed;

use crate::table::Table;

/// Rules that one hint tells; the outermost frames of a deeper stack go without.
const RULES: usize = 63;
/// Hints, a power of two. Two cache lines each.
const HINTS: usize = 256;
/// Stack pointers that differ in higher bits alone share a hint.
const DEPTH: u32 = 12;

/// The places of the rules of one walk, innermost first.
#[repr(align(128))]
pub(crate) struct Hint {
    places: [AtomicU16; RULES],
    used: AtomicU16,
}

static ALL: [Hint; HINTS] = [const { Hint::new() }; HINTS];

/// The hint for walks that begin here.
#[inline(always)]
pub(crate) fn at(sp: u64) -> &'static Hint {
    let spread = (sp >> DEPTH).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let place = (spread >> (64 - HINTS.trailing_zeros())) as usize;
    ALL.get(place).unwrap_or(&ALL[0])
}

impl Hint {
    const fn new() -> Self {
        Self { places: [const { AtomicU16::new(0) }; RULES], used: AtomicU16::new(0) }
    }

    /// Asks for what the last walk needed.
    #[inline(always)]
    pub(crate) fn follow<const N: usize>(&self, rules: &Table<N>) {
        for place in self.told() {
            rules.fetch(place.load(Relaxed));
        }
    }

    #[inline(always)]
    fn told(&self) -> &[AtomicU16] {
        self.places.get(..usize::from(self.used.load(Relaxed))).unwrap_or_default()
    }

    /// The `nth` rule of this walk lies there.
    #[inline(always)]
    pub(crate) fn note(&self, nth: usize, place: u16) {
        if let Some(known) = self.places.get(nth) {
            known.store(place, Relaxed);
        }
    }

    /// So many rules were noted.
    #[inline(always)]
    pub(crate) fn end(&self, noted: usize) {
        self.used.store(noted.min(RULES) as u16, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(hint: &Hint) -> Vec<u16> {
        hint.told().iter().map(|place| place.load(Relaxed)).collect()
    }

    #[test]
    fn a_hint_tells_the_last_walk_and_no_more_than_it_has_room_for() {
        let hint = Hint::new();
        assert!(told(&hint).is_empty());
        let walk = |places: std::ops::Range<u16>| {
            let noted = places.len();
            places.enumerate().for_each(|(nth, place)| hint.note(nth, place));
            hint.end(noted);
        };
        walk(10..200);
        assert_eq!(told(&hint), (10..10 + RULES as u16).collect::<Vec<_>>());
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

//! Bulk values that vary: a batch as long as its longest text, an array of as many rows as were drawn.
//!
//! In: the places where a value became shorter, with its length before. Out: whether a length counts as growth. What must not
//! happen here: a table without an end.

use crate::sizes::ByAddress;

/// A value that was replaced once by a shorter one may grow from there: a view of a large array, say, by a copy of its rows.
const MIN_FALLS: u32 = 2;
/// Places that are remembered. More values that vary are followed as if they had never been shorter.
const MAX_PLACES: usize = 4096;

/// How often a value became shorter at each place, and the longest that was seen there.
#[derive(Debug, Default)]
pub(super) struct VaryingValues {
    fallen: ByAddress<u64, Fallen>,
}

#[derive(Debug)]
struct Fallen {
    times: u32,
    longest: u64,
}

impl VaryingValues {
    /// Whether a value of this length may be growth: three scans of one that varies show it longer each time once in six.
    pub(super) fn may_grow(&mut self, place: u64, length: u64) -> bool {
        let Some(fallen) = self.fallen.get_mut(&place) else { return true };
        let is_record = length > fallen.longest;
        fallen.longest = fallen.longest.max(length);
        is_record || fallen.times < MIN_FALLS
    }

    /// The value at `place` became shorter; it had been this long.
    pub(super) fn fell(&mut self, place: u64, before: u64) {
        if self.fallen.len() >= MAX_PLACES && !self.fallen.contains_key(&place) {
            return;
        }
        let fallen = self.fallen.entry(place).or_insert(Fallen { times: 0, longest: before });
        fallen.times = fallen.times.saturating_add(1);
        fallen.longest = fallen.longest.max(before);
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_PLACES, VaryingValues};

    #[test]
    fn what_fell_twice_grows_only_beyond_its_longest() {
        let mut values = VaryingValues::default();
        assert!(values.may_grow(1, 10), "it never fell");
        values.fell(1, 10);
        assert!(values.may_grow(1, 9), "it fell once");
        values.fell(1, 9);
        assert!(!values.may_grow(1, 9) && !values.may_grow(1, 10));
        assert!(values.may_grow(1, 11));
        assert!(!values.may_grow(1, 11), "the longest moved");
        assert!(values.may_grow(2, 1), "another place");
    }

    #[test]
    fn the_table_has_an_end() {
        let mut values = VaryingValues::default();
        for place in 0..2 * MAX_PLACES as u64 {
            values.fell(place, 10);
        }
        assert_eq!(values.fallen.len(), MAX_PLACES);
    }
}

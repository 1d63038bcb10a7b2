//! Bulk values that vary: a batch as long as its longest text, an array of as many rows as were drawn.
//!
//! In: the places where a value became shorter, with its length before. Out: whether a length counts as growth. What must not
//! happen here: a table without an end.

use crate::sizes::ByAddress;

/// Places that are remembered. More values that vary are followed as if they had never been shorter.
const MAX_PLACES: usize = 4096;

/// The longest value that was seen at each place where one became shorter.
#[derive(Debug, Default)]
pub(super) struct VaryingValues {
    longest: ByAddress<u64, u64>,
}

impl VaryingValues {
    /// Whether a value of this length may be growth: three scans of one that varies show it longer each time once in six.
    pub(super) fn may_grow(&mut self, place: u64, length: u64) -> bool {
        match self.longest.get_mut(&place) {
            Some(longest) if length <= *longest => false,
            Some(longest) => {
                *longest = length;
                true
            }
            None => true,
        }
    }

    /// The value at `place` became shorter; it had been this long.
    pub(super) fn fell(&mut self, place: u64, before: u64) {
        if self.longest.len() < MAX_PLACES {
            self.longest.entry(place).or_insert(before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_PLACES, VaryingValues};

    #[test]
    fn what_fell_once_grows_only_beyond_its_longest() {
        let mut values = VaryingValues::default();
        assert!(values.may_grow(1, 10), "it never fell");
        values.fell(1, 10);
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
        assert_eq!(values.longest.len(), MAX_PLACES);
    }
}

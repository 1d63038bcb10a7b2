//! Python's integers, read in place.
//!
//! In: live objects. Out: numbers. What must not happen here: a call into Python.

use crate::layout::{SIZE, flags};
use crate::memory;
use crate::object::{Object, Python};

/// More integers than any shape has.
const MAX_TUPLE_INTEGERS: u64 = 64;

impl Python {
    /// The integers of a tuple; `None` if one is something else, negative or larger than 60 bits.
    pub fn integers_of_tuple(&self, o: Object) -> Option<Vec<u64>> {
        if self.type_of(o).0 != self.known.tuple {
            return None;
        }
        let length = memory::word(o.0, SIZE);
        if length > MAX_TUPLE_INTEGERS {
            return None;
        }
        let items = self.layout.tuple_items;
        (0..length).map(|index| self.integer(Object(memory::word(o.0, items + 8 * index)))).collect()
    }

    /// An `int` of up to 60 bits that is not negative.
    fn integer(&self, o: Object) -> Option<u64> {
        if !self.type_of(o).has(flags::INTEGER) {
            return None;
        }
        let digit = |index: u64| u64::from(memory::int(o.0, 24 + 4 * index).unsigned_abs());
        let size = memory::word(o.0, SIZE);
        let (digits, negative) = if self.layout.version >= (3, 12) {
            (size >> 3, size & 3 == 2)
        } else {
            (size, size.cast_signed() < 0)
        };
        match digits {
            _ if negative => None,
            0 => Some(0),
            1 => Some(digit(0)),
            2 => Some(digit(0) | digit(1) << 30),
            _ => None,
        }
    }
}

//! References that CPython 3.14 does not count: a generator that waits in the midst of an expression, `f(x, (yield))`, has `x` on its
//! stack without one more reference to it, as its variable has one. Its traversal shows both.
//!
//! In: a live generator or coroutine. Out: what its traversal shows once too often: an edge that is no reference would hide that
//! something else holds the object. What must not happen here: a look into a generator that has ended, or past its stack.

use crate::memory::{byte, usable, word};
use crate::naming::Offsets;
use crate::object::{Object, Python, Type};

/// In a word of a frame: the reference is not counted, or it is a number and no reference.
pub(crate) const UNCOUNTED: u64 = 1;
pub(crate) const NUMBER: u64 = 2;
/// More than any function has.
const MOST: u64 = 1 << 16;

impl Python {
    /// Whether objects of a type may hold such references.
    pub(crate) fn may_hold_uncounted(&self, kind: Type) -> bool {
        self.layout.version >= (3, 14) && self.known.generators.contains(&kind.0)
    }

    /// The objects behind such references of a generator, each as often as there are.
    pub(crate) fn uncounted(&self, o: Object) -> Vec<u64> {
        let Some(offsets) = Offsets::of(self.layout.version) else { return Vec::new() };
        if byte(o.0, offsets.generator_state).cast_signed() > 0 {
            return Vec::new();
        }
        let frame = o.0 + offsets.generator_frame;
        let start = frame + offsets.frame.variables;
        let filled = word(frame, offsets.frame.depth).saturating_sub(start) / 8;
        (0..if filled > MOST { 0 } else { filled })
            .map(|index| word(start, 8 * index))
            .filter(|word| word & (UNCOUNTED | NUMBER) == UNCOUNTED)
            .map(|word| word & !UNCOUNTED)
            // What never dies is marked in the same way.
            .filter(|object| usable(*object) && self.references(Object(*object)) != u64::MAX)
            .collect()
    }
}

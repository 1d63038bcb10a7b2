//! Deferred references: CPython 3.14 does not count every reference on a frame's stack. A generator suspended
//! inside an expression, `f(x, (yield))`, has `x` both in a variable and, uncounted, on its stack. Traversal
//! shows both.
//!
//! In: a live generator or coroutine. Out: the objects that its traversal shows once too often. An edge that
//! is no reference would hide that something else holds the object. What must not happen here: a read in an
//! ended generator, or past its stack.

use crate::memory::{byte, usable, word};
use crate::naming::Offsets;
use crate::object::{Object, Python, Type};

/// Tags in a word of a frame: a deferred reference; a number that is no reference.
pub(crate) const DEFERRED_TAG: u64 = 1;
pub(crate) const NUMBER_TAG: u64 = 2;
/// More values than any frame has.
const MAX_FRAME_VALUES: u64 = 1 << 16;

impl Python {
    /// Whether objects of a type may hold deferred references.
    pub(crate) fn may_hold_deferred(&self, kind: Type) -> bool {
        self.layout.version >= (3, 14) && self.known.generators.contains(&kind.0)
    }

    /// The objects behind a generator's deferred references, each as often as it occurs.
    pub(crate) fn deferred_refs(&self, o: Object) -> Vec<u64> {
        let Some(offsets) = Offsets::of(self.layout.version) else { return Vec::new() };
        if byte(o.0, offsets.generator_state).cast_signed() > 0 {
            return Vec::new();
        }
        let frame = o.0 + offsets.generator_frame;
        let start = frame + offsets.frame.variables;
        let filled = word(frame, offsets.frame.depth).saturating_sub(start) / 8;
        (0..if filled > MAX_FRAME_VALUES { 0 } else { filled })
            .map(|index| word(start, 8 * index))
            .filter(|word| word & (DEFERRED_TAG | NUMBER_TAG) == DEFERRED_TAG)
            .map(|word| word & !DEFERRED_TAG)
            // Immortal objects carry the same tag.
            .filter(|object| usable(*object) && self.references(Object(*object)) != u64::MAX)
            .collect()
    }
}

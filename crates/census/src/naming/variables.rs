//! The values in a frame: its variables, by address and name, and its stack.
//!
//! In: running or suspended frames from `frames.rs`. Out: addresses of live objects. What must not happen
//! here: a read past the filled part of the frame; a tag bit of a 3.14 reference taken as part of the
//! address.

use super::kinds::Kind;
use super::{HeapView, RunningFrame};
use crate::deferred_refs::{DEFERRED_TAG, NUMBER_TAG};
use crate::layout::SIZE;
use crate::memory::{int, word};

impl HeapView<'_> {
    /// The object behind a word of a frame; 0 if there is none. From 3.14 on the lowest bits are tags, and an
    /// empty place is not 0.
    pub(super) fn referred(&self, word: u64) -> u64 {
        match word {
            _ if self.offsets.version < (3, 14) => word,
            _ if word & NUMBER_TAG != 0 => 0,
            _ => word & !DEFERRED_TAG,
        }
    }

    /// The number of filled places in a frame, variables first; from 3.14 on. A frame that is being torn down
    /// reports none before its first value goes.
    pub(super) fn filled(&self, frame: u64) -> u64 {
        let fields = self.offsets.frame;
        let end = word(frame, fields.depth);
        end.checked_sub(frame.wrapping_add(fields.variables))
            .filter(|bytes| bytes % 8 == 0)
            .map_or(0, |all| all / 8)
    }

    /// Index and address of each variable that has a value.
    pub(crate) fn variables(&self, frame: u64, code: u64, visit: &mut dyn FnMut(u64, u64)) {
        let mut count = self.variable_count(code);
        if self.offsets.version >= (3, 14) {
            count = count.min(self.filled(frame));
        }
        for index in 0..count {
            let value = self.referred(word(frame, self.offsets.frame.variables + 8 * index));
            if value != 0 {
                visit(index, value);
            }
        }
    }

    /// Each value on a frame's stack, where its depth is known: before 3.14 it is not while C executes.
    pub(crate) fn stack(&self, running: &RunningFrame, visit: &mut dyn FnMut(u64)) {
        const MAX_STACK_VALUES: u64 = 1 << 16;
        let fields = self.offsets.frame;
        let depth = if self.offsets.version >= (3, 14) {
            self.filled(running.frame)
        } else {
            let Ok(depth) = u64::try_from(int(running.frame, fields.depth)) else { return };
            depth
        };
        let room = self.max_stack_depth(running.code).min(MAX_STACK_VALUES);
        let variables = self.variable_count(running.code);
        let (start, depth) = if self.offsets.version < (3, 11) {
            (word(running.frame, 64), depth)
        } else {
            let start = running.frame.wrapping_add(fields.variables + 8 * variables);
            (start, depth.saturating_sub(variables))
        };
        if self.offsets.version >= (3, 14) && depth > room {
            return;
        }
        for index in 0..depth.min(room) {
            let value = self.referred(word(start, 8 * (index)));
            if value != 0 {
                visit(value);
            }
        }
    }

    /// The largest stack depth of a function.
    pub(super) fn max_stack_depth(&self, code: u64) -> u64 {
        u64::try_from(int(code, self.offsets.code.stack_size)).unwrap_or(0)
    }

    pub(super) fn variable_count(&self, code: u64) -> u64 {
        let fields = self.offsets.code;
        let length = |offset| {
            let names = word(code, offset);
            if self.kinds.of(names) == Kind::Tuple { word(names, SIZE).min(1 << 16) } else { 0 }
        };
        if self.offsets.version < (3, 11) {
            length(fields.names) + length(fields.kinds) + length(fields.free)
        } else {
            length(fields.names)
        }
    }

    /// The name of the variable at an index.
    pub(crate) fn variable_name(&self, code: u64, mut index: u64) -> Option<String> {
        let fields = self.offsets.code;
        let tuples: &[u64] = if self.offsets.version < (3, 11) {
            // Plain variables, cells, free variables.
            &[fields.names, fields.kinds, fields.free]
        } else {
            &[fields.names]
        };
        for offset in tuples {
            let names = word(code, *offset);
            let length = self.length_of(names);
            if index < length {
                return self.text(self.at(names, index, Kind::Tuple), 200);
            }
            index -= length;
        }
        None
    }
}

//! Running frames of every thread, and the variables of frames, generators and coroutines.
//!
//! In: thread states, frames. Out: frames from the innermost outward, their variables by address and by name. From 3.11 on
//! a running frame's traversal shows nothing, so the variables are read raw. What must not happen here: `f_locals`, which
//! keeps what it shows alive; a frame object that comes into being; a variable of a frame that is being taken apart.

use super::kinds::Kind;
use super::offsets::{FRAME_FUNCTION, FRAME_INNER};
use super::{Label, Look};
use crate::layout::{SIZE, TYPE};
use crate::memory::{byte, int, word};
use crate::uncounted::{NUMBER, UNCOUNTED};

/// `_frameowner`: a generator's frame; a frame object's; one that belongs to C (3.14 has a second kind of these).
const OF_GENERATOR: u8 = 1;
const OF_OBJECT: u8 = 2;
const OF_C: u8 = 3;
/// 3.11: `is_entry`, C called the evaluator here.
const IS_ENTRY: u64 = 68;
/// Deeper than any stack.
const DEEPEST: usize = 1 << 20;

/// A frame that is being executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Running {
    /// The frame's address: of the interpreter's frame, in 3.10 of the frame object.
    pub(crate) frame: u64,
    /// Its code object.
    pub(crate) code: u64,
    /// Its variables can be read.
    pub(crate) readable: bool,
    /// The dict of its globals and, where the code has one, of its locals (module and class bodies).
    pub(crate) globals: u64,
    pub(crate) locals: u64,
}

impl Look<'_> {
    /// A thread's frames, innermost first, at most `most`.
    pub(crate) fn running(&self, thread: u64, most: usize) -> Vec<Running> {
        let fields = self.offsets.frame;
        let holder = match self.offsets.thread_cframe {
            Some(cframe) => word(thread, cframe),
            None => thread,
        };
        let mut frame = word(holder, self.offsets.thread_current);
        let mut frames = Vec::new();
        // Whether C called the frame before this one, or there is none before.
        let mut called_by_c = true;
        for _ in 0..DEEPEST {
            if frame == 0 || frames.len() >= most {
                break;
            }
            let code = self.referred(word(frame, fields.code));
            let of_c = self.offsets.version >= (3, 12) && byte(frame, fields.owner) >= OF_C;
            if !of_c && self.is_code(code) {
                // 3.11 takes a frame's variables away while it is still the current one. What then runs (`__del__`) was
                // called by C, and the frame's stack has been written back, which it is not while it executes C.
                let ending = self.offsets.version == (3, 11) && called_by_c && int(frame, fields.depth) >= 0;
                // The frame that a class's `__init__` returns to has no function, and its globals were never written.
                let named = self.offsets.version < (3, 12) || self.has_function(frame);
                frames.push(Running {
                    frame,
                    code,
                    readable: !ending,
                    globals: if named { word(frame, fields.globals) } else { 0 },
                    locals: if named { word(frame, fields.locals) } else { 0 },
                });
            }
            called_by_c = self.offsets.version == (3, 11) && byte(frame, IS_ENTRY) != 0;
            frame = word(frame, fields.previous);
        }
        frames
    }

    fn has_function(&self, frame: u64) -> bool {
        word(self.referred(word(frame, FRAME_FUNCTION)), TYPE) == self.python.known.function
    }

    /// The object behind a word of a frame; 0 without. From 3.14 on its lowest bits are not of the address, and a place without
    /// a value is not 0.
    fn referred(&self, word: u64) -> u64 {
        match word {
            _ if self.offsets.version < (3, 14) => word,
            _ if word & NUMBER != 0 => 0,
            _ => word & !UNCOUNTED,
        }
    }

    /// How many of a frame's places are filled, variables first; from 3.14 on. A frame that is taken apart says that none is before
    /// the first of them goes.
    pub(super) fn filled(&self, frame: u64) -> u64 {
        let fields = self.offsets.frame;
        let end = word(frame, fields.depth);
        end.checked_sub(frame.wrapping_add(fields.variables))
            .filter(|bytes| bytes % 8 == 0)
            .map_or(0, |all| all / 8)
    }

    /// Each variable of a frame that has a value: its index and its address.
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

    /// Each value on a frame's stack, where the frame says how deep it is: before 3.14 not while it executes C.
    pub(crate) fn stack(&self, running: &Running, visit: &mut dyn FnMut(u64)) {
        const DEEPEST_STACK: u64 = 1 << 16;
        let fields = self.offsets.frame;
        let depth = if self.offsets.version >= (3, 14) {
            self.filled(running.frame)
        } else {
            let Ok(depth) = u64::try_from(int(running.frame, fields.depth)) else { return };
            depth
        };
        let room = self.room(running.code).min(DEEPEST_STACK);
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

    /// How deep the stack of a function can be.
    pub(super) fn room(&self, code: u64) -> u64 {
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

    /// The interpreter's frame of a frame object or generator, and its code; `None` if it has ended.
    pub(crate) fn frame_of(&self, object: u64, kind: Kind) -> Option<(u64, u64)> {
        let frame = match (kind, self.offsets.version < (3, 11)) {
            (Kind::Frame, true) => object,
            (Kind::Generator, true) => word(object, self.offsets.generator_frame),
            (Kind::Frame, false) => word(object, FRAME_INNER),
            // One that has ended keeps the address of its code, not the code.
            (Kind::Generator, false) if byte(object, self.offsets.generator_state).cast_signed() > 0 => {
                return None;
            }
            (Kind::Generator, false) => object.wrapping_add(self.offsets.generator_frame),
            _ => return None,
        };
        let code = self.referred(word(frame, self.offsets.frame.code));
        if self.offsets.version >= (3, 11) {
            let owner = byte(frame, self.offsets.frame.owner);
            // A frame that runs is one of the roots; here are those that only their object keeps.
            let own = if kind == Kind::Frame {
                owner == OF_OBJECT || owner == OF_GENERATOR
            } else {
                owner == OF_GENERATOR
            };
            if !own {
                return None;
            }
        }
        self.is_code(code).then_some((frame, code))
    }

    pub(super) fn variable_of(&self, parent: u64, child: u64, kind: Kind) -> Option<Label> {
        let (frame, code) = self.frame_of(parent, kind)?;
        let mut found = None;
        self.variables(frame, code, &mut |index, value| {
            if value == child && found.is_none() {
                found = self.variable_name(code, index);
            }
        });
        found.map(Label::Local)
    }
}

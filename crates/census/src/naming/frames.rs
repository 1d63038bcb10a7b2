//! Running frames of every thread, and the frames of frame objects, generators and coroutines.
//!
//! In: thread states, objects. Out: frames, innermost first. From 3.11 on traversal of a running frame shows
//! nothing, so its variables are read raw (`variables.rs`). What must not happen here: `f_locals`, which
//! keeps its values alive; a new frame object; a variable of a frame that is being torn down.

use super::kinds::Kind;
use super::offsets::{FRAME_FUNCTION, FRAME_INNER};
use super::{HeapView, Label};
use crate::layout::TYPE;
use crate::memory::{byte, int, word};

/// `_frameowner`: a frame of a generator; of a frame object; of C, which has a second number in 3.14.
const OF_GENERATOR: u8 = 1;
const OF_OBJECT: u8 = 2;
const OF_C: u8 = 3;
/// 3.11: `is_entry`: C called the evaluator here.
const IS_ENTRY: u64 = 68;
/// Deeper than any stack.
const MAX_FRAMES: usize = 1 << 20;

/// A frame that is being executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunningFrame {
    /// The frame's address: the interpreter's frame, or in 3.10 the frame object.
    pub(crate) frame: u64,
    /// Its code object.
    pub(crate) code: u64,
    /// Its variables can be read.
    pub(crate) readable: bool,
    /// The dict of its globals; and of its locals where the code has one (bodies of modules and classes).
    pub(crate) globals: u64,
    pub(crate) locals: u64,
}

impl HeapView<'_> {
    /// A thread's frames, innermost first, at most `limit`.
    pub(crate) fn running(&self, thread: u64, limit: usize) -> Vec<RunningFrame> {
        let fields = self.offsets.frame;
        let holder = match self.offsets.thread_cframe {
            Some(cframe) => word(thread, cframe),
            None => thread,
        };
        let mut frame = word(holder, self.offsets.thread_current);
        let mut frames = Vec::new();
        // Whether C called the frame before this one, or this is the first.
        let mut called_by_c = true;
        for _ in 0..MAX_FRAMES {
            if frame == 0 || frames.len() >= limit {
                break;
            }
            let code = self.referred(word(frame, fields.code));
            let of_c = self.offsets.version >= (3, 12) && byte(frame, fields.owner) >= OF_C;
            if !of_c && self.is_code(code) {
                // 3.11 takes a frame's variables away while it is still the current one. A `__del__` that
                // runs then was called by C, and the frame's stack depth was written back, which it is not
                // while C executes.
                let ending = self.offsets.version == (3, 11) && called_by_c && int(frame, fields.depth) >= 0;
                // The frame that a class's `__init__` returns to has no function, and its globals are
                // uninitialised.
                let named = self.offsets.version < (3, 12) || self.has_function(frame);
                frames.push(RunningFrame {
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

    /// The interpreter's frame of a frame object or generator, and its code; `None` once it has ended.
    pub(crate) fn frame_of(&self, object: u64, kind: Kind) -> Option<(u64, u64)> {
        let frame = match (kind, self.offsets.version < (3, 11)) {
            (Kind::Frame, true) => object,
            (Kind::Generator, true) => word(object, self.offsets.generator_frame),
            (Kind::Frame, false) => word(object, FRAME_INNER),
            // An ended generator keeps the address of its code, but not the code.
            (Kind::Generator, false) if byte(object, self.offsets.generator_state).cast_signed() > 0 => {
                return None;
            }
            (Kind::Generator, false) => object.wrapping_add(self.offsets.generator_frame),
            _ => return None,
        };
        let code = self.referred(word(frame, self.offsets.frame.code));
        if self.offsets.version >= (3, 11) {
            let owner = byte(frame, self.offsets.frame.owner);
            // A running frame is a root; here are frames that only their object keeps.
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

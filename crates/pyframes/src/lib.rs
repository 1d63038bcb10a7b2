//! The calling thread's Python frames, read from CPython's own memory.
//!
//! In: a process with CPython 3.10 to 3.14 in it. Out: code objects and instructions, innermost first; their file,
//! function and line on request. A thread reads only its own frames, which stand still while it is in here; it needs no
//! GIL for that. What must not happen here: allocation, a lock, a panic, a call into CPython that does more than read
//! a variable. A pointer that cannot be right ends the walk. `docs/design/python-frames.md` says where the offsets
//! come from.
//!
//! All reads of foreign memory are in [`memory`], all calls of foreign functions in [`detect`](mod@detect).

#![allow(clippy::doc_markdown, reason = "CPython is a name, not code")]

mod code;
mod detect;
mod layout;
mod lines;
mod memory;
mod offset_table;
mod text;
mod walk;

pub use code::CodeFacts;
pub use detect::detect;
pub use text::Text;

use detect::Api;
use layout::Layout;

/// Whether this process's Python can be walked.
#[derive(Clone, Copy, Debug)]
pub enum Support {
    /// No CPython in the process, or it is not initialised yet: ask again later.
    NotYet,
    /// It can.
    Ready(Python),
    /// It cannot, and will not.
    Unsupported {
        /// Major and minor version.
        version: (u8, u8),
        /// The reason, for people.
        why: &'static str,
    },
}

/// An interpreter whose frames can be walked.
#[derive(Clone, Copy, Debug)]
pub struct Python {
    api: Api,
    layout: Layout,
}

/// A Python frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The code object's address; alive as long as the frame is. 0: this run of the evaluator has no Python frame any
    /// more (3.12 on: its last one has ended and its variables are being released).
    pub code: u64,
    /// Offset of the current instruction in bytes; `u32::MAX`: not started.
    pub instruction: u32,
    /// C called into the evaluator here: this is the outermost Python frame of one native `_PyEval_EvalFrameDefault`.
    pub entry: bool,
}

impl Frame {
    /// [`Frame::instruction`] of a frame that has not started.
    pub const NOT_STARTED: u32 = u32::MAX;
}

/// What a walk found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// How many frames were written.
    pub frames: usize,
    /// The thread's outermost frame was reached.
    pub complete: bool,
}

impl Python {
    /// Walks the calling thread's frames, innermost first, as far as `out` has room. No frames on a thread that has no
    /// Python state, and none once the interpreter has begun to end: it frees other threads' states under them.
    pub fn walk(&self, out: &mut [Frame]) -> Walked {
        if self.finalizing() {
            return Walked::default();
        }
        let Some(thread) = self.api.this_thread() else {
            return Walked { frames: 0, complete: true };
        };
        walk::walk(&self.layout, thread, out)
    }

    /// The address of `_PyEval_EvalFrameDefault`. Compilers may move its rarely used parts elsewhere.
    pub fn evaluator(&self) -> u64 {
        self.api.evaluator
    }

    /// Major and minor version.
    pub fn version(&self) -> (u8, u8) {
        self.layout.version
    }

    /// The line that `frame` is at, as its `f_lineno` would be; the code's first line where that is unknown, 0 where the
    /// frame has no code. The frame must be live.
    pub fn line(&self, frame: Frame) -> u32 {
        code::line(&self.layout, frame)
    }

    /// Writes the file name and the qualified name (3.10: the name) of a live code object into `into`.
    pub fn code(&self, code: u64, into: &mut Text) -> CodeFacts {
        code::facts(&self.layout, code, into)
    }

    /// A hash over a live code object's address, first line, name and file: differs, but for chance, when another code
    /// object has come to the address.
    pub fn identity(&self, code: u64) -> u64 {
        code::identity(&self.layout, code)
    }

    /// The block that Python frees at its end while threads may still read it: 3.10 gives back the main interpreter's
    /// state, which a daemon thread that waits for the GIL looks into once more before it goes. Later versions have it in
    /// static memory.
    pub fn freed_too_early(&self) -> Option<u64> {
        (self.version() == (3, 10)).then(detect::main_interpreter)?
    }

    /// The interpreter has begun to end.
    pub fn finalizing(&self) -> bool {
        self.api.finalizing()
    }
}

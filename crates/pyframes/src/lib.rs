//! Reads the calling thread's Python frames from CPython's own memory.
//!
//! In: a process with CPython 3.10 to 3.14. Out: code objects and instructions, innermost first; their file,
//! function and line on request. A thread reads only its own frames, which do not change meanwhile, so it
//! needs no GIL. What must not happen here: allocation, a lock, a panic, a call into CPython that does more
//! than read a variable. An impossible pointer ends the walk. `docs/design/python-frames.md` says where the
//! offsets come from.
//!
//! All reads of foreign memory are in [`memory`], all calls of foreign functions in [`detect`](mod@detect).
// Runs inside of somebody's training: what goes wrong here is counted, never thrown.
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]
#![allow(clippy::doc_markdown, reason = "CPython is a name, not code")]

mod code;
mod detect;
mod layout;
mod lines;
mod memory;
mod offset_table;
mod text;
mod walk;
mod words;

pub use code::CodeFacts;
pub use detect::detect;
pub use text::Text;

use detect::CApi;
use layout::Layout;

/// Whether this process's Python can be walked.
#[derive(Clone, Copy, Debug)]
pub enum Support {
    /// No CPython in the process, or it is not initialised yet: ask again later.
    NotYet,
    /// Its frames can be walked.
    Ready(Python),
    /// Its frames cannot be walked, now or later.
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
    api: CApi,
    layout: Layout,
}

/// A Python frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The code object's address; alive as long as the frame. 0: this evaluator run has no Python frame any
    /// more (3.12 on: the last one has ended and its variables are being released).
    pub code: u64,
    /// Offset of the current instruction in bytes; `u32::MAX`: not started.
    pub instruction: u32,
    /// C called the evaluator here: this is the outermost Python frame of one native
    /// `_PyEval_EvalFrameDefault`.
    pub entry: bool,
}

impl Frame {
    /// [`Frame::instruction`] of a frame that has not started.
    pub const NOT_STARTED: u32 = u32::MAX;
}

/// The result of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Number of frames written.
    pub frames: usize,
    /// The walk reached the thread's outermost frame.
    pub complete: bool,
}

impl Python {
    /// Walks the calling thread's frames, innermost first, as far as `out` has room. No frames on a thread
    /// without a Python state. No frames once the interpreter is finalizing, because it frees other threads'
    /// states meanwhile.
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

    /// The current line of `frame`, like its `f_lineno`. If unknown it is the code's first line; if the frame
    /// has no code, 0. The frame must be live.
    pub fn line(&self, frame: Frame) -> u32 {
        code::line(&self.layout, frame)
    }

    /// Writes the file name and the qualified name (3.10: the name) of a live code object into `into`.
    pub fn code(&self, code: u64, into: &mut Text) -> CodeFacts {
        code::facts(&self.layout, code, into)
    }

    /// A hash of a live code object's address, first line, name and file. It changes when another code object
    /// comes to the address.
    pub fn identity(&self, code: u64) -> u64 {
        code::identity(&self.layout, code)
    }

    /// The block that Python frees at its end while threads may still read it. 3.10 frees the main
    /// interpreter's state, which a daemon thread that waits for the GIL reads once more. Later versions keep
    /// it in static memory.
    pub fn freed_too_early(&self) -> Option<u64> {
        (self.version() == (3, 10)).then(detect::main_interpreter)?
    }

    /// Whether the interpreter is finalizing.
    pub fn finalizing(&self) -> bool {
        self.api.finalizing()
    }
}

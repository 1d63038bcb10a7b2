//! From a thread state along its frames.
//!
//! In: the calling thread's state. Out: its frames. A word that cannot be what it should be ends the walk, which then says
//! that it is not complete. What must not happen here: a walk without end; each step but those over frames that
//! belong to C takes a place in `out`, and of those no two follow each other without one.

use crate::code::is_code;
use crate::detect::Api;
use crate::layout::{Chain, EXECUTING, LENGTH, Layout, OWNED_BY_C, OWNED_BY_GENERATOR, TRACING};
use crate::memory::{byte, int, word};
use crate::{Frame, Walked};

/// An instruction of two bytes.
const UNIT: u32 = 2;

struct Walk<'a> {
    layout: &'a Layout,
    out: &'a mut [Frame],
    frames: usize,
}

/// Walks the frames of `thread`, which must be the calling thread's state.
pub(crate) fn walk(layout: &Layout, thread: u64, out: &mut [Frame]) -> Walked {
    // A state that says otherwise is another thread's, or memory that was one.
    if word(thread, layout.thread.identity) != Some(Api::own_identity()) {
        return Walked::default();
    }
    let mut walk = Walk { layout, out, frames: 0 };
    let end = innermost(layout, thread).and_then(|frame| match layout.chain {
        Chain::Objects { generator, depth, state } => {
            let quiet = int(thread, TRACING)? == 0;
            walk.objects(frame, |frame| {
                // `throw` and `close` of a generator that waits for another go to that one past the evaluator, with the
                // frame of the first in its place as if it ran. Its value stack says that it does not.
                let passed = word(frame, generator)? != 0
                    && int(frame, depth)? >= 0
                    && byte(frame, state)? == EXECUTING;
                Some(!(quiet && passed))
            })
        }
        Chain::Flags { is_entry, depth } => walk.flagged(frame, int(thread, TRACING)? == 0, is_entry, depth),
        Chain::Shims => walk.shimmed(frame),
    });
    Walked { frames: walk.frames, complete: end.is_some() }
}

fn innermost(layout: &Layout, thread: u64) -> Option<u64> {
    let holder = match layout.thread.cframe {
        Some(cframe) => word(thread, cframe)?,
        None => thread,
    };
    word(holder, layout.thread.frame)
}

impl Walk<'_> {
    /// 3.10. `None`: no room, or something is wrong.
    fn objects(&mut self, mut frame: u64, is_entry: impl Fn(u64) -> Option<bool>) -> Option<()> {
        let fields = self.layout.frame;
        while frame != 0 {
            let code = word(frame, fields.code).filter(|code| is_code(self.layout, *code))?;
            let index = int(frame, fields.instruction)?;
            let instruction =
                u32::try_from(index).map_or(Frame::NOT_STARTED, |index| index.saturating_mul(UNIT));
            self.push(Frame { code, instruction, entry: is_entry(frame)? })?;
            frame = word(frame, fields.previous)?;
        }
        Some(())
    }

    /// 3.11. `None`: no room, or something is wrong.
    fn flagged(&mut self, mut frame: u64, quiet: bool, is_entry: u16, depth: u16) -> Option<()> {
        let fields = self.layout.frame;
        let mut inner_flag = true;
        while frame != 0 {
            let owner = byte(frame, fields.owner).filter(|owner| *owner <= OWNED_BY_C)?;
            let flag = byte(frame, is_entry).filter(|flag| *flag <= 1)? != 0;
            let (code, instruction) = self.place(frame)?;
            // As for 3.10; the flag is left from when it ran. A frame that has called another in its run looks the same
            // but for that other's flag.
            let passed = owner == OWNED_BY_GENERATOR && inner_flag && int(frame, depth)? >= 0;
            self.push(Frame { code, instruction, entry: flag && !(quiet && passed) })?;
            inner_flag = flag;
            frame = word(frame, fields.previous)?;
        }
        Some(())
    }

    /// 3.12 on. `None`: no room, or something is wrong.
    fn shimmed(&mut self, mut frame: u64) -> Option<()> {
        let fields = self.layout.frame;
        // Whether a frame of the current run of the evaluator was pushed.
        let mut in_run = false;
        while frame != 0 {
            if byte(frame, fields.owner).filter(|owner| *owner <= OWNED_BY_C)? == OWNED_BY_C {
                self.end_run(in_run)?;
                in_run = false;
            } else {
                let (code, instruction) = self.place(frame)?;
                if !self.is_cleanup(code, instruction) {
                    self.push(Frame { code, instruction, entry: false })?;
                    in_run = true;
                }
            }
            frame = word(frame, fields.previous)?;
        }
        Some(())
    }

    /// The code of a frame and the instruction that it is at.
    fn place(&self, frame: u64) -> Option<(u64, u32)> {
        let fields = self.layout.frame;
        let code = word(frame, fields.code)? & !fields.tag;
        let code = Some(code).filter(|code| is_code(self.layout, *code))?;
        Some((code, self.instruction(code, word(frame, fields.instruction)?)?))
    }

    /// The frame pushed last, if it is of this run, was the run's outermost.
    fn end_run(&mut self, in_run: bool) -> Option<()> {
        if in_run {
            let last = self.out.get_mut(self.frames.checked_sub(1)?)?;
            last.entry = true;
            return Some(());
        }
        self.push(Frame { code: 0, instruction: Frame::NOT_STARTED, entry: true })
    }

    /// The offset of an instruction's address in its code, if it is in there. One unit before the code is how 3.11 and
    /// 3.12 say that a frame has not started.
    fn instruction(&self, code: u64, address: u64) -> Option<u32> {
        let start = code.wrapping_add(u64::from(self.layout.code.instructions));
        let offset = address.wrapping_sub(start);
        if offset == u64::from(UNIT).wrapping_neg() {
            return Some(Frame::NOT_STARTED);
        }
        let units = u32::try_from(word(code, LENGTH)?).ok()?;
        let offset = u32::try_from(offset).ok()?;
        (offset.is_multiple_of(UNIT) && offset / UNIT < units).then_some(offset)
    }

    /// 3.13 and 3.14 put a frame of their own, with a code object that no source made, below an `__init__` that is called
    /// in the same run of the evaluator. Python does not show it. Its file is the name itself, and it has no first line.
    fn is_cleanup(&self, code: u64, instruction: u32) -> bool {
        const LONGEST: u32 = 3 * UNIT;
        if instruction > LONGEST {
            return false;
        }
        let fields = self.layout.code;
        int(code, fields.first_line) == Some(0) && word(code, fields.file) == word(code, fields.name)
    }

    fn push(&mut self, frame: Frame) -> Option<()> {
        *self.out.get_mut(self.frames)? = frame;
        self.frames += 1;
        Some(())
    }
}

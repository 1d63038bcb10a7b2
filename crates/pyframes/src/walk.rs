//! From a thread state along its frames.
//!
//! In: the calling thread's state. Out: its frames. A word that cannot be what it should be ends the walk, which then says
//! that it is not complete. What must not happen here: a walk without end; each step but those over frames that
//! belong to C takes a place in `out`, and of those no two follow each other without one.

use crate::code::is_code;
use crate::detect::Api;
use crate::layout::{Chain, LENGTH, Layout, OWNED_BY_C};
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
        Chain::Objects => walk.objects(frame),
        Chain::Flags { is_entry } => walk.records(frame, Some(is_entry)),
        Chain::Shims => walk.records(frame, None),
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
    fn objects(&mut self, mut frame: u64) -> Option<()> {
        let fields = self.layout.frame;
        while frame != 0 {
            let code = word(frame, fields.code).filter(|code| is_code(self.layout, *code))?;
            let index = int(frame, fields.instruction)?;
            let instruction =
                u32::try_from(index).map_or(Frame::NOT_STARTED, |index| index.saturating_mul(UNIT));
            self.push(Frame { code, instruction, entry: true })?;
            frame = word(frame, fields.previous)?;
        }
        Some(())
    }

    /// 3.11 on. `None`: no room, or something is wrong.
    fn records(&mut self, mut frame: u64, is_entry: Option<u16>) -> Option<()> {
        let fields = self.layout.frame;
        // Whether a frame of the current run of the evaluator was pushed; for versions with frames that belong to C.
        let mut in_run = false;
        while frame != 0 {
            let owner = byte(frame, fields.owner).filter(|owner| *owner <= OWNED_BY_C)?;
            if is_entry.is_none() && owner == OWNED_BY_C {
                self.end_run(in_run)?;
                in_run = false;
            } else {
                let code = word(frame, fields.code).filter(|code| is_code(self.layout, *code))?;
                let instruction = self.instruction(code, word(frame, fields.instruction)?)?;
                if !self.is_cleanup(code, instruction) {
                    let entry = match is_entry {
                        Some(is_entry) => byte(frame, is_entry).filter(|flag| *flag <= 1)? != 0,
                        None => false,
                    };
                    self.push(Frame { code, instruction, entry })?;
                    in_run = true;
                }
            }
            frame = word(frame, fields.previous)?;
        }
        Some(())
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

    /// 3.13 puts a frame of its own, with a code object that no source made, below an `__init__` that is called in the
    /// same run of the evaluator. Python does not show it. Its file is the name itself, and it has no first line.
    fn is_cleanup(&self, code: u64, instruction: u32) -> bool {
        const LONGEST: u32 = 3 * UNIT;
        if self.layout.chain != Chain::Shims || instruction > LONGEST {
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

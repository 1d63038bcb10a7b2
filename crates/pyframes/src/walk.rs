//! Walks from a thread state along its frames.
//!
//! In: the calling thread's state. Out: its frames. An impossible word ends the walk, which then reports
//! itself as incomplete. What must not happen here: an endless walk. Each step takes a place in `out`, except
//! steps over frames that belong to C; two of those cannot follow each other without one.

use crate::code::is_code;
use crate::detect::CApi;
use crate::layout::{Chain, EXECUTING, LENGTH, Layout, OWNED_BY_C, OWNED_BY_GENERATOR, TRACING};
use crate::memory::{byte, int, word};
use crate::{Frame, Walked};

/// An instruction of two bytes.
const UNIT_BYTES: u32 = 2;

struct Walk<'a> {
    layout: &'a Layout,
    out: &'a mut [Frame],
    frames: usize,
}

/// Walks the frames of `thread`, which must be the calling thread's state.
pub(crate) fn walk(layout: &Layout, thread: u64, out: &mut [Frame]) -> Walked {
    // A state with another identity belongs to another thread, or to a thread that has ended.
    if word(thread, layout.thread.identity) != Some(CApi::own_identity()) {
        return Walked::default();
    }
    let mut walk = Walk { layout, out, frames: 0 };
    let end = innermost(layout, thread).and_then(|frame| match layout.chain {
        Chain::Objects { generator, depth, state } => {
            let not_tracing = int(thread, TRACING)? == 0;
            walk.objects(frame, |frame| {
                // `throw` and `close` of a generator that waits for another pass by the evaluator: the first
                // one's frame stands there as if it ran. Its value stack shows that it does not.
                let delegating = word(frame, generator)? != 0
                    && int(frame, depth)? >= 0
                    && byte(frame, state)? == EXECUTING;
                Some(!(not_tracing && delegating))
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
    /// 3.10. `None`: no room, or an impossible word.
    fn objects(&mut self, mut frame: u64, is_entry: impl Fn(u64) -> Option<bool>) -> Option<()> {
        let fields = self.layout.frame;
        while frame != 0 {
            let code = word(frame, fields.code).filter(|code| is_code(self.layout, *code))?;
            let index = int(frame, fields.instruction)?;
            let instruction =
                u32::try_from(index).map_or(Frame::NOT_STARTED, |index| index.saturating_mul(UNIT_BYTES));
            self.push(Frame { code, instruction, entry: is_entry(frame)? })?;
            frame = word(frame, fields.previous)?;
        }
        Some(())
    }

    /// 3.11. `None`: no room, or an impossible word.
    fn flagged(&mut self, mut frame: u64, not_tracing: bool, is_entry: u16, depth: u16) -> Option<()> {
        let fields = self.layout.frame;
        let mut inner_flag = true;
        while frame != 0 {
            let owner = byte(frame, fields.owner).filter(|owner| *owner <= OWNED_BY_C)?;
            let flag = byte(frame, is_entry).filter(|flag| *flag <= 1)? != 0;
            let (code, instruction) = self.position(frame)?;
            // As for 3.10; the flag remains from when the frame ran. A frame that has called another one in
            // its run differs only in that other frame's flag.
            let delegating = owner == OWNED_BY_GENERATOR && inner_flag && int(frame, depth)? >= 0;
            self.push(Frame { code, instruction, entry: flag && !(not_tracing && delegating) })?;
            inner_flag = flag;
            frame = word(frame, fields.previous)?;
        }
        Some(())
    }

    /// 3.12 on. `None`: no room, or an impossible word.
    fn shimmed(&mut self, mut frame: u64) -> Option<()> {
        let fields = self.layout.frame;
        // Whether a frame of the current evaluator run was pushed.
        let mut in_run = false;
        while frame != 0 {
            if byte(frame, fields.owner).filter(|owner| *owner <= OWNED_BY_C)? == OWNED_BY_C {
                self.end_run(in_run)?;
                in_run = false;
            } else {
                let (code, instruction) = self.position(frame)?;
                if !self.is_cleanup(code, instruction) {
                    self.push(Frame { code, instruction, entry: false })?;
                    in_run = true;
                }
            }
            frame = word(frame, fields.previous)?;
        }
        Some(())
    }

    /// The code of a frame and its current instruction.
    fn position(&self, frame: u64) -> Option<(u64, u32)> {
        let fields = self.layout.frame;
        let code = word(frame, fields.code)? & !fields.tag;
        let code = Some(code).filter(|code| is_code(self.layout, *code))?;
        Some((code, self.instruction(code, word(frame, fields.instruction)?)?))
    }

    /// Marks the last pushed frame as the run's outermost, if it belongs to this run.
    fn end_run(&mut self, in_run: bool) -> Option<()> {
        if in_run {
            let last = self.out.get_mut(self.frames.checked_sub(1)?)?;
            last.entry = true;
            return Some(());
        }
        self.push(Frame { code: 0, instruction: Frame::NOT_STARTED, entry: true })
    }

    /// The offset of an instruction's address in its code, if it lies inside. In 3.11 and 3.12 an address one
    /// unit before the code means that the frame has not started.
    fn instruction(&self, code: u64, address: u64) -> Option<u32> {
        let start = code.wrapping_add(u64::from(self.layout.code.instructions));
        let offset = address.wrapping_sub(start);
        if offset == u64::from(UNIT_BYTES).wrapping_neg() {
            return Some(Frame::NOT_STARTED);
        }
        let units = u32::try_from(word(code, LENGTH)?).ok()?;
        let offset = u32::try_from(offset).ok()?;
        (offset.is_multiple_of(UNIT_BYTES) && offset / UNIT_BYTES < units).then_some(offset)
    }

    /// 3.13 and 3.14 put a frame of their own below an `__init__` that is called in the same evaluator run.
    /// Python does not show it. Its code object's file is the name itself, and it has no first line.
    fn is_cleanup(&self, code: u64, instruction: u32) -> bool {
        const MAX_CLEANUP_OFFSET: u32 = 3 * UNIT_BYTES;
        if instruction > MAX_CLEANUP_OFFSET {
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

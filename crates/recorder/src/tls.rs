#![expect(
    unsafe_code,
    reason = "the block of a thread is declared in assembly and found by two instructions"
)]
//! What the recorder keeps per thread: one block in the initial thread-local storage.
//!
//! In: a size. Out: whether a sample point lies in it. The block needs no call, no allocation and no destructor, which
//! `thread_local!` in a library would: it is zero when a thread begins and gone when it ends.
//!
//! All fields are atomics of one thread: a signal handler may allocate in the middle of anything.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize};

/// Size classes: one per power of two.
pub(crate) const CLASSES: usize = 64;

/// One thread's block; all zero at first.
#[repr(C, align(64))]
pub(crate) struct Block {
    /// Bytes left to the next sample point, by [`place`] of a size's class.
    pub(crate) remaining: [AtomicI64; CLASSES],
    /// The mean with which that distance was drawn.
    pub(crate) mean: [AtomicU32; CLASSES],
    /// State of the random numbers; 0: not seeded.
    pub(crate) random: AtomicU64,
    /// Bit per class: a distance has been drawn.
    pub(crate) seeded: AtomicU64,
    /// Of [`crate::pace::Pace`], when the distances were last looked at.
    pub(crate) generation: AtomicU32,
    /// The kernel's number of the thread; 0: not asked for yet.
    pub(crate) thread: AtomicU32,
    /// The recorder is at work on this thread: what is allocated is its own, or a signal handler's.
    pub(crate) busy: AtomicBool,
    /// What this thread allocates now is the tool's own, and none of the program's.
    pub(crate) left_out: AtomicBool,
    /// Python's allocator is getting an arena: its objects are counted, not the arena.
    pub(crate) arena: AtomicBool,
    /// This thread makes objects of Python's.
    pub(crate) runs_python: AtomicBool,
    /// A pool of tensors is at work: its place among them, from 1; 0 if none is.
    pub(crate) pool: AtomicUsize,
}

const SIZE: usize = size_of::<Block>();

#[cfg(not(any(test, miri)))]
mod thread {
    use super::{Block, CLASSES, SIZE};

    std::arch::global_asm!(
        ".pushsection .tbss.nilometer_recorder_block,\"awT\",@nobits",
        ".p2align 6",
        ".globl nilometer_recorder_block",
        ".hidden nilometer_recorder_block",
        ".type nilometer_recorder_block, @object",
        ".size nilometer_recorder_block, {size}",
        "nilometer_recorder_block:",
        ".zero {size}",
        ".popsection",
        size = const SIZE,
    );

    /// The calling thread's block.
    #[inline(always)]
    pub(crate) fn block() -> &'static Block {
        let at: *const Block;
        // SAFETY: adds the variable's offset, which the loader puts into the global offset table, to the thread pointer.
        unsafe {
            std::arch::asm!(
                "mov {at}, qword ptr [rip + nilometer_recorder_block@GOTTPOFF]",
                "add {at}, qword ptr fs:[0]",
                at = out(reg) at,
                options(pure, readonly, nostack),
            );
        }
        // SAFETY: zeroed, aligned and large enough by its declaration above; lives as long as the thread, which is the
        // only one to get this reference.
        unsafe { &*at }
    }

    /// Counts an allocation of this thread; true if it may hold a sample point. This is all that most allocations do, so it is
    /// written out: found by the segment register, subtracted in memory, decided by the flags that are left.
    #[inline(always)]
    pub(crate) fn count_down(size: usize) -> bool {
        // SAFETY: a bit is set, so that the place is one of 64, all of which lie in the first field of the thread's block, of
        // which nobody has a reference that is not to an atomic.
        unsafe {
            std::arch::asm!(
                "lzcnt {place}, {bits}",
                "mov {offset}, qword ptr [rip + nilometer_recorder_block@GOTTPOFF]",
                "sub qword ptr fs:[{offset} + {place} * 8], {size}",
                "js {ended}",
                bits = in(reg) size | 1,
                size = in(reg) size,
                place = out(reg) _,
                offset = out(reg) _,
                ended = label { return true },
                options(nostack),
            );
        }
        false
    }

    /// Where the countdown of a size's class lies, by `lzcnt`. Older processors (AMD before 2007, Intel before 2013) execute
    /// it as `bsr`, whose result is another valid index. `bsr` alone costs AMD eight micro-operations: half a nanosecond.
    pub(crate) fn place(size: usize) -> usize {
        let place: usize;
        // SAFETY: reads a register and writes another; a bit is set, without which `bsr` would tell nothing.
        unsafe {
            std::arch::asm!(
                "lzcnt {place}, {bits}",
                place = out(reg) place,
                bits = in(reg) size | 1,
                options(pure, nomem, nostack),
            );
        }
        place.min(CLASSES - 1)
    }
}

#[cfg(any(test, miri))]
mod thread {
    use std::sync::atomic::Ordering::Relaxed;

    use super::{Block, class};

    /// The calling thread's block, in tests one that is never freed.
    pub(crate) fn block() -> &'static Block {
        thread_local!(static BLOCK: &'static Block = Box::leak(Box::default()));
        BLOCK.with(|block| *block)
    }

    /// Counts an allocation of this thread; true if it may hold a sample point.
    pub(crate) fn count_down(size: usize) -> bool {
        block().count_down(size)
    }

    /// Where the countdown of a size's class lies.
    pub(crate) fn place(size: usize) -> usize {
        class(size)
    }

    impl Block {
        pub(crate) fn count_down(&self, size: usize) -> bool {
            let Some(remaining) = self.remaining.get(place(size)) else { return false };
            let left = remaining.load(Relaxed).wrapping_sub(size.cast_signed() as i64);
            remaining.store(left, Relaxed);
            left < 0
        }
    }
}

use thread::place;
pub(crate) use thread::{block, count_down};

const _: () = assert!(SIZE.is_multiple_of(64) && SIZE < 1024, "it lies on the stack of each thread");
const _: () = assert!(std::mem::offset_of!(Block, remaining) == 0, "`count_down` finds it there");

#[cfg(test)]
impl Default for Block {
    fn default() -> Self {
        Self {
            remaining: [const { AtomicI64::new(0) }; CLASSES],
            mean: [const { AtomicU32::new(0) }; CLASSES],
            random: AtomicU64::new(0),
            seeded: AtomicU64::new(0),
            generation: AtomicU32::new(0),
            thread: AtomicU32::new(0),
            busy: AtomicBool::new(false),
            left_out: AtomicBool::new(false),
            arena: AtomicBool::new(false),
            runs_python: AtomicBool::new(false),
            pool: AtomicUsize::new(0),
        }
    }
}

/// The class of a size.
pub(crate) fn class(size: usize) -> usize {
    (size | 1).ilog2() as usize
}

impl Block {
    /// Bytes left to the next sample point of a class.
    pub(crate) fn remaining(&self, class: usize) -> Option<&AtomicI64> {
        self.remaining.get(place(1 << class.min(CLASSES - 1)))
    }

    /// The kernel's number of this thread.
    pub(crate) fn thread(&self) -> u32 {
        let known = self.thread.load(Relaxed);
        if known != 0 {
            return known;
        }
        // SAFETY: no arguments.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
        self.thread.store(thread, Relaxed);
        thread
    }
}

#![expect(unsafe_code, reason = "stands in front of the allocator to count what this module takes from it")]
//! How much of the program's heap is ours.
//!
//! In: every allocation of this module, which lies in the program's own heap. Out: the bytes that the C allocator counts for them,
//! to be left out of what the program has in use. What must not happen here: a table of the census that rises beside a small
//! leak, or is taken for one. (A sum that the census made of its own tables missed some 300 KiB: small vectors, texts, records.)

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes in blocks of this module that live.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counted.
struct Counted;

#[cfg_attr(not(test), global_allocator)]
#[cfg_attr(test, allow(dead_code, reason = "tests call it by hand"))]
static COUNTED: Counted = Counted;

/// Bytes that the program's allocator has in use for this module.
pub(crate) fn held() -> u64 {
    HELD.load(Relaxed) as u64
}

/// What glibc takes for a block: a word in front of it, in steps of 16 bytes. Asking `malloc_usable_size` would be exact for
/// every allocator, but a program may have one that brings its own `malloc` only.
const fn taken(size: usize) -> usize {
    const WORD: usize = size_of::<usize>();
    const STEP: usize = 2 * WORD;
    const LEAST: usize = 2 * STEP;
    let whole = size.saturating_add(WORD + STEP - 1) & !(STEP - 1);
    if whole < LEAST { LEAST } else { whole }
}

// SAFETY: every call goes to the system's allocator as it came, and its answer back; counting allocates nothing and cannot panic.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            HELD.fetch_add(taken(layout.size()), Relaxed);
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            HELD.fetch_add(taken(layout.size()), Relaxed);
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `alloc`; `block` came from `System`, as all of ours do.
        let moved = unsafe { System.realloc(block, layout, size) };
        if !moved.is_null() {
            HELD.fetch_add(taken(size), Relaxed);
            HELD.fetch_sub(taken(layout.size()), Relaxed);
        }
        moved
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as in `realloc`.
        unsafe { System.dealloc(block, layout) };
        HELD.fetch_sub(taken(layout.size()), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_counts_with_the_word_before_it_in_steps_of_sixteen() {
        assert_eq!([0, 1, 24, 25, 40, 41, 1000].map(taken), [32, 32, 32, 48, 48, 64, 1008]);
        assert_eq!(taken(usize::MAX), usize::MAX & !15);
    }

    #[test]
    fn what_was_given_back_counts_no_more() {
        let before = held();
        let layout = Layout::from_size_align(100, 8).expect("a size and an alignment");
        // SAFETY: sizes are not zero; each block is used with the layout it has then, and given back once.
        unsafe {
            let block = COUNTED.alloc(layout);
            assert_eq!(held() - before, 112);
            let block = COUNTED.realloc(block, layout, 1000);
            assert_eq!(held() - before, 1008);
            COUNTED.dealloc(block, Layout::from_size_align(1000, 8).expect("a size and an alignment"));
            let block = COUNTED.alloc_zeroed(layout);
            assert_eq!((held() - before, *block), (112, 0));
            COUNTED.dealloc(block, layout);
        }
        assert_eq!(held(), before);
    }
}

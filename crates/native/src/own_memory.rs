#![expect(unsafe_code, reason = "the allocator of this module")]
//! The memory of this module: apart from the program's where it is large, counted where it is not.
//!
//! In: every allocation of this module. Out: large blocks in mappings of their own, small ones from the program's heap, and the
//! bytes that its C allocator counts for the small ones, to be left out of what the program has in use. What must not happen here: a
//! table of the census that rises beside a small leak, or is taken for one (a sum that the census made of its own tables missed some
//! 300 KiB); free memory of ours that the program's allocator keeps. Besides, glibc takes the size of each mapped block that is freed
//! for the size from which on blocks are worth a mapping: tables of ours would change where the program's arrays lie from then on.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// Blocks of at least so many bytes are mappings. The C library's own limit is twice that, at first.
const MIN_MAPPED_BYTES: usize = 64 << 10;
/// No type of ours asks for more than a mapping is aligned to.
const PAGE: usize = 4096;

/// Bytes in small blocks of this module that live.
static HELD: AtomicUsize = AtomicUsize::new(0);

struct Own;

#[cfg_attr(not(test), global_allocator)]
#[cfg_attr(test, allow(dead_code, reason = "tests call it by hand"))]
static OWN: Own = Own;

/// Bytes that the program's allocator has in use for this module.
pub(crate) fn held() -> u64 {
    HELD.load(Relaxed) as u64
}

/// What glibc takes for a block: a word in front of it, in steps of 16 bytes. Asking `malloc_usable_size` would be exact for
/// every allocator, but a program may have one that brings its own `malloc` only.
const fn taken(size: usize) -> usize {
    const WORD: usize = size_of::<usize>();
    const ALIGNMENT_BYTES: usize = 2 * WORD;
    const MIN_BLOCK_BYTES: usize = 2 * ALIGNMENT_BYTES;
    let whole = size.saturating_add(WORD + ALIGNMENT_BYTES - 1) & !(ALIGNMENT_BYTES - 1);
    if whole < MIN_BLOCK_BYTES { MIN_BLOCK_BYTES } else { whole }
}

/// Whether a block of this layout is a mapping. Asked again when it is freed, with the same answer.
const fn is_large(layout: Layout) -> bool {
    layout.size() >= MIN_MAPPED_BYTES && layout.align() <= PAGE
}

/// Maps `size` bytes of zeros, or gives null. Past the hooks of the recorder: this is no memory of the program's.
fn map(size: usize) -> *mut u8 {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping where the kernel chooses; it touches nothing that is there.
    let at = unsafe { libc::syscall(libc::SYS_mmap, 0_usize, size, access, kind, -1, 0_usize) };
    pointer(at)
}

/// The kernel's answer as an address; null where it is an error.
fn pointer(answer: libc::c_long) -> *mut u8 {
    if answer == -1 { ptr::null_mut() } else { answer as usize as *mut u8 }
}

// SAFETY: a block is a mapping or the system allocator's by its layout alone, which is the same when it comes back; both give what
// the layout asks for; counting allocates nothing, and nothing here can panic.
unsafe impl GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(layout) {
            return map(layout.size());
        }
        // SAFETY: the caller's promises are those that `System` asks for.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            HELD.fetch_add(taken(layout.size()), Relaxed);
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_large(layout) {
            return map(layout.size());
        }
        // SAFETY: as in `alloc`.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            HELD.fetch_add(taken(layout.size()), Relaxed);
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that `size`, rounded up to the alignment, is no overflow.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_large(layout), is_large(wanted)) {
            (true, true) => {
                let (old, how) = (layout.size(), libc::MREMAP_MAYMOVE);
                // SAFETY: `block` is a whole mapping of ours of that size, and the caller's alone; nobody uses its old address again.
                pointer(unsafe { libc::syscall(libc::SYS_mremap, block as usize, old, size, how) })
            }
            (false, false) => {
                // SAFETY: as in `alloc`; `block` came from `System`, being small.
                let moved = unsafe { System.realloc(block, layout, size) };
                if !moved.is_null() {
                    HELD.fetch_add(taken(size), Relaxed);
                    HELD.fetch_sub(taken(layout.size()), Relaxed);
                }
                moved
            }
            _ => {
                // SAFETY: `wanted` has the promised size, and `block` this layout; both are valid for the smaller of their sizes, and
                // two blocks that live at once do not overlap.
                unsafe {
                    let moved = self.alloc(wanted);
                    if !moved.is_null() {
                        ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                        self.dealloc(block, layout);
                    }
                    moved
                }
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if is_large(layout) {
            // SAFETY: a whole mapping of ours of that size, which its owner gives up.
            unsafe { libc::syscall(libc::SYS_munmap, block as usize, layout.size()) };
            return;
        }
        // SAFETY: as in `realloc`.
        unsafe { System.dealloc(block, layout) };
        HELD.fetch_sub(taken(layout.size()), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Mutex, PoisonError};

    /// What one test allocates the other would count.
    static ALONE: Mutex<()> = Mutex::new(());

    #[test]
    fn a_block_counts_with_the_word_before_it_in_steps_of_sixteen() {
        assert_eq!([0, 1, 24, 25, 40, 41, 1000].map(taken), [32, 32, 32, 48, 48, 64, 1008]);
        assert_eq!(taken(usize::MAX), usize::MAX & !15);
    }

    #[test]
    fn what_was_given_back_counts_no_more() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let before = held();
        let layout = Layout::from_size_align(100, 8).expect("a size and an alignment");
        // SAFETY: sizes are not zero; each block is used with the layout it has then, and given back once.
        unsafe {
            let block = OWN.alloc(layout);
            assert_eq!(held() - before, 112);
            let block = OWN.realloc(block, layout, 1000);
            assert_eq!(held() - before, 1008);
            OWN.dealloc(block, Layout::from_size_align(1000, 8).expect("a size and an alignment"));
            let block = OWN.alloc_zeroed(layout);
            assert_eq!((held() - before, *block), (112, 0));
            OWN.dealloc(block, layout);
        }
        assert_eq!(held(), before);
    }

    #[test]
    fn a_block_keeps_its_content_on_every_way_between_small_and_large() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |size| Layout::from_size_align(size, 8).expect("a size and an alignment");
        let sizes = [
            1000,
            MIN_MAPPED_BYTES - 1,
            MIN_MAPPED_BYTES,
            40 * MIN_MAPPED_BYTES,
            3 * MIN_MAPPED_BYTES + 5,
            5000,
            100 * MIN_MAPPED_BYTES,
        ];
        // SAFETY: as above; what is read was written, or is of a mapping.
        unsafe {
            let mut block = OWN.alloc(of(sizes[0]));
            (0..1000).for_each(|at| *block.add(at) = at as u8);
            for pair in sizes.windows(2) {
                block = OWN.realloc(block, of(pair[0]), pair[1]);
                assert!((0..1000).all(|at| *block.add(at) == at as u8), "{pair:?}");
                *block.add(pair[1] - 1) = 7;
            }
            OWN.dealloc(block, of(sizes[sizes.len() - 1]));
            let zeroed = OWN.alloc_zeroed(of(2 * MIN_MAPPED_BYTES));
            assert!((0..2 * MIN_MAPPED_BYTES).all(|at| *zeroed.add(at) == 0));
            OWN.dealloc(zeroed, of(2 * MIN_MAPPED_BYTES));
        }
    }
}

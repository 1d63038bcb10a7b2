#![expect(unsafe_code, reason = "arrays in mappings of their own")]
//! Memory for the recorder's tables: zeroed arrays straight from the kernel, past the hooks.
//!
//! Touched lazily, so that a table costs what it holds. What must not happen here: `malloc`, which would be the
//! program's.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Types for which zero bytes are a value.
///
/// # Safety
/// A value of all zero bytes is valid, and the type needs no drop.
pub(crate) unsafe trait Zero {}
// SAFETY: a number.
unsafe impl Zero for u8 {}
// SAFETY: a number.
unsafe impl Zero for u64 {}
// SAFETY: a number.
unsafe impl Zero for AtomicU32 {}
// SAFETY: a number.
unsafe impl Zero for AtomicU64 {}
// SAFETY: numbers.
unsafe impl Zero for crate::watch::Kind {}
// SAFETY: numbers.
unsafe impl<T: Zero, const N: usize> Zero for [T; N] {}

/// An array that is unmapped when it is dropped.
pub(crate) struct Pages<T: Zero> {
    start: NonNull<T>,
    len: usize,
}

// SAFETY: owns its elements, as a box does.
unsafe impl<T: Zero + Send> Send for Pages<T> {}
// SAFETY: as above.
unsafe impl<T: Zero + Sync> Sync for Pages<T> {}

impl<T: Zero> Pages<T> {
    /// `len` elements of zero; `None` if the kernel has no room.
    pub(crate) fn new(len: usize) -> Option<Self> {
        const { assert!(align_of::<T>() <= 4096) };
        let bytes = len.checked_mul(size_of::<T>())?;
        Some(Self { start: map(bytes)?.cast(), len })
    }

    /// An array without elements, which takes no memory.
    pub(crate) const fn empty() -> Self {
        Self { start: NonNull::dangling(), len: 0 }
    }

    pub(crate) fn all(&self) -> &[T] {
        // SAFETY: mapped, zeroed, `len` elements.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    pub(crate) fn all_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

/// Asks the processor to fetch this, so that what comes next need not wait for it. A trial changes words in several tables, one
/// after the other since each change is atomic, and between two of them the program has filled the cache.
#[inline]
pub(crate) fn prefetch<T>(at: Option<&T>) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if let Some(at) = at {
        // SAFETY: a hint, which changes nothing.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(
                std::ptr::from_ref(at).cast(),
            );
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}

impl<T: Zero> Drop for Pages<T> {
    fn drop(&mut self) {
        if self.len != 0 {
            // SAFETY: exactly what was mapped.
            unsafe { unmap(self.start.as_ptr().cast(), self.len * size_of::<T>()) };
        }
    }
}

#[cfg(not(miri))]
fn map(bytes: usize) -> Option<NonNull<u8>> {
    let access = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as usize;
    // Every argument as wide as a register: the kernel looks at whole registers.
    let at =
        // SAFETY: a new mapping wherever the kernel likes.
        unsafe { libc::syscall(libc::SYS_mmap, 0_usize, bytes.max(1), access, flags, -1_isize, 0_usize) };
    if at == -1 { None } else { NonNull::new(at as *mut u8) }
}

#[cfg(not(miri))]
unsafe fn unmap(start: *mut u8, bytes: usize) {
    // SAFETY: as the caller promises.
    unsafe { libc::syscall(libc::SYS_munmap, start, bytes.max(1)) };
}

#[cfg(miri)]
fn map(bytes: usize) -> Option<NonNull<u8>> {
    let layout = std::alloc::Layout::from_size_align(bytes.max(1), 4096).ok()?;
    // SAFETY: not empty.
    NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })
}

#[cfg(miri)]
unsafe fn unmap(start: *mut u8, bytes: usize) {
    if let Ok(layout) = std::alloc::Layout::from_size_align(bytes.max(1), 4096) {
        // SAFETY: as the caller promises.
        unsafe { std::alloc::dealloc(start, layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeroed_and_written() {
        let mut pages = Pages::<u64>::new(5000).expect("the kernel has room");
        assert!(pages.all().iter().all(|word| *word == 0));
        pages.all_mut()[4999] = 7;
        assert_eq!(pages.all().last(), Some(&7));
        assert!(Pages::<u64>::empty().all().is_empty());
    }
}

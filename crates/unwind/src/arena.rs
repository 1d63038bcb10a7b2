//! Memory straight from the kernel, never given back: for facts learned about modules.
//!
//! Lock-free, safe in signal handlers and after a fork. `None` when the kernel has no more.
#![expect(unsafe_code, reason = "hands out parts of mappings")]

use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};

const CHUNK_BYTES: usize = 64 << 10;
const ALIGN_BYTES: usize = 16;

/// The head of a chunk: how many of its bytes are taken, the head included.
#[repr(align(16))]
struct Head(AtomicUsize);

static CURRENT: AtomicPtr<Head> = AtomicPtr::new(null_mut());

/// `bytes` zeroed bytes, aligned to 16.
pub(crate) fn take(bytes: usize) -> Option<NonNull<u8>> {
    let bytes = bytes.checked_next_multiple_of(ALIGN_BYTES)?;
    if bytes > CHUNK_BYTES - ALIGN_BYTES {
        return None;
    }
    loop {
        let chunk = CURRENT.load(Acquire);
        // SAFETY: null, or a chunk that was published below and is never unmapped.
        if let Some(head) = unsafe { chunk.as_ref() } {
            let at = head.0.fetch_add(bytes, Relaxed);
            if at <= CHUNK_BYTES - bytes {
                // SAFETY: at + bytes is inside the chunk; no other caller gets this part.
                return NonNull::new(unsafe { chunk.cast::<u8>().add(at) });
            }
        }
        replace(chunk)?;
    }
}

/// Puts a fresh chunk in place of a full one, unless another thread was faster.
#[cold]
fn replace(full: *mut Head) -> Option<()> {
    let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping wherever the kernel likes.
    let fresh = unsafe { map(CHUNK_BYTES, access, flags) }?;
    // SAFETY: fresh, zeroed, large enough, aligned to a page.
    unsafe { fresh.as_ref() }.0.store(ALIGN_BYTES, Relaxed);
    if CURRENT.compare_exchange(full, fresh.as_ptr(), AcqRel, Relaxed).is_err() {
        // SAFETY: no thread has seen it.
        unsafe { libc::syscall(libc::SYS_munmap, fresh.as_ptr(), CHUNK_BYTES) };
    }
    Some(())
}

/// Goes past any hook of `mmap`: this memory is ours, not the program's.
unsafe fn map(bytes: usize, access: i32, flags: i32) -> Option<NonNull<Head>> {
    // Every argument has register width, because the kernel reads whole registers.
    let (access, flags, no_file, offset) = (access as usize, flags as usize, -1isize, 0usize);
    // SAFETY: as the caller promises.
    let at = unsafe { libc::syscall(libc::SYS_mmap, 0usize, bytes, access, flags, no_file, offset) };
    if at == -1 { None } else { NonNull::new(at as *mut Head) }
}

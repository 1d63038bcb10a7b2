#![expect(unsafe_code, reason = "stands in for functions of the C library")]
//! The hooks of the C allocator.

use std::ffi::{c_int, c_void};

use nilometer_capture::Source;

use crate::births::{self, New};
use crate::deaths;
use crate::filter::FILTER;
use crate::pools;
use crate::real;
use crate::tls::block;

type Memory = *mut c_void;

#[cold]
#[inline(never)]
fn born(at: Memory, size: usize) -> Memory {
    births::consider(New { address: at as usize, size, source: Source::Malloc });
    at
}

/// Passes an allocation on that the countdown may have ended at.
macro_rules! pass {
    ($size:expr, $call:expr) => {{
        let size = $size;
        if block().count(size) {
            // SAFETY: what the caller promises.
            return born(unsafe { $call }, size);
        }
        // SAFETY: what the caller promises.
        unsafe { $call }
    }};
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn malloc(size: usize) -> Memory {
    pass!(size, real::malloc(size))
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn calloc(count: usize, size: usize) -> Memory {
    pass!(count.saturating_mul(size), real::calloc(count, size))
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn memalign(align: usize, size: usize) -> Memory {
    pass!(size, real::memalign(align, size))
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn aligned_alloc(align: usize, size: usize) -> Memory {
    pass!(size, real::aligned_alloc(align, size))
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn valloc(size: usize) -> Memory {
    pass!(size, real::valloc(size))
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pvalloc(size: usize) -> Memory {
    pass!(size, real::pvalloc(size))
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn posix_memalign(to: *mut Memory, align: usize, size: usize) -> c_int {
    // SAFETY: what the caller promises.
    let result = unsafe { real::posix_memalign(to, align, size) };
    // SAFETY: written by the call, which succeeded.
    if result == 0 && pools::took_region(unsafe { *to } as usize, size) {
        // SAFETY: as above.
        births::reserved(unsafe { *to } as usize, size);
    } else if block().count(size) {
        // SAFETY: written by the call, which succeeded.
        born(if result == 0 { unsafe { *to } } else { std::ptr::null_mut() }, size);
    }
    result
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn free(at: Memory) {
    if FILTER.may_hold(at as usize) {
        deaths::consider(at as usize);
    }
    // SAFETY: what the caller promises.
    unsafe { real::free(at) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cfree(at: Memory) {
    // SAFETY: what the caller promises; `cfree` is an old name of `free`.
    unsafe { free(at) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn free_sized(at: Memory, _size: usize) {
    // SAFETY: what the caller promises; C allows `free` in its place.
    unsafe { free(at) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn free_aligned_sized(at: Memory, _align: usize, _size: usize) {
    // SAFETY: what the caller promises; C allows `free` in its place.
    unsafe { free(at) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn realloc(at: Memory, size: usize) -> Memory {
    let sampled = FILTER.may_hold(at as usize) && !at.is_null();
    if sampled {
        // SAFETY: what the caller promises.
        return unsafe { realloc_sampled(at, size) };
    }
    pass!(size, real::realloc(at, size))
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn reallocarray(at: Memory, count: usize, size: usize) -> Memory {
    if let Some(size) = count.checked_mul(size) {
        // SAFETY: what the caller promises.
        return unsafe { realloc(at, size) };
    }
    // SAFETY: a variable of the thread.
    unsafe { *libc::__errno_location() = libc::ENOMEM };
    std::ptr::null_mut()
}

/// The sample is taken out first: as soon as the memory is given back, another thread may get it.
#[cold]
#[inline(never)]
unsafe fn realloc_sampled(at: Memory, size: usize) -> Memory {
    let lifted = deaths::lift(at as usize);
    // SAFETY: what the caller promises.
    let fresh = unsafe { real::realloc(at, size) };
    if let Some((recorder, id)) = lifted {
        if fresh.is_null() && size != 0 {
            deaths::put_back(recorder, at as usize, id);
        } else {
            deaths::died(recorder, id);
        }
    }
    if block().count(size) {
        return born(fresh, size);
    }
    fresh
}

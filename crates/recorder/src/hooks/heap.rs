#![expect(unsafe_code, reason = "stands in for functions of the C library")]
//! The hooks of the C allocator.

use std::ffi::{c_int, c_void};

use nilometer_capture::Source;

use crate::births::{self, New};
use crate::deaths;
use crate::filter::FILTER;
use crate::next_allocator;
use crate::pools;
use crate::py310_exit_guard;
use crate::tls::count_down;

type Memory = *mut c_void;

#[cold]
#[inline(never)]
fn born(at: Memory, size: usize) -> Memory {
    births::consider(New { address: at as usize, size, source: Source::Malloc });
    at
}

/// A hook that passes an allocation on, and the way of those at which the countdown ends: apart, so that the others need
/// no stack.
macro_rules! hook {
    ($name:ident($($arg:ident),+) of $size:expr) => {
        #[unsafe(no_mangle)]
        pub(super) unsafe extern "C" fn $name($($arg: usize),+) -> Memory {
            #[cold]
            #[inline(never)]
            unsafe extern "C" fn counted($($arg: usize),+) -> Memory {
                // SAFETY: what the caller promises.
                born(unsafe { next_allocator::$name($($arg),+) }, $size)
            }
            if count_down($size) {
                // SAFETY: what the caller promises.
                return unsafe { counted($($arg),+) };
            }
            // SAFETY: what the caller promises.
            unsafe { next_allocator::$name($($arg),+) }
        }
    };
}

hook!(malloc(size) of size);
hook!(calloc(count, size) of count.saturating_mul(size));
hook!(memalign(align, size) of size);
hook!(aligned_alloc(align, size) of size);
hook!(valloc(size) of size);
hook!(pvalloc(size) of size);

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn posix_memalign(to: *mut Memory, align: usize, size: usize) -> c_int {
    // SAFETY: what the caller promises.
    let result = unsafe { next_allocator::posix_memalign(to, align, size) };
    // SAFETY: written by the call, which succeeded.
    if result == 0 && pools::took_region(unsafe { *to } as usize, size) {
        // SAFETY: as above.
        births::reserved(unsafe { *to } as usize, size);
    } else if count_down(size) {
        // SAFETY: written by the call, which succeeded.
        born(if result == 0 { unsafe { *to } } else { std::ptr::null_mut() }, size);
    }
    result
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn free(at: Memory) {
    // SAFETY: what the caller promises.
    unsafe { give_back(at) }
}

/// As `free`, for hooks: a call by that name would go to whoever comes first in the program.
#[inline(always)]
unsafe fn give_back(at: Memory) {
    if FILTER.may_hold(at as usize) {
        // SAFETY: what the caller promises.
        return unsafe { free_sample(at) };
    }
    // SAFETY: what the caller promises.
    unsafe { next_allocator::free(at) }
}

/// Perhaps a sample.
#[cold]
#[inline(never)]
unsafe extern "C" fn free_sample(at: Memory) {
    deaths::consider(at as usize);
    if py310_exit_guard::is_spared(at as usize) {
        return;
    }
    // SAFETY: what the caller promises.
    unsafe { next_allocator::free(at) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn cfree(at: Memory) {
    // SAFETY: what the caller promises; `cfree` is an old name of `free`.
    unsafe { give_back(at) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn free_sized(at: Memory, _size: usize) {
    // SAFETY: what the caller promises; C allows `free` in its place.
    unsafe { give_back(at) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn free_aligned_sized(at: Memory, _align: usize, _size: usize) {
    // SAFETY: what the caller promises; C allows `free` in its place.
    unsafe { give_back(at) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn realloc(at: Memory, size: usize) -> Memory {
    // SAFETY: what the caller promises.
    unsafe { change(at, size) }
}

/// As `realloc`, for hooks.
#[inline(always)]
unsafe fn change(at: Memory, size: usize) -> Memory {
    let sampled = FILTER.may_hold(at as usize) && !at.is_null();
    if sampled {
        // SAFETY: what the caller promises.
        return unsafe { realloc_sampled(at, size) };
    }
    // SAFETY: what the caller promises.
    let fresh = unsafe { next_allocator::realloc(at, size) };
    if count_down(size) {
        return born(fresh, size);
    }
    fresh
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn reallocarray(at: Memory, count: usize, size: usize) -> Memory {
    if let Some(size) = count.checked_mul(size) {
        // SAFETY: what the caller promises.
        return unsafe { change(at, size) };
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
    let fresh = unsafe { next_allocator::realloc(at, size) };
    if let Some((recorder, lot)) = lifted {
        if fresh.is_null() && size != 0 {
            deaths::put_back(&recorder, at as usize, lot);
        } else {
            deaths::died(&recorder, lot.id());
        }
    }
    if count_down(size) {
        return born(fresh, size);
    }
    fresh
}

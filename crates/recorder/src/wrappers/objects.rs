#![expect(unsafe_code, reason = "stands in front of Python's allocator functions")]
//! The wrappers of Python's objects: as the functions behind them, and counted.
//!
//! The way of objects at which the countdown ends lies apart, so that the others need no stack.

use std::ptr::null_mut;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::Source;

use super::{Behind, Memory};
use crate::births::{self, New};
use crate::deaths;
use crate::filter::FILTER;
use crate::tls::count_down;

/// How often a countdown ended here.
static MET: AtomicU32 = AtomicU32::new(0);

/// Another number after a call of our wrapper at which the countdown ended.
pub(super) fn met() -> u32 {
    MET.load(Relaxed)
}

/// The largest object of the small-object allocator.
const MAX_SMALL_BYTES: usize = 512;

pub(super) type MallocIn = unsafe extern "C" fn(Memory, usize) -> Memory;

/// `PyMemAllocatorEx`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq)]
#[allow(
    unpredictable_function_pointer_comparisons,
    reason = "what another library gave, compared with what it gave before"
)]
pub(super) struct Allocator {
    pub(super) context: Memory,
    pub(super) malloc: Option<MallocIn>,
    pub(super) calloc: Option<unsafe extern "C" fn(Memory, usize, usize) -> Memory>,
    pub(super) realloc: Option<unsafe extern "C" fn(Memory, Memory, usize) -> Memory>,
    pub(super) free: Option<unsafe extern "C" fn(Memory, Memory)>,
}

impl Allocator {
    pub(super) const NONE: Self =
        Self { context: null_mut(), malloc: None, calloc: None, realloc: None, free: None };

    /// Our functions, before what the context tells.
    pub(super) fn ours(context: Memory) -> Self {
        Self { context, malloc: Some(malloc), calloc: Some(calloc), realloc: Some(realloc), free: Some(free) }
    }
}

#[cold]
#[inline(never)]
fn born(at: Memory, size: usize) -> Memory {
    MET.fetch_add(1, Relaxed);
    births::consider(New { address: at as usize, size, source: Source::Python });
    at
}

/// What stands behind a wrapper.
#[inline(always)]
pub(super) fn behind(context: Memory) -> &'static Allocator {
    // SAFETY: `put` gave this context, which is never freed.
    unsafe { &(*context.cast::<Behind<Allocator>>()).next }
}

pub(super) unsafe extern "C" fn malloc(context: Memory, size: usize) -> Memory {
    let next = behind(context);
    let Some(malloc) = next.malloc else { return null_mut() };
    if size <= MAX_SMALL_BYTES && count_down(size) {
        // SAFETY: what the caller promises.
        return unsafe { malloc_counted(next, size) };
    }
    // SAFETY: what the caller promises.
    unsafe { malloc(next.context, size) }
}

#[cold]
#[inline(never)]
unsafe extern "C" fn malloc_counted(next: &Allocator, size: usize) -> Memory {
    // SAFETY: what the caller promises.
    next.malloc.map_or(null_mut(), |malloc| born(unsafe { malloc(next.context, size) }, size))
}

unsafe extern "C" fn calloc(context: Memory, count: usize, each: usize) -> Memory {
    let next = behind(context);
    let Some(calloc) = next.calloc else { return null_mut() };
    let size = count.saturating_mul(each);
    // SAFETY: what the caller promises.
    let at = unsafe { calloc(next.context, count, each) };
    if size <= MAX_SMALL_BYTES && count_down(size) {
        return born(at, size);
    }
    at
}

unsafe extern "C" fn free(context: Memory, at: Memory) {
    let next = behind(context);
    let Some(free) = next.free else { return };
    if FILTER.may_hold(at as usize) {
        // SAFETY: what the caller promises.
        return unsafe { free_sample(next, at) };
    }
    // SAFETY: what the caller promises.
    unsafe { free(next.context, at) }
}

/// Perhaps a sample.
#[cold]
#[inline(never)]
unsafe extern "C" fn free_sample(next: &Allocator, at: Memory) {
    deaths::consider(at as usize);
    if let Some(free) = next.free {
        // SAFETY: what the caller promises.
        unsafe { free(next.context, at) };
    }
}

unsafe extern "C" fn realloc(context: Memory, at: Memory, size: usize) -> Memory {
    let next = behind(context);
    let Some(realloc) = next.realloc else { return null_mut() };
    let lifted = if FILTER.may_hold(at as usize) && !at.is_null() { deaths::lift(at as usize) } else { None };
    // SAFETY: what the caller promises.
    let fresh = unsafe { realloc(next.context, at, size) };
    if let Some((recorder, lot)) = lifted {
        if fresh.is_null() {
            deaths::put_back(&recorder, at as usize, lot);
        } else {
            deaths::died(&recorder, lot.id());
        }
    }
    if size <= MAX_SMALL_BYTES && count_down(size) {
        return born(fresh, size);
    }
    fresh
}

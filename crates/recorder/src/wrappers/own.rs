#![expect(unsafe_code, reason = "stands in front of Python's allocator functions")]
//! The wrappers of Python's objects before Python's own allocator: counted when they are made, and nothing when they are freed.
//!
//! What is too large for that allocator it gets from `malloc`, and gives back there. So an object at which the countdown ends
//! is asked for as a large one, which `malloc` then exchanges for one of its size, and its death is seen by the hook of `free`:
//! Python's `free` needs no wrapper, which was half of what wrappers cost. That the memory did come through the hook is seen each
//! time.
//!
//! What must not happen here: a sample whose end no hook sees. In front of allocators that have a context of their own,
//! or whose memory does not come through the hooks, [`super::foreign`] stands.

use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::Source;

use super::allocator::{Allocator, CallocIn, FreeIn, MallocIn, Places, ReallocIn};
use super::{Memory, SMALL};
use crate::births::{self, New};
use crate::real;
use crate::tls::{block, class};

/// The smallest size that is passed on to `malloc`.
const LARGE: usize = SMALL + 1;

/// Python's own functions, all of them or none: not behind the context, since each call needs one.
static BEHIND: [AtomicPtr<std::ffi::c_void>; 4] = [const { AtomicPtr::new(null_mut()) }; 4];

/// Our functions before these, if these are Python's own: without a context, and no others than at the first time.
pub(super) fn before(next: &Allocator) -> Option<Allocator> {
    let places = next.places().filter(|_| next.context.is_null())?;
    if behind().is_none() {
        for (place, function) in BEHIND.iter().zip(places) {
            place.store(function as Memory, Relaxed);
        }
    }
    (behind() == Some(places)).then_some(Allocator {
        context: null_mut(),
        malloc: Some(malloc),
        calloc: Some(calloc),
        realloc: Some(realloc),
        free: next.free,
    })
}

/// Whether these functions are ours.
pub(super) fn are_ours(allocator: &Allocator) -> bool {
    allocator.malloc.is_some_and(|front| front as usize == malloc as *const () as usize)
}

/// Python's own allocator.
pub(super) fn allocator() -> Allocator {
    if behind().is_none() {
        return Allocator::NONE;
    }
    // SAFETY: `before` has stored all four, in this order.
    unsafe {
        Allocator {
            context: null_mut(),
            malloc: Some(std::mem::transmute::<Memory, MallocIn>(BEHIND[0].load(Relaxed))),
            calloc: Some(std::mem::transmute::<Memory, CallocIn>(BEHIND[1].load(Relaxed))),
            realloc: Some(std::mem::transmute::<Memory, ReallocIn>(BEHIND[2].load(Relaxed))),
            free: Some(std::mem::transmute::<Memory, FreeIn>(BEHIND[3].load(Relaxed))),
        }
    }
}

fn behind() -> Option<Places> {
    let places = BEHIND.each_ref().map(|place| place.load(Relaxed) as usize);
    (!places.contains(&0)).then_some(places)
}

unsafe extern "C" fn malloc(context: Memory, size: usize) -> Memory {
    if size <= SMALL && block().count(size) {
        // SAFETY: what the caller promises.
        return unsafe { malloc_counted(context, size) };
    }
    // SAFETY: ours are put only when `before` has stored it; what the caller promises.
    unsafe { std::mem::transmute::<Memory, MallocIn>(BEHIND[0].load(Relaxed))(context, size) }
}

unsafe extern "C" fn calloc(context: Memory, count: usize, each: usize) -> Memory {
    let size = count.saturating_mul(each);
    if size <= SMALL && block().count(size) {
        // SAFETY: what the caller promises.
        return unsafe { calloc_counted(context, size) };
    }
    // SAFETY: as in `malloc`.
    unsafe { std::mem::transmute::<Memory, CallocIn>(BEHIND[1].load(Relaxed))(context, count, each) }
}

unsafe extern "C" fn realloc(context: Memory, at: Memory, size: usize) -> Memory {
    if size <= SMALL && block().count(size) {
        // SAFETY: what the caller promises.
        return unsafe { realloc_counted(context, at, size) };
    }
    // SAFETY: as in `malloc`.
    unsafe { std::mem::transmute::<Memory, ReallocIn>(BEHIND[2].load(Relaxed))(context, at, size) }
}

#[cold]
#[inline(never)]
unsafe extern "C" fn malloc_counted(context: Memory, size: usize) -> Memory {
    let Some(malloc) = allocator().malloc else { return null_mut() };
    // SAFETY: what the caller promises.
    born(size, |size| unsafe { malloc(context, size) })
}

#[cold]
#[inline(never)]
unsafe extern "C" fn calloc_counted(context: Memory, size: usize) -> Memory {
    let Some(calloc) = allocator().calloc else { return null_mut() };
    // SAFETY: what the caller promises.
    born(size, |size| unsafe { calloc(context, 1, size) })
}

#[cold]
#[inline(never)]
unsafe extern "C" fn realloc_counted(context: Memory, at: Memory, size: usize) -> Memory {
    let Some(realloc) = allocator().realloc else { return null_mut() };
    // SAFETY: what the caller promises: where there was no memory, `at` is as it was.
    born(size, |size| unsafe { realloc(context, at, size) })
}

/// The countdown has ended at an object of this size, for which `ask` gets memory.
fn born(size: usize, ask: impl Fn(usize) -> Memory) -> Memory {
    let awaited = block().await_memory(class(LARGE));
    let large = ask(LARGE);
    let has_passed = awaited.end() == large as usize;
    if large.is_null() || !has_passed {
        births::consider(New { address: 0, size, source: Source::Python });
        return if large.is_null() { ask(size) } else { large };
    }
    // SAFETY: it came from `malloc`, through the hook, and nobody knows it yet.
    let at = unsafe { of_size(large, size) };
    births::consider(New { address: at as usize, size, source: Source::Python });
    at
}

/// Memory of this size in the place of a large one, with what is in it. Python goes on to count one block.
unsafe fn of_size(large: Memory, size: usize) -> Memory {
    // SAFETY: a size.
    let small = unsafe { real::malloc(size) };
    if small.is_null() {
        return large;
    }
    // SAFETY: both have that many bytes, and `large` came from this allocator; what the caller promises.
    unsafe {
        std::ptr::copy_nonoverlapping(large.cast::<u8>(), small.cast(), size);
        real::free(large);
    }
    small
}

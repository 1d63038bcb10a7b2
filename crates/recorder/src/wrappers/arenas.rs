#![expect(unsafe_code, reason = "stands in front of Python's arena functions")]
//! The wrappers of arenas: mappings that are made in them are not counted, since the objects in them are. Chunks of frames
//! come and go by the same functions, far more often.

use std::ptr::null_mut;
use std::sync::atomic::Ordering::Relaxed;

use super::chunk::Chunk;
use super::{Behind, Memory, note_arena, symbol};
use crate::tls::block;

static CHUNK: Chunk = Chunk::new();

/// `PyObjectArenaAllocator`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Arenas {
    context: Memory,
    alloc: Option<unsafe extern "C" fn(Memory, usize) -> Memory>,
    free: Option<unsafe extern "C" fn(Memory, Memory, usize)>,
}

/// `PyObject_GetArenaAllocator` and `PyObject_SetArenaAllocator`.
type Access = unsafe extern "C" fn(*mut Arenas);

pub(super) fn put_before_arenas() {
    let (Some(get), Some(set)) =
        (symbol(c"PyObject_GetArenaAllocator"), symbol(c"PyObject_SetArenaAllocator"))
    else {
        return;
    };
    let mut next = Arenas { context: null_mut(), alloc: None, free: None };
    // SAFETY: CPython declares them like this; fills the structure.
    let set = unsafe {
        std::mem::transmute::<Memory, Access>(get)(&raw mut next);
        std::mem::transmute::<Memory, Access>(set)
    };
    if next.alloc.is_none() || next.free.is_none() {
        return;
    }
    let context: Memory = Box::into_raw(Box::new(Behind { next })).cast();
    let mut ours = Arenas { context, alloc: Some(arena), free: Some(free_arena) };
    // SAFETY: copies the structure; what it points to is never freed.
    unsafe { set(&raw mut ours) };
}

unsafe extern "C" fn arena(context: Memory, size: usize) -> Memory {
    if let Some(kept) = CHUNK.take(size) {
        return kept;
    }
    // SAFETY: `put_before_arenas` gave this context, which is never freed.
    let next = unsafe { &(*context.cast::<Behind<Arenas>>()).next };
    let Some(alloc) = next.alloc else { return null_mut() };
    note_arena();
    let block = block();
    block.arena.store(true, Relaxed);
    // SAFETY: what the caller promises.
    let arena = unsafe { alloc(next.context, size) };
    block.arena.store(false, Relaxed);
    arena
}

unsafe extern "C" fn free_arena(context: Memory, at: Memory, size: usize) {
    if CHUNK.keep(at, size) {
        return;
    }
    // SAFETY: as above.
    let next = unsafe { &(*context.cast::<Behind<Arenas>>()).next };
    if let Some(free) = next.free {
        // SAFETY: what the caller promises.
        unsafe { free(next.context, at, size) };
    }
}

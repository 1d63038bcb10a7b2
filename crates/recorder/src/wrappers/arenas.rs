#![expect(unsafe_code, reason = "stands in front of Python's arena functions")]
//! The wrappers of arenas: mappings that are made in them are not counted, since the objects in them are. Chunks of frames
//! come and go by the same functions, far more often.

use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr};

use super::chunk::{self, Chunk};
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

/// What stands behind our wrapper; made once.
static BEHIND: AtomicPtr<Behind<Arenas>> = AtomicPtr::new(null_mut());
/// Our wrapper passes everything on: another's stood before it when we went.
static PASSES: AtomicBool = AtomicBool::new(false);

fn access() -> Option<(Access, Access)> {
    let found = symbol(c"PyObject_GetArenaAllocator").zip(symbol(c"PyObject_SetArenaAllocator"));
    // SAFETY: CPython declares them like this.
    found.map(|(get, set)| unsafe {
        (std::mem::transmute::<Memory, Access>(get), std::mem::transmute::<Memory, Access>(set))
    })
}

pub(super) fn put_before_arenas() {
    let Some((get, set)) = access() else { return };
    let mut next = Arenas { context: null_mut(), alloc: None, free: None };
    // SAFETY: fills the structure.
    unsafe { get(&raw mut next) };
    let stayed = PASSES.swap(false, Relaxed);
    if next.alloc.is_none() || next.free.is_none() || is_ours(&next) || stayed {
        return;
    }
    // SAFETY: null, or one that is never freed.
    let known = unsafe { BEHIND.load(Acquire).as_ref() };
    let context = match known.filter(|known| known.next.is_same(&next)) {
        Some(known) => std::ptr::from_ref(known).cast_mut(),
        None => Box::into_raw(Box::new(Behind { next })),
    };
    BEHIND.store(context, Release);
    let mut ours = Arenas { context: context.cast(), alloc: Some(arena), free: Some(free_arena) };
    // SAFETY: copies the structure; what it points to is never freed.
    unsafe { set(&raw mut ours) };
}

/// Takes the wrapper away if it stands in front, with the GIL, and gives back what it kept.
pub(super) fn take_back() {
    // SAFETY: null, or one that is never freed.
    let (Some((get, set)), Some(known)) = (access(), unsafe { BEHIND.load(Acquire).as_ref() }) else {
        return;
    };
    let mut front = known.next;
    // SAFETY: fills the structure.
    unsafe { get(&raw mut front) };
    if is_ours(&front) {
        let mut next = known.next;
        // SAFETY: copies the structure: what stood there before us.
        unsafe { set(&raw mut next) };
    } else {
        PASSES.store(true, Relaxed);
    }
    if let (Some(kept), Some(free)) = (CHUNK.take(chunk::SIZE), known.next.free) {
        // SAFETY: a chunk that Python gave back by our wrapper and does not use.
        unsafe { free(known.next.context, kept, chunk::SIZE) };
    }
}

fn is_ours(allocator: &Arenas) -> bool {
    allocator.alloc.is_some_and(|front| front as usize == arena as *const () as usize)
}

impl Arenas {
    fn is_same(&self, other: &Self) -> bool {
        let alloc = |it: &Self| it.alloc.map_or(0, |function| function as usize);
        let free = |it: &Self| it.free.map_or(0, |function| function as usize);
        (self.context, alloc(self), free(self)) == (other.context, alloc(other), free(other))
    }
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
    if !PASSES.load(Relaxed) && CHUNK.keep(at, size) {
        return;
    }
    // SAFETY: as above.
    let next = unsafe { &(*context.cast::<Behind<Arenas>>()).next };
    if let Some(free) = next.free {
        // SAFETY: what the caller promises.
        unsafe { free(next.context, at, size) };
    }
}

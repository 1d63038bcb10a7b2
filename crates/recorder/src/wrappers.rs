#![expect(unsafe_code, reason = "puts functions in front of Python's small-object allocator")]
//! Python's small objects: its allocator takes arenas of a mebibyte and hands them out itself, so that the C allocator's
//! hooks see none of them.
//!
//! In: Python's allocator functions, before Python is initialised. Out: the same, counted, up to 512 bytes: what is larger
//! goes on to `malloc` and is counted there. Arenas are not counted then. What must not happen here: an object that is
//! counted twice, or a build without the GIL, whose allocator is another one.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicUsize};

use nilometer_capture::Source;

use crate::births::{self, New};
use crate::deaths;
use crate::filter::FILTER;
use crate::quiet::Quiet;
use crate::state;
use crate::tls::block;

/// The largest object of the small-object allocator.
const SMALL: usize = 512;

type Memory = *mut c_void;

/// `PyMemAllocatorEx`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Allocator {
    context: Memory,
    malloc: Option<MallocIn>,
    calloc: Option<unsafe extern "C" fn(Memory, usize, usize) -> Memory>,
    realloc: Option<unsafe extern "C" fn(Memory, Memory, usize) -> Memory>,
    free: Option<unsafe extern "C" fn(Memory, Memory)>,
}

/// `PyObjectArenaAllocator`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Arenas {
    context: Memory,
    alloc: Option<unsafe extern "C" fn(Memory, usize) -> Memory>,
    free: Option<unsafe extern "C" fn(Memory, Memory, usize)>,
}

type Access<T> = unsafe extern "C" fn(*mut T);
type MallocIn = unsafe extern "C" fn(Memory, usize) -> Memory;
type DomainAccess = unsafe extern "C" fn(c_int, *mut Allocator);

/// `PYMEM_DOMAIN_OBJ`.
const OBJECTS: c_int = 2;
/// `PYMEM_DOMAIN_MEM`, and that of objects.
const DOMAINS: [c_int; 2] = [1, OBJECTS];

/// What stands in front of a domain or of the arenas; made once, never freed.
struct Behind<T> {
    next: T,
}

/// How often the wrappers were put.
static PUT: AtomicU32 = AtomicU32::new(0);
/// Where the small-object allocator's own `malloc` is.
static FIRST: AtomicUsize = AtomicUsize::new(0);
/// Python forgets them when it is told which allocator to use (`PYTHONMALLOC`, `-X dev`).
const PUT_MOST: u32 = 4;

/// Puts the wrappers in place if there is a Python that takes them; to be called before it is initialised.
pub(crate) fn put() -> bool {
    let done = put_before_objects();
    if done {
        put_before_arenas();
    }
    done
}

fn put_before_objects() -> bool {
    let (Some(get), Some(set), Some(version)) =
        (symbol(c"PyMem_GetAllocator"), symbol(c"PyMem_SetAllocator"), symbol(c"Py_GetVersion"))
    else {
        return false;
    };
    // SAFETY: CPython declares them like this; the version is a C string that stays.
    let (get, set, version) = unsafe {
        let version = std::mem::transmute::<Memory, unsafe extern "C" fn() -> *const c_char>(version);
        (
            std::mem::transmute::<Memory, DomainAccess>(get),
            std::mem::transmute::<Memory, DomainAccess>(set),
            CStr::from_ptr(version()),
        )
    };
    let is_free_threaded = version.to_bytes().windows(14).any(|word| word == b"free-threading");
    if is_free_threaded || PUT.fetch_add(1, Relaxed) >= PUT_MOST {
        return false;
    }
    let mut done = true;
    for domain in DOMAINS {
        let mut next =
            Allocator { context: null_mut(), malloc: None, calloc: None, realloc: None, free: None };
        // SAFETY: fills the structure; allowed before initialisation, and later with the GIL.
        unsafe { get(domain, &raw mut next) };
        if next.malloc.is_none() || next.calloc.is_none() || next.realloc.is_none() || next.free.is_none() {
            done = false;
            continue;
        }
        let malloc_behind = next.malloc.map_or(0, |malloc| malloc as usize);
        let _not_the_first = FIRST.compare_exchange(0, malloc_behind, Relaxed, Relaxed);
        let context: Memory = Box::into_raw(Box::new(Behind { next })).cast();
        let mut ours = Allocator {
            context,
            malloc: Some(malloc),
            calloc: Some(calloc),
            realloc: Some(realloc),
            free: Some(free),
        };
        // SAFETY: copies the structure; what it points to is never freed.
        unsafe { set(domain, &raw mut ours) };
    }
    done
}

/// An arena is being asked for, with the GIL: have our wrappers been forgotten? Then they are put once more, in front of
/// what is there now.
#[cold]
#[inline(never)]
fn put_again_if_forgotten() {
    let (Some(get), Some(_recorder)) = (symbol(c"PyMem_GetAllocator"), state::recorder()) else { return };
    let mut now = Allocator { context: null_mut(), malloc: None, calloc: None, realloc: None, free: None };
    // SAFETY: CPython declares it like this; fills the structure.
    unsafe { std::mem::transmute::<Memory, DomainAccess>(get)(OBJECTS, &raw mut now) };
    let address = |function: Option<_>| function.map_or(0, |function: MallocIn| function as usize);
    let first = FIRST.load(Relaxed);
    // Python's own debugging allocator keeps a word and then what it stands before.
    let is_debug_before = |next: usize| {
        let context = now.context.cast::<usize>();
        // SAFETY: the context of an allocator that is none of ours is a structure of at least five words.
        context as usize > 4096 && context.is_aligned() && unsafe { *context.add(2) } == next
    };
    let forgotten = address(now.malloc) == first
        || (address(now.malloc) != malloc as *const () as usize && is_debug_before(first));
    if forgotten && let Some(_quiet) = Quiet::begin() {
        put_before_objects();
    }
}

fn put_before_arenas() {
    let (Some(get), Some(set)) =
        (symbol(c"PyObject_GetArenaAllocator"), symbol(c"PyObject_SetArenaAllocator"))
    else {
        return;
    };
    let mut next = Arenas { context: null_mut(), alloc: None, free: None };
    // SAFETY: CPython declares them like this; fills the structure.
    let set = unsafe {
        std::mem::transmute::<Memory, Access<Arenas>>(get)(&raw mut next);
        std::mem::transmute::<Memory, Access<Arenas>>(set)
    };
    if next.alloc.is_none() || next.free.is_none() {
        return;
    }
    let context: Memory = Box::into_raw(Box::new(Behind { next })).cast();
    let mut ours = Arenas { context, alloc: Some(arena), free: Some(free_arena) };
    // SAFETY: copies the structure; what it points to is never freed.
    unsafe { set(&raw mut ours) };
}

/// Calls `call` while Python's objects come straight from its own allocator: Python gives that allocator's figures only
/// if it is the one in front. The caller holds the GIL, so that no other thread makes or frees an object meanwhile.
pub(crate) fn without(call: impl FnOnce()) {
    let access = symbol(c"PyMem_GetAllocator").zip(symbol(c"PyMem_SetAllocator")).map(|(get, set)| {
        // SAFETY: CPython declares them like this.
        unsafe {
            (
                std::mem::transmute::<Memory, DomainAccess>(get),
                std::mem::transmute::<Memory, DomainAccess>(set),
            )
        }
    });
    let Some((get, set)) = access else { return call() };
    let mut ours = Allocator { context: null_mut(), malloc: None, calloc: None, realloc: None, free: None };
    // SAFETY: fills the structure, with the GIL.
    unsafe { get(OBJECTS, &raw mut ours) };
    let mut own = ours;
    while own.malloc.is_some_and(|front| front as usize == malloc as *const () as usize) {
        own = *behind(own.context);
    }
    // SAFETY: copies the structures; both are allocators of the same memory, one calling the other.
    unsafe {
        set(OBJECTS, &raw mut own);
        call();
        set(OBJECTS, &raw mut ours);
    }
}

fn symbol(name: &CStr) -> Option<Memory> {
    // SAFETY: the name is a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

#[cold]
#[inline(never)]
fn born(at: Memory, size: usize) -> Memory {
    births::consider(New { address: at as usize, size, source: Source::Python });
    at
}

/// What stands behind a wrapper.
#[inline(always)]
fn behind(context: Memory) -> &'static Allocator {
    // SAFETY: `put` gave this context, which is never freed.
    unsafe { &(*context.cast::<Behind<Allocator>>()).next }
}

// The way of objects at which the countdown ends lies apart, so that the others need no stack.

unsafe extern "C" fn malloc(context: Memory, size: usize) -> Memory {
    let next = behind(context);
    let Some(malloc) = next.malloc else { return null_mut() };
    if size <= SMALL && block().count(size) {
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
    if size <= SMALL && block().count(size) {
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
    if let Some((recorder, id)) = lifted {
        if fresh.is_null() {
            deaths::put_back(recorder, at as usize, id);
        } else {
            deaths::died(recorder, id);
        }
    }
    if size <= SMALL && block().count(size) {
        return born(fresh, size);
    }
    fresh
}

unsafe extern "C" fn arena(context: Memory, size: usize) -> Memory {
    // SAFETY: `put_before_arenas` gave this context, which is never freed.
    let next = unsafe { &(*context.cast::<Behind<Arenas>>()).next };
    let Some(alloc) = next.alloc else { return null_mut() };
    if PUT.load(Relaxed) < PUT_MOST {
        put_again_if_forgotten();
    }
    let block = block();
    block.arena.store(true, Relaxed);
    // SAFETY: what the caller promises.
    let arena = unsafe { alloc(next.context, size) };
    block.arena.store(false, Relaxed);
    arena
}

unsafe extern "C" fn free_arena(context: Memory, at: Memory, size: usize) {
    // SAFETY: as above.
    let next = unsafe { &(*context.cast::<Behind<Arenas>>()).next };
    if let Some(free) = next.free {
        // SAFETY: what the caller promises.
        unsafe { free(next.context, at, size) };
    }
}

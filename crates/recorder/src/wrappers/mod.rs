#![expect(unsafe_code, reason = "puts functions in front of Python's small-object allocator")]
//! Python's small objects: its allocator takes arenas of a mebibyte and hands them out itself, so that the C allocator's
//! hooks see none of them.
//!
//! In: Python's allocator functions, before Python is initialised, or later with the GIL. Out: the same, counted, up to 512 bytes: what is larger
//! goes on to `malloc` and is counted there. Arenas are not counted then. What must not happen here: an object that is
//! counted twice, or a build without the GIL, whose allocator is another one.
//!
//! A wrapper adds nothing to a block: what was made before it came it can free, and what it made can be freed when it has gone.

mod arenas;
mod chunk;
mod objects;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};

use crate::reentry::ReentryGuard;
use crate::state;
use objects::{Allocator, MallocIn, behind};

type Memory = *mut c_void;

/// `PyMem_GetAllocator` and `PyMem_SetAllocator`.
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
const MAX_INSTALLS: u32 = 4;

/// What stood behind our wrappers of objects so far: one entry for each kind, however often we start.
static BEHIND: [AtomicPtr<Behind<Allocator>>; 16] = [const { AtomicPtr::new(null_mut()) }; 16];
/// When we went, another's wrapper stood before ours, by place in [`DOMAINS`]: ours is called by that one still.
static STAYED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

/// Puts the wrappers in place if there is a Python that takes them; to be called before it is initialised, or with the GIL.
pub(crate) fn put() -> bool {
    let done = put_before_objects();
    if done {
        arenas::put_before_arenas();
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
    if is_free_threaded || PUT.fetch_add(1, Relaxed) >= MAX_INSTALLS {
        return false;
    }
    let mut done = true;
    for (domain, stayed) in DOMAINS.into_iter().zip(&STAYED) {
        let mut next = Allocator::NONE;
        // SAFETY: fills the structure; allowed before initialisation, and later with the GIL.
        unsafe { get(domain, &raw mut next) };
        if next.malloc.is_none() || next.calloc.is_none() || next.realloc.is_none() || next.free.is_none() {
            done = false;
            continue;
        }
        if is_ours(&next) || (stayed.swap(false, Relaxed) && is_called(domain)) {
            continue;
        }
        let malloc_behind = next.malloc.map_or(0, |malloc| malloc as usize);
        let _not_the_first = FIRST.compare_exchange(0, malloc_behind, Relaxed, Relaxed);
        let Some(context) = context(next) else {
            done = false;
            continue;
        };
        let mut ours = Allocator::ours(context);
        // SAFETY: copies the structure; what it points to is never freed.
        unsafe { set(domain, &raw mut ours) };
    }
    done
}

/// A context with this behind it, which is never freed; `None` if there are too many.
fn context(next: Allocator) -> Option<Memory> {
    for place in &BEHIND {
        // SAFETY: null, or one that is never freed.
        match unsafe { place.load(Acquire).as_ref() } {
            Some(known) if known.next == next => return Some(std::ptr::from_ref(known).cast_mut().cast()),
            Some(_another) => {}
            None => {
                let new = Box::into_raw(Box::new(Behind { next }));
                // With the GIL, or before there is a second thread: nobody else puts one here.
                place.store(new, Release);
                return Some(new.cast());
            }
        }
    }
    None
}

fn is_ours(allocator: &Allocator) -> bool {
    allocator.malloc.is_some_and(|front| front as usize == objects::malloc as *const () as usize)
}

/// Whether another's wrapper calls ours: it is asked for an object, at which our countdown ends.
fn is_called(domain: c_int) -> bool {
    const SIZE: usize = 64;
    let names = if domain == OBJECTS {
        (c"PyObject_Malloc", c"PyObject_Free")
    } else {
        (c"PyMem_Malloc", c"PyMem_Free")
    };
    let (Some(malloc), Some(free)) = (symbol(names.0), symbol(names.1)) else { return false };
    let block = crate::tls::block();
    if let Some(remaining) = block.remaining(crate::tls::class(SIZE)) {
        remaining.store(0, Relaxed);
    }
    let before = objects::met();
    // SAFETY: CPython declares them like this; the GIL is held.
    unsafe {
        let at = std::mem::transmute::<Memory, unsafe extern "C" fn(usize) -> Memory>(malloc)(SIZE);
        std::mem::transmute::<Memory, unsafe extern "C" fn(Memory)>(free)(at);
    }
    objects::met() != before
}

/// Takes the wrappers away again, with the GIL, where they stand in front. Where another's stands before them they stay and pass
/// everything on.
#[cfg_attr(test, allow(dead_code, reason = "of a late start"))]
pub(crate) fn take_back() {
    if BEHIND.first().is_none_or(|first| first.load(Acquire).is_null()) {
        return;
    }
    if let Some((get, set)) = access() {
        for (domain, stayed) in DOMAINS.into_iter().zip(&STAYED) {
            let mut front = Allocator::NONE;
            // SAFETY: fills the structure, with the GIL.
            unsafe { get(domain, &raw mut front) };
            stayed.store(!is_ours(&front), Relaxed);
            while is_ours(&front) {
                front = *behind(front.context);
                // SAFETY: copies the structure: what stood there before us.
                unsafe { set(domain, &raw mut front) };
            }
        }
    }
    arenas::take_back();
    PUT.store(0, Relaxed);
}

fn access() -> Option<(DomainAccess, DomainAccess)> {
    symbol(c"PyMem_GetAllocator").zip(symbol(c"PyMem_SetAllocator")).map(|(get, set)| {
        // SAFETY: CPython declares them like this.
        unsafe {
            (
                std::mem::transmute::<Memory, DomainAccess>(get),
                std::mem::transmute::<Memory, DomainAccess>(set),
            )
        }
    })
}

/// An arena is being asked for.
fn note_arena() {
    if PUT.load(Relaxed) < MAX_INSTALLS {
        put_again_if_forgotten();
    }
}

/// An arena is being asked for, with the GIL: have our wrappers been forgotten? Then they are put once more, in front of
/// what is there now.
#[cold]
#[inline(never)]
fn put_again_if_forgotten() {
    let (Some(get), Some(_recorder)) = (symbol(c"PyMem_GetAllocator"), state::recorder()) else { return };
    let mut now = Allocator::NONE;
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
        || (address(now.malloc) != objects::malloc as *const () as usize && is_debug_before(first));
    if forgotten && let Some(_quiet) = ReentryGuard::begin() {
        put_before_objects();
    }
}

/// Calls `call` while Python's objects come straight from its own allocator: Python gives that allocator's figures only
/// if it is the one in front. The caller holds the GIL, so that no other thread makes or frees an object meanwhile.
pub(crate) fn without(call: impl FnOnce()) {
    let Some((get, set)) = access() else { return call() };
    let mut ours = Allocator::NONE;
    // SAFETY: fills the structure, with the GIL.
    unsafe { get(OBJECTS, &raw mut ours) };
    let mut own = ours;
    while is_ours(&own) {
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

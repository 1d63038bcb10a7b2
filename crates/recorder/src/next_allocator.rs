#![expect(unsafe_code, reason = "finds and calls the allocator behind the hooks")]
//! The functions that the hooks stand in front of.
//!
//! In: calls. Out: the same calls, to whatever would have got them without us: the C library, or another allocator that
//! is loaded before it. In a library that is loaded late these are the functions that the program already calls. Each begins as a stub that looks all of them up at the first call, which may come before any
//! constructor. What must not happen here: a look-up that waits for itself. While it runs, its own allocations come from
//! a small room of ours.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};

/// Declares a function behind a hook: its pointer, its call, and its first call.
macro_rules! behind {
    ($name:ident, $place:ident, ($($arg:ident: $type:ty),*) -> $result:ty, $early:expr) => {
        static $place: AtomicPtr<c_void> = AtomicPtr::new({
            unsafe extern "C" fn first($($arg: $type),*) -> $result {
                if resolve() {
                    // SAFETY: what the caller of the hook promises.
                    unsafe { $name($($arg),*) }
                } else {
                    $early
                }
            }
            first as *mut c_void
        });

        /// As the C function of this name.
        #[inline(always)]
        pub(crate) unsafe fn $name($($arg: $type),*) -> $result {
            // SAFETY: the function of this name, or the stub above.
            let function = unsafe {
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> $result>($place.load(Relaxed))
            };
            // SAFETY: what the caller promises.
            unsafe { function($($arg),*) }
        }
    };
}

type Memory = *mut c_void;

behind!(malloc, MALLOC, (size: usize) -> Memory, early::take(size, 16));
behind!(free, FREE, (at: Memory) -> (), ());
behind!(calloc, CALLOC, (count: usize, size: usize) -> Memory, early::take(count.saturating_mul(size), 16));
behind!(realloc, REALLOC, (at: Memory, size: usize) -> Memory,
    // SAFETY: as the caller promises; while the look-up runs there is no memory but the room's.
    unsafe { early::again(at, size) });
behind!(memalign, MEMALIGN, (align: usize, size: usize) -> Memory, early::take(size, align));
behind!(aligned_alloc, ALIGNED_ALLOC, (align: usize, size: usize) -> Memory, early::take(size, align));
behind!(posix_memalign, POSIX_MEMALIGN, (to: *mut Memory, align: usize, size: usize) -> c_int, libc::ENOMEM);
behind!(valloc, VALLOC, (size: usize) -> Memory, early::take(size, 4096));
behind!(pvalloc, PVALLOC, (size: usize) -> Memory, early::take(size, 4096));
behind!(mmap, MMAP, (at: Memory, length: usize, access: c_int, flags: c_int, file: c_int, offset: i64) -> Memory,
    // SAFETY: as the caller promises.
    unsafe { kernel::mmap(at, length, access, flags, file, offset) });
behind!(munmap, MUNMAP, (at: Memory, length: usize) -> c_int,
    // SAFETY: as the caller promises.
    unsafe { libc::syscall(libc::SYS_munmap, at, length) as c_int });
behind!(mremap, MREMAP, (at: Memory, old: usize, new: usize, flags: c_int, to: Memory) -> Memory,
    // SAFETY: as the caller promises.
    unsafe { libc::syscall(libc::SYS_mremap, at, old, new, flags as usize, to) as Memory });

static PLACES: [(&AtomicPtr<c_void>, &CStr); 12] = [
    (&MALLOC, c"malloc"),
    (&FREE, c"free"),
    (&CALLOC, c"calloc"),
    (&REALLOC, c"realloc"),
    (&MEMALIGN, c"memalign"),
    (&ALIGNED_ALLOC, c"aligned_alloc"),
    (&POSIX_MEMALIGN, c"posix_memalign"),
    (&VALLOC, c"valloc"),
    (&PVALLOC, c"pvalloc"),
    (&MMAP, c"mmap"),
    (&MUNMAP, c"munmap"),
    (&MREMAP, c"mremap"),
];

static RESOLVED: AtomicBool = AtomicBool::new(false);
static RESOLVING: AtomicBool = AtomicBool::new(false);

/// Looks all of them up; false while another call is at it, which may be one further out on this thread.
pub(crate) fn resolve() -> bool {
    if RESOLVED.load(Acquire) {
        return true;
    }
    if RESOLVING.swap(true, Acquire) {
        return false;
    }
    let mut found = [None; PLACES.len()];
    for ((_place, name), found) in PLACES.iter().zip(&mut found) {
        *found = next(name);
    }
    keep(&found);
    if early::was_used() {
        // What the look-up itself allocated comes back at some time.
        early::guard(&FREE, &REALLOC);
    }
    RESOLVED.store(true, Release);
    RESOLVING.store(false, Release);
    true
}

/// Together, when all are known: memory of one allocator must not meet another one's `free`.
fn keep(found: &[Option<Memory>; PLACES.len()]) {
    for ((place, _name), found) in PLACES.iter().zip(found) {
        if let Some(found) = *found {
            place.store(found, Relaxed);
        }
    }
}

/// Looks all of them up for a library that was loaded late, before its hooks are called: what the program calls by now is
/// what the first object has that has it. False where one is missing.
///
/// `RTLD_NEXT` would search this library's own dependencies, and miss an allocator that was preloaded.
#[cfg(not(test))]
pub(crate) fn resolve_late() -> bool {
    if RESOLVED.load(Acquire) {
        return true;
    }
    let found = PLACES.each_ref().map(|(_place, name)| {
        crate::exports::function_anywhere(name.to_bytes()).map(|address| address as usize as Memory)
    });
    let all_are_there = found.iter().all(Option::is_some);
    if all_are_there {
        keep(&found);
        RESOLVED.store(true, Release);
    }
    all_are_there
}

/// The `malloc` behind our hook; null as long as the hooks have nothing to stand before.
#[cfg(not(test))]
pub(crate) fn malloc_behind() -> *const c_void {
    if RESOLVED.load(Acquire) { MALLOC.load(Relaxed) } else { std::ptr::null() }
}

/// Whether the allocator behind the hooks is the C library's own.
pub(crate) fn is_the_c_librarys() -> bool {
    // Not by `next`: nobody stands before this name, and a library that is loaded late has nothing next.
    let glibc = crate::exports::function_anywhere(b"__libc_malloc");
    glibc.is_some() && glibc == Some(MALLOC.load(Relaxed) as u64)
}

/// Whether calls of `malloc` reach our hook at all; a program may hold an allocator of its own.
#[cfg(not(test))]
pub(crate) fn is_hooked(hook: *mut c_void) -> bool {
    // SAFETY: the name is a C string.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"malloc".as_ptr()) == hook }
}

fn next(name: &CStr) -> Option<Memory> {
    // SAFETY: the name is a C string; the search begins behind this library.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

mod kernel {
    use super::{Memory, c_int};

    pub(super) unsafe fn mmap(
        at: Memory,
        length: usize,
        access: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> Memory {
        let (access, flags, file) = (access as usize, flags as usize, file as isize);
        // SAFETY: as the caller promises; all arguments as wide as a register.
        unsafe { libc::syscall(libc::SYS_mmap, at, length, access, flags, file, offset) as Memory }
    }
}

/// The room for allocations of the look-up itself.
mod early {
    use super::{AtomicPtr, AtomicUsize, Memory, Relaxed, c_void};

    const ROOM: usize = 16 << 10;

    #[repr(C, align(4096))]
    struct Room(std::cell::UnsafeCell<[u8; ROOM]>);
    // SAFETY: parts are handed out once each.
    unsafe impl Sync for Room {}

    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    static NEXT_FREE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    static NEXT_REALLOC: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    static ROOM_ITSELF: Room = Room(std::cell::UnsafeCell::new([0; ROOM]));

    fn start() -> *mut u8 {
        ROOM_ITSELF.0.get().cast()
    }

    pub(super) fn was_used() -> bool {
        TAKEN.load(Relaxed) != 0
    }

    /// Zeroed memory, null if there is none left.
    pub(super) fn take(size: usize, align: usize) -> Memory {
        let align = align.clamp(16, 4096);
        let taken = TAKEN.try_update(Relaxed, Relaxed, |taken| {
            let end = taken.checked_next_multiple_of(align)?.checked_add(size)?;
            (end <= ROOM).then_some(end)
        });
        match taken.ok().and_then(|taken| taken.checked_next_multiple_of(align)) {
            Some(offset) => start().wrapping_add(offset).cast(),
            None => std::ptr::null_mut(),
        }
    }

    pub(super) unsafe fn again(at: Memory, size: usize) -> Memory {
        let fresh = take(size, 16);
        if !at.is_null() && !fresh.is_null() {
            // SAFETY: both lie in the room; what is copied beyond the old part is other parts of the room.
            unsafe { std::ptr::copy(at.cast::<u8>(), fresh.cast(), size.min(ROOM - offset(at))) };
        }
        fresh
    }

    fn offset(at: Memory) -> usize {
        (at as usize).wrapping_sub(start() as usize).min(ROOM)
    }

    fn is_ours(at: Memory) -> bool {
        offset(at) < ROOM
    }

    /// Puts functions in front that know the room.
    pub(super) fn guard(free: &AtomicPtr<c_void>, realloc: &AtomicPtr<c_void>) {
        NEXT_FREE.store(free.load(Relaxed), Relaxed);
        NEXT_REALLOC.store(realloc.load(Relaxed), Relaxed);
        free.store(guarded_free as *mut c_void, Relaxed);
        realloc.store(guarded_realloc as *mut c_void, Relaxed);
    }

    unsafe extern "C" fn guarded_free(at: Memory) {
        if !is_ours(at) {
            // SAFETY: `free` was put there before this became reachable.
            let free = unsafe {
                std::mem::transmute::<Memory, unsafe extern "C" fn(Memory)>(NEXT_FREE.load(Relaxed))
            };
            // SAFETY: what the caller promises.
            unsafe { free(at) };
        }
    }

    unsafe extern "C" fn guarded_realloc(at: Memory, size: usize) -> Memory {
        if is_ours(at) {
            // SAFETY: the caller's promise, and room that is readable to its end.
            return unsafe {
                let fresh = super::malloc(size);
                if !fresh.is_null() {
                    std::ptr::copy_nonoverlapping(at.cast::<u8>(), fresh.cast(), size.min(ROOM - offset(at)));
                }
                fresh
            };
        }
        // SAFETY: `realloc` was put there before this became reachable.
        let realloc = unsafe {
            std::mem::transmute::<Memory, unsafe extern "C" fn(Memory, usize) -> Memory>(
                NEXT_REALLOC.load(Relaxed),
            )
        };
        // SAFETY: what the caller promises.
        unsafe { realloc(at, size) }
    }
}

#![expect(unsafe_code, reason = "the recorder lives as long as the process and is reached by a pointer")]
//! Whether this process is recorded, and by what.
//!
//! In: the recorder, once. Out: the recorder, to each slow path. The pointer lies in a page that the kernel empties in a
//! forked child, so that no child ever writes into its parent's capture, however it was forked.

use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr};

use crate::later::Call;
use crate::recorder::Recorder;

/// What no child has of its parent: all zero there.
struct Page {
    recorder: AtomicPtr<Recorder>,
    call: Call,
}

/// The page; null before the constructor has run.
static PAGE: AtomicPtr<Page> = AtomicPtr::new(null_mut());
/// The constructor has decided.
static DECIDED: AtomicBool = AtomicBool::new(false);

const PAGE_LEN: usize = 4096;

/// The recorder, if this process is recorded.
#[inline]
pub(crate) fn recorder() -> Option<&'static Recorder> {
    // SAFETY: null, or a page that is never unmapped.
    let page = unsafe { PAGE.load(Acquire).as_ref() }?;
    // SAFETY: null, or a recorder that is never freed.
    unsafe { page.recorder.load(Acquire).as_ref() }
}

/// What this process waits for, if it has a page.
pub(crate) fn call() -> Option<&'static Call> {
    // SAFETY: null, or a page that is never unmapped.
    Some(&unsafe { PAGE.load(Acquire).as_ref() }?.call)
}

/// The constructor has run: who is not recorded now will not be.
pub(crate) fn is_decided() -> bool {
    DECIDED.load(Relaxed)
}

pub(crate) fn decide() {
    DECIDED.store(true, Release);
}

/// Begins to record, for the rest of the process; false if there is no memory.
pub(crate) fn begin(recorder: Box<Recorder>) -> bool {
    let Some(page) = page() else { return false };
    page.recorder.store(Box::into_raw(recorder), Release);
    true
}

/// Ends it: in a forked child.
pub(crate) fn end() {
    // SAFETY: null, or a page that is never unmapped.
    if let Some(page) = unsafe { PAGE.load(Acquire).as_ref() } {
        page.recorder.store(null_mut(), Release);
        page.call.forget();
    }
}

fn page() -> Option<&'static Page> {
    if PAGE.load(Acquire).is_null() {
        let access = (libc::PROT_READ | libc::PROT_WRITE) as usize;
        let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as usize;
        let at =
            // SAFETY: a new mapping wherever the kernel likes, all arguments as wide as a register.
            unsafe { libc::syscall(libc::SYS_mmap, 0_usize, PAGE_LEN, access, flags, -1_isize, 0_usize) };
        if at == -1 {
            return None;
        }
        // An old kernel does not know this; there the handlers of `fork` end the recording alone.
        // SAFETY: concerns only the page just made.
        unsafe { libc::madvise(at as *mut libc::c_void, PAGE_LEN, libc::MADV_WIPEONFORK) };
        PAGE.store(at as *mut Page, Release);
    }
    // SAFETY: a page of zeros, which is a null pointer and no call, never unmapped.
    unsafe { PAGE.load(Acquire).as_ref() }
}

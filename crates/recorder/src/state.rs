#![expect(unsafe_code, reason = "the recorder lives as long as the process and is reached by a pointer")]
//! Whether this process is recorded, and by what.
//!
//! In: the recorder. Out: the recorder, to each slow path. The pointer lies in a page that the kernel empties in a
//! forked child, so that no child ever writes into its parent's capture, however it was forked.
//!
//! A recorder that was there before the program lives as long as the process. One that was started late may be stopped: who
//! works with it is counted, and it is freed when all have gone.

use std::ops::Deref;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr};

use crate::bounded_lock::BoundedLock;
use crate::deferred_call::{Call, REST_BYTES};
use crate::recorder::Recorder;
use crate::visitors::{self, Visitor};

/// What no child has of its parent: all zero there.
struct Page {
    recorder: AtomicPtr<Recorder>,
    /// It may be stopped.
    may_stop: AtomicBool,
    call: Call,
}

/// The page; null before the constructor has run.
static PAGE: AtomicPtr<Page> = AtomicPtr::new(null_mut());
/// Whether to record has been decided.
static DECIDED: AtomicBool = AtomicBool::new(false);
/// A recorder was started late in this process, or is about to be.
static LATE: AtomicBool = AtomicBool::new(false);

const PAGE_LEN: usize = 4096;

/// The recorder, in use: it is not freed while this lives.
pub(crate) struct Using {
    recorder: &'static Recorder,
    _visitor: Option<Visitor>,
}

impl Deref for Using {
    type Target = Recorder;
    fn deref(&self) -> &Recorder {
        self.recorder
    }
}

/// The recorder, if this process is recorded.
#[inline]
pub(crate) fn recorder() -> Option<Using> {
    // SAFETY: null, or a page that is never unmapped.
    let page = unsafe { PAGE.load(Acquire).as_ref() }?;
    let recorder = page.recorder.load(Acquire);
    if page.may_stop.load(Relaxed) {
        return if recorder.is_null() { None } else { visit(page) };
    }
    // SAFETY: null, or a recorder that is never freed.
    unsafe { recorder.as_ref() }.map(|recorder| Using { recorder, _visitor: None })
}

/// One that may be stopped.
#[inline(never)]
fn visit(page: &Page) -> Option<Using> {
    let visitor = Visitor::enter();
    // SAFETY: null, or a recorder that was there after this visit was counted. Who frees it takes it from here first, and
    // then waits for all visits.
    let recorder = unsafe { page.recorder.load(SeqCst).as_ref() }?;
    Some(Using { recorder, _visitor: Some(visitor) })
}

/// What this process waits for, if it has a page.
pub(crate) fn call() -> Option<&'static Call> {
    // SAFETY: null, or a page that is never unmapped.
    Some(&unsafe { PAGE.load(Acquire).as_ref() }?.call)
}

/// It was decided whether to record: who is not recorded now will not be until a recorder is started late.
pub(crate) fn is_decided() -> bool {
    DECIDED.load(Relaxed)
}

pub(crate) fn decide() {
    DECIDED.store(true, Release);
}

/// A recorder is about to be started late: the process is to be asked again.
pub(crate) fn undecide() {
    LATE.store(true, Relaxed);
    DECIDED.store(false, Release);
}

/// For how many bytes a thread need not ask again whether it is recorded.
pub(crate) fn rest_bytes() -> i64 {
    if LATE.load(Relaxed) { REST_BYTES } else { i64::MAX >> 1 }
}

/// Begins to record, for the rest of the process or until [`stop`]; false if there is no memory.
pub(crate) fn begin(recorder: Box<Recorder>, may_stop: bool) -> bool {
    let Some(page) = page() else { return false };
    page.may_stop.store(may_stop, Relaxed);
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

/// What was stopped while a thread worked with it, to be freed at the next stop.
static STOPPED: BoundedLock<Vec<Box<Recorder>>> = BoundedLock::new(Vec::new());

/// Stops a recorder that may be stopped, and frees it. False if a thread that works with it does not come to an end: then it
/// stays for now.
pub(crate) fn stop() -> bool {
    // SAFETY: null, or a page that is never unmapped.
    let Some(page) = (unsafe { PAGE.load(Acquire).as_ref() }) else { return true };
    if !page.may_stop.load(Relaxed) {
        return false;
    }
    let recorder = page.recorder.swap(null_mut(), SeqCst);
    let all_went = visitors::all_went();
    let Some(mut stopped) = STOPPED.hold() else { return false };
    if !recorder.is_null() {
        // SAFETY: `begin` made it from a box, and the swap gave it to this thread alone.
        stopped.push(unsafe { Box::from_raw(recorder) });
    }
    // What an earlier stop left is free now too: whoever used it came before this call.
    if all_went {
        stopped.clear();
    }
    all_went
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

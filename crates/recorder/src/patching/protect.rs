#![expect(unsafe_code, reason = "writes into other objects' tables")]
//! Words in other objects' tables, which the linker may have made read-only.
//!
//! In: an address in a loaded object. Out: the word there, exchanged. What must not happen here: a page that is left open
//! for writing and was not before; a signal; a word half written.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

pub(super) const PAGE: u64 = 4096;

/// The word at this place, which lies in a table of an object that is loaded.
pub(super) fn read(place: u64) -> u64 {
    word(place).load(Acquire)
}

fn word(place: u64) -> &'static AtomicU64 {
    // SAFETY: callers have the place from the linker's own tables of an object that is loaded, aligned; others may write it.
    unsafe { &*(place as usize as *const AtomicU64) }
}

/// Whether the page of this word can be written to now. The kernel itself changes the word, by nothing, and says so where
/// it may not: nothing is read or parsed, and no signal comes.
pub(super) fn is_open(place: u64) -> bool {
    const OR_NOTHING: usize = (libc::FUTEX_OP_OR as usize) << 28;
    static NOBODY_WAITS: AtomicU64 = AtomicU64::new(0);
    let operation = (libc::FUTEX_WAKE_OP | libc::FUTEX_PRIVATE_FLAG) as usize;
    // SAFETY: wakes nobody; changes no bit; all arguments as wide as a register.
    let result = unsafe {
        libc::syscall(
            libc::SYS_futex,
            NOBODY_WAITS.as_ptr(),
            operation,
            0_usize,
            0_usize,
            place as usize,
            OR_NOTHING,
        )
    };
    result >= 0
}

/// A page that was closed and is open while this lives.
pub(super) struct Opened(u64);

impl Opened {
    /// `None` if the kernel refuses.
    fn open(page: u64) -> Option<Self> {
        protect(page, libc::PROT_READ | libc::PROT_WRITE).then_some(Self(page))
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        protect(self.0, libc::PROT_READ);
    }
}

fn protect(page: u64, access: libc::c_int) -> bool {
    // SAFETY: one page of an object that is loaded; others read it before, meanwhile and after.
    unsafe { libc::syscall(libc::SYS_mprotect, page as usize, PAGE as usize, access as usize) == 0 }
}

/// Words that are written one after the other: a page stays open for the next one.
#[derive(Default)]
pub(super) struct Pen(Option<Opened>);

impl Pen {
    /// Writes `value` where `expected` stands. `is_sealed`: the linker made the page read-only. False if another value
    /// stands there, or the page does not open.
    pub(super) fn write(&mut self, place: u64, expected: u64, value: u64, is_sealed: bool) -> bool {
        let page = place & !(PAGE - 1);
        let is_at_hand = self.0.as_ref().is_some_and(|opened| opened.0 == page);
        if !is_at_hand {
            self.0 = None;
            if !is_open(place) {
                // What the linker did not close is closed for a reason that we do not know.
                self.0 = if is_sealed { Opened::open(page) } else { None };
                if self.0.is_none() {
                    return false;
                }
            }
        }
        word(place).compare_exchange(expected, value, Release, Relaxed).is_ok()
    }
}

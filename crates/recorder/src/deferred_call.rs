#![expect(unsafe_code, reason = "a function pointer that another library hands over")]
//! A call that a process which is not recorded waits for: a forked child asks to be recorded once it is old enough.
//!
//! In: a function and an age. Out: one call of that function, from an allocation, when the age is reached. A child that
//! allocates nothing is never called, and there is no thread and no timer that its program could see. What must not
//! happen here: a lock, an allocation, or a look at the clock more often than every [`REST_BYTES`].

use std::mem::transmute;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU64};

use crate::reentry::ReentryGuard;

/// Called from inside of an allocation, on any thread; false: once more, a second later.
pub(crate) type Due = extern "C" fn() -> bool;

/// Bytes of a size's class on one thread between two looks at the clock.
pub(crate) const REST_BYTES: i64 = 256 << 10;
/// Nanoseconds until a call that was refused is tried again.
const AGAIN_NS: u64 = 1_000_000_000;
/// It was called, and what follows from that has not happened yet.
const CALLED: u64 = u64::MAX;

/// All zero: nothing is waited for.
pub(crate) struct Call {
    /// Nanoseconds of `CLOCK_MONOTONIC`; 0: never.
    at_ns: AtomicU64,
    function: AtomicPtr<()>,
}

impl Call {
    fn set(&self, at_ns: u64, due: Due) {
        self.function.store(due as *mut (), Relaxed);
        self.at_ns.store(at_ns, Release);
    }

    /// Nothing is waited for any more.
    pub(crate) fn forget(&self) {
        self.at_ns.store(0, Release);
        self.function.store(null_mut(), Relaxed);
    }

    /// Whether allocations are to be looked at, as there is something to come.
    pub(crate) fn waits(&self) -> bool {
        self.at_ns.load(Relaxed) != 0
    }

    /// Calls the function if it is time.
    fn look(&self, now_ns: u64) {
        let at_ns = self.at_ns.load(Acquire);
        if at_ns == 0 || now_ns < at_ns {
            return;
        }
        // Of several threads one calls.
        if self.at_ns.compare_exchange(at_ns, CALLED, AcqRel, Relaxed).is_err() {
            return;
        }
        let function = self.function.load(Relaxed);
        if function.is_null() {
            return;
        }
        // SAFETY: only `set` stores there, and it takes this type.
        let due = unsafe { transmute::<*mut (), Due>(function) };
        if !due() {
            let again = now_ns.saturating_add(AGAIN_NS);
            let _changed = self.at_ns.compare_exchange(CALLED, again, AcqRel, Relaxed);
        }
    }
}

/// Looks at the clock, from an allocation of a process that is not recorded; false if nothing is waited for.
pub(crate) fn look() -> bool {
    let Some(call) = crate::state::call().filter(|call| call.waits()) else { return false };
    if let Some(_quiet) = ReentryGuard::begin() {
        call.look(now_ns());
    }
    true
}

/// `due` is to be called when so many nanoseconds have gone by. False if there is no place for it.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn nilometer_recorder_call_later(ns: u64, due: Due) -> bool {
    let Some(call) = crate::state::call() else { return false };
    // What this thread still had to count may be a parent's long rest.
    let block = crate::tls::block();
    block.seeded.store(0, Relaxed);
    block.remaining.iter().for_each(|remaining| remaining.store(0, Relaxed));
    call.set(now_ns().saturating_add(ns).max(1), due);
    true
}

/// What was waited for is not to come.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn nilometer_recorder_call_never() {
    if let Some(call) = crate::state::call() {
        call.forget();
    }
}

fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec.cast_unsigned().wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    static CALLS: AtomicU32 = AtomicU32::new(0);

    /// Refuses the first time.
    extern "C" fn due() -> bool {
        CALLS.fetch_add(1, Relaxed) > 0
    }

    #[test]
    fn called_once_when_it_is_time_and_again_if_refused() {
        let call = Call { at_ns: AtomicU64::new(0), function: AtomicPtr::new(null_mut()) };
        call.look(u64::MAX - 1);
        assert!(!call.waits());
        call.set(500, due);
        call.look(499);
        assert_eq!((CALLS.load(Relaxed), call.waits()), (0, true));
        call.look(500);
        call.look(501);
        assert_eq!(CALLS.load(Relaxed), 1);
        call.look(500 + AGAIN_NS);
        call.look(500 + 9 * AGAIN_NS);
        assert_eq!((CALLS.load(Relaxed), call.waits()), (2, true), "until it has been dealt with");
        call.forget();
        assert!(!call.waits());
    }
}

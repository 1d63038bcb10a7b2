#![expect(unsafe_code, reason = "registers the C library's fork handlers")]
//! Forks: the recording stays with the parent.
//!
//! Two doors. Python's own forks pass `before` and `after_*`, which end the ticker and make it anew, so that the process
//! forks with exactly the threads the program has (Python 3.12 and later warn of more). Forks in C pass only the C
//! library's handlers: they wait, with a bound, until the ticker holds no lock, and turn the recording off in the child.
//!
//! What must not happen here: in the child, anything but stores to atomics.

use std::ffi::{c_int, c_void};
use std::panic::catch_unwind;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

use pyo3::Python;

use crate::words;
use crate::{interp, session, ticker};

/// Python forks under way, on several threads at once perhaps.
static UNDER_WAY: AtomicU32 = AtomicU32::new(0);

/// Registers the C library's handlers, for good.
pub(crate) fn register() -> bool {
    // SAFETY: the handlers live as long as this module, which is never unloaded, and take nothing.
    unsafe { libc::pthread_atfork(Some(prepare), Some(parent), Some(child)) == 0 }
}

/// Python is about to fork.
pub(crate) fn before(py: Python<'_>) {
    UNDER_WAY.fetch_add(1, SeqCst);
    if let Some(session) = session::current()
        && !py.detach(ticker::stop)
    {
        session.lost(words::SLOW_CLOCK);
    }
}

/// Python has forked, in the parent; or has failed to.
pub(crate) fn after_in_parent(py: Python<'_>) {
    let was = UNDER_WAY.try_update(SeqCst, SeqCst, |count| count.checked_sub(1));
    if was != Ok(1) {
        return;
    }
    // Python 3.13 counts the threads after these hooks, so there the ticker comes back when `os.fork` has returned. On
    // another thread than the main one there are several anyway, and the main one may be slow to answer.
    if !(interp::counts_threads_late(py) && is_main_thread() && interp::ask_main_thread(start_later)) {
        start_again(py);
    }
}

extern "C" fn start_later(_: *mut c_void) -> c_int {
    drop(catch_unwind(|| Python::try_attach(start_again)));
    0
}

fn start_again(py: Python<'_>) {
    if UNDER_WAY.load(SeqCst) == 0
        && let Some(session) = session::current()
        && session.is_ticking()
        && !ticker::start(py)
    {
        session.lost(words::NO_CLOCK_AFTER_FORK);
    }
}

fn is_main_thread() -> bool {
    // SAFETY: no arguments.
    unsafe { libc::syscall(libc::SYS_gettid) == i64::from(libc::getpid()) }
}

/// Python has forked, in the child.
pub(crate) fn after_in_child() {
    child();
}

extern "C" fn prepare() {
    if session::current().is_some() {
        ticker::hold_for_fork();
    }
}

extern "C" fn parent() {
    ticker::release_after_fork();
}

extern "C" fn child() {
    session::turn_off_in_child();
    ticker::forget_in_child();
    UNDER_WAY.store(0, SeqCst);
}

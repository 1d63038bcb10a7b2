#![expect(unsafe_code, reason = "asks the kernel about limits and a process")]
//! Forked children of the program, which record themselves once they are old enough to matter.
//!
//! In: where their captures go; each fork that Python makes; what a child serves. Out: in a child that has lived for [`MIN_AGE_NS`]
//! and still allocates, or that serves, a capture of its own. What must not happen here: anything that the program or the child could see before
//! that: no thread, no file, no signal; a child that ends or execs soon costs two stores. Nor a child that is recorded
//! where this could break it: under limits of its own address space, or after the program itself has gone.

use std::ffi::{c_int, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use pyo3::Python;

use crate::forked_turns::Turns;
use crate::recorder::{self, Waiting};
use crate::{interp, session};

/// So old is a child before it is recorded, in nanoseconds. What ends sooner says nothing about a leak.
const MIN_AGE_NS: u64 = 2_000_000_000;
/// A child that served so many requests or tasks is a worker, and is recorded at once: it may be replaced before it is old. One that is
/// forked for each task never is.
const MIN_SERVED: u32 = 5;

/// Seconds of a rise without cycles before such a child's heap is looked at. A look takes memory as the heap is large, in each child
/// at once, and some of it stays for a while: what a short life is judged by from outside was disturbed by it in 2 of 6 runs.
const MAX_SECONDS_WITHOUT_CYCLES: usize = 30;

/// What children need, from before they were forked.
struct Follow {
    /// The capture's path, with `{pid}` for the process id.
    template: String,
    run: String,
    command: String,
    program: i32,
    waiting: Waiting,
    turns: Turns,
}

static FOLLOW: OnceLock<Follow> = OnceLock::new();
/// What this child has served while it was not recorded.
static SERVED: AtomicU32 = AtomicU32::new(0);

/// Children that Python forks from now on are to record themselves. False where that is not possible.
pub(crate) fn follow(template: String, run: String, command: String) -> bool {
    let (Some(waiting), Some(turns)) = (Waiting::find(), Turns::new()) else { return false };
    let program = std::process::id().cast_signed();
    FOLLOW.set(Follow { template, run, command, program, waiting, turns }).is_ok()
}

/// In a child that Python has just forked.
pub(crate) fn wait_in_child() {
    if let Some(follow) = FOLLOW.get() {
        SERVED.store(0, Relaxed);
        follow.waiting.call_later(MIN_AGE_NS, due);
    }
}

/// A process that is not recorded has served a request or a task.
pub(crate) fn served() {
    let is_child = || FOLLOW.get().is_some_and(|follow| follow.program != std::process::id().cast_signed());
    if is_child() && SERVED.fetch_add(1, Relaxed) + 1 == MIN_SERVED {
        interp::ask_main_thread(begin_now);
    }
}

/// This process ends, or it is not to be recorded.
pub(crate) fn wait_no_more() {
    if let Some(follow) = FOLLOW.get() {
        follow.waiting.call_never();
    }
}

/// From inside of an allocation on any thread: the main thread is asked, between two of its instructions.
extern "C" fn due() -> bool {
    interp::is_alive() && interp::ask_main_thread(begin_now)
}

/// What the main thread calls, with the GIL.
extern "C" fn begin_now(_: *mut c_void) -> c_int {
    // As with ticks: not in a subinterpreter, and nothing that goes wrong is the program's business.
    if interp::is_main() {
        drop(std::panic::catch_unwind(|| Python::try_attach(begin)));
    }
    if session::current().is_none() {
        wait_no_more();
    }
    0
}

fn begin(py: Python<'_>) {
    let Some(follow) = FOLLOW.get().filter(|follow| session::current().is_none() && may_begin(follow)) else {
        return;
    };
    let path = PathBuf::from(follow.template.replace("{pid}", &std::process::id().to_string()));
    if session::start_child(py, &path, &follow.run, MAX_SECONDS_WITHOUT_CYCLES) {
        recorder::begin(&path);
        if let Some(session) = session::current() {
            session.fact("command".to_owned(), follow.command.clone());
        }
    }
}

/// Whether this child may have a capture, and it is its turn.
fn may_begin(follow: &Follow) -> bool {
    let is_free = [libc::RLIMIT_AS, libc::RLIMIT_DATA].into_iter().all(is_unlimited);
    is_free && lives(follow.program) && follow.turns.take()
}

/// The recorder's tables take some address space, which a limit may not have.
fn is_unlimited(resource: libc::__rlimit_resource_t) -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes one `rlimit`.
    unsafe { libc::getrlimit(resource, &raw mut limit) == 0 && limit.rlim_cur == libc::RLIM_INFINITY }
}

/// A daemon that the program left behind is nobody's: no report would tell of its capture.
fn lives(pid: i32) -> bool {
    // SAFETY: signal 0 only asks whether the process is there.
    let answer = unsafe { libc::kill(pid, 0) };
    answer == 0 || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

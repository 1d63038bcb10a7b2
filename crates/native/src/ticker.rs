#![expect(
    unsafe_code,
    reason = "a bare thread: no allocation in it, no signals, a small stack, a bounded join"
)]
//! The thread that sees to it that readings go on while the program marks nothing.
//!
//! In: the clock. Out: every 250 ms without a reading, a request to the main thread for a full one; if that is busy in C
//! code, a reading of its own without Python's part; if that lasts and there is a reason, the main thread's turn in its place.
//! It asks, sleeps and reads; it never runs Python code.
//!
//! What must not happen here: allocation without a reason (a thread's first allocation makes glibc reserve an arena for it), a
//! signal taken from the program, a word to an interpreter that is ending, a stop that hangs. The thread is therefore made by
//! `pthread_create` itself with all signals blocked, and a stop waits no longer than [`MAX_STOP_WAIT`].

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64};
use std::time::{Duration, Instant};

use pyo3::Python;

use crate::{interp, recorder, session};

/// A full reading at least this often, as far as its cost allows.
const READING_INTERVAL: Duration = Duration::from_millis(250);
/// How long the main thread may take to notice before it is nudged.
const NOTICE: Duration = Duration::from_millis(10);
/// How long the main thread may leave a request unanswered before this thread takes its turn. A service's may wait for the
/// others for ever, in one call.
const UNANSWERED: Duration = Duration::from_secs(2);
/// How long a stop waits for a thread that is in the middle of a reading.
const MAX_STOP_WAIT: Duration = Duration::from_secs(2);
/// Only touched pages count; what libraries keep per thread is carved from this too, and a look at the heap calls what types
/// have in C to show their parts.
const STACK: usize = 1 << 20;

/// The generation that may run. Raising it ends the thread of the one before; it is also what that one sleeps on.
static GENERATION: AtomicU32 = AtomicU32::new(1);
/// The last generation that reached its end.
static ENDED: AtomicU32 = AtomicU32::new(0);
/// The running thread: its `pthread_t` (0 for none) and its kernel id.
static THREAD: AtomicU64 = AtomicU64::new(0);
static THREAD_ID: AtomicI32 = AtomicI32::new(0);
/// The main thread has been asked for a reading that it has not taken yet.
static ASKED: AtomicBool = AtomicBool::new(false);
/// When, in nanoseconds since the run began.
static ASKED_AT: AtomicU64 = AtomicU64::new(0);
static NEEDS_NUDGE: AtomicBool = AtomicBool::new(false);
/// The ticker is where a fork must not find it / a fork is under way.
static INSIDE: AtomicBool = AtomicBool::new(false);
static FORKING: AtomicBool = AtomicBool::new(false);

/// Starts the thread. Without one the program goes on and only ticks are missing; false then.
pub(crate) fn start(py: Python<'_>) -> bool {
    if THREAD.load(SeqCst) != 0 {
        return true;
    }
    NEEDS_NUDGE.store(interp::needs_nudge(py), Relaxed);
    ASKED.store(false, SeqCst);
    THREAD_ID.store(0, SeqCst);
    let generation = GENERATION.load(SeqCst);
    match spawn(generation, STACK).or_else(|| spawn(generation, 0)) {
        Some(thread) => THREAD.store(thread, SeqCst),
        None => return false,
    }
    true
}

/// Stops the thread and waits until the kernel has forgotten it. False if it did not end in time; it will by itself.
///
/// Call this without the GIL: the thread may be waiting for it.
pub(crate) fn stop() -> bool {
    // Taken before its generation ends: of two forks at once, only the one that has the thread waits for that generation.
    let thread = THREAD.swap(0, SeqCst) as libc::pthread_t;
    if thread == 0 {
        return true;
    }
    let generation = GENERATION.fetch_add(1, SeqCst);
    wake(&GENERATION);
    let deadline = Instant::now() + MAX_STOP_WAIT;
    loop {
        let ended = ENDED.load(SeqCst);
        let left = deadline.saturating_duration_since(Instant::now());
        if ended == generation {
            break;
        }
        if left.is_zero() {
            // SAFETY: a thread that was created joinable, and is neither joined nor detached anywhere else.
            unsafe { libc::pthread_detach(thread) };
            return false;
        }
        sleep_on(&ENDED, ended, left);
    }
    // SAFETY: as above. It is past its last statement, so this does not wait.
    unsafe { libc::pthread_join(thread, std::ptr::null_mut()) };
    wait_until_forgotten(THREAD_ID.load(SeqCst));
    true
}

/// Before a fork: keeps the ticker out of everything that holds a lock. Bounded.
pub(crate) fn hold_for_fork() {
    FORKING.store(true, SeqCst);
    let deadline = Instant::now() + MAX_STOP_WAIT;
    while INSIDE.load(SeqCst) && Instant::now() < deadline {
        std::thread::yield_now();
    }
}

/// After a fork, in the parent.
pub(crate) fn release_after_fork() {
    FORKING.store(false, SeqCst);
}

/// After a fork, in the child, which has no ticker. Async-signal-safe.
pub(crate) fn forget_in_child() {
    THREAD.store(0, SeqCst);
    INSIDE.store(false, SeqCst);
    FORKING.store(false, SeqCst);
}

fn spawn(generation: u32, stack: usize) -> Option<u64> {
    // SAFETY: plain C structs that are initialised by the calls below before anything reads them.
    let (mut all, mut before, mut attributes, mut thread) = unsafe {
        (
            std::mem::zeroed::<libc::sigset_t>(),
            std::mem::zeroed::<libc::sigset_t>(),
            std::mem::zeroed::<libc::pthread_attr_t>(),
            std::mem::zeroed::<libc::pthread_t>(),
        )
    };
    // SAFETY: all pointers are to the locals above; a new thread inherits the mask of its maker, which is put back.
    let result = unsafe {
        if libc::pthread_attr_init(&raw mut attributes) != 0 {
            return None;
        }
        if stack > 0 {
            libc::pthread_attr_setstacksize(&raw mut attributes, stack);
        }
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let result = libc::pthread_create(
            &raw mut thread,
            &raw const attributes,
            run,
            std::ptr::without_provenance_mut(generation as usize),
        );
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        libc::pthread_attr_destroy(&raw mut attributes);
        result
    };
    (result == 0).then_some(thread)
}

extern "C" fn run(generation: *mut c_void) -> *mut c_void {
    let generation = generation.addr() as u32;
    // SAFETY: no arguments.
    THREAD_ID.store(unsafe { libc::syscall(libc::SYS_gettid) } as i32, SeqCst);
    // SAFETY: a C string shorter than the kernel's sixteen bytes.
    unsafe { libc::prctl(libc::PR_SET_NAME, c"nilometer".as_ptr()) };
    let mut pause = READING_INTERVAL;
    loop {
        sleep_on(&GENERATION, generation, pause);
        if GENERATION.load(SeqCst) != generation {
            break;
        }
        // A panic must stay in here; without the ticker the program goes on.
        match std::panic::catch_unwind(|| beat(generation)) {
            Ok(next) => pause = next,
            Err(_) => break,
        }
    }
    ENDED.store(generation, SeqCst);
    wake(&ENDED);
    std::ptr::null_mut()
}

/// One beat; gives how long to sleep until the next.
fn beat(generation: u32) -> Duration {
    let Some(session) = session::current() else { return READING_INTERVAL };
    INSIDE.store(true, SeqCst);
    // Here, as this thread holds no lock that anybody could wait for.
    if !FORKING.load(SeqCst) {
        recorder::follow();
    }
    INSIDE.store(false, SeqCst);
    let silence = Duration::from_nanos(session.silence());
    if silence < READING_INTERVAL {
        return READING_INTERVAL.saturating_sub(silence).max(Duration::from_millis(1));
    }
    INSIDE.store(true, SeqCst);
    let is_asked = if FORKING.load(SeqCst) || !interp::is_alive() {
        false
    } else if ASKED.load(SeqCst) {
        session.tick_outside();
        true
    } else if session.wants_tick() {
        ASKED_AT.store(session.age(), SeqCst);
        ASKED.store(true, SeqCst);
        if interp::ask_main_thread(answer) {
            true
        } else {
            ASKED.store(false, SeqCst);
            false
        }
    } else {
        false
    };
    INSIDE.store(false, SeqCst);
    if is_asked && NEEDS_NUDGE.load(Relaxed) {
        sleep_on(&GENERATION, generation, NOTICE);
        // Outside of INSIDE: whoever forks may hold the GIL, and must not wait for one who waits for the GIL.
        if ASKED.load(SeqCst) && GENERATION.load(SeqCst) == generation && interp::is_alive() {
            interp::nudge();
        }
    }
    let asked_at = Duration::from_nanos(ASKED_AT.load(SeqCst));
    let unanswered = Duration::from_nanos(session.age()).saturating_sub(asked_at);
    // Outside of INSIDE, as above.
    if is_asked && unanswered >= UNANSWERED && session.wants_turn() && may_speak(generation) {
        take_turn(generation);
    }
    READING_INTERVAL
}

/// Whether the main thread still owes an answer, to this thread, in an interpreter that lives.
fn may_speak(generation: u32) -> bool {
    ASKED.load(SeqCst) && GENERATION.load(SeqCst) == generation && !FORKING.load(SeqCst) && interp::is_alive()
}

/// Does what the main thread was asked for, with the GIL. While this thread waited for it, anything may have happened.
///
/// Apart: it has variables of the thread, which glibc allocates when they are first looked for, and a compiler that sees
/// them in the thread's loop looks for them before it.
#[cold]
#[inline(never)]
fn take_turn(generation: u32) {
    Python::try_attach(|py| {
        if may_speak(generation)
            && let Some(session) = session::current()
        {
            session.tick_instead(py);
        }
    });
}

/// What the main thread calls, with the GIL.
extern "C" fn answer(_: *mut c_void) -> c_int {
    ASKED.store(false, SeqCst);
    // A call that was asked for before a stop may come after it, as late as in the shutdown. In a subinterpreter, attaching
    // would wait for the GIL in the name of the main one, while this thread holds it.
    if THREAD.load(SeqCst) != 0 && interp::is_main() {
        let tick = || Python::try_attach(|py| session::current().map(|session| session.tick(py)));
        // Nothing that may go wrong here is the program's business.
        drop(std::panic::catch_unwind(tick));
    }
    0
}

/// Sleeps until `word` no longer holds `value`, but not longer than `most`; may wake early.
fn sleep_on(word: &AtomicU32, value: u32, most: Duration) {
    let timeout = libc::timespec {
        tv_sec: most.as_secs().cast_signed(),
        tv_nsec: libc::c_long::from(most.subsec_nanos().cast_signed()),
    };
    let operation = (libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG) as usize;
    // SAFETY: the word is a static, the timeout outlives the call; variadic arguments are full registers wide.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            operation,
            value as usize,
            &raw const timeout,
            0_usize,
            0_usize,
        )
    };
}

fn wake(word: &AtomicU32) {
    let operation = (libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG) as usize;
    // SAFETY: the word is a static; variadic arguments are full registers wide.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), operation, i32::MAX as usize, 0_usize, 0_usize, 0_usize)
    };
}

/// A joined thread still counts in `/proc/self/stat` until the kernel has taken it apart, on a busy machine for many
/// milliseconds. Python 3.12 and later look there right after a fork and warn of threads.
fn wait_until_forgotten(thread_id: i32) {
    let deadline = Instant::now() + MAX_STOP_WAIT;
    let mut pause = Duration::from_micros(20);
    // SAFETY: signal 0 only asks whether the thread is there; variadic arguments are full registers wide.
    while unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid() as usize, thread_id as usize, 0_usize) }
        == 0
        && Instant::now() < deadline
    {
        std::thread::sleep(pause); // a yield would not let a thread of the same priority run that waits for this core
        pause = (pause * 2).min(Duration::from_millis(2));
    }
}

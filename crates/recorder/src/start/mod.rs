#![expect(unsafe_code, reason = "the library's constructor, destructor and exported functions")]
//! The beginning: before the program's own code and before `main`, or late in a program that runs.
//!
//! In: what was asked for, by the environment ([`preloaded`]) or by a call ([`late`]). Out: a recorder, or a library that passes
//! everything on. What must not happen here: a word to the program, or a trace in its environment.

mod late;
mod preloaded;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::{Sampling, Writer};
use nilometer_pyframes::Support;

use crate::config::Config;
use crate::exports::{function_anywhere, order};
use crate::facts::{fact, tell_python};
use crate::floats::Floats;
use crate::recorder::Recorder;
use crate::{
    fork, frames, next_allocator, pace, patching, pools, py310_exit_guard, sampler, state, words, wrappers,
};

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = loaded;

#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = end;

/// The library came before the C library, and the program's calls reach it by their names.
static PRELOADED: AtomicBool = AtomicBool::new(false);

fn is_preloaded() -> bool {
    PRELOADED.load(Relaxed)
}

/// The library is there: before everything else of the process, or in the middle of it. Then it waits until it is started.
extern "C" fn loaded() {
    let _theirs = Floats::begin();
    let own = order(loaded as *const () as u64);
    let library = function_anywhere(b"gnu_get_libc_version").and_then(order);
    if own < library || library.is_none() {
        PRELOADED.store(true, Relaxed);
        next_allocator::resolve();
        preloaded::begin();
        state::decide();
    }
}

/// Why nothing is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    OtherCapture,
    Preloaded,
    Busy,
    NoFunctions,
    NoCapture,
    OwnAllocator,
    NoMemory,
    NoForkHandler,
}

impl From<patching::Refused> for Refused {
    fn from(refused: patching::Refused) -> Self {
        match refused {
            patching::Refused::OwnAllocator => Self::OwnAllocator,
            patching::Refused::NotFound => Self::NoFunctions,
            patching::Refused::NoMemory => Self::NoMemory,
            patching::Refused::Busy => Self::Busy,
        }
    }
}

/// How the recorder comes before the program's calls.
#[derive(Clone, Copy)]
enum How {
    /// By its place among the objects; for the rest of the process, and of its children if there is a function that makes theirs.
    Preloaded { make_in_child: Option<fn() -> Option<Box<Recorder>>> },
    /// By patching, until it is stopped.
    Late,
}

/// Begins to record into this capture. What others see comes last.
#[inline(never)]
fn record(writer: Writer, config: &Config, how: How) -> Result<(), Refused> {
    let (make_in_child, is_late) = match how {
        How::Preloaded { make_in_child } => (make_in_child, false),
        How::Late => (None, true),
    };
    let began_cpu_ns = if is_late { pace::cpu_ns() } else { 0 };
    let recorder = make(writer, config, began_cpu_ns).ok_or(Refused::NoMemory)?;
    nilometer_unwind::prepare();
    if is_late {
        // Python is there already; on a sample's thread the question would take the loader's lock, under whatever that holds.
        recorder.frames.look_for_python();
        tell_python(&recorder);
    }
    let wrapped = wrappers::put();
    tell_facts(&recorder, wrapped, is_late);
    if !fork::register(make_in_child) {
        return Err(Refused::NoForkHandler);
    }
    if is_late {
        pools::begin_late();
        let entries = patching::put()?;
        fact(&recorder.writer, "recorder.entries", &entries.to_string());
    }
    if state::begin(recorder, is_late) { Ok(()) } else { Err(Refused::NoMemory) }
}

fn make(writer: Writer, config: &Config, began_cpu_ns: u64) -> Option<Box<Recorder>> {
    sampler::set_seed(pace::seed());
    writer.append_sampling(writer.now(), &Sampling::Start { sample: u64::from(config.sample) });
    Recorder::new(writer, config, began_cpu_ns)
}

/// Begins in a forked child of the program that was not recorded so far, in a capture that is there; the path's bytes.
///
/// # Safety
/// `path` has `length` bytes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nilometer_recorder_begin(path: *const u8, length: usize) -> bool {
    let is_free = || state::recorder().is_none() && state::is_decided();
    let Some(config) = preloaded::config().filter(|_config| is_free()) else { return false };
    let _theirs = Floats::begin();
    let Some(_quiet) = crate::reentry::ReentryGuard::begin() else { return false };
    // SAFETY: as the caller promises.
    let path = unsafe { std::slice::from_raw_parts(path, length) };
    let writer = Writer::join(Path::new(OsStr::from_bytes(path))).ok();
    let recorder = writer.and_then(|writer| make(writer, config, 0));
    // Each thread draws its distances anew at its next look.
    recorder.is_some_and(|recorder| state::begin(recorder, false))
}

fn tell_facts(recorder: &Recorder, wrapped: bool, is_late: bool) {
    let is_hooked = is_late || next_allocator::is_hooked(crate::hooks::malloc_address());
    let allocator = match (is_hooked, next_allocator::is_the_c_librarys()) {
        (false, _) => words::NOT_RECORDED,
        (true, true) => "glibc",
        (true, false) => "preloaded",
    };
    fact(&recorder.writer, "recorder.allocator", allocator);
    let objects = if wrapped { "yes" } else { "no" };
    fact(&recorder.writer, "recorder.python_objects", objects);
}

/// The library goes: at the end of the process.
extern "C" fn end() {
    if let Some(_quiet) = crate::reentry::ReentryGuard::begin() {
        say_last();
    }
}

/// What is known at the end of a recording. For a caller that is at work already.
fn say_last() {
    let Some(recorder) = state::recorder() else { return };
    recorder.pending.drain(|id| crate::deaths::write(&recorder, id));
    tell_python(&recorder);
    pace::tell(&recorder, recorder.writer.now(), pace::cpu_ns());
}

/// The interpreter begins to end on the calling thread: from now on, only this thread's Python frames are looked at.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn nilometer_recorder_python_ends() {
    if let Some(recorder) = state::recorder() {
        frames::python_ends(crate::tls::block().thread());
        if let Some(Support::Ready(python)) = recorder.frames.support() {
            py310_exit_guard::spare(python.freed_too_early().map_or(0, |state| state as usize));
        }
        if let Some(_quiet) = crate::reentry::ReentryGuard::begin() {
            tell_python(&recorder);
        }
    }
}

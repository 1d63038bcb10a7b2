#![expect(unsafe_code, reason = "functions that the Python module finds by name")]
//! The library was loaded into a program that runs: it starts when it is told to, and may be stopped.
//!
//! In: a capture and settings, from a thread that holds the GIL. Out: a recording, or in words why there is none. What must
//! not happen here: a word patched before all else is ready, or a recorder that others see before all words are patched.

use std::ffi::{CStr, OsStr, c_char};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr::null;

use nilometer_capture::Writer;

use super::{How, Refused, is_preloaded};
use crate::config::Config;
use crate::filter::FILTER;
use crate::floats::Floats;
use crate::reentry::ReentryGuard;
use crate::{next_allocator, patching, pools, py310_exit_guard, state, words, wrappers};

/// Begins to record into a capture that is there. Null: it records; else a C string that says why not, and stays.
///
/// # Safety
/// Both texts have as many bytes as is said. The calling thread holds the GIL.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn nilometer_recorder_start(
    path: *const u8,
    path_length: usize,
    settings: *const u8,
    settings_length: usize,
) -> *const c_char {
    // SAFETY: as the caller promises.
    let (path, settings) = unsafe {
        (std::slice::from_raw_parts(path, path_length), std::slice::from_raw_parts(settings, settings_length))
    };
    let _theirs = Floats::begin();
    match start(Path::new(OsStr::from_bytes(path)), settings) {
        Ok(()) => null(),
        Err(refused) => said(refused).as_ptr(),
    }
}

#[inline(never)]
fn start(path: &Path, settings: &[u8]) -> Result<(), Refused> {
    if let Some(recorder) = state::recorder() {
        return if recorder.writer.is_of(path) { Ok(()) } else { Err(Refused::OtherCapture) };
    }
    if is_preloaded() {
        return Err(Refused::Preloaded);
    }
    let Some(_quiet) = ReentryGuard::begin() else { return Err(Refused::Busy) };
    if !next_allocator::resolve_late() {
        return Err(Refused::NoFunctions);
    }
    state::undecide();
    let writer = Writer::join(path).map_err(|_why| Refused::NoCapture);
    let done = writer.and_then(|writer| super::record(writer, &Config::read(settings), How::Late));
    if done.is_err() {
        state::decide();
        patching::take_back();
        wrappers::take_back();
    }
    done
}

/// Ends a recording that was started late and puts everything back; does nothing without one. The library stays, for a later start.
/// The calling thread holds the GIL.
#[unsafe(no_mangle)]
pub(super) extern "C" fn nilometer_recorder_stop() {
    if is_preloaded() {
        return;
    }
    let _theirs = Floats::begin();
    let Some(_quiet) = ReentryGuard::begin() else { return };
    super::say_last();
    state::decide();
    let all_went = state::stop();
    patching::take_back();
    wrappers::take_back();
    pools::forget();
    // A thread that is still at it would miss what it counted there.
    if all_went && !py310_exit_guard::is_any() {
        FILTER.clear();
    }
}

/// Libraries may have been loaded since: from now on, what they allocate is seen too. Cheap where there are none; called now and then,
/// from a thread that holds no lock.
#[unsafe(no_mangle)]
pub(super) extern "C" fn nilometer_recorder_follow() {
    if !is_preloaded()
        && state::recorder().is_some()
        && let Some(_quiet) = ReentryGuard::begin()
    {
        patching::follow();
    }
}

fn said(refused: Refused) -> &'static CStr {
    match refused {
        Refused::OtherCapture => words::OTHER_CAPTURE,
        Refused::Preloaded => words::PRELOADED,
        Refused::Busy => words::BUSY,
        Refused::NoFunctions => words::NO_FUNCTIONS,
        Refused::NoCapture => words::NO_CAPTURE,
        Refused::OwnAllocator => words::OWN_ALLOCATOR,
        Refused::NoMemory => words::NO_MEMORY,
        Refused::NoForkHandler => words::NO_FORK_HANDLER,
    }
}

#![expect(unsafe_code, reason = "loads the recorder, and calls its functions, found by name")]
//! The recorder, if it was loaded into this process, in front of everything else or late: what it is told, and what only it knows.
//!
//! In: starts and stops; the end of Python. Out: figures of pools inside the process, and the allocator behind the recorder's hooks.
//! What must not happen here: a need for it; without a recorder nothing is done and nothing is known. Nor that the library is
//! unloaded: whoever took the address of a hook calls it for ever.
//!
//! The recorder is of the same version as this module: both come in one package.

use std::ffi::{CStr, CString, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{Acquire, Release};

use nilometer_census::Block;

use crate::words;

/// The library, where this module loaded it: its names are not global.
static LATE: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
/// What is called at ticks and at readings, found once, since a search may allocate.
static FOLLOW: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static POOLS: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// `nilometer_recorder_start`: null if it records, else words that say why not.
type Start = unsafe extern "C" fn(
    path: *const u8,
    path_length: usize,
    settings: *const u8,
    settings_length: usize,
) -> *const c_char;
/// `nilometer_recorder_stop` and `nilometer_recorder_follow`.
type Plain = extern "C" fn();

/// Begins to record into this capture, in a process that runs: `library` is the recorder's. Nothing if it records, or in words why
/// not. The caller holds the GIL.
pub(crate) fn start(library: &Path, capture: &Path, settings: &OsStr) -> Result<(), String> {
    let found = if let Some(found) = symbol(c"nilometer_recorder_start") {
        found
    } else {
        load(library)?;
        symbol(c"nilometer_recorder_start").ok_or_else(|| words::not_the_recorder(library))?
    };
    let (capture, settings) = (capture.as_os_str().as_bytes(), settings.as_bytes());
    // SAFETY: the recorder declares the function like this; both texts outlive the call, and what it answers stays.
    let why = unsafe {
        let start = std::mem::transmute::<*mut c_void, Start>(found);
        let why = start(capture.as_ptr(), capture.len(), settings.as_ptr(), settings.len());
        if why.is_null() { None } else { Some(CStr::from_ptr(why).to_string_lossy().into_owned()) }
    };
    if let Some(why) = why {
        return Err(why);
    }
    for (place, name) in [(&FOLLOW, c"nilometer_recorder_follow"), (&POOLS, c"nilometer_recorder_pools")] {
        place.store(symbol(name).unwrap_or_default(), Release);
    }
    Ok(())
}

/// Loads the library for the rest of the process.
fn load(library: &Path) -> Result<(), String> {
    let path = CString::new(library.as_os_str().as_bytes())
        .map_err(|_zero| format!("{} is no path", library.display()))?;
    let how = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_NODELETE;
    // SAFETY: a C string; the library's constructor does nothing in a process that runs.
    let handle = unsafe { libc::dlopen(path.as_ptr(), how) };
    if handle.is_null() {
        // SAFETY: null, or a C string that stays until the next call of this thread.
        let why = unsafe { libc::dlerror().as_ref().map(|why| CStr::from_ptr(why).to_string_lossy()) };
        return Err(words::not_loaded(&why.unwrap_or_else(|| library.to_string_lossy())));
    }
    LATE.store(handle, Release);
    Ok(())
}

/// Ends a recording that [`start`] began. The caller holds the GIL.
pub(crate) fn stop() {
    FOLLOW.store(null_mut(), Release);
    if let Some(found) = late(c"nilometer_recorder_stop") {
        // SAFETY: the recorder declares the function like this.
        let stop = unsafe { std::mem::transmute::<*mut c_void, Plain>(found) };
        stop();
    }
}

/// Libraries may have been loaded since the last call: what they allocate is to be seen too. Cheap, does not allocate; for a
/// thread that holds no lock.
pub(crate) fn follow() {
    let found = FOLLOW.load(Acquire);
    if !found.is_null() {
        // SAFETY: `start` found it under its name, the recorder declares it like this and stays loaded.
        let follow = unsafe { std::mem::transmute::<*mut c_void, Plain>(found) };
        follow();
    }
}

/// `nilometer_recorder_python_ends`.
type PythonEnds = extern "C" fn();
/// `nilometer_recorder_pools`: writes bytes in use and bytes reserved; false if there is no pool.
type Pools = unsafe extern "C" fn(used: *mut u64, reserved: *mut u64) -> bool;
/// `nilometer_recorder_allocator`: the `malloc` that the recorder's own calls.
type AllocatorBehind = extern "C" fn() -> *const c_void;

/// Tells the recorder that the interpreter begins to take itself apart: other threads' Python frames are no longer safe
/// to read.
pub(crate) fn python_ends() {
    if let Some(found) = symbol(c"nilometer_recorder_python_ends") {
        // SAFETY: the recorder declares the function like this.
        let tell = unsafe { std::mem::transmute::<*mut c_void, PythonEnds>(found) };
        tell();
    }
}

/// The `malloc` behind the recorder's, if there is a recorder.
pub(crate) fn allocator_behind() -> Option<*const c_void> {
    let found = symbol(c"nilometer_recorder_allocator")?;
    // SAFETY: as above.
    let ask = unsafe { std::mem::transmute::<*mut c_void, AllocatorBehind>(found) };
    let behind = ask();
    (!behind.is_null()).then_some(behind)
}

/// `nilometer_recorder_call_later` and `nilometer_recorder_call_never`.
type CallLater = extern "C" fn(ns: u64, due: extern "C" fn() -> bool) -> bool;
type CallNever = extern "C" fn();
/// `nilometer_recorder_begin`.
type Begin = unsafe extern "C" fn(path: *const u8, length: usize) -> bool;

/// How a process that is not recorded waits for the moment from which it is.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    later: CallLater,
    never: CallNever,
}

impl Waiting {
    /// Found once, before any fork; `None` without a recorder.
    pub(crate) fn find() -> Option<Self> {
        let later = symbol(c"nilometer_recorder_call_later")?;
        let never = symbol(c"nilometer_recorder_call_never")?;
        // SAFETY: the recorder declares the functions like this, and stays loaded.
        unsafe {
            Some(Self {
                later: std::mem::transmute::<*mut c_void, CallLater>(later),
                never: std::mem::transmute::<*mut c_void, CallNever>(never),
            })
        }
    }

    /// `due` is called after so many nanoseconds, from inside of an allocation.
    pub(crate) fn call_later(self, ns: u64, due: extern "C" fn() -> bool) -> bool {
        (self.later)(ns, due)
    }

    pub(crate) fn call_never(self) {
        (self.never)();
    }
}

/// Lets the recorder begin in this forked child, in a capture that is there; false without one, or if it has begun.
pub(crate) fn begin(path: &Path) -> bool {
    let path = path.as_os_str().as_encoded_bytes();
    symbol(c"nilometer_recorder_begin").is_some_and(|found| {
        // SAFETY: the recorder declares the function like this; the bytes outlive the call.
        unsafe {
            let begin = std::mem::transmute::<*mut c_void, Begin>(found);
            begin(path.as_ptr(), path.len())
        }
    })
}

/// `nilometer_recorder_unwrapped`.
type Unwrapped = unsafe extern "C" fn(call: extern "C" fn(*mut c_void), data: *mut c_void);

/// Calls `call` while Python's objects come straight from Python's own allocator, not through the recorder: it gives its
/// figures only then. The caller holds the GIL.
#[cfg_attr(test, allow(dead_code, reason = "called with an interpreter, of which unit tests have none"))]
pub(crate) fn without_wrappers<F: FnMut()>(mut call: F) {
    extern "C" fn go<F: FnMut()>(data: *mut c_void) {
        // SAFETY: `data` is the closure below, which nobody else holds.
        unsafe { (*data.cast::<F>())() }
    }
    match symbol(c"nilometer_recorder_unwrapped") {
        // SAFETY: as above; `go` gets the closure back, which outlives the call.
        Some(found) => unsafe {
            let unwrapped = std::mem::transmute::<*mut c_void, Unwrapped>(found);
            unwrapped(go::<F>, (&raw mut call).cast());
        },
        None => call(),
    }
}

/// `nilometer_recorder_leave_out`.
type LeaveOut = extern "C" fn(on: bool);

/// While it lives, what this thread allocates is ours and no memory of the program.
pub(crate) struct Ours(Option<LeaveOut>);

impl Ours {
    pub(crate) fn begin() -> Self {
        let tell = symbol(c"nilometer_recorder_leave_out").map(|found| {
            // SAFETY: the recorder declares the function like this.
            unsafe { std::mem::transmute::<*mut c_void, LeaveOut>(found) }
        });
        if let Some(tell) = tell {
            tell(true);
        }
        Self(tell)
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        if let Some(tell) = self.0 {
            tell(false);
        }
    }
}

/// `nilometer_recorder_samples`.
type Samples = extern "C" fn(visit: extern "C" fn(*mut c_void, u64, u64, u64), data: *mut c_void);

/// All live samples: the memory that the census looks for. Empty without a recorder.
pub(crate) fn samples() -> Vec<Block> {
    extern "C" fn visit(data: *mut c_void, id: u64, address: u64, size: u64) {
        // SAFETY: `data` is the list below, which nobody else holds while the recorder walks.
        let out = unsafe { &mut *data.cast::<Vec<Block>>() };
        out.push(Block { id, address, size });
    }
    let mut out = Vec::with_capacity(1 << 14);
    if let Some(found) = symbol(c"nilometer_recorder_samples") {
        // SAFETY: the recorder declares the function like this.
        let walk = unsafe { std::mem::transmute::<*mut c_void, Samples>(found) };
        walk(visit, (&raw mut out).cast());
    }
    out
}

/// What the recorder can be asked at every reading.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Recorder {
    pools: Option<Pools>,
}

impl Recorder {
    /// Looks for it.
    pub(crate) fn find() -> Self {
        let pools = symbol(c"nilometer_recorder_pools").map(|found| {
            // SAFETY: the recorder of this build defines the function with this signature, and stays loaded.
            unsafe { std::mem::transmute::<*mut c_void, Pools>(found) }
        });
        Self { pools }
    }

    /// Bytes in use inside pools of tensor memory, and bytes that these took from the C allocator.
    pub(crate) fn pools(self) -> Option<(u64, u64)> {
        let (mut used, mut reserved) = (0, 0);
        let pools = self.pools.or_else(|| {
            let found = POOLS.load(Acquire);
            // SAFETY: null, which is the option's niche, or what `start` found under this name.
            unsafe { std::mem::transmute::<*mut c_void, Option<Pools>>(found) }
        })?;
        // SAFETY: two numbers of ours to be written; callable from any thread.
        let any = unsafe { pools(&raw mut used, &raw mut reserved) };
        any.then_some((used, reserved))
    }
}

/// A function of the recorder, wherever it was loaded.
fn symbol(name: &CStr) -> Option<*mut c_void> {
    late(name).or_else(|| {
        // SAFETY: the name is a C string; what is preloaded is searched first and never unloaded.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    })
}

/// A function of the recorder that this module loaded.
fn late(name: &CStr) -> Option<*mut c_void> {
    let library = LATE.load(Acquire);
    if library.is_null() {
        return None;
    }
    // SAFETY: a library that stays loaded, and a C string.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_recorder_there_is_nothing_and_no_harm() {
        assert_eq!(Recorder::find().pools(), None);
        assert_eq!(allocator_behind(), None);
    }

    #[test]
    fn what_cannot_be_loaded_is_told_in_words() {
        let refused = |library: &str| start(Path::new(library), Path::new("/x.nilo"), OsStr::new(""));
        let missing = refused("/nowhere/_recorder.so").expect_err("there is no such file");
        assert!(missing.starts_with("the recorder could not be loaded: /nowhere/_recorder.so"), "{missing}");
        assert_eq!(refused("/a\0b").expect_err("no path has a zero"), "/a\0b is no path");
        follow();
        stop();
    }
}

#![expect(unsafe_code, reason = "calls functions of the preloaded recorder, found by name")]
//! The recorder, if it was loaded into this process in front of everything else: what it is told, and what only it knows.
//!
//! In: the end of Python. Out: figures of pools inside the process, and the allocator behind the recorder's hooks. What
//! must not happen here: a need for it; without a recorder nothing is done and nothing is known.
//!
//! The recorder is of the same version as this module: both come in one package.

use std::ffi::{CStr, c_void};

use nilometer_census::Block;

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
pub(crate) fn begin(path: &std::path::Path) -> bool {
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
        // SAFETY: two numbers of ours to be written; callable from any thread.
        let any = unsafe { self.pools?(&raw mut used, &raw mut reserved) };
        any.then_some((used, reserved))
    }
}

fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name is a C string; what is preloaded is searched first and never unloaded.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
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
}

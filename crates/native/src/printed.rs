#![expect(unsafe_code, reason = "stands in for one method of a C type, in that type's own table of methods")]
//! The lines that the program prints, seen at `TextIOWrapper.write`, through which `print`, `logging` and progress bars go.
//!
//! In: calls of the method. Out: the same calls, and each line of `sys.stdout` and `sys.stderr` told once it has ended. What
//! must not happen here: another value, exception or byte than the method's own; a line of another file.
//!
//! The function in the type's table of methods is replaced, not `sys.stdout`: a program sees the type, the object and the
//! method that it always saw. Descriptors are left alone: output into a pipe is written by blocks of 8 KiB, in which a hook of
//! `write(2)` would see a hundred lines at once, without the GIL, long after they were printed.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};

use crate::flood::{Flood, Pass};
use crate::session;
use crate::skeleton::{Assembler, Line};

/// Longer texts are looked at up to here, in characters.
const MAX_TEXT: ffi::Py_ssize_t = 8192;
/// Lines of one text that are told beside the first.
const MAX_MORE_LINES: usize = 64;

type Write = unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject) -> *mut ffi::PyObject;

/// `PyMethodDescrObject` of `CPython` 3.10 to 3.14 with a GIL, as far as it is read.
#[repr(C)]
struct MethodDescriptor {
    head: [usize; 2],
    of_type: *mut c_void,
    name: *mut ffi::PyObject,
    qualified_name: *mut ffi::PyObject,
    method: *mut Method,
}

/// `PyMethodDef`.
#[repr(C)]
struct Method {
    name: *const c_char,
    function: *mut c_void,
    flags: c_int,
    doc: *const c_char,
}

/// The method's own function, once it is replaced.
static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
/// Its place in the table.
static PLACE: AtomicPtr<*mut c_void> = AtomicPtr::new(std::ptr::null_mut());

/// What `sys` calls its streams.
struct Names {
    sys: Py<PyDict>,
    /// Both names of each stream: what it is now, what it was at first.
    streams: [[Py<PyString>; 2]; 2],
    /// What ends a line: Python has one object for it.
    newline: Py<PyString>,
    /// The bit of a str's state that says that it is ASCII; 0 where that is not known.
    ascii: u32,
}

static NAMES: PyOnceLock<Names> = PyOnceLock::new();

/// Begins to watch; false if this Python is not as it is expected to be.
pub(crate) fn watch(py: Python<'_>) -> bool {
    if !PLACE.load(Acquire).is_null() {
        return true;
    }
    let name = |text: &str| PyString::intern(py, text).unbind();
    let names = || {
        let sys = py.import("sys")?.dict().unbind();
        let streams = [[name("stdout"), name("__stdout__")], [name("stderr"), name("__stderr__")]];
        let newline = PyString::new(py, "\n").unbind();
        Ok::<_, PyErr>(Names { sys, streams, newline, ascii: ascii_bit(py) })
    };
    let found = || {
        NAMES.get_or_try_init(py, names).ok()?;
        let of_type = py.import("_io").ok()?.getattr("TextIOWrapper").ok()?;
        let descriptor = of_type.getattr("__dict__").ok()?.get_item("write").ok()?;
        if descriptor.get_type().name().ok()?.to_str().ok()? != "method_descriptor" {
            return None;
        }
        let name = descriptor.getattr("__name__").ok()?;
        // SAFETY: a method descriptor has at least these fields; what they hold is compared before it is followed.
        let seen = unsafe { &*descriptor.as_ptr().cast::<MethodDescriptor>() };
        if seen.of_type != of_type.as_ptr().cast() || seen.name != name.as_ptr() || seen.method.is_null() {
            return None;
        }
        // SAFETY: with the fields before it as expected, this one is the descriptor's `PyMethodDef`, which is never freed.
        let method = unsafe { &*seen.method };
        // SAFETY: the name in a table of methods is a C string.
        let called = unsafe { CStr::from_ptr(method.name) };
        let is_ours = method.function == write as *mut c_void;
        if called != c"write" || method.flags != ffi::METH_O || method.function.is_null() || is_ours {
            return None;
        }
        // SAFETY: the address of a field of the table above.
        Some((unsafe { &raw mut (*seen.method).function }, method.function))
    };
    let Some((place, original)) = found() else { return false };
    if let Ok(mut state) = STATE.try_lock() {
        *state = State::new(); // an earlier recording counted by another clock
    }
    ORIGINAL.store(original, Release);
    if put(place, write as *mut c_void) {
        PLACE.store(place, Release);
        true
    } else {
        ORIGINAL.store(std::ptr::null_mut(), Release);
        false
    }
}

/// Puts the method's own function back. Calls that are under way, or that another thread begins, go on through ours.
pub(crate) fn unwatch(_py: Python<'_>) {
    let place = PLACE.swap(std::ptr::null_mut(), AcqRel);
    if !place.is_null() {
        put(place, ORIGINAL.load(Acquire));
    }
}

/// Writes a pointer through the kernel, which refuses where a plain store would end the program: a table in read-only memory.
fn put(place: *mut *mut c_void, value: *mut c_void) -> bool {
    let mut value = value;
    let from = libc::iovec { iov_base: (&raw mut value).cast(), iov_len: size_of::<*mut c_void>() };
    let to = libc::iovec { iov_base: place.cast(), iov_len: size_of::<*mut c_void>() };
    // SAFETY: both lists have one element, which outlives the call; the GIL is held, so that nobody calls the method meanwhile.
    let written = unsafe { libc::process_vm_writev(libc::getpid(), &raw const from, 1, &raw const to, 1, 0) };
    usize::try_from(written) == Ok(size_of::<*mut c_void>())
}

/// Stands in for `TextIOWrapper.write`.
unsafe extern "C" fn write(this: *mut ffi::PyObject, text: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: it was the method's function when ours was put into its place.
    let original = unsafe { std::mem::transmute::<*mut c_void, Write>(ORIGINAL.load(Acquire)) };
    // SAFETY: what the caller passed.
    let result = unsafe { original(this, text) };
    if !result.is_null() {
        // A panic of ours is not the program's business.
        drop(std::panic::catch_unwind(|| note(this, text)));
    }
    result
}

/// What is known of one stream.
struct Stream {
    assembler: Assembler,
    flood: Flood,
}

/// Which stream an object was found to be, for the next so many calls: two look-ups of names would cost more than all the rest.
struct Seen {
    this: usize,
    stream: Option<usize>,
    calls: u32,
}

/// Calls for which it is believed.
const MAX_CALLS: u32 = 64;

struct State {
    streams: [Stream; 2],
    seen: Seen,
}

impl State {
    const fn new() -> Self {
        Self {
            streams: [const { Stream { assembler: Assembler::new(), flood: Flood::new() } }; 2],
            seen: Seen { this: 0, stream: None, calls: 0 },
        }
    }
}

/// Streams, and the lines that they are in the middle of.
static STATE: Mutex<State> = Mutex::new(State::new());

/// What one text brought.
enum Brought {
    Line(Line),
    Flood(u64, u32),
}

/// A text was written to this stream.
fn note(this: *mut ffi::PyObject, text: *mut ffi::PyObject) {
    let Some(session) = session::current() else { return };
    let session = &*session;
    // SAFETY: the method was called with the GIL.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: the GIL is held. Who writes while an error is set wants it to be there afterwards.
    if unsafe { !ffi::PyErr_Occurred().is_null() } {
        return;
    }
    let Some(names) = NAMES.get(py) else { return };
    // One line in a text is usual, and no room is made for more unless there are.
    let (mut first, mut more) = (None, Vec::new());
    {
        let Ok(mut state) = STATE.try_lock() else { return };
        let State { streams, seen } = &mut *state;
        if seen.this != this.addr() || seen.calls >= MAX_CALLS {
            *seen = Seen { this: this.addr(), stream: stream_of(names, this), calls: 0 };
        }
        seen.calls += 1;
        let Some(Stream { assembler, flood }) = seen.stream.and_then(|stream| streams.get_mut(stream)) else {
            return;
        };
        with_bytes(names, text, |bytes| {
            assembler.push(bytes, |whole| {
                let next = match flood.comes(whole.bytes(), || session.age()) {
                    Pass::Over => None,
                    Pass::Count(hash, count) => Some(Brought::Flood(hash, count)),
                    Pass::Read => whole.line().map(|line| {
                        flood.was(whole.bytes(), line.hash);
                        Brought::Line(line)
                    }),
                };
                if first.is_none() {
                    first = next;
                } else if more.len() < MAX_MORE_LINES {
                    more.extend(next);
                }
            });
        });
    }
    for one in first.into_iter().chain(more) {
        match one {
            Brought::Line(line) => session.printed(py, &line),
            Brought::Flood(hash, count) => session.flooded(hash, count),
        }
    }
}

/// 0 for what is standard output now or was at first, 1 for standard error, nothing for another file.
fn stream_of(names: &Names, this: *mut ffi::PyObject) -> Option<usize> {
    let is_named = |name: &Py<PyString>| {
        // SAFETY: the GIL is held; the dict and the string are ours, and the value is only compared.
        unsafe { ffi::PyDict_GetItem(names.sys.as_ptr(), name.as_ptr()) == this }
    };
    let now = names.streams.iter().position(|[now, _]| is_named(now));
    now.or_else(|| names.streams.iter().position(|[_, first]| is_named(first)))
}

/// Where a str has its state, in `CPython` 3.10 to 3.14.
const STATE_OFFSET: usize = 32;

fn state_of(text: *mut ffi::PyObject) -> u32 {
    // SAFETY: every str has its state there, and what is read of it is compared with what two known ones have.
    unsafe { text.byte_add(STATE_OFFSET).cast::<u32>().read() }
}

/// The bit by which an ASCII str differs from one of the same kind that is none.
fn ascii_bit(py: Python<'_>) -> u32 {
    let state = |text: &str| state_of(PyString::new(py, text).as_ptr());
    let bit = state("nilometer a") ^ state("nilometer \u{e9}");
    if bit.is_power_of_two() && state("nilometer a") & bit != 0 { bit } else { 0 }
}

/// Hands over the text as UTF-8; nothing where it cannot be encoded.
fn with_bytes(names: &Names, text: *mut ffi::PyObject, take: impl FnOnce(&[u8])) {
    if text == names.newline.as_ptr() {
        return take(b"\n");
    }
    if state_of(text) & names.ascii != 0 {
        let mut length = 0;
        // SAFETY: the GIL is held. An ASCII str is its own UTF-8: nothing is made, and the bytes live as long as it does.
        let bytes = unsafe { ffi::PyUnicode_AsUTF8AndSize(text, &raw mut length) };
        let length = usize::try_from(length.min(MAX_TEXT)).unwrap_or(0);
        if !bytes.is_null() {
            // SAFETY: so many bytes are there.
            take(unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length) });
        }
        return;
    }
    // SAFETY: the GIL is held, and the method took `text`, so it is a str. Each object made here is let go of below, and no error
    // is left behind: the program's call had none.
    unsafe {
        let is_long = ffi::PyUnicode_GetLength(text) > MAX_TEXT;
        let part = if is_long { ffi::PyUnicode_Substring(text, 0, MAX_TEXT) } else { text };
        let encoded = if part.is_null() { part } else { ffi::PyUnicode_AsUTF8String(part) };
        if is_long {
            ffi::Py_XDECREF(part);
        }
        if encoded.is_null() {
            ffi::PyErr_Clear();
            return;
        }
        let length = usize::try_from(ffi::PyBytes_Size(encoded)).unwrap_or(0);
        take(std::slice::from_raw_parts(ffi::PyBytes_AsString(encoded).cast::<u8>(), length));
        ffi::Py_DECREF(encoded);
    }
}

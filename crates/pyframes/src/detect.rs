#![expect(unsafe_code, reason = "finds CPython's functions by name and calls them")]
//! Finds the CPython of this process and makes sure that its layout is known.
//!
//! In: the process's global symbols. Out: [`Support`]. What must not happen here: trust in a layout because
//! of the version alone. A build without the GIL, with reference tracing or of an unfinished version has
//! other structures; it is refused with a reason. A lookup of a missing symbol may allocate, so the caller
//! guards against re-entrancy.

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};

use crate::layout::{Layout, OBJECT_TYPE, Types};
use crate::offset_table::TABLE_WORDS;
use crate::{Python, Support, memory, words};

/// CPython functions that are called. None of them allocates, locks or needs the GIL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CApi {
    /// `PyGILState_GetThisThreadState`: reads a thread-specific value. Other functions give the state that
    /// holds the GIL, which may be another thread's.
    this_thread: unsafe extern "C" fn() -> *mut c_void,
    /// `Py_IsFinalizing`, before 3.13 `_Py_IsFinalizing`: reads a variable.
    finalizing: unsafe extern "C" fn() -> c_int,
    pub(crate) evaluator: u64,
}

impl CApi {
    /// The calling thread's state.
    pub(crate) fn this_thread(&self) -> Option<u64> {
        // SAFETY: takes no argument; before initialisation and after the end it returns null.
        let thread = unsafe { (self.this_thread)() };
        (!thread.is_null()).then_some(thread as u64)
    }

    pub(crate) fn finalizing(&self) -> bool {
        // SAFETY: takes no argument and reads one variable.
        unsafe { (self.finalizing)() != 0 }
    }

    /// The calling thread's identity as CPython stores it in the thread's state.
    pub(crate) fn own_identity() -> u64 {
        // SAFETY: has no preconditions.
        unsafe { libc::pthread_self() }
    }
}

/// The main interpreter's state. Reads one variable; needs no GIL.
pub(crate) fn main_interpreter() -> Option<u64> {
    let found = symbol(c"PyInterpreterState_Main")?;
    // SAFETY: CPython declares `PyInterpreterState *PyInterpreterState_Main(void)`, since 3.7.
    let state = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *mut c_void>(found)() };
    (!state.is_null()).then_some(state as u64)
}

/// Finds CPython. The caller guards against re-entrancy, and asks again while the answer is
/// [`Support::NotYet`].
pub fn detect() -> Support {
    let Some(initialized) = symbol(c"Py_IsInitialized") else {
        return Support::NotYet;
    };
    let initialized =
        // SAFETY: CPython declares `int Py_IsInitialized(void)`.
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(initialized) };
    // SAFETY: reads one variable, callable at any time.
    if unsafe { initialized() } == 0 {
        return Support::NotYet;
    }
    let Some(hex_version) = hex_version() else {
        return Support::Unsupported { version: (0, 0), why: words::NO_VERSION };
    };
    let version = ((hex_version >> 24) as u8, (hex_version >> 16) as u8);
    match python(hex_version, version) {
        Ok(python) => Support::Ready(python),
        Err(why) => Support::Unsupported { version, why },
    }
}

/// Why a version is refused, whatever its symbols say.
fn refusal(hex_version: u32, version: (u8, u8)) -> Option<&'static str> {
    const CANDIDATE: u32 = 0xc0;
    if version < (3, 10) {
        Some(words::TOO_OLD)
    } else if version > (3, 14) {
        Some(words::TOO_NEW)
    } else {
        (hex_version & 0xf0 < CANDIDATE).then_some(words::UNFINISHED)
    }
}

fn python(hex_version: u32, version: (u8, u8)) -> Result<Python, &'static str> {
    if let Some(why) = refusal(hex_version, version) {
        return Err(why);
    }
    if symbol(c"PyModule_Create2TraceRefs").is_some() {
        return Err(words::TRACKS_REFERENCES);
    }
    let address = |name| symbol(name).map(|found| found as u64).ok_or(words::HIDDEN_SYMBOLS);
    let types = Types {
        code: address(c"PyCode_Type")?,
        bytes: address(c"PyBytes_Type")?,
        text: address(c"PyUnicode_Type")?,
    };
    // A build with another object head is found here, whatever the reason for that head.
    let type_of_types = address(c"PyType_Type")?;
    if [types.code, types.bytes, types.text]
        .iter()
        .any(|object| memory::word(*object, OBJECT_TYPE) != Some(type_of_types))
    {
        return Err(words::OTHER_HEADS);
    }
    let layout = match Layout::of_version(version, types) {
        Some(layout) => layout,
        None => Layout::of_table(&table(address(c"_PyRuntime")?), hex_version, types)?,
    };
    Ok(Python { api: api()?, layout })
}

fn api() -> Result<CApi, &'static str> {
    let missing = words::HIDDEN_SYMBOLS;
    let this_thread = symbol(c"PyGILState_GetThisThreadState").ok_or(missing)?;
    let finalizing = symbol(c"Py_IsFinalizing").or_else(|| symbol(c"_Py_IsFinalizing")).ok_or(missing)?;
    let evaluator = symbol(c"_PyEval_EvalFrameDefault").ok_or(missing)?;
    Ok(CApi {
        // SAFETY: CPython declares `PyThreadState *PyGILState_GetThisThreadState(void)`.
        this_thread: unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *mut c_void>(this_thread)
        },
        // SAFETY: CPython declares `int Py_IsFinalizing(void)`, and the same with an underscore.
        finalizing: unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(finalizing)
        },
        evaluator: evaluator as u64,
    })
}

/// Version, level and serial as in `PY_VERSION_HEX`. 3.10 and older have no variable for it; their text gives
/// it.
fn hex_version() -> Option<u32> {
    if let Some(found) = symbol(c"Py_Version") {
        // SAFETY: CPython declares `const unsigned long Py_Version`.
        return u32::try_from(unsafe { *found.cast::<c_ulong>() }).ok();
    }
    let text = symbol(c"Py_GetVersion")?;
    // SAFETY: CPython declares `const char *Py_GetVersion(void)`.
    let text = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *const c_char>(text) };
    // SAFETY: formats into a buffer of its own, the same text each time.
    let text = unsafe { text() };
    if text.is_null() {
        return None;
    }
    // SAFETY: a C string in a static buffer.
    hex_of_text(unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// `3.10.13 (main, ...)`, `3.10.0rc2 (...)`, `3.10.0b1 (...)`.
fn hex_of_text(text: &[u8]) -> Option<u32> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.')?;
    let (numbers, rest) = text.split_at_checked(end)?;
    let mut numbers = numbers.split(|byte| *byte == b'.').map(|number| {
        std::str::from_utf8(number).ok().and_then(|number| number.parse::<u8>().ok()).map(u32::from)
    });
    let mut next = || numbers.next().flatten();
    let (major, minor, micro) = (next()?, next()?, next()?);
    let level = match rest {
        [b'a', ..] => 0xa0,
        [b'b', ..] => 0xb0,
        [b'r', ..] => 0xc0,
        _ => 0xf0,
    };
    Some(major << 24 | minor << 16 | micro << 8 | level)
}

/// The head of `_PyRuntime`; unreadable words are 0 and fail the checks that follow.
fn table(runtime: u64) -> [u64; TABLE_WORDS] {
    std::array::from_fn(|index| memory::word(runtime, 8 * index as u16).unwrap_or(0))
}

fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name is a C string; RTLD_DEFAULT searches the loaded libraries in the order in which calls
    // resolve.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_without_python() {
        assert!(matches!(detect(), Support::NotYet));
    }

    #[test]
    fn versions_that_are_refused() {
        assert_eq!(refusal(0x0309_12f0, (3, 9)), Some(words::TOO_OLD));
        assert_eq!(refusal(0x030f_00f0, (3, 15)), Some(words::TOO_NEW));
        assert_eq!(refusal(0x030e_00b4, (3, 14)), Some(words::UNFINISHED));
        assert_eq!(refusal(0x030e_00c1, (3, 14)), None);
        assert_eq!(refusal(0x030a_0df0, (3, 10)), None);
    }

    #[test]
    fn versions_from_text() {
        assert_eq!(hex_of_text(b"3.10.13 (main, May  9 2026)"), Some(0x030a_0df0));
        assert_eq!(hex_of_text(b"3.10.0rc2 (main)"), Some(0x030a_00c0));
        assert_eq!(hex_of_text(b"3.10.0b1 (main)"), Some(0x030a_00b0));
        assert_eq!(hex_of_text(b"3.10.0+ (heads/3.10)"), Some(0x030a_00f0));
        assert_eq!(hex_of_text(b"3.10"), None);
        assert_eq!(hex_of_text(b"PyPy"), None);
        assert_eq!(hex_of_text(b""), None);
    }
}

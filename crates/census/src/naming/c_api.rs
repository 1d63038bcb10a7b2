#![expect(unsafe_code, reason = "calls functions of CPython that were found by name")]
//! CPython functions that only naming calls. They only read; none runs Python code or makes an object.
//!
//! In: live objects, under the GIL. Out: borrowed addresses. What must not happen here: a reference that is
//! kept.

use std::ffi::{CStr, c_void};

use crate::c_api::symbol;
use crate::words;

type Follow = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// CPython's functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CApi {
    first_thread: Follow,
    next_thread: Follow,
    /// 3.12 on: the dictionary of a static type is not in the type.
    type_dict: Option<Follow>,
    release: unsafe extern "C" fn(*mut c_void),
}

impl CApi {
    /// Finds the functions. The error names the missing one.
    pub(crate) fn find() -> Result<CApi, String> {
        let found = |name: &CStr| symbol(name).ok_or_else(|| words::hidden(name));
        Ok(CApi {
            // SAFETY: PyThreadState *PyInterpreterState_ThreadHead(PyInterpreterState *).
            first_thread: unsafe {
                std::mem::transmute::<*mut c_void, Follow>(found(c"PyInterpreterState_ThreadHead")?)
            },
            // SAFETY: PyThreadState *PyThreadState_Next(PyThreadState *).
            next_thread: unsafe { std::mem::transmute::<*mut c_void, Follow>(found(c"PyThreadState_Next")?) },
            type_dict: symbol(c"PyType_GetDict")
                // SAFETY: PyObject *PyType_GetDict(PyTypeObject *).
                .map(|found| unsafe { std::mem::transmute::<*mut c_void, Follow>(found) }),
            // SAFETY: void Py_DecRef(PyObject *).
            release: unsafe {
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void)>(found(c"Py_DecRef")?)
            },
        })
    }

    /// The states of all threads of an interpreter, newest first.
    pub(crate) fn threads(&self, interpreter: u64) -> Vec<u64> {
        /// More threads than any process has; a longer list is broken.
        const MAX_THREAD_STATES: usize = 1 << 16;
        let mut threads = Vec::new();
        // SAFETY: the GIL is held, and this is its holder's interpreter. New threads are put whole before the
        // head without the GIL; threads take themselves out under the GIL.
        let mut thread = unsafe { (self.first_thread)(interpreter as *mut c_void) };
        while !thread.is_null() && threads.len() < MAX_THREAD_STATES {
            threads.push(thread as u64);
            // SAFETY: as above.
            thread = unsafe { (self.next_thread)(thread) };
        }
        threads
    }

    /// The dictionary of a type that keeps none in itself (3.12 on, static types); 0 if there is none.
    pub(crate) fn type_dict(&self, kind: u64) -> u64 {
        let Some(function) = self.type_dict else { return 0 };
        // SAFETY: a live type; gives a new reference.
        let dict = unsafe { function(kind as *mut c_void) };
        if !dict.is_null() {
            // SAFETY: the reference just given; the type keeps its own, so nothing is freed here.
            unsafe { (self.release)(dict) };
        }
        dict as u64
    }
}

#![expect(
    unsafe_code,
    reason = "CPython functions that PyO3 does not wrap: allocator figures, pending calls, the GIL"
)]
//! What the interpreter is asked for.
//!
//! In: the GIL, where a function takes `py`. Out: figures of Python's allocator and collector; pending calls. What must
//! not happen here: an exception that stays set, a call into an interpreter that is ending, user code.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::Counters;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyModule, PyString};

use crate::free_lists;
use crate::library_pools::LibraryPools;
use crate::pymalloc::Pymalloc;
use crate::recorder;

type PrintFigures = unsafe extern "C" fn(*mut libc::FILE) -> c_int;
type PrintFreeLists = unsafe extern "C" fn(*mut libc::FILE);

/// Python's own sources of figures, found once.
pub(crate) struct Interpreter {
    print_figures: Option<PrintFigures>,
    print_free_lists: Option<PrintFreeLists>,
    /// Python runs without its small-object allocator, or prints a text we cannot read.
    unreadable: AtomicBool,
    allocated_blocks: Option<Py<PyAny>>,
    gc_stats: Option<Py<PyAny>>,
    gc_count: Option<Py<PyAny>>,
    gc_enabled: Option<Py<PyAny>>,
    /// `sys.gettrace`, `sys.getprofile`.
    spies: [Option<Py<PyAny>>; 2],
    libraries: LibraryPools,
}

impl Interpreter {
    pub(crate) fn find(py: Python<'_>) -> Self {
        // The functions themselves are kept, so that a program which replaces names in `gc` is not called by us.
        let function = |module: &str, name: &str| {
            py.import(module).and_then(|module| module.getattr(name)).ok().map(Bound::unbind)
        };
        Self {
            print_figures: find_print_figures(),
            print_free_lists: find_print_free_lists(),
            unreadable: AtomicBool::new(false),
            allocated_blocks: function("sys", "getallocatedblocks"),
            gc_stats: function("gc", "get_stats"),
            gc_count: function("gc", "get_count"),
            gc_enabled: function("gc", "isenabled"),
            spies: [function("sys", "gettrace"), function("sys", "getprofile")],
            libraries: LibraryPools::new(py),
        }
    }

    /// Python's part of a reading.
    pub(crate) fn read_allocator(&self, py: Python<'_>, counters: &mut Counters) {
        if !self.unreadable.load(Relaxed) {
            let found = self.print_figures.and_then(|print| print_pymalloc(py, print, self.print_free_lists));
            if let Some((found, kept)) = found {
                counters.py_kept = kept;
                counters.py_in_use = Some(found.in_use);
                counters.py_blocks = Some(found.blocks);
                counters.py_system = Some(found.system);
                return;
            }
            self.unreadable.store(true, Relaxed);
        }
        let blocks = self.allocated_blocks.as_ref().and_then(|call| call.call0(py).ok());
        // Without its small-object allocator Python counts 0 blocks, which is no figure.
        counters.py_blocks = blocks.and_then(|blocks| blocks.extract(py).ok()).filter(|blocks| *blocks > 0);
    }

    /// Whether a debugger or a profiler of this thread would see Python code of ours run.
    pub(crate) fn is_spied_on(&self, py: Python<'_>) -> bool {
        let is_set = |spy: &Py<PyAny>| spy.call0(py).is_ok_and(|set| !set.is_none(py));
        self.spies.iter().flatten().any(is_set)
    }

    /// What libraries with an allocator of their own have in use, less than a microsecond.
    pub(crate) fn read_libraries(&self, py: Python<'_>, counters: &mut Counters) {
        self.libraries.read(py, counters);
    }

    /// The collector's part of a reading, a few microseconds.
    pub(crate) fn read_collector(&self, py: Python<'_>, counters: &mut Counters) {
        let stats = self.gc_stats.as_ref().and_then(|call| call.bind(py).call0().ok());
        let figure = |index: usize, name: &str| -> Option<u64> {
            stats.as_ref()?.get_item(index).ok()?.get_item(name).ok()?.extract().ok()
        };
        counters.modules = Some(modules(py) as u64);
        counters.gc0 = figure(0, "collections");
        counters.gc1 = figure(1, "collections");
        counters.gc2 = figure(2, "collections");
        counters.gc_collected = (0..3).map(|generation| figure(generation, "collected")).sum();
        let enabled =
            self.gc_enabled.as_ref().and_then(|call| call.bind(py).call0().ok()?.extract::<bool>().ok());
        counters.gc_enabled = enabled.map(u64::from);
        counters.gc_young = self.gc_count.as_ref().and_then(|call| {
            let counts = call.bind(py).call0().ok()?;
            counts.get_item(0).ok()?.extract().ok()
        });
    }

    /// The same on a thread of our own. The counters come in containers, and before 3.12 making one may begin a collection, whose
    /// finalizers are the program's: for this moment, in which nothing else of Python's can run, there are none.
    pub(crate) fn read_collector_elsewhere(&self, py: Python<'_>, counters: &mut Counters) {
        // SAFETY: the GIL is held; sets a flag and says what it was.
        let was = unsafe { ffi::PyGC_Disable() };
        self.read_collector(py, counters);
        counters.gc_enabled = u64::try_from(was).ok();
        if was != 0 {
            // SAFETY: as above; the GIL has not been given up in between, as builtin functions of C's were called alone.
            unsafe { ffi::PyGC_Enable() };
        }
    }
}

fn find_print_figures() -> Option<PrintFigures> {
    const NAME: &CStr = c"_PyObject_DebugMallocStats";
    // SAFETY: a C string, searched in what is loaded; CPython exports this private function from 3.10 to 3.14, and where
    // it does not, nothing is found.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, NAME.as_ptr()) };
    // SAFETY: CPython declares `int _PyObject_DebugMallocStats(FILE *)`; the option's niche is the null pointer.
    unsafe { std::mem::transmute::<*mut c_void, Option<PrintFigures>>(found) }
}

fn find_print_free_lists() -> Option<PrintFreeLists> {
    const NAME: &CStr = c"_PyObject_DebugTypeStats";
    // SAFETY: a C string, searched in what is loaded; CPython 3.10 to 3.12 and 3.14 export this private function, 3.13 does not.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, NAME.as_ptr()) };
    // SAFETY: CPython declares `void _PyObject_DebugTypeStats(FILE *)`; the option's niche is the null pointer.
    unsafe { std::mem::transmute::<*mut c_void, Option<PrintFreeLists>>(found) }
}

/// Lets Python print its allocator's figures into memory, and reads them. The GIL is what keeps the arenas still.
fn print_pymalloc(
    _py: Python<'_>,
    print: PrintFigures,
    print_free_lists: Option<PrintFreeLists>,
) -> Option<(Pymalloc, Option<u64>)> {
    let mut text: *mut c_char = std::ptr::null_mut();
    let mut length = 0_usize;
    // SAFETY: both places outlive the stream, which is closed below.
    let stream = unsafe { libc::open_memstream(&raw mut text, &raw mut length) };
    if stream.is_null() {
        return None;
    }
    let mut in_use = 0;
    // SAFETY: the stream is open, the GIL is held.
    recorder::without_wrappers(|| in_use = unsafe { print(stream) });
    if let Some(print) = print_free_lists {
        // SAFETY: as above; it prints the lengths of the interpreter's lists, and follows none of them.
        unsafe { print(stream) };
    }
    // SAFETY: the stream is ours and open; closing it makes `text` and `length` final.
    let closed = unsafe { libc::fclose(stream) };
    let found = if text.is_null() || closed != 0 || in_use == 0 {
        None
    } else {
        // SAFETY: after fclose the stream left `length` bytes at `text`.
        let text = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
        Pymalloc::parse(text).map(|found| (found, free_lists::kept(text)))
    };
    // SAFETY: open_memstream's buffer is the caller's to free; null is allowed.
    unsafe { libc::free(text.cast::<c_void>()) };
    found
}

/// How many modules are loaded.
pub(crate) fn modules(_py: Python<'_>) -> usize {
    // SAFETY: the GIL is held; both only read, and the dict is borrowed.
    let count = unsafe { ffi::PyDict_Size(ffi::PyImport_GetModuleDict()) };
    usize::try_from(count).unwrap_or(0)
}

/// A module that the program has imported; nothing is imported for it.
pub(crate) fn loaded<'py>(py: Python<'py>, name: &Bound<'py, PyString>) -> Option<Bound<'py, PyModule>> {
    // SAFETY: the GIL is held; the dict is borrowed from the interpreter, which keeps it, and what it gives is borrowed too and
    // taken into a reference at once. Looking up a str among strs raises nothing.
    let module = unsafe {
        let found = ffi::PyDict_GetItem(ffi::PyImport_GetModuleDict(), name.as_ptr());
        Bound::from_borrowed_ptr_or_opt(py, found)
    };
    module?.cast_into::<PyModule>().ok()
}

/// Whether the interpreter may still be spoken to from a thread of our own. Reads one word, takes no lock.
pub(crate) fn is_alive() -> bool {
    // SAFETY: callable at any time, without the GIL.
    unsafe { ffi::Py_IsInitialized() != 0 }
}

/// Asks the main thread to call this function between two instructions. False if it has too many such calls already.
pub(crate) fn ask_main_thread(call: extern "C" fn(*mut c_void) -> c_int) -> bool {
    // SAFETY: callable from any thread without the GIL while the interpreter lives, which the caller has just seen.
    unsafe { ffi::Py_AddPendingCall(Some(call), std::ptr::null_mut()) == 0 }
}

/// Whether the calling thread, which holds the GIL, runs the main interpreter. Before 3.12 a pending call goes to the one that
/// happens to run when it is asked for.
pub(crate) fn is_main() -> bool {
    // SAFETY: the GIL is held, so there is a current interpreter; both functions only read.
    unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) == 0 }
}

/// Before 3.13 a pending call that another thread asked for is noticed only when the main thread takes the GIL, which a
/// loop in pure Python never does by itself.
pub(crate) fn needs_nudge(py: Python<'_>) -> bool {
    static NEEDS: OnceLock<bool> = OnceLock::new();
    *NEEDS.get_or_init(|| py.version_info() < (3, 13))
}

/// Since 3.13 `os.fork` counts the process's threads after its hooks have run (3.12 did before).
pub(crate) fn counts_threads_late(py: Python<'_>) -> bool {
    static LATE: OnceLock<bool> = OnceLock::new();
    *LATE.get_or_init(|| py.version_info() >= (3, 13))
}

/// Takes the GIL as any Python thread would, and gives it back: the main thread takes it again and sees its calls.
pub(crate) fn nudge() {
    // SAFETY: this thread does not hold the GIL, and the interpreter lives; should it end in between, PyO3 parks the
    // thread for good instead of letting CPython unwind it.
    let state = unsafe { ffi::PyGILState_Ensure() };
    // SAFETY: the state just taken, on the same thread.
    unsafe { ffi::PyGILState_Release(state) };
}

//! The functions that the program calls instead of the C library's.
//!
//! In: calls of the program. Out: the same calls, passed on. Nothing is decided here: a countdown and a look at the
//! filter say in a few instructions whether there is anything to do, and `births`, `deaths` and `mappings` do it.

mod asked;
mod heap;
mod maps;
mod pools;

/// Where our `malloc` is.
pub(crate) fn malloc_address() -> *mut std::ffi::c_void {
    heap::malloc as *mut std::ffi::c_void
}

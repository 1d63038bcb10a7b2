//! The sentences of this crate: why it does not record a program that runs, and what it says of that program.
//!
//! In: versions and reasons. Out: words, as C strings where C asks for them. What must not happen here: a decision.

use std::ffi::CStr;

// Why nothing is recorded.
pub(crate) const OTHER_CAPTURE: &CStr = c"the recorder of this process writes to another capture already";
pub(crate) const PRELOADED: &CStr =
    c"the recorder was loaded before the program and does not record this process; it cannot begin late";
pub(crate) const BUSY: &CStr = c"the recorder is at work on this thread; try again";
pub(crate) const NO_FUNCTIONS: &CStr = c"the functions of the C allocator were not found in this process";
pub(crate) const NO_CAPTURE: &CStr =
    c"the recorder cannot write to the capture: is the file there, and made by this version?";
pub(crate) const OWN_ALLOCATOR: &CStr =
    c"the program brings a memory allocator of its own, whose calls cannot be seen from outside";
pub(crate) const NO_MEMORY: &CStr = c"there is no memory for the recorder's tables";
pub(crate) const NO_FORK_HANDLER: &CStr = c"the C library refused to tell the recorder of forks";

// Facts of the program.
pub(crate) const NOT_RECORDED: &str = "the program's own: not recorded";

/// Python's frames are not read.
pub(crate) fn native_only(version: (u8, u8), why: &str) -> String {
    format!("{}.{}: native frames only, {why}", version.0, version.1)
}

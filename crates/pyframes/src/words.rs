//! The sentences of this crate: why Python's frames are not read.
//!
//! In: nothing. Out: words. What must not happen here: a text that is put together: no caller may allocate.

pub(crate) const NO_VERSION: &str = "its version is not known";
pub(crate) const TOO_OLD: &str = "older than 3.10";
pub(crate) const TOO_NEW: &str = "newer than 3.14";
pub(crate) const UNFINISHED: &str = "an alpha or beta version";
pub(crate) const TRACKS_REFERENCES: &str = "a build that tracks references";
pub(crate) const WITHOUT_GIL: &str = "a build without the GIL";
pub(crate) const HIDDEN_SYMBOLS: &str = "some of its symbols are hidden";
pub(crate) const OTHER_HEADS: &str = "its objects have unknown heads";
pub(crate) const NO_TABLE: &str = "its table of offsets is not there";
pub(crate) const UNKNOWN_TABLE: &str = "its table of offsets is not known";
pub(crate) const WRONG_TABLE: &str = "its table of offsets cannot be right";

//! The sentences of this crate: why the heap of this Python is not read.
//!
//! In: versions, names, and places in CPython's table of offsets. Out: words. What must not happen here: a decision, or a
//! place that is read.

use std::ffi::CStr;

pub(crate) const NOT_STARTED: &str = "Python has not started";
pub(crate) const NO_VERSION: &str = "its version is not known";
pub(crate) const WITHOUT_GIL: &str = "this Python runs without the GIL";
pub(crate) const DEBUG_BUILD: &str = "this Python is a debug build";
pub(crate) const GIL_NOT_HELD: &str = "the thread does not hold the GIL";
pub(crate) const NO_LISTS: &str = "the lists of the garbage collector are not where they should be";

// What is built in another way.
pub(crate) const NO_TABLE: &str = "it has no table of offsets";
pub(crate) const OTHER_TABLE: &str = "its table of offsets is of another version";
pub(crate) const TABLE_WITHOUT_GIL: &str = "it runs without the GIL";
pub(crate) const TABLES_OF_DICTS: &str = "tables of dicts";
pub(crate) const DICTS_OF_TYPES: &str = "dicts of types";
pub(crate) const LISTS: &str = "lists";
pub(crate) const TUPLES: &str = "tuples";
pub(crate) const SETS: &str = "sets";
pub(crate) const HEADS: &str = "heads of the garbage collector";
pub(crate) const REFERENCES: &str = "counts of references";
pub(crate) const RUNNING_FRAMES: &str = "frames that run";
pub(crate) const FUNCTIONS: &str = "functions";
pub(crate) const CLASSES: &str = "classes";

pub(crate) fn unknown(version: (u8, u8)) -> String {
    format!("Python {}.{} is not known; 3.10 to 3.14 are", version.0, version.1)
}

pub(crate) fn unfinished(version: (u8, u8)) -> String {
    format!("Python {}.{} is an alpha or beta version", version.0, version.1)
}

pub(crate) fn nameless(version: (u8, u8)) -> String {
    format!("names of Python {}.{} are not known", version.0, version.1)
}

/// A function or type that is found by its name.
pub(crate) fn hidden(name: &CStr) -> String {
    format!("this Python hides {}", name.to_string_lossy())
}

/// `what` is one of those above, a type or a field.
pub(crate) fn other_build(what: &str) -> String {
    format!("this Python is built in another way: {what}")
}

pub(crate) fn the_type(name: &str) -> String {
    format!("the type {name}")
}

/// The field at this place of the table of offsets.
pub(crate) fn field(place: u64) -> &'static str {
    match place {
        208 => "threads",
        248 => "frames",
        256 => "the frame before a frame",
        264 => "the code of a frame",
        280 => "the variables of a frame",
        288 => "the owner of a frame",
        296 => "the stack of a frame",
        320 => "the file of code",
        328 => "the name of code",
        336 => "the qualified name of code",
        360 => "the arguments of code",
        368 => "the variables of code",
        376 => "the kinds of variables",
        408 => "objects",
        416 => "types",
        424 => "the name of a type",
        440 => "the flags of a type",
        456 => "tuples",
        464 => "the length of a tuple",
        472 => "lists",
        480 => "the items of a list",
        496 => "sets",
        504 => "the length of a set",
        512 => "the table of a set",
        520 => "the size of a set's table",
        528 => "dicts",
        536 => "the keys of a dict",
        544 => "the values of a dict",
        560 => "the value of a float",
        576 => "the length of an int",
        584 => "the digits of an int",
        600 => "the length of bytes",
        608 => "bytes",
        616 => "texts",
        624 => "the state of a text",
        632 => "the length of a text",
        640 => "ASCII texts",
        680 => "the frame of a generator",
        688 => "the state of a generator",
        _ => "another field",
    }
}

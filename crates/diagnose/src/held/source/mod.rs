//! What the user's source says of a container: by which words, which lines, which numbers.
//!
//! In: lines of Python, names. Out: places and numbers in them. Pure text: nothing is parsed beyond what a rule asks for. What must not happen
//! here: a file that is read, a guess where two places would do.

pub(super) mod blocks;
mod comparison;
pub(super) mod guard;
pub(super) mod number;
pub(super) mod words;

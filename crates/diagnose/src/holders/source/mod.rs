//! What the user's source says of a container: which statements fill it, which keep it small, at which number.
//!
//! In: lines of Python, what the container is called. Out: places and numbers in them. `code` is the syntax tree; `names`, `scope`, `frame`
//! and `path` say what its names stand for; `filling` and `taking` what a statement does; `measure` and `condition` what is asked;
//! `guard` puts that together. `words` reads single lines without a tree. What must not happen here: a file that is read, a guess where two
//! places would do.

mod code;
mod condition;
mod container;
mod effect;
mod filling;
mod frame;
pub(super) mod guard;
mod index;
mod measure;
mod names;
mod number;
mod path;
mod scope;
#[cfg(test)]
mod shapes;
mod taking;
pub(super) mod words;

pub(super) use code::Code;
pub(super) use container::{Part, Wanted};
pub(super) use measure::Unit;

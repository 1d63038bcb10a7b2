//! Paths: from a root that a person knows to an object.
//!
//! In: objects, samples of memory. Out: [`Path`]s. [`find`] is for a few objects at any time, [`whole`] for the whole heap at
//! suspicion or at the end.

mod edges;
mod find;
mod render;
mod weights;
mod whole;

pub use find::{PathLimits, find};
pub use whole::{Analysed, Block, Class, Collected, Holder, OfType, Whole, WholeCounts, collect, whole};

/// Who holds an object, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// `fit(): callbacks[0].saved[*]`.
    pub text: String,
    /// The class or function that a person would open; empty if there is none.
    pub owner: String,
    /// What the owner is to its framework: `callback`, `dataset`, `layer`, `model`, `metric`, or of a function: `generator`, `closure`; else empty.
    pub role: String,
    /// The type of the container: `list`, `dict`, ...
    pub kind: String,
    /// The file of the owner's module, or of the root's; empty if it is not known.
    pub file: String,
    /// The number of elements that it cannot grow past, where that is known.
    pub bound: Option<u64>,
}

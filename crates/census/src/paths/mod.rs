//! Paths from a root that a person knows to an object.
//!
//! In: objects, samples of memory. Out: [`Path`]s. [`find`] serves a few objects at any time; [`full_look`]
//! the whole heap, on suspicion or at the end.

mod edges;
mod entry_costs;
mod find;
mod full_look;
mod put_elsewhere;
mod render;

pub use find::{PathLimits, find};
pub use full_look::{
    Analysed, Block, Collected, FullLook, FullLookCounts, Holder, Reachability, TypeTotal, collect, full_look,
};

/// The path that holds an object, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// `fit(): callbacks[0].saved[*]`.
    pub text: String,
    /// The class or function that a person would open; empty if there is none.
    pub owner: String,
    /// The owner's role in its framework (`callback`, `dataset`, `layer`, `model`, `metric`, `thread`), or a
    /// function's kind (`generator`, `closure`); else empty.
    pub role: String,
    /// The type of the container: `list`, `dict`, ...
    pub kind: String,
    /// The file of the owner's module, or of the root; empty if unknown.
    pub file: String,
    /// The number of elements that the container cannot exceed, where it is known.
    pub bound: Option<u64>,
    /// Numbers and `None` among the attributes of the object that has the container.
    pub numbers: Vec<(String, Option<u64>)>,
}

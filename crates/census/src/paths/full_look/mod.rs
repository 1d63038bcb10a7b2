//! The full look: every edge once, and for each sample the object that owns it and the path that holds it.
//!
//! Three steps, so that the program waits for the first and last alone. [`collect`] walks the heap under the
//! GIL. [`Collected::analyse`] needs no GIL. [`Analysed::name`] reads names under the GIL again, and checks
//! each address anew. In: the recorder's samples. Out: [`FullLook`]. What must not happen here: a pause past
//! the limit; a partial answer that does not say so.

mod analyse;
mod collect;
mod leaf_values;
mod name;
mod pass;
mod sample_owners;
mod trie;

pub use analyse::Analysed;
pub use collect::{Collected, collect};

use super::{Path, PathLimits};
pub use crate::graph::reachability::Reachability;
use crate::object::Python;

/// A sample of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The recorder's number of the sample.
    pub id: u64,
    /// Where the allocation begins.
    pub address: u64,
    /// Its bytes.
    pub size: u64,
}

/// A path with the samples below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The path that holds them.
    pub path: Path,
    /// What keeps them: a path, native code, or nothing.
    pub reachability: Reachability,
    /// Bytes that would be free without the sampled objects below this path.
    pub retained_bytes: u64,
    /// The part of these that only this path holds: letting go of it would free them.
    pub alone_bytes: u64,
}

/// Objects of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeTotal {
    /// The type's name, with its module.
    pub name: String,
    /// Number of objects.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Numbers of one full look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FullLookCounts {
    /// Objects, without leaf values such as text and numbers.
    pub objects: u64,
    /// References between them.
    pub edges: u64,
    /// Bytes of all objects, as far as Python shows them.
    pub bytes: u64,
    /// Bytes of native-held objects, and of uncollected garbage. 0 if `cut`.
    pub native_bytes: u64,
    /// See `native_bytes`.
    pub garbage_bytes: u64,
    /// Objects of that garbage. 0 if `cut`.
    pub garbage_objects: u64,
    /// How long the program waited, for collecting and naming, in nanoseconds.
    pub pause_ns: u64,
    /// All work, with the part that the program does not wait for, in nanoseconds.
    pub cost_ns: u64,
    /// The limits ended the look, so objects are missing, or bytes of garbage.
    pub cut: bool,
    /// They ended the walk of autograd graphs, so memory of these has no holder.
    pub graphs_cut: bool,
}

/// The result of a full look at the heap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FullLook {
    /// Its numbers.
    pub counts: FullLookCounts,
    /// Paths, those with the most bytes first.
    pub holders: Vec<Holder>,
    /// Index of a holder, and the samples below it.
    pub held: Vec<(usize, Vec<u64>)>,
    /// Samples without an object, or whose object has been replaced meanwhile.
    pub unowned: Vec<u64>,
    /// Native-held objects by type, the most bytes first.
    pub native: Vec<TypeTotal>,
    /// Garbage by type, the most bytes first.
    pub garbage: Vec<TypeTotal>,
}

/// All three steps at once. The GIL must be held.
pub fn full_look(python: &Python, blocks: &[Block], limits: &PathLimits) -> FullLook {
    collect(python, blocks, limits).analyse(blocks).name(python, limits)
}

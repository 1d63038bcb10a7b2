//! The whole heap: every edge once, and for each sample of memory the object that owns it and the path that holds it.
//!
//! Three steps, so that the program waits only for the first and the last: [`collect`] walks the heap under the GIL,
//! [`Collected::analyse`] needs no GIL, [`Analysed::name`] reads the names under the GIL again, each address checked anew.
//! In: the recorder's samples. Out: [`Whole`]. What must not happen here: a pause past the limit; an answer that is partial
//! and does not say so.

mod analyse;
mod collect;
mod join;
mod name;
mod pass;
mod plain;
mod trie;

pub use analyse::Analysed;
pub use collect::{Collected, collect};

use super::{Path, PathLimits};
pub use crate::graph::classes::Class;
use crate::object::Python;

/// A sample of memory: the recorder's number, where the allocation begins, its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The recorder's number.
    pub id: u64,
    /// Where it begins.
    pub address: u64,
    /// Its bytes.
    pub size: u64,
}

/// A path with samples below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Who holds them.
    pub path: Path,
    /// What keeps them: a path, native code, or nobody any more.
    pub class: Class,
    /// Bytes that would be free without the sampled objects below this path.
    pub retained_bytes: u64,
    /// The part of these that nothing else holds: what letting go of this path alone would free.
    pub alone_bytes: u64,
}

/// Objects of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfType {
    /// The type, with its module.
    pub name: String,
    /// Objects.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Numbers of one look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WholeCounts {
    /// Objects, without plain values such as text and numbers.
    pub objects: u64,
    /// References between them.
    pub edges: u64,
    /// Bytes of all objects that Python shows.
    pub bytes: u64,
    /// Bytes of what only native code holds, and of garbage that is not collected yet. 0 if `cut`.
    pub native_bytes: u64,
    /// See `native_bytes`.
    pub garbage_bytes: u64,
    /// How long the program waited, for collecting and for naming.
    pub pause_ns: u64,
    /// All work, with the part that nobody waits for.
    pub cost_ns: u64,
    /// The limits ended the look: objects are missing.
    pub cut: bool,
}

/// What a look at the whole heap found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    /// Its numbers.
    pub counts: WholeCounts,
    /// Paths, those with the most bytes first.
    pub holders: Vec<Holder>,
    /// Index of a holder, and the samples below it.
    pub held: Vec<(usize, Vec<u64>)>,
    /// Samples that no object was found for, or whose object has changed hands meanwhile.
    pub loose: Vec<u64>,
    /// What only native code holds, by type, the most bytes first.
    pub native: Vec<OfType>,
    /// What waits for the garbage collector, by type, the most bytes first.
    pub garbage: Vec<OfType>,
}

/// All three steps at once. The GIL is held.
pub fn whole(python: &Python, blocks: &[Block], limits: &PathLimits) -> Whole {
    collect(python, blocks, limits).analyse(blocks).name(python, limits)
}

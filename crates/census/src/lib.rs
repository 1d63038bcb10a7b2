//! Reader Python's heap inside the user's process: which containers grow, and who holds memory.
//!
//! In: CPython 3.10 to 3.14 with the GIL, found without linking. Out: growing containers with the bytes of
//! their new elements; paths; owners of samples. What must not happen here: Python code, a collection, a
//! reference that outlives a call, an object of ours that Python would see. `docs/design/census-scan.md` says
//! where the offsets come from and why no step can end the process.
// Runs inside of somebody's training: what goes wrong here is counted, never thrown.
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]
#![allow(clippy::doc_markdown, reason = "CPython is a name, not code")]

mod bounds;
mod bulk_values;
mod c_api;
mod census;
mod check;
mod clock;
mod debug_offsets;
mod deferred_refs;
mod dicts;
mod elements;
mod gc_lists;
mod graph;
mod growth_table;
mod integers;
mod layout;
mod memory;
mod naming;
mod object;
mod owners;
mod pack;
mod paths;
mod peeked_pages;
mod reachable;
mod retained_size;
mod roots;
mod scan;
mod shape;
mod shared_elements;
mod sizes;
mod text;
mod type_info;
mod untracked;
mod waiting_garbage;
mod words;

pub use census::{Census, Grown, Scan};
pub use memory::{peek, usable, word};
pub use object::{Object, Python, Type};
pub use pack::{Bulk, BulkBytes, Family, MadeBy, Pack, Packs, PutElsewhere, Reader, Walked, Written};
pub use paths::{
    Analysed, Block, Collected, FullLook, FullLookCounts, Holder, Reachability, TypeTotal, collect, full_look,
};
pub use paths::{Path, PathLimits, find};
pub use scan::{GrownContainer, RawScan, ScanCounts, ScanLimits, Scanner};
pub use sizes::{Buffer, Sizes, element_name_of, element_size};
pub use waiting_garbage::{WaitingGarbage, WaitingLimits};

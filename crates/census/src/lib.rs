//! The walk of Python's heap inside the user's process: what grows, and who holds it.
//!
//! In: CPython 3.10 to 3.14 with the GIL, found without linking. Out: containers that grow, with the bytes of what is new in
//! them. What must not happen here: Python code, a collection, a new reference that outlives a call, an object of ours that
//! Python would see. `docs/design/census-scan.md` says where the offsets come from and why no step can end the process.

#![allow(clippy::doc_markdown, reason = "CPython is a name, not code")]
#![allow(dead_code, reason = "parts of the census that come later use it")]

mod api;
mod bounds;
mod check;
mod clock;
mod dicts;
mod elements;
mod facade;
mod graph;
mod growth;
mod layout;
mod memory;
mod naming;
mod object;
mod owners;
mod paths;
mod reached;
mod replaced;
mod rings;
mod roots;
mod scan;
mod shared;
mod sizes;
mod tail;
mod text;
mod told;
mod traits;
mod types;
mod uncounted;
mod users;

pub use facade::{Census, Grown, Scan};
pub use memory::peek;
pub use object::{Object, Python, Type};
pub use paths::{Analysed, Block, Class, Collected, Holder, OfType, Whole, WholeCounts, collect, whole};
pub use paths::{Path, PathLimits, find};
pub use scan::{Found, GrownContainer, Limits, ScanCounts, Scanner};
pub use sizes::{Buffer, Sizes};

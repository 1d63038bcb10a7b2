//! Maps by the numbers that a recorder gives: ids of samples, stacks, code and texts, addresses of code.
//!
//! In and out: as any map. There are a hundred thousand of them in a capture, and a report looks each up several times. What must
//! not happen here: names as keys, which a stranger may choose; who chose ids to lie badly would slow down the report of its own run.

use rustc_hash::FxHashMap;

/// A map by id.
pub(crate) type ById<V> = FxHashMap<u64, V>;

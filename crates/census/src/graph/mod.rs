//! Graphs of numbers: the part that needs no Python. Objects become nodes in `crate::paths`.

pub(crate) mod csr;
pub(crate) mod dominators;
pub(crate) mod node_table;
pub(crate) mod reachability;
pub(crate) mod search;

//! Graphs of numbers: everything that needs no Python. Objects become nodes in `crate::paths`.

pub(crate) mod classes;
pub(crate) mod csr;
pub(crate) mod dominators;
pub(crate) mod search;
pub(crate) mod table;

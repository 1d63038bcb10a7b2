//! What the machine says: /proc, cgroups and resource limits.
//!
//! In: text that the kernel wrote. Out: plain structs of bytes, counts and nanoseconds.
//! The parsers are pure and take whatever bytes they get: a field that is missing or unreadable becomes `None`, nothing
//! panics. Reading files stands apart in [`file`], [`process`], [`tree`], [`memory`] and [`cgroup`].
//! Nothing here knows what a capture is.

pub mod cgroup;
pub mod descriptors;
pub mod field;
pub mod file;
pub mod memory;
pub mod pressure;
pub mod private;
pub mod process;
pub mod rlimit;
pub mod stat;
pub mod status;
pub mod tree;

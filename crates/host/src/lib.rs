//! Reads the machine's own numbers: /proc, cgroups and resource limits.
//!
//! In: text from the kernel. Out: plain structs of bytes, counts and nanoseconds. The parsers are pure and
//! accept any bytes: a missing or unreadable field becomes `None`; nothing panics. Only [`file`],
//! [`process`], [`tree`], [`memory`] and [`cgroup`] read files. Nothing here depends on captures.

pub mod cgroup;
pub mod descriptors;
pub mod field;
pub mod file;
pub mod memory;
pub mod pressure;
pub mod private_memory;
pub mod process;
pub mod rlimit;
pub mod stat;
pub mod status;
pub mod tree;

//! Reads the machine's own numbers: /proc, cgroups and resource limits.
//!
//! In: text from the kernel. Out: plain structs of bytes, counts and nanoseconds. The parsers are pure and
//! accept any bytes: a missing or unreadable field becomes `None`; nothing panics. Only [`file`],
//! [`process`], [`maps`], [`tree`], [`memory`] and [`cgroup`] read files; [`nvml`] loads a library when it is asked. Nothing here depends on captures.

pub mod cgroup;
pub mod descriptors;
pub mod field;
pub mod file;
pub mod maps;
pub mod memory;
pub mod nvml;
pub mod pressure;
pub mod private_memory;
pub mod process;
pub mod rlimit;
pub mod stat;
pub mod status;
pub mod tree;

//! The recorder: a library that is loaded before an unmodified program and samples its allocations.
//!
//! In: every call of the C allocator, of Python's small-object allocator, and of anonymous mappings. Out: births and
//! deaths of sampled memory, with stacks, in the capture. `docs/design/recorder.md` says why it is built like this.
//!
//! What must not happen here: a panic, a wait without a bound, an allocation that is counted as the program's, a call
//! back into the program. Samples that cannot be kept, and deaths that cannot be
//! written, are counted.
//!
//! The way of a birth: [`hooks`] -> `tls` (a countdown, nearly always the end of it) -> `births` -> `splice` ->
//! `stacks` -> capture. The way of a death: [`hooks`] -> `filter` (nearly always the end) -> `table` -> capture.
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
#![cfg_attr(test, allow(dead_code, reason = "tests go without the hooks, which would be their own"))]
#![allow(
    clippy::inline_always,
    reason = "the hooks' fast paths are a few instructions; a call would double them"
)]

#[cfg(not(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")))]
compile_error!("allocations are recorded on x86-64 Linux with glibc only");

/// Atomics, in a module so that loom tests can replace them.
mod atomics {
    pub(crate) use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};
}
mod alloc_class;
mod births;
mod bounded_lock;
mod bucket;
mod config;
mod counter;
mod deaths;
mod deferred_call;
mod elf;
mod environment;
mod exports;
mod facts;
mod filter;
mod floats;
mod fork;
mod frames;
mod generations;
mod governor;
#[cfg(not(test))]
pub mod hooks;
mod losses;
mod mappings;
mod next_allocator;
mod pace;
mod packed_sample;
mod pages;
mod patching;
mod pending;
mod pools;
mod py310_exit_guard;
mod quota;
mod recorder;
mod reentry;
mod sampler;
mod scratch;
mod splice;
mod stacks;
#[cfg(not(test))]
mod start;
mod state;
mod strata;
mod suspects;
mod table;
mod tls;
mod trials;
#[cfg(test)]
mod trials_tests;
mod visitors;
mod watch;
mod words;
mod wrappers;

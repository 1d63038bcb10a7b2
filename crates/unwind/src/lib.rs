//! Native call stacks: from a function to the thread's first frame, by the compiler's rules in `.eh_frame`.
//!
//! Made to run inside a foreign process at any moment: in a constructor before `main`, in signal handlers, on
//! alternate and small stacks, while libraries come and go, after a fork, at exit. It takes no lock of its
//! own, does not call `malloc`, never panics, and uses less than 4 KiB of stack. It reads only the stack and
//! the sections of loaded objects. A walk that cannot go on is cut and says why; it never guesses.
//!
//! A frame is a lookup in a table of packed rules ([`rule`]); a new address is looked up in its object by
//! [`cfi`]. For Linux on x86-64.
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
#![cfg_attr(loom, allow(dead_code))]
#![expect(
    clippy::inline_always,
    reason = "a walk is one loop: a call per frame would cost as much as the frame"
)]

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("stacks are walked on x86-64 Linux only");

pub mod cfi;
pub mod rule;
mod table;

#[cfg(not(loom))]
mod arena;
#[cfg(not(loom))]
mod counters;
#[cfg(not(loom))]
mod elf;
#[cfg(not(loom))]
mod generic_walk;
#[cfg(not(loom))]
mod loader;
#[cfg(not(loom))]
mod module_rules;
#[cfg(not(loom))]
mod modules;
#[cfg(not(loom))]
mod prefetch;
#[cfg(not(loom))]
mod probe;
#[cfg(not(loom))]
mod registers;
#[cfg(not(loom))]
mod split_functions;
#[cfg(not(loom))]
mod stack;
#[cfg(not(loom))]
mod unloading;
#[cfg(not(loom))]
mod walk;

#[cfg(not(loom))]
pub use {
    modules::{Module, modules},
    registers::{Registers, here},
    split_functions::function_parts,
    walk::{End, Unwound, Why, unwind},
};

/// Asks the loader once for the functions that walks need. Call it from a constructor: it may allocate and
/// take the loader's locks, which a walk must not. A walk that comes first calls it itself.
#[cfg(not(loom))]
pub fn prepare() {
    loader::prepare();
}

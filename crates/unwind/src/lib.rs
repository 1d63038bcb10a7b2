//! Native call stacks: from a function to the thread's first frame, by what compilers write into `.eh_frame`.
//!
//! Made to run inside somebody else's process at any moment: in a constructor before `main`, in signal handlers, on
//! alternate and on small stacks, while libraries come and go, after a fork, at exit. It takes no lock of its own,
//! allocates nothing with `malloc`, never panics, uses less than 4 KiB of stack and reads nothing but the stack and the
//! sections of loaded objects. A walk that cannot go on is cut and says why; it never guesses.
//!
//! A frame is a lookup in a table of packed rules ([`rule`]); an address that is met for the first time is looked up in
//! its object by [`cfi`]. For Linux on x86-64.
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
mod full;
#[cfg(not(loom))]
mod hints;
#[cfg(not(loom))]
mod learned;
#[cfg(not(loom))]
mod loader;
#[cfg(not(loom))]
mod modules;
#[cfg(not(loom))]
mod parts;
#[cfg(not(loom))]
mod probe;
#[cfg(not(loom))]
mod registers;
#[cfg(not(loom))]
mod stack;
#[cfg(not(loom))]
mod unloading;
#[cfg(not(loom))]
mod walk;

#[cfg(not(loom))]
pub use {
    modules::{Module, modules},
    parts::function_parts,
    registers::{Registers, here},
    walk::{End, Unwound, Why, unwind},
};

/// Asks the loader once for what walks need later. Call it from a constructor: it may allocate and take the loader's
/// locks, which a walk must not. A walk that comes first does it by itself.
#[cfg(not(loom))]
pub fn prepare() {
    loader::prepare();
}

//! Turns of loops, read from the positions of their iterators. `CPython` 3.10 and 3.11, which have no events for jumps.
//!
//! In: the main thread's frames at a tick of the clock. Out: the loop that nothing repeats, and how many of its turns are over. What
//! must not happen here: a number that is not exact; anything kept of the program's but code.

mod flow;
#[cfg(not(test))]
mod frames;
#[cfg(not(test))]
mod functions;
#[cfg(not(test))]
mod iterators;
mod opcodes;
mod place;

#[cfg(not(test))]
pub(crate) use frames::{Told, tell};
#[cfg(not(test))]
pub(crate) use iterators::learn;

//! The Python module: marks and readings inside the user's process, and the door to the command line.
//!
//! In: marks from the hooks in `python/nilometer`. Out: records in the capture. Everything in here but [`module`]'s `cli`
//! runs inside the user's program and must be harmless there: no exception, no output, no signal, no wait without a
//! bound. `docs/design/inside-the-process.md` tells what runs when, and why that is safe.
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
#![cfg_attr(
    test,
    allow(dead_code, reason = "unit tests are built without Python, and so without what calls the rest")
)]

mod arenas;
mod code;
mod cost_limiter;
mod dear_parts;
mod device_pace;
mod endpoints;
mod flood;
mod found;
mod headroom;
mod heap;
mod loops;
mod losses;
mod names;
mod own_memory;
mod pymalloc;
mod reading;
mod reading_schedule;
mod recorder;
mod scan_schedule;
mod skeleton;
mod thread;
mod trend;
mod types;
mod words;

// A test program would have to link libpython, which a machine that only runs Python need not have. What speaks to
// Python is tested from Python, in `tests/native`.
#[cfg(not(test))]
mod census;
#[cfg(not(test))]
mod devices;
#[cfg(not(test))]
mod fork;
#[cfg(not(test))]
mod forked;
mod forked_turns;
#[cfg(not(test))]
mod frameworks;
mod free_lists;
#[cfg(not(test))]
mod guard;
#[cfg(not(test))]
mod importing;
#[cfg(not(test))]
mod interp;
#[cfg(not(test))]
mod library_pools;
#[cfg(not(test))]
mod module;
#[cfg(not(test))]
mod printed;
#[cfg(not(test))]
mod session;
#[cfg(not(test))]
mod ticker;

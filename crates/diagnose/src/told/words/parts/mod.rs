//! The parts of the memory curve, in words.
//!
//! In: what a part is, with its bytes. Out: a sentence without its full stop. What must not happen here: a decision which part it is.

mod kept;
mod one_time;

pub(crate) use kept::{Advice, kept};
pub(crate) use one_time::{Copies, mid_run, one_time, other_cells};

use super::phase;
use crate::pack::Packs;
use crate::sizes::size;

/// Who takes it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TakenBack {
    Collector,
    /// No garbage collection lies where it goes.
    Program,
    /// The collector or the program: nobody can tell.
    Either,
}

/// Live memory that grows; the phase that most of it is made in, if one is known.
pub(crate) fn growing(unit: &str, made_in: Option<&str>) -> String {
    let place = made_in.map_or(String::new(), |made_in| format!(", most of it {}", phase::place(made_in)));
    format!("live memory that every {unit} adds to{place}")
}

/// A rise that levels off, towards so many bytes of live memory where an end is in sight.
pub(crate) fn filling(bound: Option<f64>) -> String {
    let bound = bound.map_or(String::new(), |bound| format!(" towards {} of live memory", size(bound)));
    format!("rose and levels off{bound}: a cache or buffer that fills")
}

/// Memory that builds up and goes again.
pub(crate) fn sawtooth(by: TakenBack) -> &'static str {
    match by {
        TakenBack::Collector => "garbage that waits for Python's collector, which takes it back",
        TakenBack::Program => {
            "memory that builds up until the program itself frees it: no garbage collection ran where it fell"
        }
        TakenBack::Either => {
            "memory that builds up and is freed again, by Python's collector or by the program itself"
        }
    }
}

/// Resident memory that rises more than live memory does. `was_asked_for`: the program had asked for it before.
pub(crate) fn retained(was_asked_for: bool) -> &'static str {
    if was_asked_for {
        "large arrays become resident page by page as they are first written: memory that the program asked for before"
    } else {
        "resident memory rises more than live memory does: free memory that the allocator keeps"
    }
}

/// The pool of tensors that a framework keeps; bytes.
pub(crate) fn reserved(reserved: f64, used: f64, packs: Packs) -> String {
    let pool = packs.iter().find_map(|pack| pack.pool).unwrap_or("a pool of tensors");
    format!("{pool} took {} and has {} of it in use", size(reserved), size(used))
}

/// Mapped files.
pub(crate) fn file_backed() -> &'static str {
    "mapped libraries and files, which the kernel can drop: not your data"
}

//! What a finding says where no cause explains it, in words: who makes memory that stays, or which container keeps it.
//!
//! In: a name as a person would call it, the phase, a bound. Out: a sentence without its full stop. What must not happen here: a name made
//! up for what nobody knows. The sentences of causes stand in `causes/`, each beside its evidence.

use super::phase::during;

/// A line, a function or a library that makes memory.
pub(crate) fn makes(name: &str, phase: &str) -> String {
    format!("{name} makes memory that stays{}", during(phase))
}

/// A function of machine code.
pub(crate) fn function_makes(function: &str, library: &str, phase: &str) -> String {
    makes(&format!("{function} in {library}"), phase)
}

/// A part of a framework.
pub(crate) fn part_grows(part: &str, phase: &str) -> String {
    format!("{part} grows{}", during(phase))
}

/// Nobody knows where it was made.
pub(crate) fn made_somewhere(phase: &str) -> String {
    format!("memory made at an unknown place stays{}", during(phase))
}

/// A container, with so many elements at most.
pub(crate) fn keeps(name: &str, bound: Option<u64>) -> String {
    match bound {
        Some(bound) => format!("{name} fills, up to {bound} elements"),
        None => format!("{name} keeps more with every cycle"),
    }
}

/// The cache of this function, as a container.
pub(crate) fn lru_cache(function: &str) -> String {
    format!("the lru_cache of {function}")
}

/// Arrays that only native code holds, in the place of a container's elements.
pub(crate) const UNREACHED: &str = "no object of Python's leads to it";

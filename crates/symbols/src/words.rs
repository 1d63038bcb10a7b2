//! The sentences of this crate; the names of parts stand in [`crate::part`].
//!
//! In: an object's path, and why it gave no names. Out: words. What must not happen here: a decision.

use crate::resolve::Missing;

/// Of so many addresses in the object.
pub(crate) fn nameless(path: &str, why: Missing, addresses: usize) -> String {
    let what = match why {
        Missing::NoObject | Missing::NoSymbol | Missing::NotExported => "has no names",
        Missing::Gone => "cannot be read any more",
        Missing::Changed => "has changed since it was loaded",
        Missing::Damaged => "is not a whole 64-bit ELF object",
        Missing::Stripped => "is stripped: it has no symbols",
    };
    let noun = if addresses == 1 { "address" } else { "addresses" };
    format!("{path} {what}; {addresses} {noun} in it stay without a name")
}

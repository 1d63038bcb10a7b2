//! The sentences of this crate, but for what an error says, which stands at its variant in `error`.
//!
//! In: what was found of a file, or what went wrong. Out: words. What must not happen here: a decision.

mod hint;
mod losses;

pub(crate) use losses::losses;

//! Sentences that need nothing but numbers and names: parts of the curve, findings, warnings, losses, next steps.
//!
//! In: facts. Out: words. What must not happen here: a type of a module that judges, as those modules ask for words here; a decision.

pub(crate) mod diff;
pub(crate) mod finding;
pub(crate) mod found_by;
pub(crate) mod lost;
pub(crate) mod narrowed;
pub(crate) mod next_step;
pub(crate) mod parts;
pub(crate) mod phase;
pub(crate) mod warning;

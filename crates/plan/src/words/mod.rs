//! What a plan says, in words: its answer, why there is none, what would shrink a part.
//!
//! In: an answer, a refusal, a part, as the modules beside this one find them. Out: sentences without their full stops.
//! What must not happen here: a decision, or a number that the facts do not carry.

pub(crate) mod answer;
pub(crate) mod part;
pub(crate) mod refusal;

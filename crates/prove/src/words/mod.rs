//! What a proof says, in words: its answer, and the names of changes and effects.
//!
//! In: experiments and interventions, as the modules beside this one judge them. Out: sentences without their full stops.
//! What must not happen here: a decision, or a number that the experiments do not carry.

pub(crate) mod answer;
pub(crate) mod intervention;

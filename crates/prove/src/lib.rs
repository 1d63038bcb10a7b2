//! Experiments with a program whose memory grows: which to make next, and what they showed.
//!
//! In: reports of runs and what the first of them saw of the program. Out: the next interventions to try, verdicts of
//! those that were, and the [`Proof`]. Nothing here runs a program, reads a file or looks at a clock.

mod checklist;
mod compare;
mod intervention;
mod plan;
mod proof;
mod survey;

pub use checklist::checklist;
pub use compare::{Compared, Effect, Measured, compare};
pub use intervention::Intervention;
pub use plan::Plan;
pub use proof::{Answer, Baseline, Cure, Experiment, Proof, SCHEMA};
pub use survey::{Seen, Survey};

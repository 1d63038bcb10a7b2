//! Experiments with a program whose memory grows: which to make next, and what they showed.
//!
//! In: reports of runs, and the survey of the first one. Out: the next interventions, verdicts on those that
//! were tried, and the [`Proof`]. Nothing here runs a program, reads a file or a clock.
//! What must not happen here: a sentence outside of `words`.

mod checklist;
mod compare;
mod intervention;
pub mod pack;
mod plan;
mod proof;
mod subject;
mod survey;
mod words;

pub use checklist::checklist;
pub use compare::{Comparison, Effect, Measured, compare};
pub use intervention::Intervention;
pub use plan::Plan;
pub use proof::{Answer, Baseline, Cure, Experiment, Proof, SCHEMA};
pub use subject::Subject;
pub use survey::{Seen, Survey};
pub use words::answer::share_of_growth;

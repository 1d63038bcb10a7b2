//! Every sentence that a command says: errors with their hints, warnings, lines while it works, remarks on its results.
//!
//! In: numbers, names, paths and errors of the system. Out: a sentence, or a [`Failure`](crate::messages::Failure) that says what
//! happened, to what, and as its hint what to do next. One file per command; what several commands say stands in `program` and
//! `system`. What must not happen here: a decision, a file that is opened, a byte that is printed.

pub(crate) mod attach;
pub(crate) mod census;
pub(crate) mod children;
pub(crate) mod diff;
pub(crate) mod fix;
pub(crate) mod guard;
pub(crate) mod guard_service;
pub(crate) mod metrics;
pub(crate) mod plan;
pub(crate) mod program;
pub(crate) mod prove;
pub(crate) mod recorder;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod status;
pub(crate) mod system;
pub(crate) mod values;

//! The sentences that a report adds to those of the diagnosis: a course, a growth, a title, the help of a measure.
//!
//! In: fields of a report, a plan, a proof. Out: words, without colour, markup or line breaks. Several forms use the same.
//! What must not happen here: a decision on what is told, or a number that the fields do not have.

pub(crate) mod component;
pub(crate) mod course;
pub(crate) mod device;
pub(crate) mod endpoint;
pub(crate) mod experiments;
pub(crate) mod finding;
pub(crate) mod growth;
pub(crate) mod holders;
pub(crate) mod measure;
pub(crate) mod process;
pub(crate) mod profile;
pub(crate) mod sampling;
pub(crate) mod title;

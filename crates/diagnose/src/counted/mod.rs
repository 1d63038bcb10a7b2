//! What live memory grows by, as it was counted: readings at the ends of cycles, less what the collector may take back.
//!
//! In: the timeline and a series of cycles. Out: [`Counted`], which all other instruments start from. What must not happen here: a
//! sample, a scan, or a verdict.

mod counters;
mod ended;
mod even_rise;
pub(crate) mod garbage;
mod onset;
mod reason;
mod returns;
mod stretch;

pub(crate) use counters::{Counted, Filling, State, count};
pub(crate) use ended::ended;
pub(crate) use onset::began;
pub(crate) use reason::CountedReason;

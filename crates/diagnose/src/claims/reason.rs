//! Why an instrument claims what it claims: facts, which `told/reason/claims.rs` puts into words.
//!
//! In: what an instrument measured. Out: one variant for each thing that it can say. What must not happen here: a word for a reader.

use crate::counted::CountedReason;

/// What an instrument measured, in bytes per cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ClaimReason {
    /// The counters alone.
    Counted(CountedReason),
    /// The user's containers keep all that live memory grows by.
    ContainersKeepAll { grows: f64 },
    /// They keep a part of it; the rest may be garbage.
    ContainersKeepPart { grows: f64, kept: f64 },
    /// They keep so much more, and the counters show no growth.
    ContainersAlone { kept: f64 },
    /// A container gets so many more elements, each with native memory. `may_be_garbage`: the counters show a growth that may be garbage.
    NativeElements { elements: f64, may_be_garbage: bool },
    /// Samples survive. `may_be_more`: what live memory grows by beyond them may be garbage.
    Survivors { kept: f64, may_be_more: bool },
    /// Of what the last cycles made no more than this stays.
    MayBeOver { at_most: f64 },
    /// Each of the first cycles brought as much as the program's own holders keep.
    FirstCycles { grows: f64 },
    /// Most of the growth are numbers that the program notes.
    Numbers { grows: f64 },
    /// Without what is in flight at the end of each cycle there is no growth beyond this.
    InFlight { at_most: f64 },
}

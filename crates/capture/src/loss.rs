//! Why samples were lost: one list for the recorder, which counts, and the report, which explains.
//!
//! In: a cause. Out: its name, and its place among the counts. What must not happen here: a cause without a count.

use crate::SamplingCount;

macro_rules! losses {
    ($($(#[$doc:meta])* $loss:ident => $count:ident,)*) => {
        /// Why a sample, its stack, or its end was not kept.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Loss { $($(#[$doc])* $loss),* }

        impl Loss {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$loss),*];

            /// The name of its count.
            pub fn name(self) -> &'static str {
                match self { $(Self::$loss => stringify!($count)),* }
            }
        }

        impl SamplingCount {
            /// What was lost by this cause; `None` in a capture of an earlier version.
            pub fn lost(&self, loss: Loss) -> Option<u64> {
                match loss { $(Loss::$loss => self.$count),* }
            }

            /// Says what was lost by this cause.
            pub fn set_lost(&mut self, loss: Loss, total: u64) {
                match loss { $(Loss::$loss => self.$count = Some(total)),* }
            }
        }
    };
}

impl Loss {
    /// Whether the sample is in the capture all the same: without its stack, or without its end.
    pub fn keeps_sample(self) -> bool {
        matches!(self, Self::StacksFull | Self::DeathsRefused | Self::DeathsPending)
    }
}

losses! {
    /// All rooms to walk a stack in are taken.
    ScratchFull => scratch_full,
    /// Another thread holds the tree of stacks for too long.
    StacksBusy => stacks_busy,
    /// The tree of stacks is full: the sample is kept, without a stack.
    StacksFull => stacks_full,
    /// No place in the table of samples.
    TableFull => table_full,
    /// The counter of its address is full of others, or is being cleared.
    FilterBusy => filter_busy,
    /// No place among the mappings.
    MappingsFull => mappings_full,
    /// The recorder is at work on this thread already.
    Reentrant => reentrant,
    /// The capture took no record of its birth, its stack or a module.
    CaptureRefused => capture_refused,
    /// The capture took no record of its death: it seems to live.
    DeathsRefused => deaths_refused,
    /// Its death came while the recorder was at work, and too many waited already: it seems to live.
    DeathsPending => deaths_pending,
}

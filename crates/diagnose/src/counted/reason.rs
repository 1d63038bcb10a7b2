//! Why the counters say what they say: facts, which `told/reason/counted.rs` puts into words.
//!
//! In: what a series showed. Out: one variant for each thing that it can show. What must not happen here: a word for a reader.

/// What a series showed. Bytes are of live memory; each rate is per cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CountedReason {
    /// No cycle was marked, and the run was too short for windows.
    TooShort,
    /// Live memory was read at the end of so many of the cycles only.
    FewRead { read: usize, cycles: u64 },
    /// So many cycles ended, all of which may be start-up.
    FewEnded { cycles: usize },
    /// It rose by `rise` until this cycle, and grows by no more than `at_most` since.
    FlatSince { cycle: u64, rise: f64, at_most: f64 },
    /// It rose by `rise` in all cycles, which ended so many seconds before the program did; is it flat since?
    Ended { cycles: u64, rise: f64, seconds: f64, is_flat: bool },
    /// One or two cycles brought nearly all of the rise.
    FewSteps,
    /// Resident memory grows, and the allocator does not say how much of it is in use.
    ResidentGrows,
    /// It grows with each cycle.
    Grows,
    /// It grows with each request of some endpoints, of which there were ever fewer.
    GrowsByMix,
    /// It grows with time; nothing was seen to repeat.
    GrowsWithTime,
    /// It rose, and the rise has ended.
    LevelledOff { rise: f64 },
    /// It slows: so much more is to come, in so many cycles.
    Levelling { to_come: f64, cycles: u64 },
    /// All of the growth but `at_most` is garbage that a look saw.
    Garbage { grows: f64, at_most: f64 },
    /// It surely grows, or seems to by more than the floor, and by no more than this.
    TooLittle { at_most: f64 },
    /// It may grow by this at most, or not at all.
    Flat { at_most: f64 },
    /// What usually is garbage leaves `at_most`; if nothing is garbage, `otherwise`.
    LikelyGarbage { at_most: f64, otherwise: f64 },
    /// Cycles differ by more than a growth of this would show in.
    Noisy { at_most: f64 },
    /// The collector has not looked at what was made.
    Uncollected { grows: f64 },
    /// The last cycles were not read; what live memory rose by in them, where that is known.
    ReadUntil { cycle: u64, cycles: u64, rise: Option<f64> },
}

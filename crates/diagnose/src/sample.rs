//! One sampled piece of memory: its life, its stack, the bytes that it stands for.
//!
//! In: a birth as the recorder told it. Out: a [`Sample`]. What must not happen here: a weight for memory of no size.

use nilometer_capture::Birth;

/// A sample that has no death.
pub(crate) const NO_DEATH: u64 = u64::MAX;

/// One sampled piece of memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    /// Its id, by which the census knows it.
    pub(crate) id: u64,
    pub(crate) born_ns: u64,
    /// [`NO_DEATH`] if it never died.
    pub(crate) died_ns: u64,
    /// Innermost node of its stack.
    pub(crate) stack: u64,
    /// Bytes it stands for.
    pub(crate) weight: f64,
    /// How likely memory of its size was to be sampled.
    pub(crate) chance: f64,
}

impl Sample {
    pub(crate) fn of(born_ns: u64, birth: &Birth) -> Self {
        let size = birth.size as f64;
        let chance = if birth.mean == 0 { 1.0 } else { -(-size / birth.mean as f64).exp_m1() };
        // Memory of no size stands for nothing.
        let weight = if chance > 0.0 { size / chance } else { 0.0 };
        Self { id: birth.id, born_ns, died_ns: NO_DEATH, stack: birth.stack, weight, chance }
    }

    /// Bytes that were asked for.
    pub(crate) fn size(&self) -> u64 {
        (self.weight * self.chance).round() as u64
    }

    pub(crate) fn lives_at(&self, at_ns: u64) -> bool {
        self.born_ns <= at_ns && self.died_ns > at_ns
    }
}

//! Trend, plateau, change point, intervals. Pure: numbers in, numbers out.
//!
//! In: `x`, the ordinals of cycles (strictly increasing, gaps allowed), and `y`, the live bytes when those
//! cycles ended. Finite numbers only. Out: growth per cycle with its interval, the shape of the curve, and
//! how many more cycles an answer needs. No file, no collector, no random numbers: the same series always
//! gets the same answer. The caller decides which points a series holds.
//!
//! The methods, and the error rates measured for them, are argued in `docs/design/verdict-statistics.md`.

mod change;
mod fewest;
mod growth;
mod jumps;
mod kendall;
mod mix;
mod noise;
mod nonnegative;
mod order;
mod outlook;
mod replicates;
mod series;
mod shape;
mod student;
mod theil_sen;
mod warm_up;
mod weighted;

pub use change::{Change, ChangeKind, change, changepoint};
pub use growth::{MIN_POINTS, growth};
pub use kendall::{MannKendall, mann_kendall, mann_kendall_plain};
pub use mix::{KindGrowth, Mixed, growth_by_kind};
pub use outlook::cycles_needed;
pub use replicates::{Replicate, mean_rate};
pub use shape::{Shape, shape};
pub use theil_sen::theil_sen;
pub use warm_up::warm_up;
pub use weighted::{Sampled, weighted_rate};

/// An estimate and its 95 % interval, in the unit of the estimate (for [`growth`]: bytes per cycle).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The most plausible value.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `value` lies between the ends, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The larger of the two distances from the estimate to an end.
    pub fn half_width(&self) -> f64 {
        (self.estimate - self.low).max(self.high - self.estimate)
    }
}

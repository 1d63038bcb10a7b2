//! The memory of a training before it runs: a short run at the whole batch where that surely fits, else a line through three smaller runs,
//! or a refusal.
//!
//! In: what the runs said, the batch that is asked for, a limit. Out: the [`Plan`]: the peak with an interval, its parts, and
//! the largest batch that fits. Nothing here runs a program, reads a file or a clock. What must not happen here: a number
//! where the runs do not lie on a line; or a sentence outside of `words`.

mod line;
mod parts;
mod plan;
mod refusal;
mod told;
mod whole;
mod words;

pub use line::{Line, Range};
pub use parts::Part;
pub use plan::{Answer, Limit, Plan, Point, SCHEMA};
pub use refusal::Refusal;
pub use told::{Fit, Told};
pub use whole::fits_surely;
pub use words::refusal::Refused;

/// Parts of the batch that are run: an eighth, a quarter and half of it.
pub const DIVISORS: [u64; 3] = [8, 4, 2];
/// Beside them the whole batch is run, where it surely fits.
pub const WHOLE: u64 = 1;
/// Steps after which a `fit` is ended. The first one traces, the second has what the first left, the third is like all others.
pub const STEPS: u64 = 3;

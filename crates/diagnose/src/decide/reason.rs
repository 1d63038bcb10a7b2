//! Why the verdict is what it is: facts, which `told/reason` puts into words.
//!
//! In: the reason of the instrument that was heard, the containers that fill. Out: one variant for each row of the table. What must not
//! happen here: a word for a reader.

use crate::claims::ClaimReason;
use crate::claims::bounds::Filling;

/// What the verdict rests on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reason {
    /// The instrument that was heard.
    Claim(ClaimReason),
    /// The growth is kept by containers that the program bounds; the run did not show that the bounds hold.
    BoundUnproven { filling: Vec<Filling> },
    /// The growth is kept by containers that fill and end; beside them there is so much at most, in bytes per cycle.
    Fills { filling: Vec<Filling>, beside_at_most: f64 },
    /// The same of most of the growth; the rest cannot be told from none.
    MostlyFills { filling: Vec<Filling>, beside_at_most: f64 },
}

impl From<ClaimReason> for Reason {
    fn from(reason: ClaimReason) -> Self {
        Self::Claim(reason)
    }
}

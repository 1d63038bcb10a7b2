//! The reason of a verdict, in words: the one sentence that stands below it.
//!
//! In: a reason, and the word for a cycle. Out: a sentence without its full stop. What must not happen here: a decision; a number that the
//! reason does not carry. A new reason is a variant in the judging stage's `reason.rs` and an arm in the file of its name here.

mod claims;
mod counted;

use crate::claims::bounds::Filling;
use crate::decide::Reason;
use crate::sizes::{plural, size};

use super::filling;

/// The sentence.
pub(super) fn words(reason: &Reason, unit: &str) -> String {
    let listed = |filling: &[Filling]| {
        filling.iter().map(|one| filling::sentence(one, unit)).collect::<Vec<_>>().join("; ")
    };
    match reason {
        Reason::Claim(reason) => claims::words(*reason, unit),
        Reason::BoundUnproven { filling } => format!(
            "containers that the program itself bounds keep the growth, and this run did not show that it ends: {}",
            listed(filling)
        ),
        Reason::Fills { filling, beside_at_most } => format!(
            "containers that fill up to a bound keep the growth: {} (beside them at most {} per {unit})",
            listed(filling),
            size(*beside_at_most)
        ),
        Reason::MostlyFills { filling, beside_at_most } => format!(
            "containers that fill up to a bound keep most of the growth: {}. Beside them the {} differ too much to tell a growth \
             of up to {} per {unit} from none",
            listed(filling),
            plural(unit),
            size(*beside_at_most)
        ),
    }
}

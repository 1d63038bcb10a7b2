//! What Keras keeps from its own phases on, in words.

use nilometer_diagnose::pack::Copying;
use nilometer_diagnose::size;

/// From the call of `fit` to the begin of its training.
const FIT_ENTRY: &str = "fit_entry";

pub(super) const PHASES: [(&str, &str); 1] = [(FIT_ENTRY, "Keras prepares the data and the training loop")];

pub(super) const COPYING: Copying = Copying { phase: FIT_ENTRY, words: copies };

/// Arrays that `fit` was given: so many elements, and bytes of all copies.
fn copies(elements: f64, bytes: f64) -> String {
    format!(
        "Keras copies x and y to float32 twice (2 x {:.1} M elements x 4 B = {}) and sets up training",
        elements / 1e6,
        size(bytes)
    )
}

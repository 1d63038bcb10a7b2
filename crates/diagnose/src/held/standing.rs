//! What is known of who holds the samples of a site.
//!
//! In: samples, what looks at the whole heap met. Out: whether they are held, and whether by the user's own. What must not happen here: a word
//! about samples of which no look could have seen enough.

use super::Held;
use crate::sample::Sample;

/// Looks must have been able to see this share of them.
const SEEN: f64 = 0.25;
/// Of what they could see this share is held.
const MIN_HELD_RATIO: f64 = 0.8;

/// What is known of who holds samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing, or not enough.
    Open,
    /// They hang below a root: they are no garbage.
    Held,
    /// They are in containers of the user's own that have no bound.
    Kept,
}

impl Held<'_> {
    /// Whether nearly all of these samples were seen below a path from a root: then they are no garbage that waits for a
    /// collection, whatever the collector's counters leave room for. Of `NumPy`'s memory it is enough that nothing led to it, garbage
    /// neither: native code holds it.
    pub(crate) fn standing(&self, samples: &[&Sample], is_array: impl Fn(&Sample) -> bool) -> Standing {
        let (mut all, mut seen, mut held, mut kept) = (0.0, 0.0, 0.0, 0.0);
        for sample in samples {
            all += sample.weight;
            if self.could_be_seen(sample) {
                seen += sample.weight;
                let is_held =
                    self.of_sample.contains_key(&sample.id) || is_array(sample) && self.is_native(sample);
                held += if is_held { sample.weight } else { 0.0 };
                kept += if self.is_users(sample) { sample.weight } else { 0.0 };
            }
        }
        match () {
            () if seen <= SEEN * all || held < MIN_HELD_RATIO * seen => Standing::Open,
            () if kept < MIN_HELD_RATIO * seen => Standing::Held,
            () => Standing::Kept,
        }
    }
}

//! Whether a root reaches the samples of a site.
//!
//! In: samples, and what walks of the whole heap met. Out: [`Reachability`]. What must not happen here: an answer where
//! the walks could see too few of the samples.

use super::HolderEvidence;
use crate::sample::Sample;

/// The walks could see at least this share of the samples, by weight; below it nothing is said.
const MIN_SEEN_RATIO: f64 = 0.25;
/// A root reaches at least this share of the samples that the walks could see.
const MIN_HELD_RATIO: f64 = 0.8;

/// What walks of the heap say of the samples of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reachability {
    /// The walks saw too few of them, or too few of these hang below a root.
    Unknown,
    /// A root reaches them: they are no garbage.
    FromRoot,
    /// An unbounded container of the user's reaches them.
    FromUserContainer,
}

impl HolderEvidence<'_> {
    /// Whether nearly all of these samples were seen below a path from a root: then they are no garbage that waits for a
    /// collection, whatever the collector's counters leave room for. Of `NumPy`'s memory it is enough that nothing led to it, garbage
    /// neither: native code holds it.
    pub(crate) fn reachability(
        &self,
        samples: &[&Sample],
        is_array: impl Fn(&Sample) -> bool,
    ) -> Reachability {
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
            () if seen <= MIN_SEEN_RATIO * all || held < MIN_HELD_RATIO * seen => Reachability::Unknown,
            () if kept < MIN_HELD_RATIO * seen => Reachability::FromRoot,
            () => Reachability::FromUserContainer,
        }
    }
}

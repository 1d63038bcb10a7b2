//! Arrays that only native code holds: a library in C that was handed them and never lets go.
//!
//! In: samples of `NumPy`'s memory, and the looks that went over the whole heap. Out: the share of them that no object of
//! Python's led to. What must not happen here: a claim from a look that was cut short, which has not seen all objects; or about memory
//! other than `NumPy`'s, most of which belongs to no object of Python's anyway.

use crate::numbers::PART;
use std::sync::LazyLock;

use nilometer_capture::Holder;
use nilometer_model::NATIVE_CODE;

use super::{HolderEvidence, Keeps};
use crate::sample::Sample;
use crate::told::words::finding;

/// A holder's kind where native code is all there is to name.
pub(crate) const KIND: &str = "native";
/// So much of what could have been seen must hang below nothing.
const MIN_UNREACHED_RATIO: f64 = 0.8;
/// Of all samples such a part must have lived at a whole look, for it to speak of all.
pub(super) const MIN_SEEN_RATIO: f64 = PART;

static NATIVE: LazyLock<Holder> = LazyLock::new(|| Holder {
    path: NATIVE_CODE.to_owned(),
    kind: KIND.to_owned(),
    elements: finding::UNREACHED.to_owned(),
    ..Holder::default()
});

impl<'a> HolderEvidence<'a> {
    /// Native code as the holder of these samples of arrays, if a whole look found hardly any of them below an object that the
    /// program reaches, nor in garbage.
    pub(crate) fn by_native_code(&self, arrays: &[Sample]) -> Option<Keeps<'a>> {
        let (mut all, mut seen, mut native) = (0.0, 0.0, 0.0);
        for sample in arrays {
            all += sample.weight;
            if self.whole.iter().any(|at_ns| sample.lives_at(*at_ns)) {
                seen += sample.weight;
                native += if self.is_native(sample) { sample.weight } else { 0.0 };
            }
        }
        let share = native / seen;
        let (path, elements) = (NATIVE.path.clone(), NATIVE.elements.clone());
        (seen > MIN_SEEN_RATIO * all && share >= MIN_UNREACHED_RATIO).then_some(Keeps {
            holder: &NATIVE,
            path,
            elements,
            in_cut_graph: false,
            share,
        })
    }

    /// Whether a whole look that this array lived at found nothing that leads to it.
    pub(super) fn is_native(&self, array: &Sample) -> bool {
        self.whole.iter().any(|at_ns| array.lives_at(*at_ns))
            && !self.of_sample.contains_key(&array.id)
            && !self.in_garbage.contains(&array.id)
    }
}

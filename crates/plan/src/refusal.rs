//! When there is no number.
//!
//! In: what the runs told. Out: a typed [`Refusal`]; `words/refusal` says it. What must not happen here: a sentence.

use crate::told::{Fit, Told};

/// Why there is no number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A run told of no `fit`, or of none with a batch.
    Silent,
    /// No `fit` of Keras came to its end.
    NoFit,
    /// Something else makes the batches.
    Batched {
        /// What: a generator, a dataset.
        by: String,
    },
    /// The kernel does not reset the peak of resident memory when it is asked to.
    PeakNotReset,
    /// The fits have other batches, and nobody named one.
    SeveralBatches {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// The smallest run would have less than one sample.
    SmallBatch {
        /// The batch to plan for.
        batch: u64,
    },
    /// No batch can be as large as the one asked for.
    FewSamples {
        /// Samples to train with.
        samples: u64,
        /// The batch that was asked for.
        batch: u64,
    },
    /// The peaks lie on no line.
    NoLine {
        /// Batches, each with its peak in bytes.
        peaks: Vec<(u64, u64)>,
    },
    /// The runs' models differ in size.
    OtherModels,
    /// The interval would be wider than [`MAX_HALF_WIDTH_RATIO`] allows.
    TooWide,
}

/// Of a peak, half of the interval may be this part at most.
pub(crate) const MAX_HALF_WIDTH_RATIO: f64 = 0.2;
/// Below this an eighth of the batch is no sample.
const MIN_BATCH: u64 = 8;

impl Refusal {
    /// What one run tells already. `asked` is the batch that the user asks for.
    pub fn after(told: &Told, asked: Option<u64>) -> Option<Self> {
        if told.fits.is_empty() {
            return Some(Self::NoFit);
        }
        if let Some(by) = told.fits.iter().find_map(|fit| fit.batched.clone()) {
            return Some(Self::Batched { by });
        }
        if told.blurred {
            return Some(Self::PeakNotReset);
        }
        let mut own: Vec<u64> = told.fits.iter().filter_map(|fit| fit.own).collect();
        own.sort_unstable();
        own.dedup();
        if let ([least, .., most], None) = (own.as_slice(), asked) {
            return Some(Self::SeveralBatches { least: *least, most: *most });
        }
        let batch = asked.or(own.first().copied())?;
        if batch < MIN_BATCH {
            return Some(Self::SmallBatch { batch });
        }
        let samples = told.fits.iter().filter_map(|fit| fit.samples).max()?;
        (samples < batch).then_some(Self::FewSamples { samples, batch })
    }

    pub(crate) fn no_line(points: &[(u64, u64)]) -> Self {
        Self::NoLine { peaks: points.to_vec() }
    }

    pub(crate) fn other_models(first: &Fit, other: &Fit) -> Option<Self> {
        (first.weights != other.weights).then_some(Self::OtherModels)
    }
}

//! The peak in parts, each with what would shrink it.
//!
//! In: a fit, its line, the batch that is asked for. Out: parts that sum up to the estimate.

use serde::Serialize;

use crate::line::Line;
use crate::told::Fit;

/// A part of the peak.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// Bytes at the batch that was asked for.
    pub bytes: u64,
    /// Bytes per sample of the batch; null where it does not grow with the batch.
    pub per_sample: Option<u64>,
    /// Counted, not measured.
    pub exact: bool,
    /// What would shrink it.
    pub shrinks: &'static str,
}

/// Those that are counted.
pub(crate) fn exact(fit: &Fit) -> Vec<Part> {
    let counted = |name, bytes, shrinks| Part { name, bytes, per_sample: None, exact: true, shrinks };
    vec![
        counted("weights", fit.weights, "fewer or narrower layers"),
        counted("optimizer", fit.slots, "an optimizer that keeps less: SGD, Adafactor, Lion"),
        counted("gradients", fit.gradients, "fewer trained layers"),
        counted("data copies", fit.copies, "tf.data or a PyDataset in place of arrays"),
    ]
}

/// All of them at a batch.
pub(crate) fn all(fit: &Fit, line: &Line, batch: u64) -> Vec<Part> {
    let mut parts = exact(fit);
    parts.push(Part {
        name: "activations",
        bytes: (line.slope * batch as f64).round() as u64,
        per_sample: Some(line.slope.round() as u64),
        exact: false,
        shrinks: "a smaller batch, smaller inputs",
    });
    parts.push(Part {
        name: "files",
        bytes: fit.files,
        per_sample: None,
        exact: false,
        shrinks: "fewer imports; the kernel can take these pages back",
    });
    let known: u64 = parts.iter().map(|part| part.bytes).sum();
    parts.push(Part {
        name: "rest",
        bytes: line.at(batch).estimate.saturating_sub(known),
        per_sample: None,
        exact: false,
        shrinks: "fewer imports, and data that the program holds itself",
    });
    parts
}

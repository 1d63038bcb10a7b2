//! The peak in parts, each with what would shrink it.
//!
//! In: a fit, its line, the batch that is asked for. Out: parts that sum up to the estimate.

use serde::Serialize;

use crate::line::Line;
use crate::told::Fit;
use crate::words::part;

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
        counted("weights", fit.weights, part::WEIGHTS),
        counted("optimizer", fit.slots, part::OPTIMIZER),
        counted("gradients", fit.gradients, part::GRADIENTS),
        counted("data copies", fit.copies, part::COPIES),
    ]
}

/// All of them at a batch, of so many bytes in all.
pub(crate) fn all(fit: &Fit, line: &Line, batch: u64, total: u64) -> Vec<Part> {
    let mut parts = exact(fit);
    parts.push(Part {
        name: "activations",
        bytes: (line.slope * batch as f64).round() as u64,
        per_sample: Some(line.slope.round() as u64),
        exact: false,
        shrinks: part::ACTIVATIONS,
    });
    parts.push(Part {
        name: "files",
        bytes: fit.files,
        per_sample: None,
        exact: false,
        shrinks: part::FILES,
    });
    let known: u64 = parts.iter().map(|part| part.bytes).sum();
    parts.push(Part {
        name: "rest",
        bytes: total.saturating_sub(known),
        per_sample: None,
        exact: false,
        shrinks: part::REST,
    });
    parts
}

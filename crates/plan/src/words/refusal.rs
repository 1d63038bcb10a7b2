//! A refusal in words: why there is no number, and what to do.

use nilometer_diagnose::size;
use serde::Serialize;

use crate::refusal::{MAX_HALF_WIDTH_RATIO, Refusal};

/// Why there is no peak. Sentences without their full stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// Why.
    pub reason: String,
    /// What to do.
    pub advice: String,
}

/// The refusal in words.
pub(crate) fn refused(refusal: &Refusal) -> Refused {
    let (reason, advice) = (reason(refusal), advice(refusal));
    Refused { reason, advice }
}

fn reason(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Silent => "a run reported no `fit`".to_owned(),
        Refusal::NoFit => "no `fit` of Keras came to its end".to_owned(),
        Refusal::Batched { by } => {
            format!("`fit` gets its batches from {by}: nilometer cannot change their size")
        }
        Refusal::PeakNotReset => {
            "this kernel cannot reset the peak of resident memory (/proc/self/clear_refs)".to_owned()
        }
        Refusal::SeveralBatches { least, most } => {
            format!("the program calls `fit` with batches from {least} to {most}")
        }
        Refusal::SmallBatch { batch } => {
            format!("an eighth of a batch of {batch} is less than one sample")
        }
        Refusal::FewSamples { samples, batch } => {
            format!("the data have {samples} samples, so no batch has {batch}")
        }
        Refusal::NoLine { peaks } => {
            let peaks = peaks.iter().map(|(batch, peak)| format!("{} at batch {batch}", size(*peak as f64)));
            format!("the peaks do not lie on a line: {}", peaks.collect::<Vec<_>>().join(", "))
        }
        Refusal::OtherModels => "the runs built other models: their weights differ in size".to_owned(),
        Refusal::TooWide => {
            format!("the interval of the peak would be wider than ±{} %", 100.0 * MAX_HALF_WIDTH_RATIO)
        }
    }
}

fn advice(refusal: &Refusal) -> String {
    let fixed = match refusal {
        Refusal::Silent => "read the logs of the runs",
        Refusal::NoFit => {
            "a plan needs model.fit; run a loop of your own with a small batch under nilometer run"
        }
        Refusal::Batched { .. } => "give `fit` arrays and a batch_size, or plan a short script that does",
        Refusal::PeakNotReset => "run the plan where no sandbox replaces the kernel's /proc",
        Refusal::SeveralBatches { most, .. } => return format!("name the batch to plan for: --batch {most}"),
        Refusal::SmallBatch { .. } => "plan for a batch of 8 or more: --batch 8",
        Refusal::FewSamples { samples, .. } => {
            return format!("plan for a batch that occurs: --batch {samples}");
        }
        Refusal::NoLine { .. } => "plan for a batch twice as large, or run three steps with the batch itself",
        Refusal::OtherModels => "set the random seeds, or give the model a fixed size",
        Refusal::TooWide => "run three steps with the batch itself",
    };
    fixed.to_owned()
}

//! Why there is no number, and what to do.

use serde::Serialize;

use crate::told::{Fit, Told};

/// A refusal. Sentences without their full stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Why.
    pub reason: String,
    /// What to do.
    pub advice: String,
}

/// Of a peak, half of the interval may be this part at most.
pub(crate) const MAX_HALF_WIDTH_RATIO: f64 = 0.2;

impl Refusal {
    pub(crate) fn new(reason: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { reason: reason.into(), advice: advice.into() }
    }

    /// What one run tells already. `asked` is the batch that the user asks for.
    pub fn after(told: &Told, asked: Option<u64>) -> Option<Self> {
        if told.fits.is_empty() {
            return Some(Self::new(
                "no `fit` of Keras came to its end",
                "a plan needs model.fit; for a loop of your own, run it with a small batch under nilometer run",
            ));
        }
        if let Some(kind) = told.fits.iter().find_map(|fit| fit.batched.as_ref()) {
            return Some(Self::new(
                format!("the data of `fit` come batched, from {kind}: its batch cannot be changed from here"),
                "give `fit` arrays and a batch_size, or plan a short script that does",
            ));
        }
        if told.blurred {
            return Some(Self::new(
                "this kernel does not count peaks anew (/proc/self/clear_refs)",
                "run the plan where /proc is the kernel's own",
            ));
        }
        let mut own: Vec<u64> = told.fits.iter().filter_map(|fit| fit.own).collect();
        own.sort_unstable();
        own.dedup();
        if let ([first, .., last], None) = (own.as_slice(), asked) {
            return Some(Self::new(
                format!("its fits have batches from {first} to {last}"),
                format!("name the one to plan for: --batch {last}"),
            ));
        }
        let batch = asked.or(own.first().copied())?;
        if batch < 8 {
            return Some(Self::new(
                format!("an eighth of a batch of {batch} is less than one sample"),
                "plan for 8 or more: --batch 8",
            ));
        }
        let least = told.fits.iter().filter_map(|fit| fit.samples).max()?;
        (least < batch).then(|| {
            Self::new(
                format!("the data have {least} samples, so no batch has {batch}"),
                format!("plan for a batch that occurs: --batch {least}"),
            )
        })
    }

    pub(crate) fn no_line(points: &[(u64, u64)]) -> Self {
        let peaks = points
            .iter()
            .map(|(batch, peak)| format!("{} at batch {batch}", nilometer_diagnose::size(*peak as f64)));
        Self::new(
            format!("the peaks do not lie on a line: {}", peaks.collect::<Vec<_>>().join(", ")),
            "plan for a batch twice as large, or run three steps with the batch itself",
        )
    }

    pub(crate) fn other_models(first: &Fit, other: &Fit) -> Option<Self> {
        (first.weights != other.weights).then(|| {
            Self::new(
                "the runs have other models: their weights differ in size",
                "set the random seeds, or take what is random out of the model's size",
            )
        })
    }

    pub(crate) fn too_wide() -> Self {
        Self::new(
            format!("the interval would be wider than ±{} %", 100.0 * MAX_HALF_WIDTH_RATIO),
            "run three steps with the batch itself",
        )
    }
}

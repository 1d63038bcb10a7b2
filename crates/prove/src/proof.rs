//! The answer, and the structure of its JSON (`docs/prove.schema.json`).

use nilometer_diagnose::{Bytes, Verdict};
use serde::Serialize;

use crate::compare::{Effect, Measured, Share};
use crate::intervention::Intervention;
use crate::words::answer;

/// The name and version of the JSON.
pub const SCHEMA: &str = "nilometer.prove/1";

/// The results of all experiments with one program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proof {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// The command, the script first.
    pub program: Vec<String>,
    /// The answer.
    pub answer: Answer,
    /// The answer in a sentence.
    pub sentence: String,
    /// The device whose memory grows, as reports name it; null where it is the program's own.
    pub device: Option<String>,
    /// The unit that repeats.
    pub unit: &'static str,
    /// The unchanged program.
    pub baseline: Baseline,
    /// One row per experiment, in the order in which they were made.
    pub interventions: Vec<Experiment>,
    /// The smallest set of changes that cured.
    pub cure: Option<Cure>,
    /// Interventions for which there was no time.
    pub not_tried: Vec<Intervention>,
    /// Problems, and facts that could not be seen.
    pub warnings: Vec<String>,
    /// Duration of the whole proof, in seconds.
    pub seconds: f64,
    /// The folder with the captures.
    pub folder: String,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// A change, or a set of them, ended the growth.
    Cured,
    /// Some changes reduce the growth; none that was tried ends it.
    Reduced,
    /// No change that was tried reduces the growth.
    Unexplained,
    /// The program does not leak.
    NothingToCure,
    /// Whether it leaks could not be seen.
    Undecided,
}

/// The unchanged program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Baseline {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub reason: String,
    /// Growth per cycle.
    pub growth: Option<Bytes>,
    /// Cycles that ended.
    pub cycles: u64,
    /// Duration of the run, in seconds.
    pub seconds: f64,
    /// The name of its capture.
    pub capture: String,
}

/// One experiment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Experiment {
    /// The program of this experiment, for people: `without callback:Keeps`.
    pub intervention: String,
    /// The changes, by name.
    pub set: Vec<Intervention>,
    /// Their effect.
    pub verdict: Effect,
    /// Growth per cycle with them.
    pub growth: Option<Bytes>,
    /// The share of the growth that is gone.
    pub removed: Option<Share>,
    /// Cycles that ended.
    pub cycles: u64,
    /// Duration of the run, in seconds.
    pub seconds: f64,
    /// The exit code; null if a signal ended it.
    pub exit_code: Option<i32>,
    /// A remark on the experiment.
    pub note: Option<String>,
    /// The name of its capture; null if there is none.
    pub capture: Option<String>,
}

/// The smallest set of changes that cured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cure {
    /// The changes.
    pub set: Vec<Intervention>,
    /// The share of the growth that is gone with them.
    pub removed: Share,
}

impl Experiment {
    /// Several changes in words.
    pub fn words(set: &[Intervention]) -> String {
        set.iter().map(Intervention::words).collect::<Vec<_>>().join(" and ")
    }
}

impl Proof {
    /// Draws the answer from the experiments, with its sentence.
    #[must_use]
    pub fn conclude(mut self, leak: &Measured) -> Self {
        let cures = self.interventions.iter().filter(|experiment| experiment.verdict == Effect::Cures);
        let cure = cures.min_by_key(|experiment| experiment.set.len()).cloned();
        let best = self.interventions.iter().filter(|experiment| experiment.verdict == Effect::Reduces);
        let share = |experiment: &Experiment| experiment.removed.map_or(0.0, |share| share.estimate);
        let best = best.max_by(|a, b| share(a).total_cmp(&share(b))).cloned();
        (self.answer, self.sentence) = match (leak.leak(), cure, best) {
            (None, ..) if leak.verdict == Verdict::NoLeak => {
                (Answer::NothingToCure, answer::nothing_to_cure(&self.baseline.reason))
            }
            (None, ..) => (Answer::Undecided, answer::undecided(&self.baseline.reason)),
            (Some(_), Some(cure), _) => {
                let removed = cure.removed.unwrap_or(Share { estimate: 1.0, low: 1.0, high: 1.0 });
                self.cure = Some(Cure { set: cure.set.clone(), removed });
                (Answer::Cured, answer::removes(&cure, self.device.as_deref()))
            }
            (Some(_), None, Some(best)) => {
                let open = best.removed.is_some_and(|share| share.high > 0.9);
                (Answer::Reduced, answer::reduces(&best, self.device.as_deref(), open))
            }
            (Some(_), None, None) => {
                (Answer::Unexplained, answer::unexplained(!self.interventions.is_empty()))
            }
        };
        self
    }
}

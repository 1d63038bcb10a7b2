//! What a framework tells of its interventions: when each is worth a try, which the framework's own folder says.
//!
//! In: the report of the first run, and the survey. Out: short questions on both. What must not happen here: the name of a framework.

use nilometer_diagnose::{Finding, Report};

use crate::survey::Survey;

/// All that proofs may know of one framework.
#[derive(Debug)]
pub struct Pack {
    /// Its interventions.
    pub advice: &'static [Advice],
}

/// The packs that a proof works with.
pub type Packs = &'static [&'static Pack];

/// When an intervention is worth a try.
#[derive(Clone, Copy, Debug)]
pub struct Advice {
    /// Of interventions with the same score, the smaller rank comes first. No two have the same.
    pub rank: u16,
    /// Its name, as on the command line.
    pub name: &'static str,
    /// None: it would change nothing in this program.
    pub worth: fn(&Case<'_>) -> Option<Worth>,
}

/// How much it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// Without a finding that suggests it.
    pub base: f64,
    /// The share of the growth whose findings suggest it, 0 to 1.
    pub pointed: f64,
}

impl Worth {
    /// What no finding suggests.
    pub const fn plain(base: f64) -> Self {
        Self { base, pointed: 0.0 }
    }
}

/// A program whose memory grows.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// What the first run showed.
    pub report: &'a Report,
    /// What there is to change.
    pub survey: &'a Survey,
}

impl Case<'_> {
    /// Whether it uses a package whose name begins so.
    pub fn uses(&self, name: &str) -> bool {
        self.report.program.frameworks.keys().any(|known| known.starts_with(name))
    }

    /// Whether models are made again and again.
    pub fn makes_models(&self) -> bool {
        let models = self.survey.seen.models;
        models >= 3 && 2 * models >= self.report.cycles.count
    }

    /// Whether its cycles are epochs or trainings.
    pub fn trains(&self) -> bool {
        matches!(self.report.cycles.unit, "epoch" | "fit")
    }

    /// Whether the report says why functions were traced again: then other reasons need no trial.
    pub fn is_explained(&self) -> bool {
        !self.report.retraced.is_empty()
    }

    /// Whether functions were traced again for a reason with one of these words.
    pub fn is_retraced(&self, words: &[&str]) -> bool {
        let said = |why: &str| words.iter().any(|word| why.contains(word));
        self.report.retraced.iter().any(|function| said(&function.why))
    }

    /// The share of the growth that is made in this phase.
    pub fn in_phase(&self, name: &str) -> f64 {
        self.share(|finding| finding.phase.as_deref() == Some(name))
    }

    /// The share of the growth whose part of a library has one of these words.
    pub fn of_part(&self, words: &[&str]) -> f64 {
        self.share(|finding| {
            let said = finding.part.as_deref().unwrap_or_default().to_lowercase();
            words.iter().any(|word| said.contains(word))
        })
    }

    /// The share of the growth that is made below files with one of these words in their names.
    pub fn through(&self, words: &[&str]) -> f64 {
        self.share(|finding| {
            finding.stack.iter().any(|frame| words.iter().any(|word| frame.file.contains(word)))
        })
    }

    /// The share of the growth in findings of a kind; 0 to 1.
    pub(crate) fn share(&self, is_of: impl Fn(&Finding) -> bool) -> f64 {
        let findings = &self.report.findings;
        let bytes = |finding: &Finding| finding.bytes_per_cycle.estimate.max(0) as f64;
        let all: f64 = findings.iter().map(bytes).sum();
        let of_kind: f64 = findings.iter().filter(|finding| is_of(finding)).map(bytes).sum();
        if all > 0.0 { of_kind / all } else { 0.0 }
    }
}

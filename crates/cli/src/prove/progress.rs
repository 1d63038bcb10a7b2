//! How far it is: a line on stderr for each run that ended, and on a terminal one that moves while they run.

use std::time::Duration;

use nilometer_diagnose::{duration, size};
use nilometer_prove::{Effect, Experiment};

use super::results::Result as Ran;
use crate::messages;

/// Says how far it is.
pub(crate) struct Progress {
    budget: Duration,
    terminal: bool,
    /// The moving line is on the screen.
    shown: bool,
    /// Experiments that may still come, and how long one takes.
    left: Option<(usize, Duration)>,
    second: u64,
}

impl Progress {
    pub(crate) fn new(budget: Duration) -> Self {
        Self { budget, terminal: messages::stderr_is_terminal(), shown: false, left: None, second: u64::MAX }
    }

    /// Experiments that may still come, and how long one takes.
    pub(crate) fn left(&mut self, experiments: usize, each: Duration) {
        self.left = Some((experiments, each));
    }

    /// While they run; at most once a second.
    pub(crate) fn running(&mut self, number: usize, names: &[&str], took: Duration) {
        if !self.terminal || self.second == took.as_secs() {
            return;
        }
        self.second = took.as_secs();
        let mut text = format!("{number}  {}: {}", names.join(", "), duration(took.as_secs_f64()));
        if let Some((left, each)) = self.left {
            let most = (left as u32 * each).min(self.budget);
            text += &format!(", at most {left} to go, {}", duration(most.as_secs_f64()));
        }
        self.shown = true;
        messages::to_stderr(&format!("\r\u{1b}[K{text}"));
    }

    /// The program as it is.
    pub(crate) fn first(&mut self, ran: &Ran) {
        let report = &ran.report;
        let unit = report.cycles.unit;
        let growth = report.growth.as_ref().map(|growth| growth.bytes_per_cycle.estimate);
        let growth = growth
            .map_or("no growth to be seen".to_owned(), |bytes| format!("{} per {unit}", size(bytes as f64)));
        let took = duration(ran.took.as_secs_f64());
        self.line(&format!("{}: {growth}, {} {unit}s in {took}", ran.name, report.cycles.count));
    }

    /// An experiment.
    pub(crate) fn told(&mut self, experiment: &Experiment, unit: &str) {
        let word = match experiment.verdict {
            Effect::Cures => "cures",
            Effect::Reduces => "reduces",
            Effect::NoEffect => "no effect",
            Effect::Undecided => "undecided",
        };
        let growth = experiment.growth.map_or("too few cycles".to_owned(), |growth| {
            format!("{} per {unit}", size(growth.estimate as f64))
        });
        let took = duration(experiment.seconds);
        self.line(&format!("{}: {growth} in {took}, {word}", experiment.intervention));
    }

    /// Leaves the screen clean.
    pub(crate) fn end(&mut self) {
        if std::mem::take(&mut self.shown) {
            messages::to_stderr("\r\u{1b}[K");
        }
    }

    fn line(&mut self, text: &str) {
        self.end();
        self.second = u64::MAX;
        messages::to_stderr(&format!("{text}\n"));
    }
}

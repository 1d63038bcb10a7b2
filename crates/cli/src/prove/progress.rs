//! How far it is: a line on stderr for each run that ended, and on a terminal one that moves while they run.

use std::time::Duration;

use nilometer_prove::{Experiment, Measured, Subject};

use super::results::Result as Ran;
use crate::messages;
use crate::words::prove as words;

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
        let left = self.left.map(|(runs, each)| (runs, (runs as u32 * each).min(self.budget)));
        let text = words::running(number, names, took, left);
        self.shown = true;
        messages::to_stderr(&format!("\r\u{1b}[K{text}"));
    }

    /// The program as it is.
    pub(crate) fn first(&mut self, ran: &Ran) {
        let report = &ran.report;
        let measured = Measured::of(report, &Subject::of(report));
        let growth = measured.growth.map(|growth| growth.estimate);
        let cycles = &report.cycles;
        self.line(&words::first(&ran.name, growth, cycles.count, cycles.unit, ran.took));
    }

    /// An experiment.
    pub(crate) fn told(&mut self, experiment: &Experiment, unit: &str) {
        let Experiment { intervention, growth, seconds, verdict, .. } = experiment;
        self.line(&words::experiment(intervention, *growth, unit, *seconds, verdict.words()));
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

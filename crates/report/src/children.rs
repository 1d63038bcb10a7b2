//! The processes that the program started, on a terminal: which of them grow, and what each has.

use anstyle::{AnsiColor, Style as Paint};
use nilometer_diagnose::{Process, Report, size};

use crate::terminal::Screen;

/// Processes told on the screen; the JSON has them all.
const MAX_TOLD: usize = 5;
/// A peak so many times the last level is told.
const MIN_PEAK_RATIO: f64 = 1.25;
/// Smaller ones are helpers.
const MIN_TOLD_BYTES: u64 = 8 << 20;

impl Screen {
    /// Beneath a verdict that is about the program's own process: that others grow.
    pub(crate) fn growing_children(&mut self, report: &Report) {
        let growing = report.processes.iter().filter(|process| process.bytes_per_minute.is_some()).count();
        if growing > 0 && report.job.culprit.is_none() {
            let (some, grow) = if growing == 1 { ("One process", "grows") } else { ("Processes", "grow") };
            self.line(&format!("      {some} that it started {grow}: CHILD PROCESSES below."), 6);
        }
    }

    pub(crate) fn processes(&mut self, report: &Report) {
        let culprit = report.job.culprit.as_ref().map(|culprit| culprit.pid);
        let is_told =
            |process: &&Process| process.peak_bytes >= MIN_TOLD_BYTES || culprit == Some(process.pid);
        let mut told: Vec<_> = report.processes.iter().filter(is_told).collect();
        told.sort_by_key(|process| {
            let is_culprit = culprit == Some(process.pid);
            std::cmp::Reverse((is_culprit, process.bytes_per_minute, process.peak_bytes))
        });
        for (i, process) in told.iter().take(MAX_TOLD).enumerate() {
            if i == 0 {
                let title = self.paint("CHILD PROCESSES", Paint::new().bold());
                self.out += &format!("\n{title}\n");
            }
            let (first, last) = (size(process.first_bytes as f64), size(process.last_bytes as f64));
            // The last reading may be of its end, when it had given most of it back.
            let is_far = process.peak_bytes as f64 > MIN_PEAK_RATIO * process.last_bytes as f64;
            let peak = if is_far { size(process.peak_bytes as f64) + " at most, " } else { String::new() };
            let grows = process.bytes_per_minute.map_or(String::new(), |rate| {
                let rate = size(rate as f64);
                let word = self.paint("GROWS", AnsiColor::Yellow.on_default().bold());
                format!(", {word} by {rate} per minute to the end")
            });
            let turned = process.turned_private_bytes.map_or(String::new(), turned);
            self.line(
                &format!(
                    "  {} (pid {}): {first} at first, {peak}{last} at last{grows}{turned}",
                    process.role, process.pid
                ),
                4,
            );
        }
    }
}

/// What a forked process copied of what it inherited: no leak, and dear where there are many of them.
fn turned(bytes: u64) -> String {
    format!(
        "; {} of what it inherited turned private: reading Python objects writes their reference counts",
        size(bytes as f64)
    )
}

//! The processes that the program started, on a terminal: which of them grow, and what each has.

use anstyle::{AnsiColor, Style as Paint};
use nilometer_diagnose::{Process, Report};

use crate::terminal::Screen;
use crate::words::{process as words, title};

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
            self.line(&format!("      {}", words::others_grow(growing)), 6);
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
                let title = self.paint(title::CHILDREN, Paint::new().bold());
                self.out += &format!("\n{title}\n");
            }
            // The last reading may be of its end, when it had given most of it back.
            let is_far = process.peak_bytes as f64 > MIN_PEAK_RATIO * process.last_bytes as f64;
            let peak = is_far.then_some(process.peak_bytes);
            let levels =
                words::levels(&process.role, process.pid, process.first_bytes, peak, process.last_bytes);
            let grows = process.bytes_per_minute.map_or(String::new(), |rate| {
                words::grows(&self.paint("GROWS", AnsiColor::Yellow.on_default().bold()), rate)
            });
            let turned = process.turned_private_bytes.map_or(String::new(), words::turned_private);
            self.line(&format!("  {levels}{grows}{turned}"), 4);
        }
    }
}

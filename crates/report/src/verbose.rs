//! What only `--verbose` tells on a terminal: stacks, who holds what, how the sampling went.

use anstyle::Style as Paint;
use nilometer_diagnose::{Frame, Report, size};

use crate::render_input::label;
use crate::terminal::Screen;
use crate::words::{sampling as words, title};

/// Holders told on the screen; the JSON has them all.
const MAX_HOLDERS: usize = 30;

impl Screen {
    /// A frame a line, the innermost first.
    pub(crate) fn stack(&mut self, frames: &[Frame]) {
        for (i, frame) in frames.iter().enumerate() {
            let title = if i == 0 { "stack" } else { "" };
            self.line(&format!("     {title:<10} {}", label(frame)), 18);
        }
    }

    /// Who held how much at the last look at the heap.
    pub(crate) fn holders(&mut self, report: &Report) {
        for (i, held) in report.holders.iter().take(MAX_HOLDERS).enumerate() {
            if i == 0 {
                let title = self.paint(title::HOLDERS, Paint::new().bold());
                self.out += &format!("\n{title}\n");
            }
            let (bytes, holder) = (size(held.live_bytes as f64), &held.holder);
            let text = format!("  {bytes:>9}  {}  {}", holder.path, holder.content(report.cycles.unit));
            self.line(text.trim_end(), 13);
        }
    }

    /// What each phase took, in time and in memory.
    pub(crate) fn phases(&mut self, report: &Report) {
        for (i, phase) in report.phase_totals.iter().enumerate() {
            if i == 0 {
                let title = self.paint("PHASES", Paint::new().bold());
                self.out += &format!("\n{title}\n");
            }
            let bytes = format!("{}{}", if phase.bytes > 0 { "+" } else { "" }, size(phase.bytes as f64));
            let course = words::phase(&phase.name, phase.seconds, phase.times);
            self.line(&format!("  {bytes:>9}  {course}"), 13);
        }
    }

    /// What the recorder saw and what it cost.
    pub(crate) fn sampling(&mut self, report: &Report) {
        let Some(sampling) = &report.sampling else { return };
        let title = self.paint("SAMPLING", Paint::new().bold());
        self.out += &format!("\n{title}\n");
        self.line(&format!("  {}", words::sampled(sampling)), 4);
        for lost in &sampling.lost {
            self.line(&format!("  {}", lost.sentence()), 4);
        }
    }
}

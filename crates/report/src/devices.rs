//! Memory of devices on a terminal and in markdown: a row for each framework and device.

use anstyle::Style as Paint;
use nilometer_diagnose::{Device, Report, Verdict};

use crate::markdown::verdict_words;
use crate::terminal::Screen;
use crate::words::device::{TABLE, course, others_unknown};
use crate::words::title;

impl Screen {
    pub(crate) fn devices(&mut self, report: &Report) {
        if report.devices.is_empty() {
            return;
        }
        let title = self.paint(title::DEVICES, Paint::new().bold());
        self.out += &format!("\n{title}\n");
        for device in &report.devices {
            let word = self.verdict_word(device.verdict);
            self.line(&format!("  {} ({}): {word}, {}.", device.name, device.framework, course(device)), 4);
            // The reason of the verdict, or of its finding, is on the screen already.
            if device.verdict != Verdict::Leak {
                self.line(&format!("    {}.", device.reason), 4);
            }
            if let Some(sentence) = device.others.as_ref().and_then(|others| others.sentence.as_ref()) {
                self.line(&format!("    {sentence}."), 4);
            }
            if let Some(why) = device.others_unknown.as_ref().filter(|_| self.verbose) {
                self.line(&format!("    {}.", others_unknown(why)), 4);
            }
        }
    }
}

/// A table, for markdown; empty without devices.
pub(crate) fn table(report: &Report) -> String {
    if report.devices.is_empty() {
        return String::new();
    }
    let row = |device: &Device| {
        let (name, framework, verdict) = (&device.name, device.framework, verdict_words(device.verdict));
        let others = device.others.as_ref().and_then(|others| others.sentence.as_ref());
        let others = others.map(|sentence| format!("; {sentence}")).unwrap_or_default();
        format!("| {name} | {framework} | {verdict} | {}{others} |\n", course(device))
    };
    let rows: String = report.devices.iter().map(row).collect();
    format!("{TABLE}{rows}\n")
}

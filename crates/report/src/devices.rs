//! Memory of devices on a terminal and in markdown: a row for each framework and device.

use anstyle::Style as Paint;
use nilometer_diagnose::{Device, Report, Verdict, size};

use crate::markdown::verdict_words;
use crate::terminal::Screen;

impl Screen {
    pub(crate) fn devices(&mut self, report: &Report) {
        if report.devices.is_empty() {
            return;
        }
        let title = self.paint("GPU MEMORY", Paint::new().bold());
        self.out += &format!("\n{title}\n");
        for device in &report.devices {
            let word = self.verdict_word(device.verdict);
            self.line(&format!("  {} ({}): {word}, {}.", device.name, device.framework, course(device)), 4);
            // The reason of the verdict, or of its finding, is on the screen already.
            if device.verdict != Verdict::Leak {
                self.line(&format!("    {}.", device.reason), 4);
            }
        }
    }
}

/// `3.1 GiB in use, 3.4 GiB at most, 78.0 GiB reserved of 79.2 GiB, full in 40 epochs`.
pub(crate) fn course(device: &Device) -> String {
    let [used, peak] = [device.in_use_bytes, device.peak_bytes].map(|bytes| size(bytes as f64));
    let mut out = format!("{used} in use, {peak} at most");
    if let Some(reserved) = device.reserved_bytes {
        out += &format!(", {} reserved", size(reserved as f64));
    }
    if let Some(limit) = device.limit_bytes.filter(|limit| device.reserved_bytes != Some(*limit)) {
        out += &format!(" of {}", size(limit as f64));
    }
    let growth = device.growth.as_ref();
    if let Some((left, unit)) = growth.and_then(|growth| Some((growth.cycles_left?, growth.unit))) {
        out += &format!(", full in {left} more {unit}{}", if left == 1 { "" } else { "s" });
    }
    out
}

/// A table, for markdown; empty without devices.
pub(crate) fn table(report: &Report) -> String {
    if report.devices.is_empty() {
        return String::new();
    }
    let row = |device: &Device| {
        let (name, framework, verdict) = (&device.name, device.framework, verdict_words(device.verdict));
        format!("| {name} | {framework} | {verdict} | {} |\n", course(device))
    };
    let rows: String = report.devices.iter().map(row).collect();
    format!("| device | framework | verdict | memory |\n|---|---|---|---|\n{rows}\n")
}

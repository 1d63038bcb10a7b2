//! The live line: one line while the program runs, no escapes, cut to the width.

use nilometer_diagnose::{Report, size};

use crate::headline::Headline;

/// `nilometer  epoch 7 · live 412 MiB · 5.9 GiB left · leak: +8.0 MiB per epoch`.
pub fn live_line(report: &Report, width: usize) -> String {
    let mut parts = vec![format!("nilometer  {} {}", report.cycles.unit, report.cycles.count)];
    if let Some(live) = report.memory.live_bytes {
        parts.push(format!("live {}", size(live as f64)));
    } else if let Some(resident) = report.memory.anonymous_bytes {
        parts.push(format!("resident {}", size(resident as f64)));
    }
    if let Some(left) = report.memory.headroom_bytes {
        parts.push(format!("{} left", size(left as f64)));
    }
    parts.push(Headline::of(report).live());
    let line = parts.join(" \u{b7} ");
    line.chars().take(width).collect()
}

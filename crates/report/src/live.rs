//! The live line: one line while the program runs, no escapes, cut to the width.

use nilometer_diagnose::{Report, Verdict, duration, size};

use crate::words::growth as words;

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
    parts.push(verdict(report));
    let line = parts.join(" \u{b7} ");
    line.chars().take(width).collect()
}

fn verdict(report: &Report) -> String {
    let unit = report.cycles.unit;
    if let Some(culprit) = &report.job.culprit {
        return format!("leak in {} (pid {}): +{}", culprit.role, culprit.pid, culprit.rate);
    }
    if let (Some(name), Some(growth)) = (&report.job.device, report.growth_on_device()) {
        let rate = size(growth.bytes_per_cycle.estimate as f64);
        return format!("leak on {name}: +{rate} per {}", growth.unit);
    }
    match (report.verdict, &report.growth) {
        (Verdict::Leak, Some(growth)) => {
            let rate = size(growth.bytes_per_cycle.estimate as f64);
            let left = report.forecast.as_ref().and_then(|f| f.seconds_left);
            let until = left.map_or(String::new(), |s| format!(", limit in {}", duration(s)));
            format!("leak: +{rate} per {unit}{until}")
        }
        (Verdict::NoLeak, _) => "no leak".to_owned(),
        _ => words::undecided(report.cycles.needed, unit),
    }
}

//! What is said where there is room for one sentence: in annotations, test results, alerts.

use nilometer_diagnose::{Finding, Report, Site, Verdict, size};

use crate::words::growth as words;

/// `Memory of train.py leaks: +8.0 MiB per epoch since epoch 2`.
pub(crate) fn headline(report: &Report) -> String {
    let name = &report.program.name;
    match (report.verdict, &report.growth) {
        (Verdict::Leak, _) if !report.job.is_own() => words::leaks(name, &report.reason),
        (Verdict::Leak, Some(growth)) => {
            let (unit, rate) = (report.cycles.unit, size(growth.bytes_per_cycle.estimate as f64));
            words::leaks(name, &format!("+{rate} per {unit} since {unit} {}", growth.since_cycle))
        }
        (Verdict::Leak, None) => words::leaks(name, &report.reason),
        (Verdict::NoLeak, _) => words::does_not_leak(name, &report.reason),
        (Verdict::Undecided, _) => words::may_leak(name, &report.reason),
    }
}

/// Cycles and seconds to the limit if live memory goes on to grow by the most that it may. `None` where that is not much more than
/// the estimate, or there is no limit.
pub(crate) fn earliest(report: &Report) -> Option<(u64, Option<f64>)> {
    const MIN_FACTOR: f64 = 2.0;
    let (growth, forecast) = (report.growth.as_ref()?, report.forecast.as_ref()?);
    let (estimate, high) = (growth.bytes_per_cycle.estimate as f64, growth.bytes_per_cycle.high as f64);
    let part = estimate / high;
    let left = (forecast.cycles_left as f64 * part).floor() as u64;
    (estimate > 0.0 && high > MIN_FACTOR * estimate).then(|| (left, forecast.seconds_left.map(|s| s * part)))
}

/// `PredictionLogger.saved keeps every prediction: +7.6 MiB per epoch (95 %: 7.5 MiB to 7.7 MiB), certain`.
pub(crate) fn sentence(finding: &Finding, unit: &str) -> String {
    let mut out = format!("{}{}, {}", finding.sentence, rate(finding, unit), finding.confidence);
    if let Some(holder) = &finding.holder {
        out += &format!("; held by {}", holder.path);
    }
    if let Some(change) = &finding.change {
        out += &format!("; {change}");
    }
    out
}

/// `: +7.6 MiB per epoch (95 %: 7.5 MiB to 7.7 MiB)`; nothing behind a sentence that has its rate.
pub(crate) fn rate(finding: &Finding, unit: &str) -> String {
    if !finding.is_own() {
        return String::new();
    }
    let bytes = finding.bytes_per_cycle;
    let (estimate, low, high) = (bytes.estimate as f64, bytes.low as f64, bytes.high as f64);
    format!(": +{} per {unit} (95 %: {} to {})", size(estimate), size(low), size(high))
}

/// The place to show a finding at: where memory is kept, else where it is made. None in machine code.
pub(crate) fn place(finding: &Finding) -> Option<&Site> {
    let in_source = || finding.sites.iter().filter(|site| site.line > 0);
    in_source().find(|site| site.role == "kept_at").or_else(|| in_source().next())
}

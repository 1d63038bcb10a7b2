//! One finding as a sentence: in annotations, test results, alerts.

use nilometer_diagnose::{Finding, Site, size};

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

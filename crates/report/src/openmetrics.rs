//! `OpenMetrics` text, for Prometheus and what else scrapes or pushes it.
//!
//! The state at the end of the capture, no history: a scraper keeps that itself. Names and labels are stable; sizes are
//! bytes, times seconds.

use nilometer_diagnose::{Finding, Verdict};

use crate::exposition::{Exposition, Form};
use crate::markdown::verdict_words;
use crate::render_input::RenderInput;
use crate::words::measure;

/// The whole exposition.
pub fn openmetrics(material: &RenderInput) -> String {
    let report = material.report;
    let (program, memory) = (&report.program, &report.memory);
    let mut out = Exposition::new(Form::OpenMetrics);
    let python = program.python.as_deref().unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    out.family("nilometer_run", "info", "", measure::RAN);
    let versions = program.frameworks.iter().map(|(name, version)| (name.as_str(), version.as_str()));
    let mut labels = vec![("program", program.name.as_str()), ("python", python), ("version", version)];
    labels.extend(versions.filter(|(name, _)| is_label(name)));
    out.sample("nilometer_run_info", &labels, "1");
    out.family("nilometer_verdict", "stateset", "", measure::VERDICT);
    for verdict in [Verdict::Leak, Verdict::NoLeak, Verdict::Undecided] {
        let word = verdict_words(verdict).replace(' ', "_");
        out.sample(
            "nilometer_verdict",
            &[("nilometer_verdict", &word)],
            if verdict == report.verdict { "1" } else { "0" },
        );
    }
    out.family("nilometer_cycles", "counter", "", measure::CYCLES);
    out.sample("nilometer_cycles_total", &[("unit", report.cycles.unit)], &report.cycles.count.to_string());
    out.family("nilometer_run_seconds", "gauge", "seconds", measure::SECONDS);
    out.sample("nilometer_run_seconds", &[], &program.seconds.to_string());
    bytes(&mut out, "live", measure::LIVE, memory.live_bytes);
    bytes(&mut out, "anonymous", measure::ANONYMOUS, memory.anonymous_bytes);
    bytes(&mut out, "peak", measure::PEAK, memory.peak_bytes);
    bytes(&mut out, "limit", measure::LIMIT, memory.limit_bytes);
    bytes(&mut out, "headroom", measure::HEADROOM, memory.headroom_bytes);
    if let Some(growth) = &report.growth {
        let name = "nilometer_growth_bytes";
        out.family(name, "gauge", "bytes", measure::GROWTH);
        let bytes = growth.bytes_per_cycle;
        for (bound, bytes) in [("estimate", bytes.estimate), ("low", bytes.low), ("high", bytes.high)] {
            out.sample(name, &[("unit", report.cycles.unit), ("bound", bound)], &bytes.to_string());
        }
    }
    if let Some(seconds) = report.forecast.as_ref().and_then(|forecast| forecast.seconds_left) {
        out.family("nilometer_limit_in_seconds", "gauge", "seconds", measure::LIMIT_IN);
        out.sample("nilometer_limit_in_seconds", &[], &seconds.to_string());
    }
    if !report.findings.is_empty() {
        out.family("nilometer_finding_bytes", "gauge", "bytes", measure::FINDINGS);
    }
    for (i, finding) in report.findings.iter().enumerate() {
        self::finding(&mut out, i + 1, finding);
    }
    if let Some(row) = material.cycles.last().filter(|row| !row.counts.is_empty()) {
        out.family("nilometer_count", "gauge", "", measure::COUNTS);
        for (name, count) in &row.counts {
            out.sample("nilometer_count", &[("of", name)], &count.to_string());
        }
    }
    out.end()
}

fn finding(out: &mut Exposition, number: usize, finding: &Finding) {
    let site = finding.sites.first();
    let line = site.map_or(String::new(), |site| site.line.to_string());
    out.sample(
        "nilometer_finding_bytes",
        &[
            ("finding", &number.to_string()),
            ("cause", &finding.cause),
            ("confidence", finding.confidence),
            ("phase", finding.phase.as_deref().unwrap_or_default()),
            ("file", site.map_or("", |site| &site.file)),
            ("line", &line),
            ("function", site.map_or("", |site| &site.function)),
            ("holder", finding.holder.as_ref().map_or("", |holder| &holder.path)),
        ],
        &finding.bytes_per_cycle.estimate.to_string(),
    );
}

fn bytes(out: &mut Exposition, what: &str, help: &str, bytes: Option<u64>) {
    if let Some(bytes) = bytes {
        let name = format!("nilometer_{what}_bytes");
        out.family(&name, "gauge", "bytes", help);
        out.sample(&name, &[], &bytes.to_string());
    }
}

fn is_label(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter)
        && name.chars().all(|c| letter(c) || c.is_ascii_digit())
        && !name.starts_with("__")
}

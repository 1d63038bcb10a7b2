//! The measures of services as OTLP: the JSON that a collector takes at `/v1/metrics`.
//!
//! In: states of processes and the time. Out: one document. Names and labels are those of the text for Prometheus.

use serde_json::{Value, json};

use crate::measures::{Evaluations, Family, Sample, families};
use crate::status::Status;

/// One export request; `at_ns` is the time of the figures, `began_ns` that from which counters count, both in nanoseconds since 1970.
pub fn otlp(statuses: &[Status], evaluations: Evaluations, at_ns: u64, began_ns: u64) -> String {
    let program = statuses.first().map_or("program", |status| &status.program);
    let metrics: Vec<Value> =
        families(statuses, evaluations).iter().map(|family| metric(family, at_ns, began_ns)).collect();
    json!({
        "resourceMetrics": [{
            "resource": { "attributes": [attribute("service.name", program)] },
            "scopeMetrics": [{
                "scope": { "name": "nilometer", "version": env!("CARGO_PKG_VERSION") },
                "metrics": metrics,
            }],
        }],
    })
    .to_string()
}

fn metric(family: &Family, at_ns: u64, began_ns: u64) -> Value {
    let points: Vec<Value> = family.samples.iter().map(|sample| point(sample, at_ns, began_ns)).collect();
    let unit = match family.unit {
        "bytes" => "By",
        "seconds" => "s",
        _ => "1",
    };
    let mut metric = json!({ "name": family.name, "description": family.help, "unit": unit });
    let (kind, data) = if family.kind == "counter" {
        // Cumulative.
        ("sum", json!({ "dataPoints": points, "aggregationTemporality": 2, "isMonotonic": true }))
    } else {
        ("gauge", json!({ "dataPoints": points }))
    };
    if let Some(fields) = metric.as_object_mut() {
        fields.insert(kind.to_owned(), data);
    }
    metric
}

fn point(sample: &Sample, at_ns: u64, began_ns: u64) -> Value {
    let labels: Vec<Value> = sample.labels.iter().map(|(name, text)| attribute(name, text)).collect();
    // Whole numbers of 64 bits are strings in the JSON of protocol buffers.
    json!({
        "attributes": labels,
        "startTimeUnixNano": began_ns.to_string(),
        "timeUnixNano": at_ns.to_string(),
        "asDouble": sample.value,
    })
}

fn attribute(name: &str, text: &str) -> Value {
    json!({ "key": name, "value": { "stringValue": text } })
}

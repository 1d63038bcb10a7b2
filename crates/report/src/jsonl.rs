//! One JSON object per line: the run, then each cycle, then each finding, for tools that read streams of lines.
//!
//! The key `type` says what a line is: `run`, `cycle` or `finding`. Their fields are those of the report's schema and of
//! the table of cycles.

use serde_json::{Value, json};

use crate::render_input::RenderInput;

/// Lines of JSON.
pub fn jsonl(material: &RenderInput) -> String {
    let report = material.report;
    let run = json!({
        "type": "run", "schema": "nilometer.lines/1", "began": material.began, "program": report.program,
        "verdict": report.verdict, "reason": report.reason, "job": report.job, "cycles": report.cycles, "growth": report.growth,
        "forecast": report.forecast, "memory": report.memory, "losses": report.losses,
    });
    let mut out = format!("{run}\n");
    for row in material.cycles {
        out += &line("cycle", serde_json::to_value(row));
    }
    for finding in &report.findings {
        out += &line("finding", serde_json::to_value(finding));
    }
    out
}

fn line(kind: &str, value: serde_json::Result<Value>) -> String {
    // Rows hold strings, whole numbers and finite floats under string keys: they always serialise.
    let mut value = value.unwrap_or_default();
    value["type"] = json!(kind);
    format!("{value}\n")
}

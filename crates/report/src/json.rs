//! The report as JSON, for programs; its shape is `docs/report.schema.json`.

use nilometer_diagnose::Report;

/// One JSON document, indented, with a line break at its end.
pub fn json(report: &Report) -> String {
    // A report holds strings, whole numbers and finite floats under string keys: it always serialises.
    serde_json::to_string_pretty(report).map_or_else(|_| String::new(), |text| text + "\n")
}

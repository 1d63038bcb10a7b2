//! SARIF 2.1.0: findings as results of an analysis, for code scanning and editors.
//!
//! Files are told relative to the folder that the program was started in, which readers take for the checkout. A result's
//! fingerprint is made of its cause, function and file, not of its line, so that edits elsewhere keep it the same.

use nilometer_diagnose::{Finding, Frame, Report, Site};
use serde_json::{Value, json};

use crate::claim::{place, sentence};
use crate::headline::Headline;
use crate::render_input::label;
use crate::words::profile;

/// One JSON document.
pub fn sarif(report: &Report) -> String {
    let mut causes: Vec<&str> = report.findings.iter().map(|finding| finding.cause.as_str()).collect();
    causes.sort_unstable();
    causes.dedup();
    let rules: Vec<Value> = causes
        .iter()
        .map(|cause| json!({ "id": cause, "shortDescription": { "text": cause.replace('-', " ") } }))
        .collect();
    let results: Vec<Value> =
        report.findings.iter().map(|f| result(f, &causes, report.cycles.unit)).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "nilometer", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules,
            } },
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": [{ "level": "note", "message": { "text": Headline::of(report).sentence() } }],
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": { "verdict": report.verdict, "cycles": report.cycles.count, "unit": report.cycles.unit },
        }],
    });
    format!("{document:#}\n")
}

fn result(finding: &Finding, causes: &[&str], unit: &str) -> Value {
    let place = place(finding);
    let others = finding.sites.iter().filter(|site| site.line > 0 && Some(*site) != place);
    let mut out = json!({
        "ruleId": finding.cause,
        "ruleIndex": causes.iter().position(|cause| *cause == finding.cause),
        "level": if finding.confidence == "possible" { "note" } else { "warning" },
        "message": { "text": sentence(finding, unit) },
        "locations": place.map(|site| vec![location(site)]).unwrap_or_default(),
        "relatedLocations": others.map(location).collect::<Vec<_>>(),
        "partialFingerprints": { "nilometerSite/v1": fingerprint(finding, place) },
        "properties": {
            "confidence": finding.confidence, "bytesPerCycle": finding.bytes_per_cycle, "phase": finding.phase,
        },
    });
    if !finding.stack.is_empty() {
        let frames: Vec<Value> = finding.stack.iter().map(frame).collect();
        out["stacks"] = json!([{ "message": { "text": profile::MOSTLY_MADE }, "frames": frames }]);
    }
    out
}

fn location(site: &Site) -> Value {
    let mut region = json!({ "startLine": site.line });
    if let Some(text) = &site.text {
        region["snippet"] = json!({ "text": text });
    }
    json!({
        "physicalLocation": { "artifactLocation": { "uri": uri(&site.file) }, "region": region },
        "logicalLocations": [{ "fullyQualifiedName": site.function, "kind": "function" }],
        "message": { "text": site.role.replace('_', " ") },
    })
}

fn frame(frame: &Frame) -> Value {
    let mut location = json!({ "message": { "text": label(frame) } });
    if frame.line > 0 {
        location["physicalLocation"] = json!({
            "artifactLocation": { "uri": uri(&frame.file) }, "region": { "startLine": frame.line },
        });
    }
    json!({ "location": location })
}

/// A path as a reference: what has a meaning there is written as its code.
fn uri(path: &str) -> String {
    let mut out = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

/// FNV-1a over what does not change when lines move.
fn fingerprint(finding: &Finding, place: Option<&Site>) -> String {
    let (file, function) = place.map_or(("", ""), |site| (&site.file, &site.function));
    let part = finding.part.as_deref().unwrap_or_default();
    let text = [finding.cause.as_str(), file, function, part].join("\0");
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

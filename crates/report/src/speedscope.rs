//! Speedscope's own file: three flame graphs over the same frames.
//!
//! What lives at the end, what stays per cycle, and what lives in the order of its birth ("time order" there reads as
//! the course of the run).

use serde_json::{Value, json};

use crate::render_input::{RenderInput, Weight, label};
use crate::words::profile as profile_words;

/// One JSON document.
pub fn speedscope(material: &RenderInput) -> String {
    let frames: Vec<Value> = material.profile.map_or_else(Vec::new, |profile| {
        let frame = |frame: &nilometer_diagnose::Frame| {
            let mut out = json!({ "name": label(frame) });
            if !frame.file.is_empty() {
                out["file"] = json!(frame.file);
            }
            if frame.line > 0 {
                out["line"] = json!(frame.line);
            }
            out
        };
        profile.frames.iter().map(frame).collect()
    });
    let unit = material.report.cycles.unit;
    let program = &material.report.program.name;
    let document = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": program,
        "exporter": concat!("nilometer ", env!("CARGO_PKG_VERSION")),
        "activeProfileIndex": 0,
        "shared": { "frames": frames },
        "profiles": [
            sampled(profile_words::LIVE, of_weight(material, Weight::Live)),
            sampled(&format!("growth per {unit}"), of_weight(material, Weight::Growth)),
            sampled(profile_words::LIVE_BY_BIRTH, by_birth(material)),
        ],
    });
    document.to_string() + "\n"
}

type Samples<'a> = Vec<(&'a [u32], u64)>;

fn of_weight<'a>(material: &'a RenderInput, weight: Weight) -> Samples<'a> {
    let heavy = material.stacks().map(|stack| (stack.frames.as_slice(), weight.of(stack)));
    heavy.filter(|(_, bytes)| *bytes > 0).collect()
}

fn by_birth<'a>(material: &'a RenderInput) -> Samples<'a> {
    let mut births: Vec<(u32, &[u32], u64)> = Vec::new();
    for stack in material.stacks() {
        for (bin, bytes) in &stack.births {
            births.push((*bin, &stack.frames, u64::try_from(*bytes).unwrap_or(0)));
        }
    }
    births.sort_by_key(|(bin, ..)| *bin);
    births.into_iter().map(|(_, frames, bytes)| (frames, bytes)).collect()
}

fn sampled(name: &str, samples: Samples) -> Value {
    let all: u64 = samples.iter().map(|(_, bytes)| bytes).sum();
    let (stacks, weights): (Vec<&[u32]>, Vec<u64>) = samples.into_iter().unzip();
    json!({
        "type": "sampled", "name": name, "unit": "bytes", "startValue": 0, "endValue": all,
        "samples": stacks, "weights": weights,
    })
}

//! Firefox Profiler's own file, "processed profile" of version 53; newer versions of the profiler read it too.
//!
//! Each sample is what lives at the end of one stack and one cycle of birth, at the time when that cycle ended, so that a
//! selection in the timeline is a selection of births. The curve of live memory is a counter above it.

use std::collections::HashMap;

use nilometer_diagnose::Frame;
use serde_json::{Value, json};

use crate::render_input::{RenderInput, label};

const CATEGORIES: [(&str, &str, &str); 5] = [
    ("user", "Your code", "yellow"),
    ("library", "Libraries", "blue"),
    ("standard", "Python", "green"),
    ("native", "Machine code", "grey"),
    ("cut", "Frames missing", "transparent"),
];

/// One JSON document.
pub fn firefox(material: &RenderInput) -> String {
    let report = material.report;
    let pid = report.program.pid.unwrap_or(0).to_string();
    let categories = CATEGORIES
        .map(|(_, name, color)| json!({ "name": name, "color": color, "subcategories": ["Other"] }));
    let document = json!({
        "meta": {
            "categories": categories,
            "debug": false,
            "extensions": { "length": 0, "baseURL": [], "id": [], "name": [] },
            "interval": 1.0,
            "preprocessedProfileVersion": 53,
            "processType": 0,
            "product": format!("nilometer: {}", report.program.name),
            "sampleUnits": { "time": "ms", "eventDelay": "ms", "threadCPUDelta": "\u{b5}s" },
            "startTime": material.began * 1000.0,
            "symbolicated": true,
            "pausedRanges": [],
            "version": 24,
            "usesOnlyOneStackType": true,
            "doesNotUseFrameImplementation": true,
            "sourceCodeIsNotOnSearchfox": true,
            "markerSchema": [],
        },
        "libs": [],
        "threads": [thread(material, &pid)],
        "pages": [],
        "profilerOverhead": [],
        "counters": [counter(material, &pid)],
    });
    document.to_string() + "\n"
}

fn thread(material: &RenderInput, pid: &str) -> Value {
    let mut strings = Strings::default();
    let mut frames = FrameTable::default();
    let known = material.profile.map_or(&[][..], |profile| &profile.frames);
    for frame in known {
        frames.add(frame, &mut strings);
    }
    let (stacks, samples) = samples(material);
    let nulls = |length: usize| vec![Value::Null; length];
    let count = known.len();
    json!({
        "name": "sampled memory",
        "isMainThread": true,
        "processName": material.report.program.name,
        "processType": "default",
        "processStartupTime": 0,
        "processShutdownTime": material.report.program.seconds * 1000.0,
        "registerTime": 0,
        "unregisterTime": null,
        "pausedRanges": [],
        "showMarkersInTimeline": false,
        "pid": pid,
        "tid": pid,
        "frameTable": {
            "length": count, "address": vec![-1; count], "inlineDepth": vec![0; count],
            "category": frames.categories, "subcategory": vec![0; count],
            "func": (0..count).collect::<Vec<_>>(), "nativeSymbol": nulls(count), "innerWindowID": nulls(count),
            "implementation": nulls(count), "line": frames.lines, "column": nulls(count),
        },
        "funcTable": {
            "length": count, "name": frames.names, "isJS": vec![false; count], "relevantForJS": vec![false; count],
            "resource": vec![-1; count], "fileName": frames.files, "lineNumber": frames.lines,
            "columnNumber": nulls(count),
        },
        "stackTable": { "length": stacks.frames.len(), "prefix": stacks.prefixes, "frame": stacks.frames },
        "samples": samples,
        "markers": {
            "length": 0, "category": [], "data": [], "endTime": [], "name": [], "phase": [], "startTime": [],
        },
        "nativeSymbols": { "length": 0, "address": [], "functionSize": [], "libIndex": [], "name": [] },
        "resourceTable": { "length": 0, "lib": [], "name": [], "host": [], "type": [] },
        "stringArray": strings.all,
    })
}

#[derive(Default)]
struct Strings {
    all: Vec<String>,
    known: HashMap<String, usize>,
}

impl Strings {
    fn id(&mut self, text: &str) -> usize {
        if let Some(id) = self.known.get(text) {
            return *id;
        }
        self.all.push(text.to_owned());
        self.known.insert(text.to_owned(), self.all.len() - 1);
        self.all.len() - 1
    }
}

#[derive(Default)]
struct FrameTable {
    names: Vec<usize>,
    files: Vec<Option<usize>>,
    lines: Vec<Option<u32>>,
    categories: Vec<usize>,
}

impl FrameTable {
    fn add(&mut self, frame: &Frame, strings: &mut Strings) {
        self.names.push(strings.id(&label(frame)));
        self.files.push((!frame.file.is_empty()).then(|| strings.id(&frame.file)));
        self.lines.push((frame.line > 0).then_some(frame.line));
        self.categories.push(CATEGORIES.iter().position(|(kind, ..)| *kind == frame.kind).unwrap_or(0));
    }
}

/// A tree: each node is a frame below another node.
#[derive(Default)]
struct Stacks {
    prefixes: Vec<Option<usize>>,
    frames: Vec<u32>,
    known: HashMap<(Option<usize>, u32), usize>,
}

impl Stacks {
    fn id(&mut self, frames: &[u32]) -> Option<usize> {
        let mut node = None;
        for frame in frames {
            let next = self.frames.len();
            let id = *self.known.entry((node, *frame)).or_insert(next);
            if id == next {
                self.prefixes.push(node);
                self.frames.push(*frame);
            }
            node = Some(id);
        }
        node
    }
}

fn samples(material: &RenderInput) -> (Stacks, Value) {
    let mut stacks = Stacks::default();
    let mut births: Vec<(u32, Option<usize>, i64)> = Vec::new();
    for stack in material.stacks() {
        let id = stacks.id(&stack.frames);
        births.extend(stack.births.iter().map(|(bin, bytes)| (*bin, id, *bytes)));
    }
    births.sort_by_key(|(bin, ..)| *bin);
    let times: Vec<f64> = births.iter().map(|(bin, ..)| material.bin_end(*bin) * 1000.0).collect();
    let samples = json!({
        "length": births.len(), "weightType": "bytes",
        "stack": births.iter().map(|(_, stack, _)| *stack).collect::<Vec<_>>(),
        "time": times,
        "weight": births.iter().map(|(.., bytes)| *bytes).collect::<Vec<_>>(),
        "threadCPUDelta": vec![Value::Null; births.len()],
    });
    (stacks, samples)
}

/// The curve, as changes from point to point.
fn counter(material: &RenderInput, pid: &str) -> Value {
    let mut level = 0;
    let (mut times, mut changes) = (Vec::new(), Vec::new());
    for point in &material.report.timeline {
        if let Some(live) = point.live_bytes.or(point.anonymous_bytes) {
            times.push(point.seconds * 1000.0);
            changes.push(live.cast_signed() - level);
            level = live.cast_signed();
        }
    }
    json!({
        "category": "Memory", "name": "malloc", "description": "Live memory", "mainThreadIndex": 0, "pid": pid,
        "samples": { "length": times.len(), "count": changes, "number": vec![0; times.len()], "time": times },
    })
}

//! `profile.proto`, gzipped: opens in pprof, Perfetto and what else reads pprof's profiles.
//!
//! Values of a sample: bytes that live at the end, bytes that stay per cycle (below zero where more went than came), and
//! samples. Field numbers are those of the published schema.

use std::collections::HashMap;

use std::io::Read as _;

use flate2::Compression;
use flate2::bufread::GzEncoder;
use nilometer_diagnose::Frame;

use crate::protobuf::{Message, whole};
use crate::render_input::RenderInput;

mod field {
    pub(super) const SAMPLE_TYPE: u64 = 1;
    pub(super) const SAMPLE: u64 = 2;
    pub(super) const LOCATION: u64 = 4;
    pub(super) const FUNCTION: u64 = 5;
    pub(super) const STRING: u64 = 6;
    pub(super) const TIME: u64 = 9;
    pub(super) const DURATION: u64 = 10;
    pub(super) const PERIOD_TYPE: u64 = 11;
    pub(super) const PERIOD: u64 = 12;
    pub(super) const COMMENT: u64 = 13;
    pub(super) const DEFAULT_TYPE: u64 = 14;
}

/// One gzip file.
pub fn pprof(material: &RenderInput) -> Vec<u8> {
    let report = material.report;
    let mut strings = Strings::default();
    strings.id("");
    let mut out = Message::default();
    let (bytes, phase, space) = (strings.id("bytes"), strings.id("phase"), strings.id("space"));
    let (live, growth) = (strings.id("live"), strings.id(&format!("growth_per_{}", report.cycles.unit)));
    let (samples, count) = (strings.id("samples"), strings.id("count"));
    for (kind, unit) in [(live, bytes), (growth, bytes), (samples, count)] {
        out.message(field::SAMPLE_TYPE, |m| {
            m.number(1, kind).number(2, unit);
        });
    }
    for stack in material.stacks() {
        let within = stack.phase.as_deref().map(|name| strings.id(name));
        out.message(field::SAMPLE, |m| {
            m.packed(1, stack.frames.iter().rev().map(|frame| i64::from(*frame) + 1));
            m.packed(2, [stack.live_bytes, stack.bytes_per_cycle, stack.samples.cast_signed()]);
            if let Some(within) = within {
                m.message(3, |m| {
                    m.number(1, phase).number(2, within);
                });
            }
        });
    }
    let mut functions = Functions::default();
    for (i, frame) in material.profile.map_or(&[][..], |p| &p.frames).iter().enumerate() {
        let function = functions.id(frame, &mut strings);
        out.message(field::LOCATION, |m| {
            m.number(1, whole(i) + 1).message(4, |m| {
                m.number(1, function).number(2, i64::from(frame.line));
            });
        });
    }
    for (i, (name, file)) in functions.all.iter().enumerate() {
        out.message(field::FUNCTION, |m| {
            m.number(1, whole(i) + 1).number(2, *name).number(3, *name).number(4, *file);
        });
    }
    out.number(field::TIME, (material.began * 1e9) as i64);
    out.number(field::DURATION, (report.program.seconds * 1e9) as i64);
    out.message(field::PERIOD_TYPE, |m| {
        m.number(1, space).number(2, bytes);
    });
    let mean = report.sampling.as_ref().and_then(|s| s.asked_mean).unwrap_or(1);
    out.number(field::PERIOD, mean.cast_signed());
    let said = format!("{}: {}", report.program.name, report.reason);
    out.packed(field::COMMENT, [strings.id(&said)]);
    out.number(field::DEFAULT_TYPE, live);
    for text in &strings.all {
        out.text(field::STRING, text);
    }
    compressed(&out.into_bytes())
}

#[derive(Default)]
struct Strings {
    all: Vec<String>,
    known: HashMap<String, i64>,
}

impl Strings {
    fn id(&mut self, text: &str) -> i64 {
        if let Some(id) = self.known.get(text) {
            return *id;
        }
        let id = whole(self.all.len());
        self.all.push(text.to_owned());
        self.known.insert(text.to_owned(), id);
        id
    }
}

/// Functions by name and file.
#[derive(Default)]
struct Functions {
    all: Vec<(i64, i64)>,
    known: HashMap<(i64, i64), i64>,
}

impl Functions {
    fn id(&mut self, frame: &Frame, strings: &mut Strings) -> i64 {
        let name = match (frame.kind, frame.function.as_str()) {
            ("cut", "") => "frames missing",
            (_, "") => "?",
            (_, function) => function,
        };
        let key = (strings.id(name), strings.id(&frame.file));
        let next = whole(self.all.len()) + 1;
        *self.known.entry(key).or_insert_with(|| {
            self.all.push(key);
            next
        })
    }
}

/// A gzip file without a time, so that the same report makes the same bytes.
fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // Reading from memory does not fail.
    GzEncoder::new(bytes, Compression::default()).read_to_end(&mut out).unwrap_or_default();
    out
}

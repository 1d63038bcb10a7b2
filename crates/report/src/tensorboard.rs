//! An event file for `TensorBoard`: scalars per cycle, the findings as text, the curve as a picture.
//!
//! A file is records of a length, its checksum, an event and its checksum; events are protobuf messages with the published
//! field numbers. `TensorBoard` finds a file by the `tfevents` in its name.

use nilometer_diagnose::CycleRow;

use crate::markdown::markdown;
use crate::picture;
use crate::protobuf::{Message, whole};
use crate::render_input::RenderInput;

mod event {
    pub(super) const WALL_TIME: u64 = 1;
    pub(super) const STEP: u64 = 2;
    pub(super) const VERSION: u64 = 3;
    pub(super) const SUMMARY: u64 = 5;
    pub(super) const SESSION: u64 = 7;
}

mod value {
    pub(super) const TAG: u64 = 1;
    pub(super) const SIMPLE: u64 = 2;
    pub(super) const IMAGE: u64 = 4;
    pub(super) const TENSOR: u64 = 8;
    pub(super) const METADATA: u64 = 9;
}

/// One event file.
pub fn tensorboard(material: &RenderInput) -> Vec<u8> {
    let mut out = tensorboard_start(material.began);
    out.extend(tensorboard_cycles(material.began, material.cycles));
    out.extend(tensorboard_end(material));
    out
}

/// How an event file begins; `began` is in seconds since 1970.
pub fn tensorboard_start(began: f64) -> Vec<u8> {
    let mut out = Vec::new();
    record(&mut out, |m| {
        m.double(event::WALL_TIME, began).text(event::VERSION, "brain.Event:2");
    });
    out
}

/// Cycles, as they go on in an event file.
pub fn tensorboard_cycles(began: f64, cycles: &[CycleRow]) -> Vec<u8> {
    let mut out = Vec::new();
    for row in cycles {
        cycle(&mut out, began, row);
    }
    out
}

/// Takes back all cycles that an event file has so far: something else is counted from now on.
pub fn tensorboard_restart(now: f64) -> Vec<u8> {
    const STATUS: u64 = 1;
    const START: i64 = 1;
    let mut out = Vec::new();
    record(&mut out, |m| {
        m.double(event::WALL_TIME, now).message(event::SESSION, |m| {
            m.number(STATUS, START);
        });
    });
    out
}

/// How an event file ends: the report, the growth, the curve.
pub fn tensorboard_end(material: &RenderInput) -> Vec<u8> {
    let mut out = Vec::new();
    let report = material.report;
    let last = material.cycles.last().map_or(0, |row| row.cycle);
    at(&mut out, material.began + report.program.seconds, last, |m| {
        m.message(1, |m| text(m, "memory/report", &markdown(material)));
        if let Some(growth) = &report.growth {
            let bytes = growth.bytes_per_cycle;
            for (name, bytes) in [("estimate", bytes.estimate), ("low", bytes.low), ("high", bytes.high)] {
                let tag = format!("memory_growth_per_{}/{name}", report.cycles.unit);
                m.message(1, |m| scalar(m, &tag, bytes as f64));
            }
        }
        if let Some(picture) = picture::curve(report) {
            m.message(1, |m| image(m, "memory/curve", &picture));
        }
    });
    out
}

fn cycle(out: &mut Vec<u8>, began: f64, row: &CycleRow) {
    at(out, began + row.seconds, row.cycle, |m| {
        let levels = [
            ("live_bytes", row.live_bytes),
            ("anonymous_bytes", row.anonymous_bytes),
            ("file_bytes", row.file_bytes),
            ("free_bytes", row.free_bytes),
            ("python_bytes", row.python_bytes),
        ];
        for (name, bytes) in levels {
            if let Some(bytes) = bytes {
                m.message(1, |m| scalar(m, &format!("memory/{name}"), bytes as f64));
            }
        }
        for (name, count) in &row.counts {
            m.message(1, |m| scalar(m, &format!("counts/{name}"), *count as f64));
        }
    });
}

/// An event with a summary.
fn at(out: &mut Vec<u8>, seconds: f64, step: u64, fill: impl FnOnce(&mut Message)) {
    record(out, |m| {
        m.double(event::WALL_TIME, seconds).number(event::STEP, step.cast_signed());
        m.message(event::SUMMARY, fill);
    });
}

fn scalar(m: &mut Message, tag: &str, number: f64) {
    m.text(value::TAG, tag).float(value::SIMPLE, number as f32);
}

/// A tensor of one string, which the text plugin shows as Markdown.
fn text(m: &mut Message, tag: &str, words: &str) {
    const STRING: i64 = 7;
    const IS_TENSOR: i64 = 2;
    m.text(value::TAG, tag);
    m.message(value::TENSOR, |m| {
        m.number(1, STRING).message(2, |m| {
            m.message(2, |m| {
                m.number(1, 1);
            });
        });
        m.text(8, words);
    });
    m.message(value::METADATA, |m| {
        m.message(1, |m| {
            m.text(1, "text");
        });
        m.number(4, IS_TENSOR);
    });
}

fn image(m: &mut Message, tag: &str, picture: &picture::Picture) {
    const RGB: i64 = 3;
    m.text(value::TAG, tag).message(value::IMAGE, |m| {
        m.number(1, whole(picture.height))
            .number(2, whole(picture.width))
            .number(3, RGB)
            .bytes(4, &picture.png);
    });
}

fn record(out: &mut Vec<u8>, fill: impl FnOnce(&mut Message)) {
    let mut message = Message::default();
    fill(&mut message);
    let event = message.into_bytes();
    let length = (event.len() as u64).to_le_bytes();
    out.extend(length);
    out.extend(masked(&length));
    out.extend(&event);
    out.extend(masked(&event));
}

/// Event files turn their checksums and add a number, so that a checksum over checksums stays one.
fn masked(bytes: &[u8]) -> [u8; 4] {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes()
}

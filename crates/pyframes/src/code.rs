//! Reads code objects: names and lines.
//!
//! In: the address of a live code object. Out: its names, its first line, the line of an instruction. Any
//! other address has no names and no lines.

use crate::Frame;
use crate::layout::{BYTES, LENGTH, Layout, OBJECT_TYPE};
use crate::memory::{bytes, int, word};
use crate::text::{self, Text};

/// The facts of a code object besides its names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeFacts {
    /// The line where its source begins, counted from 1; 0 if unknown.
    pub first_line: u32,
    /// Both names could be read; an unreadable one is `?`.
    pub named: bool,
}

/// A longer line table is invalid; the longest in the standard library has 60 KiB.
const MAX_TABLE_BYTES: u64 = 1 << 26;

pub(crate) fn is_code(layout: &Layout, code: u64) -> bool {
    word(code, OBJECT_TYPE) == Some(layout.types.code)
}

pub(crate) fn line(layout: &Layout, frame: Frame) -> u32 {
    if !is_code(layout, frame.code) {
        return 0;
    }
    let Some(first_line) = int(frame.code, layout.code.first_line) else {
        return 0;
    };
    let unknown = u32::try_from(first_line).unwrap_or(0);
    if frame.instruction == Frame::NOT_STARTED {
        return unknown;
    }
    in_table(layout, frame, first_line).unwrap_or(unknown)
}

fn in_table(layout: &Layout, frame: Frame, first_line: i32) -> Option<u32> {
    let table = word(frame.code, layout.code.line_table)?;
    if word(table, OBJECT_TYPE)? != layout.types.bytes {
        return None;
    }
    let length = word(table, LENGTH).filter(|length| *length <= MAX_TABLE_BYTES)?;
    bytes(table, BYTES, length, |table| layout.lines.line(table, first_line, frame.instruction))?
}

pub(crate) fn facts(layout: &Layout, code: u64, into: &mut Text) -> CodeFacts {
    into.clear();
    if !is_code(layout, code) {
        return CodeFacts::default();
    }
    let file = word(code, layout.code.file).and_then(|text| text::copy_tail(layout, text, &mut into.file));
    let name =
        word(code, layout.code.name).and_then(|text| text::copy_head(layout, text, &mut into.function));
    CodeFacts {
        first_line: int(code, layout.code.first_line).and_then(|line| u32::try_from(line).ok()).unwrap_or(0),
        named: file.is_some() && name.is_some(),
    }
}

pub(crate) fn identity(layout: &Layout, code: u64) -> u64 {
    if !is_code(layout, code) {
        return 0;
    }
    let fields = layout.code;
    let line = int(code, fields.first_line).map_or(0, |line| u64::from(line.cast_unsigned()));
    let name = word(code, fields.name).unwrap_or(0);
    let file = word(code, fields.file).unwrap_or(0);
    [code, line, name, file].into_iter().fold(0, mix)
}

/// Spreads every bit of `word` over the hash: an odd factor carries upwards, the shift downwards.
fn mix(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

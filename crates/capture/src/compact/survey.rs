//! What stands in each unit, as compaction needs to know it.
//!
//! In: the file, and who is still there. Out: the segments that are read now, in the order of time, and which of them nobody adds
//! to any more. What must not happen here: a segment taken for closed whose writer may still add to it.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use crate::claim::offset_of;
use crate::decode::Rest;
use crate::layout::{
    COMMITTED, COMPACT_MAGIC, FREE_MAGIC, SEGMENT_HEADER, SEGMENT_MAGIC, TAKEN, UNIT, WORD, seg, stride,
    u32_at, u64_at, word_kind, word_payload,
};
use crate::record::kind;
use crate::walk::is_visible;

/// What a unit is, by its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Claimed behind the end and not begun, or damaged.
    Unknown,
    /// Anyone may take it.
    Free,
    /// This process took it and has not begun it.
    Taken(u32),
    /// Of a compaction that did not come to its end.
    Pending,
    /// Marked by a compaction that did not come to its end.
    Marked,
    /// Nobody reads it any more.
    Dead,
    /// It is read.
    Read { pid: u32, is_closed: bool },
}

/// A segment that is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) unit: u64,
    /// The time of its first record.
    pub(super) first_ns: u64,
    /// Nobody adds to it, and it may be replaced.
    pub(super) is_closed: bool,
}

/// What the header of a unit says in this generation.
pub(super) fn state(head: &[u8], generation: u64) -> State {
    let field = |at| u32_at(head, at).unwrap_or(0);
    match u64_at(head, 0) {
        Some(FREE_MAGIC) => State::Free,
        Some(word) if word >> 32 == TAKEN >> 32 => State::Taken(word as u32),
        Some(SEGMENT_MAGIC | COMPACT_MAGIC) => {
            let (born, died) = (field(seg::BORN), u64::from(field(seg::DIED)));
            match () {
                () if died != 0 && died <= generation => State::Dead,
                () if !is_visible(head, generation) => State::Pending,
                () if died != 0 => State::Marked,
                () => State::Read { pid: field(seg::PID), is_closed: born != seg::WRITTEN },
            }
        }
        _ => State::Unknown,
    }
}

/// Reads a unit, or as much of it as `buffer` holds; false if it is not there.
pub(super) fn read_unit(file: &File, unit: u64, buffer: &mut [u8]) -> bool {
    offset_of(unit).is_some_and(|offset| file.read_exact_at(buffer, offset).is_ok())
}

/// All segments that are read, the oldest first.
pub(super) fn segments(file: &File, units: u64, generation: u64, is_gone: fn(u32) -> bool) -> Vec<Segment> {
    let mut buffer = vec![0; UNIT];
    let mut found = Vec::new();
    for unit in 0..units {
        if !read_unit(file, unit, &mut buffer) {
            continue;
        }
        let State::Read { pid, is_closed } = state(&buffer, generation) else { continue };
        let (first_ns, is_nursery) = first(&buffer);
        let is_one_unit = u32_at(&buffer, seg::UNITS) == Some(1);
        let is_closed = (is_closed || is_gone(pid)) && !is_nursery && is_one_unit;
        found.push(Segment { unit, first_ns, is_closed });
    }
    found.sort_by_key(|segment| segment.first_ns);
    found
}

/// Whether young samples lie in it.
pub(super) fn is_nursery(segment: &[u8]) -> bool {
    first(segment).1
}

/// The time of the first record, and whether that is a nursery.
fn first(segment: &[u8]) -> (u64, bool) {
    let mut offset = SEGMENT_HEADER;
    while let Some(word) = u32_at(segment, offset).filter(|word| *word != 0) {
        if word & COMMITTED != 0 {
            let payload = segment.get(offset + WORD..).unwrap_or_default();
            let is_nursery = word_kind(word) == kind::NURSERY;
            return (Rest::new(payload).number().unwrap_or(0), is_nursery);
        }
        offset += stride(word_payload(word));
    }
    (u64::MAX, false)
}

//! Giving units back: those that nobody reads any more, and what a compaction left that was killed.
//!
//! In: the file. Out: units that writers may take. What must not happen here: a unit freed that a reader still reads, that a writer
//! has just taken, or that is not all zero behind its header.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::Ordering::AcqRel;

use super::survey::{State, is_nursery, read_unit, state};
use crate::atomics;
use crate::claim::offset_of;
use crate::layout::{FREE_MAGIC, MAX_FREE_UNITS, SEGMENT_HEADER, UNIT, at, seg};
use crate::mapping::{Mapping, empty};

/// The first page keeps its block, as the unit's header stays.
const PAGE: usize = 4096;

/// Frees each unit whose state says so.
pub(super) fn free_where(
    (file, header): (&File, &Mapping),
    units: u64,
    generation: u64,
    may_go: impl Fn(State) -> bool,
) -> std::io::Result<()> {
    let mut head = [0; SEGMENT_HEADER];
    for unit in 0..units {
        if !read_unit(file, unit, &mut head) {
            continue;
        }
        match state(&head, generation) {
            State::Free => offer(header, unit),
            State::Marked => unmark(file, unit)?,
            seen if may_go(seen) => {
                free(file, unit)?;
                offer(header, unit);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whatever was in it is gone; its header says free at the very end, and until then what it said before.
fn free(file: &File, unit: u64) -> std::io::Result<()> {
    let Some(offset) = offset_of(unit) else { return Ok(()) };
    file.write_all_at(&[0; PAGE - SEGMENT_HEADER], offset + SEGMENT_HEADER as u64)?;
    empty(file, offset + PAGE as u64, UNIT - PAGE)?;
    file.write_all_at(&FREE_MAGIC.to_le_bytes(), offset)
}

/// Tells writers where to look.
fn offer(header: &Mapping, unit: u64) {
    if unit < MAX_FREE_UNITS as u64
        && let Some(bits) = atomics::u64_at(header, at::FREE + 8 * (unit / 64) as usize)
    {
        bits.fetch_or(1 << (unit % 64), AcqRel);
    }
}

/// For when nobody writes: closes the segments of those that are gone, lets their nurseries end with this generation, and frees
/// what was claimed and never begun.
pub(super) fn close(
    (file, header): (&File, &Mapping),
    units: u64,
    generation: u64,
    is_gone: impl Fn(u32) -> bool,
) -> std::io::Result<()> {
    let mut buffer = vec![0; UNIT];
    for unit in 0..units {
        if !read_unit(file, unit, &mut buffer) {
            continue;
        }
        match state(&buffer, generation) {
            State::Read { pid, is_closed: false } if is_gone(pid) => {
                if is_nursery(&buffer) {
                    mark(file, unit, generation as u32)?;
                } else if let Some(offset) = offset_of(unit) {
                    file.write_all_at(&seg::CLOSED.to_le_bytes(), offset + seg::BORN as u64)?;
                }
            }
            State::Taken(pid) if is_gone(pid) => {
                free(file, unit)?;
                offer(header, unit);
            }
            State::Unknown if buffer.iter().all(|byte| *byte == 0) => {
                free(file, unit)?;
                offer(header, unit);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Marks a unit as not read from this generation on.
pub(super) fn mark(file: &File, unit: u64, generation: u32) -> std::io::Result<()> {
    let Some(offset) = offset_of(unit) else { return Ok(()) };
    file.write_all_at(&generation.to_le_bytes(), offset + seg::DIED as u64)
}

fn unmark(file: &File, unit: u64) -> std::io::Result<()> {
    mark(file, unit, 0)
}

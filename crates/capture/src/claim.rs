//! Getting room: which file this capture is, and the next unit of it.
//!
//! In: the path and the header mapping. Out: a fresh segment, or the reason why not. What must not happen here: an open
//! file descriptor left behind (programs close, count and pass on theirs), or a write into a file that merely has the
//! same name now.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::atomics;
use crate::layout::{FREE_MAGIC, HEADER_LEN, MAX_FREE_UNITS, Refusal, TAKEN, UNIT, at};
use crate::mapping::{Mapping, allocate, refusal_of};
use crate::segment::Segment;

/// Units that may have been claimed by others and not allocated yet; a header that claims more is not believed.
const MAX_IN_FLIGHT: u64 = 4096;

/// One part in so many of what a capture may take is not for writers: compaction needs room when they have filled the rest.
const RESERVED_DIVISOR: u64 = 4;

pub(crate) struct Source {
    path: PathBuf,
    device: u64,
    inode: u64,
    header: Arc<Mapping>,
    sequence: AtomicU32,
}

impl Source {
    pub(crate) fn new(path: PathBuf, file: &File, header: Arc<Mapping>) -> std::io::Result<Self> {
        let about = file.metadata()?;
        Ok(Self { path, device: about.dev(), inode: about.ino(), header, sequence: AtomicU32::new(0) })
    }

    /// The next segment, for this process.
    pub(crate) fn next_segment(&self, pid: u32) -> Result<Segment, Refusal> {
        let map = self.next_unit(pid, RESERVED_DIVISOR)?;
        Segment::begin(map, 1, pid, self.next_sequence()).ok_or(Refusal::Other)
    }

    /// The next segment for what compaction leaves of this process.
    pub(crate) fn next_compact(&self, pid: u32, generation: u32) -> Result<Segment, Refusal> {
        let map = self.next_unit(std::process::id(), u64::MAX)?;
        Segment::begin_compact(map, pid, self.next_sequence(), generation).ok_or(Refusal::Other)
    }

    fn next_sequence(&self) -> u32 {
        self.sequence.fetch_add(1, Relaxed)
    }

    /// A unit that is nobody else's, all zero behind the place of its header: a free one, or one more.
    /// One part in `reserved` of what there may be is left alone.
    fn next_unit(&self, pid: u32, reserved: u64) -> Result<Mapping, Refusal> {
        let (file, length) = self.reopen()?;
        let units = atomics::u64_at(&self.header, at::UNITS).ok_or(Refusal::Damaged)?;
        let believable = (length / UNIT as u64).saturating_add(MAX_IN_FLIGHT);
        let claimed = units.load(Acquire);
        if claimed > believable {
            return Err(Refusal::Damaged);
        }
        let limit = atomics::u64_at(&self.header, at::LIMIT).map_or(0, |limit| limit.load(Relaxed));
        if limit != 0 && claimed.saturating_sub(free_units(&self.header)) >= limit - limit / reserved {
            return Err(Refusal::Full);
        }
        if let Some(map) = self.free_unit(&file, claimed, pid)? {
            return Ok(map);
        }
        let index = units.fetch_add(1, Relaxed);
        let map = if limit == 0 || index < limit { map_unit(&file, index) } else { Err(Refusal::Full) };
        map.inspect_err(|_refusal| give_back(units, index))
    }

    /// A unit that was freed. The bits in the header page say where to look; the unit's own first word says whose it is.
    fn free_unit(&self, file: &File, claimed: u64, pid: u32) -> Result<Option<Mapping>, Refusal> {
        let words = claimed.div_ceil(64).min(MAX_FREE_UNITS as u64 / 64);
        for number in 0..words {
            let Some(bits) = atomics::u64_at(&self.header, at::FREE + 8 * number as usize) else { break };
            let mut seen = bits.load(Acquire);
            while seen != 0 {
                let bit = seen & seen.wrapping_neg();
                seen &= !bit;
                let index = number * 64 + u64::from(bit.trailing_zeros());
                if index >= claimed || bits.fetch_and(!bit, AcqRel) & bit == 0 {
                    continue; // somebody was faster
                }
                let map = map_unit(file, index).inspect_err(|_refusal| {
                    bits.fetch_or(bit, AcqRel);
                })?;
                let taken = TAKEN | u64::from(pid);
                let first = atomics::u64_at(&map, 0).ok_or(Refusal::Other)?;
                if first.compare_exchange(FREE_MAGIC, taken, AcqRel, Relaxed).is_ok() {
                    return Ok(Some(map));
                }
            }
        }
        Ok(None)
    }

    /// Whether this path leads to the file.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|about| (about.dev(), about.ino()) == (self.device, self.inode))
    }

    fn reopen(&self) -> Result<(File, u64), Refusal> {
        let file = open_shared(&self.path).map_err(|error| refusal_of(&error))?;
        let about = file.metadata().map_err(|error| refusal_of(&error))?;
        if (about.dev(), about.ino()) == (self.device, self.inode) && about.nlink() > 0 {
            Ok((file, about.len()))
        } else {
            Err(Refusal::Gone)
        }
    }
}

/// Units that anyone may take.
pub(crate) fn free_units(header: &Mapping) -> u64 {
    let words = (at::FREE..HEADER_LEN).step_by(8).filter_map(|offset| atomics::u64_at(header, offset));
    words.map(|word| u64::from(word.load(Relaxed).count_ones())).sum()
}

/// Allocates and maps a unit.
fn map_unit(file: &File, index: u64) -> Result<Mapping, Refusal> {
    let offset = offset_of(index).ok_or(Refusal::Damaged)?;
    allocate(file, offset, UNIT)?;
    Mapping::new(file, offset, UNIT).map_err(|error| refusal_of(&error))
}

/// Where a unit begins in the file.
pub(crate) fn offset_of(index: u64) -> Option<u64> {
    index.checked_mul(UNIT as u64)?.checked_add(HEADER_LEN as u64)
}

/// Opens for reading and writing; never waits, should a pipe stand there now.
pub(crate) fn open_shared(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

/// A unit that could not be allocated goes back if nobody claimed one after it; else it stays a hole, which readers
/// step over.
fn give_back(units: &AtomicU64, index: u64) {
    let _taken_since = units.compare_exchange(index.wrapping_add(1), index, Relaxed, Relaxed);
}

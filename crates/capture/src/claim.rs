//! Getting room: which file this capture is, and the next unit of it.
//!
//! In: the path and the header mapping. Out: a fresh segment, or the reason why not. What must not happen here: an open
//! file descriptor left behind (programs close, count and pass on theirs), or a write into a file that merely has the
//! same name now.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::atomics;
use crate::layout::{HEADER_LEN, Refusal, UNIT, at};
use crate::mapping::{Mapping, allocate, refusal_of};
use crate::segment::Segment;

/// Units that may have been claimed by others and not allocated yet; a header that claims more is not believed.
const IN_FLIGHT_MAX: u64 = 4096;

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
        let (file, length) = self.reopen()?;
        let units = atomics::u64_at(&self.header, at::UNITS).ok_or(Refusal::Damaged)?;
        let believable = (length / UNIT as u64).saturating_add(IN_FLIGHT_MAX);
        if units.load(Acquire) > believable {
            return Err(Refusal::Damaged);
        }
        let index = units.fetch_add(1, Relaxed);
        self.take_unit(&file, index, pid).inspect_err(|_refusal| give_back(units, index))
    }

    /// Whether this path leads to the file.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|about| (about.dev(), about.ino()) == (self.device, self.inode))
    }

    fn take_unit(&self, file: &File, index: u64, pid: u32) -> Result<Segment, Refusal> {
        let offset = index
            .checked_mul(UNIT as u64)
            .and_then(|bytes| bytes.checked_add(HEADER_LEN as u64))
            .ok_or(Refusal::Damaged)?;
        allocate(file, offset, UNIT)?;
        let map = Mapping::new(file, offset, UNIT).map_err(|error| refusal_of(&error))?;
        Segment::begin(map, 1, pid, self.sequence.fetch_add(1, Relaxed)).ok_or(Refusal::Other)
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

/// Opens for reading and writing; never waits, should a pipe stand there now.
pub(crate) fn open_shared(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

/// A unit that could not be allocated goes back if nobody claimed one after it; else it stays a hole, which readers
/// step over.
fn give_back(units: &AtomicU64, index: u64) {
    let _taken_since = units.compare_exchange(index.wrapping_add(1), index, Relaxed, Relaxed);
}

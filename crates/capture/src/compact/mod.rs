//! Compaction: an old part of a capture is written anew, thinned, while the program goes on writing.
//!
//! In: a capture that is in use. Out: the same capture with fewer units. What must not happen here: anything a writer could
//! wait for; a moment at which `kill -9` leaves a record twice or not at all; memory that grows with the file.
//!
//! New segments carry the generation they begin with, old ones the generation they end with, and one store into the header page
//! makes that generation the present one. Before the store readers take all of the old, after it all of the new.
//! `docs/design/months.md` goes through every step.

mod freeing;
mod output;
mod survey;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use self::freeing::{free_where, mark};
use self::output::{Measure, Output};
use self::survey::{Segment, State, read_unit};
use crate::atomics;
use crate::claim::{Source, free_units, offset_of, open_shared};
use crate::layout::{HEADER_LEN, MAX_FREE_UNITS, Refusal, UNIT, at};
use crate::mapping::{Lock, Locked, Mapping, is_gone, monotonic_ns, try_lock, unlock};
use crate::reader::Stamped;
use crate::record::Record;
use crate::thin::{Known, MAX_HARSHNESS, RUN_BEGINS, Thinning};
use crate::walk::{Skipped, decoded, walk_segment};

/// Why a capture was not compacted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompactError {
    /// Another process does.
    #[error("another process compacts this capture")]
    ByAnother,
    /// There is no room for what is to be kept.
    #[error("what is to be kept has no room: {}", .0.words())]
    NoRoom(Refusal),
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// What a compaction did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// Units in use before and after, without those that are still to be freed.
    pub before: u64,
    /// The same afterwards.
    pub after: u64,
    /// How harsh it had to be.
    pub harshness: u8,
}

/// The runs that a capture holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Earlier {
    pub(crate) runs: u64,
    /// The time of the last record.
    pub(crate) last_ns: u64,
}

/// Keeps one capture small. There is one at most for each.
pub struct Compactor {
    file: Locked,
    header: Arc<Mapping>,
    source: Source,
    is_gone: fn(u32) -> bool,
}

impl Compactor {
    /// For the capture at this path, whose writers are processes of this machine. What a compaction left that was killed is
    /// made good first.
    ///
    /// # Errors
    /// If the capture cannot be opened, or if another process does this already.
    pub fn open(path: &Path) -> Result<Self, CompactError> {
        let path = std::path::absolute(path)?;
        let Some(file) = Locked::alone(open_shared(&path)?, Lock::Compactor) else {
            return Err(CompactError::ByAnother);
        };
        let header = Arc::new(Mapping::new(&file, 0, HEADER_LEN)?);
        let source = Source::new(path, &file, Arc::clone(&header))?;
        let compactor = Self { file, header, source, is_gone };
        compactor.clear()?;
        Ok(compactor)
    }

    /// The most units that there may be.
    pub const MAX_UNITS: u64 = MAX_FREE_UNITS as u64;

    /// Writers take no more than so many units together.
    pub fn limit(&self, units: u64) {
        if let Some(limit) = atomics::u64_at(&self.header, at::LIMIT) {
            limit.store(units, Relaxed);
        }
    }

    /// Units that are not free.
    pub fn units_in_use(&self) -> u64 {
        self.read(at::UNITS).saturating_sub(free_units(&self.header))
    }

    /// Nanoseconds since the start of the capture.
    pub fn now_ns(&self) -> u64 {
        monotonic_ns().wrapping_sub(self.read(at::START_MONO_NS))
    }

    /// Writes what is old anew, so that at most `target` units are in use; harsher than usual if it must be. `now_ns` counts from the
    /// start of the capture.
    ///
    /// # Errors
    /// If what is to be kept has no room, or the file cannot be read or written; then all is as before.
    pub fn compact(&self, now_ns: u64, target: u64) -> Result<Compacted, CompactError> {
        // Of one that failed: its segments must not begin with this one's generation.
        self.clear()?;
        self.free_dead()?;
        let before = self.units_in_use();
        let segments = survey::segments(&self.file, self.read(at::UNITS), self.generation(), self.is_gone);
        let known = self.learn(&segments);
        let room = self.limit_now().saturating_sub(before);
        let (harshness, old) = (0..=MAX_HARSHNESS)
            .map(|harshness| {
                let old = old(&segments, Thinning::new(&known, now_ns, harshness).old_before());
                let mut measure = Measure::default();
                self.thin(&old, Thinning::new(&known, now_ns, harshness), &mut |kept| measure.put(&kept));
                let left = before.saturating_sub(old.len() as u64) + measure.units();
                (left <= target && measure.units() <= room, harshness, old)
            })
            .find(|(is_enough, harshness, _)| *is_enough || *harshness == MAX_HARSHNESS)
            .map(|(_, harshness, old)| (harshness, old))
            .unwrap_or_default();
        self.seal(&old)?;
        let generation = u32::try_from(self.generation() + 1).unwrap_or(u32::MAX);
        let mut output = Output::new(&self.source, generation);
        self.thin(&old, Thinning::new(&known, now_ns, harshness), &mut |kept| output.put(&kept));
        if let Some(refusal) = output.failed {
            self.clear()?;
            return Err(CompactError::NoRoom(refusal));
        }
        for segment in &old {
            mark(&self.file, segment.unit, generation)?;
        }
        drop(output);
        if let Some(present) = atomics::u64_at(&self.header, at::GENERATION) {
            present.store(generation.into(), Release);
        }
        let after = self.units_in_use().saturating_sub(old.len() as u64);
        self.free_dead()?;
        Ok(Compacted { before, after, harshness })
    }

    /// Frees what nobody reads any more; false if somebody still reads a generation in which it was there.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn free_dead(&self) -> Result<bool, CompactError> {
        if !try_lock(&self.file, Lock::Readers, false) {
            return Ok(false);
        }
        // A reader that did not wait for the lock sees by this that it has to begin again.
        if let Some(freed) = atomics::u64_at(&self.header, at::FREED) {
            freed.store(self.generation(), Release);
        }
        let freed = self.free(|state| state == State::Dead);
        unlock(&self.file, Lock::Readers);
        freed.map(|()| true)
    }

    /// Makes good what a compaction left that failed or was killed. What is dead waits for [`Self::free_dead`].
    fn clear(&self) -> Result<(), CompactError> {
        self.free(|state| match state {
            State::Pending => true,
            State::Taken(pid) => (self.is_gone)(pid),
            _ => false,
        })
    }

    fn free(&self, may_go: impl Fn(State) -> bool) -> Result<(), CompactError> {
        free_where((&self.file, &self.header), self.read(at::UNITS), self.generation(), may_go)?;
        Ok(())
    }

    /// Fills what is left of segments that are to be replaced, so that nobody who inherited one adds to it.
    fn seal(&self, segments: &[Segment]) -> std::io::Result<()> {
        for segment in segments {
            if let Some(offset) = offset_of(segment.unit) {
                crate::segment::Segment::seal(&Mapping::new(&self.file, offset, UNIT)?);
            }
        }
        Ok(())
    }

    fn learn(&self, segments: &[Segment]) -> Known {
        let mut known = Known::default();
        self.each(segments, &mut |stamped| known.hear(&stamped));
        self.each(segments, &mut |stamped| known.hear_again(&stamped));
        known
    }

    fn thin(&self, segments: &[Segment], mut thinning: Thinning<'_>, put: &mut impl FnMut(Stamped)) {
        self.each(segments, &mut |stamped| thinning.take(stamped, put));
        thinning.finish(put);
    }

    /// All records of these segments. Nobody adds to those that are to be replaced.
    fn each(&self, segments: &[Segment], take: &mut impl FnMut(Stamped)) {
        let mut buffer = vec![0; UNIT];
        for segment in segments {
            if read_unit(&self.file, segment.unit, &mut buffer) {
                walk_segment(&buffer, false, &mut decoded(&mut *take), &mut Skipped::default());
            }
        }
    }

    /// Closes all segments of processes that are gone, or that are of a `new` run and only have the number of one. The young samples of such a
    /// process are gone with it.
    pub(crate) fn close_all(&self, new: &[u32]) -> std::io::Result<()> {
        let generation = self.generation() + 1;
        let is_gone = |pid| new.contains(&pid) || (self.is_gone)(pid);
        freeing::close((&self.file, &self.header), self.read(at::UNITS), generation, is_gone)?;
        self.store(at::GENERATION, generation);
        Ok(())
    }

    /// What earlier runs left behind.
    pub(crate) fn earlier(&self) -> Earlier {
        let segments = survey::segments(&self.file, self.read(at::UNITS), self.generation(), self.is_gone);
        let mut earlier = Earlier { runs: 1, last_ns: 0 };
        self.each(&segments, &mut |stamped| {
            earlier.last_ns = earlier.last_ns.max(stamped.at_ns);
            if let Record::Fact { key, value } = &stamped.record
                && key == RUN_BEGINS
            {
                earlier.runs = earlier.runs.max(value.parse().unwrap_or(0));
            }
        });
        earlier
    }

    fn generation(&self) -> u64 {
        self.read(at::GENERATION)
    }

    fn limit_now(&self) -> u64 {
        match self.read(at::LIMIT) {
            0 => u64::MAX,
            limit => limit,
        }
    }

    pub(crate) fn store(&self, offset: usize, value: u64) {
        if let Some(place) = atomics::u64_at(&self.header, offset) {
            place.store(value, Release);
        }
    }

    pub(crate) fn read(&self, offset: usize) -> u64 {
        atomics::u64_at(&self.header, offset).map_or(0, |place| place.load(Acquire))
    }
}

/// Those that may be replaced and hold something old.
fn old(segments: &[Segment], before_ns: u64) -> Vec<Segment> {
    segments.iter().filter(|segment| segment.is_closed && segment.first_ns < before_ns).copied().collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by them")]
mod tests {
    use super::*;
    use crate::writer::Writer;

    #[test]
    fn a_copy_of_its_descriptor_in_a_forked_process_keeps_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.nilo");
        drop(Writer::create(&path, false).unwrap());
        let compactor = Compactor::open(&path).unwrap();
        let copy = compactor.file.try_clone().unwrap();
        drop(compactor);
        assert!(Compactor::open(&path).is_ok());
        drop(copy);
    }
}

//! One segment: a run of units that one process claimed, and the lock-free append into it.
//!
//! In: a kind and a payload length. Out: a reservation, which commits when it was filled. What must not happen here: a
//! moment at which `kill -9` makes records unreadable that stand behind the torn one.
//!
//! The word of a record is its reservation: one compare-and-swap from zero to "uncommitted, this kind, this long".
//! A shared end offset that is moved first, with the length written after, would leave a gap of unknown length if the
//! process dies in between. The end offset in the segment's header is therefore only a hint where to begin looking.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use crate::atomics::{self, Payload};
use crate::encode::Encode;
use crate::layout::{
    COMMITTED, COMPACT_MAGIC, SEGMENT_HEADER, SEGMENT_MAGIC, WORD, seg, stride, word, word_payload,
};
use crate::mapping::Mapping;
use crate::record::kind;

pub(crate) struct Segment {
    map: Mapping,
    /// The process that says when it is done with it; 0 if nobody does.
    owner: u32,
}

/// Nobody of this process can reach it any more: it was neither current nor in use. A child that inherited the mapping says nothing.
impl Drop for Segment {
    fn drop(&mut self) {
        if self.owner != 0
            && self.owner == std::process::id()
            && let Some(born) = atomics::u32_at(&self.map, seg::BORN)
        {
            born.store(seg::CLOSED, Release);
        }
    }
}

impl Segment {
    /// Takes over freshly allocated units, all zero behind their header, and writes that, its magic last.
    pub(crate) fn begin(map: Mapping, units: u32, pid: u32, sequence: u32) -> Option<Self> {
        Self::begin_as(&map, SEGMENT_MAGIC, [units, pid, sequence, seg::WRITTEN])?;
        Some(Self { map, owner: pid })
    }

    /// The same of what compaction leaves, which nobody reads before this generation.
    pub(crate) fn begin_compact(map: Mapping, pid: u32, sequence: u32, generation: u32) -> Option<Self> {
        Self::begin_as(&map, COMPACT_MAGIC, [1, pid, sequence, generation + seg::CLOSED])?;
        Some(Self { map, owner: 0 })
    }

    fn begin_as(map: &Mapping, magic: u64, [units, pid, sequence, born]: [u32; 4]) -> Option<()> {
        for (offset, value) in [
            (seg::UNITS, units),
            (seg::PID, pid),
            (seg::SEQUENCE, sequence),
            (seg::USED, SEGMENT_HEADER as u32),
            (seg::DIED, 0),
            (seg::BORN, born),
        ] {
            atomics::u32_at(map, offset)?.store(value, Relaxed);
        }
        atomics::u64_at(map, 0)?.store(magic, Release);
        Some(())
    }

    /// Fills what is left of a unit of somebody else, so that no more is added: by a reservation that is never committed, which
    /// readers step over.
    pub(crate) fn seal(map: &Mapping) {
        let mut offset = SEGMENT_HEADER;
        while let Some(len) = map.len().checked_sub(offset + WORD) {
            let Some(place) = atomics::u32_at(map, offset) else { return };
            match place.compare_exchange(0, word(kind::FACT, len as u32), AcqRel, Acquire) {
                Ok(_) => return,
                Err(taken) => offset += stride(word_payload(taken)),
            }
        }
    }

    /// Writes one record whose payload is `len` bytes long; false if there is no room left.
    pub(crate) fn append(&self, at_ns: u64, said: &impl Encode, len: usize) -> bool {
        let Some(offset) = self.reserve(word(said.kind(), len as u32), len) else {
            return false;
        };
        said.encode(at_ns, &mut Payload::new(&self.map, offset + WORD, len));
        self.commit(offset)
    }

    /// The aligned word of eight bytes at this offset.
    pub(crate) fn word(&self, offset: usize) -> Option<&AtomicU64> {
        atomics::u64_at(&self.map, offset)
    }

    /// Finds the end and puts `uncommitted` there.
    pub(crate) fn reserve(&self, uncommitted: u32, len: usize) -> Option<usize> {
        let used = atomics::u32_at(&self.map, seg::USED)?;
        let mut offset = used.load(Acquire) as usize;
        // The program may have scribbled over the hint; the header must stay whole.
        if offset < SEGMENT_HEADER {
            return None;
        }
        loop {
            if offset.checked_add(stride(len))? > self.map.len() {
                return None;
            }
            match atomics::u32_at(&self.map, offset)?.compare_exchange(0, uncommitted, AcqRel, Acquire) {
                Ok(_) => {
                    used.fetch_max((offset + stride(len)) as u32, Release);
                    return Some(offset);
                }
                Err(taken) => offset = offset.checked_add(stride(word_payload(taken)))?,
            }
        }
    }

    pub(crate) fn commit(&self, offset: usize) -> bool {
        atomics::u32_at(&self.map, offset).is_some_and(|word| word.fetch_or(COMMITTED, Release) != 0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;
    use crate::layout::UNIT;

    fn segment() -> Segment {
        let file = tempfile::tempfile().unwrap();
        file.set_len(UNIT as u64).unwrap();
        Segment::begin(Mapping::new(&file, 0, UNIT).unwrap(), 1, 7, 0).unwrap()
    }

    #[test]
    fn reservations_follow_each_other_and_end_at_the_end() {
        let segment = segment();
        assert_eq!(segment.reserve(word(1, 5), 5), Some(32));
        assert_eq!(segment.reserve(word(1, 1), 1), Some(48));
        assert_eq!(segment.reserve(word(1, 65472), 65472), Some(56), "to the last byte but four");
        assert_eq!(segment.reserve(word(1, 1), 1), None);
    }

    #[test]
    fn a_hint_that_lags_behind_overwrites_nothing() {
        let segment = segment();
        let first = segment.reserve(word(1, 20), 20);
        atomics::u32_at(&segment.map, seg::USED).unwrap().store(SEGMENT_HEADER as u32, Relaxed);
        assert_eq!((first, segment.reserve(word(1, 4), 4)), (Some(32), Some(56)));
    }

    #[test]
    fn a_header_or_word_that_was_scribbled_over_ends_the_segment() {
        for garbage in [0, 3, 33, UNIT as u32 - 1, UNIT as u32, u32::MAX] {
            let segment = segment();
            atomics::u32_at(&segment.map, seg::USED).unwrap().store(garbage, Relaxed);
            assert_eq!(segment.reserve(word(1, 4), 4), None, "{garbage}");
        }
        let segment = segment();
        atomics::u32_at(&segment.map, SEGMENT_HEADER).unwrap().store(u32::MAX, Relaxed);
        assert_eq!(segment.reserve(word(1, 4), 4), None);
    }
}

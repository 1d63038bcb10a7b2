//! What compaction writes: segments that nobody reads yet, one row of them for each process.
//!
//! In: records. Out: new segments, or only how many units they would take. What must not happen here: a record left out because
//! there was no room, without an error.

use std::collections::BTreeMap;

use crate::claim::Source;
use crate::encode::{Encode as _, Length};
use crate::layout::{Refusal, SEGMENT_HEADER, UNIT, stride};
use crate::reader::Stamped;
use crate::segment::Segment;

/// How many units records would take.
#[derive(Debug, Default)]
pub(super) struct Measure {
    /// Bytes in the last unit of each process.
    filled: BTreeMap<u32, usize>,
    full: u64,
}

impl Measure {
    pub(super) fn put(&mut self, stamped: &Stamped) {
        let bytes = stride(length(stamped));
        let filled = self.filled.entry(stamped.pid).or_insert(SEGMENT_HEADER);
        if *filled + bytes > UNIT {
            *filled = SEGMENT_HEADER;
            self.full += 1;
        }
        *filled += bytes;
    }

    pub(super) fn units(&self) -> u64 {
        self.full + self.filled.len() as u64
    }
}

/// Writes them.
pub(super) struct Output<'a> {
    source: &'a Source,
    generation: u32,
    open: BTreeMap<u32, Segment>,
    pub(super) failed: Option<Refusal>,
}

impl<'a> Output<'a> {
    pub(super) fn new(source: &'a Source, generation: u32) -> Self {
        Self { source, generation, open: BTreeMap::new(), failed: None }
    }

    pub(super) fn put(&mut self, stamped: &Stamped) {
        if self.failed.is_none() {
            self.failed = self.try_put(stamped).err();
        }
    }

    fn try_put(&mut self, stamped: &Stamped) -> Result<(), Refusal> {
        let length = length(stamped);
        let write = |segment: &Segment| segment.append(stamped.at_ns, &stamped.record, length);
        if self.open.get(&stamped.pid).is_some_and(write) {
            return Ok(());
        }
        let segment = self.source.next_compact(stamped.pid, self.generation)?;
        let is_written = write(&segment);
        self.open.insert(stamped.pid, segment);
        is_written.then_some(()).ok_or(Refusal::Other)
    }
}

fn length(stamped: &Stamped) -> usize {
    let mut length = Length::default();
    stamped.record.encode(stamped.at_ns, &mut length);
    length.0
}

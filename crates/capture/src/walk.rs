//! Walking over the bytes behind the header: segments, records, and what of it cannot be read.
//!
//! In: bytes that may be cut, torn, being written or garbage. Out: every readable record, one by one, and counts of what
//! was skipped. What must not happen here: a panic, or one bad segment that hides a good one.

use crate::decode::{Unreadable, decode};
use crate::layout::{
    COMMITTED, COMPACT_MAGIC, FREE_MAGIC, SEGMENT_HEADER, SEGMENT_MAGIC, SEGMENT_MAX_UNITS, TAKEN, WORD, seg,
    stride, u32_at, u64_at, word_kind, word_payload,
};
use crate::nursery::young;
use crate::reader::Stamped;
use crate::record::kind;

/// What was not simply read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// Records that were begun and not finished, with others behind them.
    pub(crate) unfinished: u64,
    /// Records of a kind that only a newer version knows.
    pub(crate) unknown: u64,
    /// Records whose bytes make no sense.
    pub(crate) garbled: u64,
    /// Segments of which the rest could not be followed.
    pub(crate) broken: u64,
    /// Units that are neither empty nor a segment.
    pub(crate) foreign: u64,
    /// Not skipped, but set aside: samples that lay in a nursery, some of which may have a record too.
    pub(crate) young: Vec<Stamped>,
    /// The last segment ends before its last unit does.
    pub(crate) cut: bool,
}

/// Where units lie.
pub(crate) trait Units {
    /// So many bytes from there on; fewer where they end. Offsets count from the first unit.
    fn piece(&mut self, offset: usize, length: usize) -> &[u8];
}

impl Units for &[u8] {
    fn piece(&mut self, offset: usize, length: usize) -> &[u8] {
        let rest = self.get(offset..).unwrap_or_default();
        rest.get(..length).unwrap_or(rest)
    }
}

/// A taker of records that gets them decoded.
pub(crate) fn decoded(mut take: impl FnMut(Stamped)) -> impl FnMut(u32, u8, &[u8]) -> Result<(), Unreadable> {
    move |pid, kind, payload| {
        let (at_ns, record) = decode(kind, payload)?;
        take(Stamped { at_ns, pid, record });
        Ok(())
    }
}

/// Goes over all units that are read in this generation; `take` gets the process, the kind and the payload of each record, and says if it
/// makes no sense.
pub(crate) fn walk(
    from: &mut impl Units,
    unit: usize,
    generation: u64,
    take: &mut impl FnMut(u32, u8, &[u8]) -> Result<(), Unreadable>,
) -> Skipped {
    let mut skipped = Skipped::default();
    let mut offset = 0;
    loop {
        let head = from.piece(offset, SEGMENT_HEADER);
        if head.is_empty() {
            return skipped;
        }
        let units = match u64_at(head, 0) {
            Some(SEGMENT_MAGIC | COMPACT_MAGIC) if !is_visible(head, generation) => 0,
            Some(SEGMENT_MAGIC | COMPACT_MAGIC) => match u32_at(head, seg::UNITS) {
                Some(units @ 1..=SEGMENT_MAX_UNITS) => units as usize,
                Some(_) => {
                    skipped.foreign += 1;
                    0
                }
                None => {
                    skipped.cut = true;
                    0
                }
            },
            // Claimed and not begun: its writer is at it right now, died at it, or found no space.
            Some(0 | FREE_MAGIC) => 0,
            Some(word) if word >> 32 == TAKEN >> 32 => 0,
            Some(_) => {
                skipped.foreign += 1;
                0
            }
            None => {
                skipped.cut |= head.iter().any(|byte| *byte != 0);
                0
            }
        };
        let whole = unit * units.max(1);
        if units > 0 {
            let segment = from.piece(offset, whole);
            let cut = segment.len() < whole;
            skipped.cut |= cut;
            walk_segment(segment, cut, take, &mut skipped);
        }
        offset += whole;
    }
}

/// Whether a segment is read in this generation: it is there already, and not gone yet.
pub(crate) fn is_visible(head: &[u8], generation: u64) -> bool {
    let field = |at| u64::from(u32_at(head, at).unwrap_or(0));
    let (born, died) = (field(seg::BORN), field(seg::DIED));
    born.saturating_sub(u64::from(seg::CLOSED)) <= generation && (died == 0 || died > generation)
}

pub(crate) fn walk_segment(
    segment: &[u8],
    cut: bool,
    take: &mut impl FnMut(u32, u8, &[u8]) -> Result<(), Unreadable>,
    skipped: &mut Skipped,
) {
    let pid = u32_at(segment, seg::PID).unwrap_or(0);
    let used = u32_at(segment, seg::USED).unwrap_or(0) as usize;
    let mut unfinished_last = 0;
    let mut offset = SEGMENT_HEADER;
    while let Some(word) = u32_at(segment, offset) {
        if word == 0 {
            // The hint is written after the word; if it points further, a word in between was destroyed.
            skipped.broken += u64::from(used > offset);
            break;
        }
        let payload = word_payload(word);
        let Some(payload_bytes) = segment.get(offset + WORD..offset + WORD + payload) else {
            skipped.broken += u64::from(!cut);
            break;
        };
        offset += stride(payload);
        if word & COMMITTED == 0 {
            unfinished_last += 1;
            continue;
        }
        // Those that stand at the very end are being written right now, or were when the process died: no promise was
        // made for them. Those with finished ones behind them are worth a word.
        skipped.unfinished += std::mem::take(&mut unfinished_last);
        if word_kind(word) == kind::NURSERY {
            young(payload_bytes, pid, &mut skipped.young);
            continue;
        }
        match take(pid, word_kind(word), payload_bytes) {
            Ok(()) => {}
            Err(Unreadable::Unknown) => skipped.unknown += 1,
            Err(Unreadable::Garbage) => skipped.garbled += 1,
        }
    }
}

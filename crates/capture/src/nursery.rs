//! The nursery: a unit of the file in which young samples lie until they die or are old enough to be written.
//!
//! In: births and deaths of samples, from any thread. Out: nothing for a sample that dies young; an ordinary birth record
//! for one that does not. What must not happen here: a sample that is neither in a slot nor in a record at any moment, a
//! wait, an allocation.
//!
//! Nearly all memory that a training job asks for is given back within a step. Written down, such births and deaths
//! would be a hundred times the rest of the capture; kept in the process, they would be lost at `kill -9`, together with
//! the one that filled the memory. A slot in the mapped file is neither.
//!
//! A slot is eight words: state, time, stack, size, mean, address, thread and source, cycles that had ended by then. The
//! state is the id of the sample, shifted by two bits, with one of [`FILLING`], [`YOUNG`] and [`LEAVING`]; zero is an
//! empty slot. A reader believes the latter two. Leaving: its record is being written, after which the slot gets its next
//! sample; a sample that is found in both is one.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use crate::layout::{u64_at, word};
use crate::reader::Stamped;
use crate::record::{Record, kind};
use crate::sample::{Birth, Sampling, Source};
use crate::segment::Segment;
use crate::writer::Writer;

const FILLING: u64 = 1;
const YOUNG: u64 = 2;
const LEAVING: u64 = 3;
const STATES: u64 = 3;

/// The source shares a word with the thread.
const SOURCE_BITS: u32 = 8;

/// Who lived as long as this, or saw the end of a cycle, is told even if nobody needed the slot: where few samples are
/// taken, they lie there for many epochs, and then the end of a `fit` takes all of them.
const MIN_TENURE_NS: u64 = 250_000_000;

/// Words of a slot and their bytes.
const WORDS: usize = 8;
const SLOT: usize = WORDS * 8;
/// As many as one unit holds behind its header and the record's word.
const SLOTS: usize = 1023;
/// The record's word takes four bytes of eight.
const PAD: usize = 4;
/// Bytes of the nursery's payload.
const PAYLOAD: usize = PAD + SLOTS * SLOT;

/// Room for young samples, in the capture.
pub struct Nursery {
    segment: Segment,
    /// Where the first slot begins in the segment.
    slots: usize,
}

impl Nursery {
    /// Makes a fresh segment into a nursery.
    pub(crate) fn begin(segment: Segment) -> Option<Self> {
        let offset = segment.reserve(word(kind::NURSERY, PAYLOAD as u32), PAYLOAD)?;
        segment.commit(offset).then_some(Self { segment, slots: offset + 8 })
    }

    /// Puts a sample into its slot, for which its ids must be counted up one by one. An older sample that still lives
    /// there is written as a record of its own first. False if the sample could not be kept anywhere.
    pub fn put(&self, writer: &Writer, at_ns: u64, birth: &Birth) -> bool {
        if writer.board().is_closed() {
            return false;
        }
        self.try_put(writer, at_ns, birth)
            .unwrap_or_else(|| writer.append_sampling(at_ns, &Sampling::Birth(*birth)))
    }

    /// `None` if the slot is in the hands of another thread.
    fn try_put(&self, writer: &Writer, at_ns: u64, birth: &Birth) -> Option<bool> {
        let slot = birth.id as usize % SLOTS;
        let state = self.word(slot, 0)?;
        let seen = state.load(Acquire);
        match seen & STATES {
            0 => {
                state.compare_exchange(0, birth.id << 2 | FILLING, AcqRel, Relaxed).ok()?;
            }
            YOUNG => {
                state.compare_exchange(seen, seen | LEAVING, AcqRel, Relaxed).ok()?;
                let (old_ns, old) = read(seen >> 2, |word| Some(self.word(slot, word)?.load(Relaxed)))?;
                if !writer.append_sampling(old_ns, &Sampling::Birth(old)) {
                    // The old one stays where it can be read.
                    state.store(seen, Release);
                    return Some(false);
                }
                state.store(birth.id << 2 | FILLING, Release);
            }
            _ => return None,
        }
        let Birth { id, stack, size, mean, address, thread, source } = *birth;
        let origin = thread << SOURCE_BITS | source as u64;
        let fields = [at_ns, stack, size, mean, address, origin, writer.board().all_cycles()];
        for (index, value) in fields.into_iter().enumerate() {
            self.word(slot, index + 1)?.store(value, Relaxed);
        }
        state.store(id << 2 | YOUNG, Release);
        Some(true)
    }

    /// Takes a sample out that has died: true if it died young and leaves nothing behind. False if it has a record by
    /// now, so that its death needs one too.
    pub fn remove(&self, writer: &Writer, id: u64) -> bool {
        if writer.board().is_closed() {
            return false;
        }
        self.try_remove(writer, id).unwrap_or(false)
    }

    /// `None` if the sample is not in its slot any more.
    fn try_remove(&self, writer: &Writer, id: u64) -> Option<bool> {
        let slot = id as usize % SLOTS;
        let (state, here) = (self.word(slot, 0)?, id << 2 | YOUNG);
        if state.load(Acquire) != here {
            return None;
        }
        let born = self.word(slot, 1)?.load(Relaxed);
        let is_of_this_cycle = self.word(slot, 7)?.load(Relaxed) == writer.board().all_cycles();
        if is_of_this_cycle && writer.now().saturating_sub(born) < MIN_TENURE_NS {
            state.compare_exchange(here, 0, AcqRel, Relaxed).ok()?;
            return Some(true);
        }
        state.compare_exchange(here, here | LEAVING, AcqRel, Relaxed).ok()?;
        let (born, birth) = read(id, |word| Some(self.word(slot, word)?.load(Relaxed)))?;
        let written = writer.append_sampling(born, &Sampling::Birth(birth));
        state.store(0, Release);
        // Of a sample without a record the end is not worth one.
        Some(!written)
    }

    fn word(&self, slot: usize, index: usize) -> Option<&AtomicU64> {
        self.segment.word(self.slots + slot * SLOT + index * 8)
    }
}

/// The samples that lie in the payload of a nursery.
pub(crate) fn young(payload: &[u8], pid: u32, found: &mut Vec<Stamped>) {
    let slots = payload.get(PAD..).unwrap_or_default();
    for slot in slots.chunks_exact(SLOT) {
        let state = u64_at(slot, 0).unwrap_or(0);
        if state & STATES < YOUNG {
            continue;
        }
        if let Some((at_ns, birth)) = read(state >> 2, |word| u64_at(slot, word * 8)) {
            found.push(Stamped { at_ns, pid, record: Record::Sampling(Sampling::Birth(birth)) });
        }
    }
}

/// A sample from the words of its slot.
fn read(id: u64, word: impl Fn(usize) -> Option<u64>) -> Option<(u64, Birth)> {
    let origin = word(6)?;
    let birth = Birth {
        id,
        stack: word(2)?,
        size: word(3)?,
        mean: word(4)?,
        address: word(5)?,
        thread: origin >> SOURCE_BITS,
        source: Source::from_number(origin & ((1 << SOURCE_BITS) - 1))?,
    };
    Some((word(1)?, birth))
}

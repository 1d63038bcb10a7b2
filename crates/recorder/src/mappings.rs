//! Samples that are mappings: they may be given back in parts, grow and move.
//!
//! In: births of mappings, and what the program does to address ranges. Out: deaths, and births of what is left. A part
//! that is left stands for its share: its mean is scaled as its size, so that its weight is. What must not happen here: a
//! lock; a range belongs to whoever may unmap it.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize};

use nilometer_capture::{Birth, Source};

use crate::losses::Loss;
use crate::pages::Pages;
use crate::recorder::{Recorder, count};
use crate::reentry::ReentryGuard;

const PLACES: usize = 1024;
/// A place that is being written or taken out.
const SLOT_BUSY: u64 = u64::MAX;

/// Words of a place: id, start, size, stack, mean, thread.
type Place = [AtomicU64; 6];

pub(crate) struct Mappings {
    places: Pages<Place>,
    /// Places from here on were never used.
    used: AtomicUsize,
}

impl Mappings {
    pub(crate) fn new() -> Option<Self> {
        Some(Self { places: Pages::new(PLACES)?, used: AtomicUsize::new(0) })
    }

    /// False if there is no place.
    pub(crate) fn insert(&self, birth: &Birth) -> bool {
        for (index, place) in self.places.all().iter().enumerate() {
            let [id, start, size, stack, mean, thread] = place;
            if id.load(Relaxed) == 0 && id.compare_exchange(0, SLOT_BUSY, AcqRel, Relaxed).is_ok() {
                start.store(birth.address, Relaxed);
                size.store(birth.size, Relaxed);
                stack.store(birth.stack, Relaxed);
                mean.store(birth.mean, Relaxed);
                thread.store(birth.thread, Relaxed);
                self.used.fetch_max(index + 1, Relaxed);
                id.store(birth.id, Release);
                return true;
            }
        }
        false
    }

    /// Takes a sample out without a death.
    pub(crate) fn forget(&self, id: u64) {
        for [of, ..] in self.places.all() {
            let _another = of.compare_exchange(id, 0, AcqRel, Relaxed);
        }
    }

    /// Takes out a sample that meets the range.
    pub(crate) fn take(&self, from: u64, to: u64) -> Option<Birth> {
        let used = self.places.all().get(..self.used.load(Relaxed))?;
        used.iter().find_map(|[id, start, size, stack, mean, thread]| {
            let known = id.load(Acquire);
            let (address, length) = (start.load(Relaxed), size.load(Relaxed));
            let meets =
                known != 0 && known != SLOT_BUSY && address < to && from < address.saturating_add(length);
            if !meets || id.compare_exchange(known, SLOT_BUSY, AcqRel, Relaxed).is_err() {
                return None;
            }
            let birth = Birth {
                id: known,
                stack: stack.load(Relaxed),
                size: length,
                mean: mean.load(Relaxed),
                address,
                thread: thread.load(Relaxed),
                source: Source::Mapping,
            };
            id.store(0, Release);
            Some(birth)
        })
    }
}

impl Recorder {
    /// The program gives this range back, or maps something over it.
    pub(crate) fn unmapped(&self, from: u64, length: u64) {
        let to = from.saturating_add(page_up(length));
        // What is left is put back outside of the range, so it is not found again.
        for _each in 0..PLACES {
            let Some(old) = self.mappings.take(from, to) else { return };
            crate::deaths::died(self, old.id);
            let end = old.address.saturating_add(old.size);
            self.keep(&old, old.address, from.saturating_sub(old.address));
            self.keep(&old, to, end.saturating_sub(to));
        }
    }

    /// What is left of a sample, as a sample of its own.
    pub(crate) fn keep(&self, old: &Birth, address: u64, size: u64) {
        if size == 0 {
            return;
        }
        let mean = (u128::from(old.mean) * u128::from(size) / u128::from(old.size.max(1))).max(1) as u64;
        let part = Birth { id: self.next_id(), address, size, mean, ..*old };
        match self.keep_part(&part) {
            Ok(()) => count(&self.counts.births),
            Err(loss) => self.counts.lost.count(loss),
        }
    }

    fn keep_part(&self, part: &Birth) -> Result<(), Loss> {
        let _quiet = ReentryGuard::begin().ok_or(Loss::Reentrant)?;
        if !self.mappings.insert(part) {
            return Err(Loss::MappingsFull);
        }
        if !crate::births::write(self, self.writer.now(), part) {
            self.mappings.forget(part.id);
            return Err(Loss::CaptureRefused);
        }
        Ok(())
    }
}

fn page_up(length: u64) -> u64 {
    length.saturating_add(4095) & !4095
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    fn mapping(id: u64, address: u64, size: u64) -> Birth {
        Birth { id, stack: 1, size, mean: 4096, address, thread: 1, source: Source::Mapping }
    }

    #[test]
    fn finds_what_meets_a_range() {
        let mappings = Mappings::new().unwrap();
        assert!(mappings.insert(&mapping(1, 0x1000, 0x3000)) && mappings.insert(&mapping(2, 0x9000, 0x1000)));
        assert_eq!(mappings.take(0x4000, 0x9000), None);
        assert_eq!(mappings.take(0x3000, 0x4000).map(|birth| birth.id), Some(1));
        assert_eq!(mappings.take(0, u64::MAX).map(|birth| birth.id), Some(2));
        assert_eq!(mappings.take(0, u64::MAX), None);
    }

    #[test]
    fn refuses_when_it_is_full() {
        let mappings = Mappings::new().unwrap();
        assert!((1..=PLACES as u64).all(|id| mappings.insert(&mapping(id, id << 20, 4096))));
        assert!(!mappings.insert(&mapping(9999, 0x1000, 4096)));
        mappings.forget(5);
        assert!(mappings.insert(&mapping(9999, 0x1000, 4096)));
    }
}

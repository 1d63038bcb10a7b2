//! The board: live counters in the header page, exact even where records are thinned.
//!
//! In: one count at a time, from any thread. Out: the totals, of all processes that share the capture. What must not
//! happen here: a system call, a lock, or a count from a forked child that nobody asked for.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::CycleUnit;
use crate::atomics;
use crate::layout::at;
use crate::mapping::Mapping;

/// How long a look at the heap may hold up the program where nobody said it.
pub const DEFAULT_PAUSE_NS: u64 = 150_000_000;
const NO_LOOKS: u64 = u64::MAX;
/// What recording may take of the program's time where nobody said it.
pub const DEFAULT_OVERHEAD: f64 = 0.02;
const MILLIONTHS: f64 = 1e6;

/// Live counters in the header page of the capture.
pub struct Board {
    header: Arc<Mapping>,
    closed: AtomicBool,
}

impl Board {
    pub(crate) fn new(header: Arc<Mapping>) -> Self {
        Self { header, closed: AtomicBool::new(false) }
    }

    /// Counts one more cycle of this unit and returns how many there are now.
    pub fn count_cycle(&self, unit: CycleUnit) -> u64 {
        self.count(at::cycles(unit))
    }

    /// Counts so many more cycles of this unit.
    pub fn count_cycles(&self, unit: CycleUnit, count: u64) {
        if let Some(place) = atomics::u64_at(&self.header, at::cycles(unit)).filter(|_| !self.is_closed()) {
            place.fetch_add(count, Relaxed);
        }
    }

    /// Cycles of this unit so far.
    pub fn cycles(&self, unit: CycleUnit) -> u64 {
        self.read(at::cycles(unit))
    }

    /// Counts one beat: a found unit has turned, and the last beat is not of just now. Lines and loops may turn a thousand times
    /// in a moment, and whoever asks for [`Board::all_cycles`] takes each for an age.
    pub fn count_beat(&self) {
        self.count(at::HEARTBEATS_OFFSET);
    }

    /// Cycles of all units that hooks know so far, and beats of the found ones.
    pub fn all_cycles(&self) -> u64 {
        let known = CycleUnit::KNOWN.iter().fold(0, |sum: u64, unit| sum.wrapping_add(self.cycles(*unit)));
        known.wrapping_add(self.read(at::HEARTBEATS_OFFSET))
    }

    /// Counts one more step (batch).
    pub fn count_step(&self) {
        self.count(at::STEPS);
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.read(at::STEPS)
    }

    /// Asks the program for a census, from whatever process: its own clock sees it.
    pub fn ask_census(&self) {
        self.count(at::CENSUSES);
    }

    /// Censuses that were asked for so far.
    pub fn censuses_asked(&self) -> u64 {
        self.read(at::CENSUSES)
    }

    /// A framework begins to be imported: what that makes, it makes once.
    pub fn begin_import(&self) {
        self.count(at::IMPORTS);
    }

    /// One of the imports that have begun has ended.
    pub fn end_import(&self) {
        if let Some(imports) = atomics::u64_at(&self.header, at::IMPORTS).filter(|_| !self.is_closed()) {
            let _none_had_begun = imports.try_update(Relaxed, Relaxed, |imports| imports.checked_sub(1));
        }
    }

    /// Whether a framework is being imported just now.
    pub fn is_importing(&self) -> bool {
        self.read(at::IMPORTS) != 0
    }

    /// Limits how long the program may be held up by a look at its heap, in nanoseconds; `None`: no look at all, unless
    /// somebody asks.
    pub fn limit_pause(&self, most_ns: Option<u64>) {
        if let Some(place) = atomics::u64_at(&self.header, at::MAX_PAUSE_OFFSET) {
            place.store(most_ns.map_or(NO_LOOKS, |most| most.max(1)), Relaxed);
        }
    }

    /// That limit; the default where nobody set one.
    pub fn pause_limit(&self) -> Option<u64> {
        match self.read(at::MAX_PAUSE_OFFSET) {
            0 => Some(DEFAULT_PAUSE_NS),
            NO_LOOKS => None,
            most => Some(most),
        }
    }

    /// Says what recording may take of the program's time, as a share of it.
    pub fn allow_overhead(&self, share: f64) {
        if let Some(place) = atomics::u64_at(&self.header, at::OVERHEAD) {
            place.store((share * MILLIONTHS).round().max(1.0) as u64, Relaxed);
        }
    }

    /// That share; the default where nobody said one.
    pub fn overhead(&self) -> f64 {
        match self.read(at::OVERHEAD) {
            0 => DEFAULT_OVERHEAD,
            millionths => millionths as f64 / MILLIONTHS,
        }
    }

    /// One atomic store, as allowed right after `fork`.
    pub(crate) fn close(&self) {
        self.closed.store(true, Relaxed);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }

    fn count(&self, offset: usize) -> u64 {
        if self.is_closed() {
            return self.read(offset);
        }
        atomics::u64_at(&self.header, offset).map_or(0, |count| count.fetch_add(1, Relaxed).wrapping_add(1))
    }

    fn read(&self, offset: usize) -> u64 {
        atomics::u64_at(&self.header, offset).map_or(0, |count| count.load(Relaxed))
    }
}

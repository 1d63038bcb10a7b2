//! What is known between two looks, and whether the next one is worth its price.
//!
//! In: live memory by cycle, what looks took so far. Out: looks. What must not happen here: more than one part in a hundred of
//! the program's time beyond the first looks; a small rise taken for a leak early, when it may be garbage that waits.

use std::collections::HashMap;
use std::time::Duration;

use nilometer_capture::{CycleUnit, DEFAULT_OVERHEAD};
use pyo3::Python;

use super::cost_meter::CostMeter;
use super::looks::Heap;
use super::waiting::Marks;
use crate::recorder;
use crate::scan_schedule::{PAUSE_FACTOR, ScanSchedule};
use crate::session::Session;
use crate::trend::Trend;
use crate::types::Types;

/// A rise of so many bytes is looked at at once, one of so many at the end of its stretch; a smaller one, which may be
/// garbage that waits, when the first look costs no more than one part in fifty of the program's time so far; and below
/// [`MIN_RISE_BYTES`] one in a hundred, for a healthy training rises by some hundreds of kilobytes.
const STRONG: u64 = 4 << 20;
pub(super) const MIN_RISE_BYTES: u64 = 1 << 20;
const FIRST_LOOK_BUDGET: Duration = Duration::from_millis(300);
pub(super) const FIRST_TIME_DIVISOR: u32 = 50;
/// These parts are no larger than so many times the usual ones, whatever is allowed.
const MAX_EASE: f64 = 10.0;
/// Later whole looks at a small rise lie so many times as far apart as others.
const SMALL_RISE: u32 = 3;
/// Bytes per cycle (or second) that are a rise, and the same for short cycles.
pub(super) const MIN_CYCLE_BYTES: u64 = 2 << 10;
const MIN_SHORT_CYCLE_BYTES: u64 = 512;
/// Cycles between two whole looks at least.
pub(super) const MIN_CYCLES_BETWEEN_WALKS: u64 = 4;
/// Whole looks that are taken whatever they cost: one in the middle, one at the end.
pub(super) const WHATEVER_THE_COST: u32 = 2;

/// Live memory by cycle, of each unit that came. On the heap, one by one: all of them on the stack of a thread that has 512 KiB
/// were too many.
#[derive(Default)]
pub(super) struct Rises(Vec<(CycleUnit, Box<Trend>)>);

impl Rises {
    pub(super) fn of(&self, unit: CycleUnit) -> Option<&Trend> {
        self.0.iter().find(|(of, _)| *of == unit).map(|(_, rise)| &**rise)
    }

    /// That of a unit; made if it is the first time.
    pub(super) fn of_mut(&mut self, unit: CycleUnit) -> Option<&mut Trend> {
        let known = self.0.iter().position(|(of, _)| *of == unit);
        let at = known.unwrap_or_else(|| {
            let _ours = recorder::Ours::begin();
            self.0.push((unit, Box::default()));
            self.0.len() - 1
        });
        self.0.get_mut(at).map(|(_, rise)| &mut **rise)
    }
}

/// Points of a found unit from which on seconds are no longer asked.
const MIN_LEAD_POINTS: usize = 4;

#[derive(Default)]
pub(super) struct State {
    pub(super) census: Heap,
    pub(super) marks: Marks,
    pub(super) rises: Rises,
    /// The found unit whose rise is followed: looks are paced in cycles of one unit.
    lead: Option<CycleUnit>,
    /// When a unit that hooks know came last.
    pub(super) known_at_ns: u64,
    /// Where there are no cycles, and how many modules there were then.
    pub(super) seconds: Trend,
    pub(super) second: u64,
    /// Seconds of a rise that are needed before they count.
    pub(super) patience: usize,
    /// Memory by second, since the main thread last answered.
    pub(super) meanwhile: Trend,
    pub(super) modules: usize,
    pub(super) scan: CostMeter,
    pub(super) scanning: ScanSchedule,
    /// Scans at the ends of fits.
    pub(super) closing: u32,
    pub(super) whole: CostMeter,
    /// The last whole look was ended by its limits.
    pub(super) was_cut: bool,
    /// Ids of paths, and what they were last seen to hold.
    pub(super) ids: HashMap<String, (u64, String)>,
    pub(super) types: Types,
    /// Requests from outside that were answered.
    pub(super) answered: u64,
    /// Cycles of the rising unit at the last whole look, and at the last scan.
    pub(super) looked_at: u64,
    pub(super) scanned_at: u64,
    /// Calls of `fit` that are under way, and those that have ended.
    pub(super) fits: u32,
    pub(super) fits_ended: u32,
}

impl State {
    /// Whether this found unit is the one that is followed: the one that was read most often so far.
    pub(super) fn leads(&mut self, unit: CycleUnit) -> bool {
        let points = |unit| self.rises.of(unit).map_or(0, Trend::points);
        if self.lead.is_none_or(|lead| points(lead) < points(unit)) {
            self.lead = Some(unit);
        }
        self.lead == Some(unit)
    }

    /// Whether a found unit tells more than seconds do.
    pub(super) fn has_lead(&self) -> bool {
        self.lead.and_then(|lead| self.rises.of(lead)).is_some_and(|rise| rise.points() >= MIN_LEAD_POINTS)
    }

    /// What the seconds of a process without cycles rose by.
    pub(super) fn seconds_risen(&self) -> Risen {
        if self.seconds.points() < self.patience {
            Risen::default()
        } else {
            Risen::of(&self.seconds, MIN_CYCLE_BYTES, MIN_CYCLE_BYTES)
        }
    }

    /// Live memory has risen by so much; looks at the heap if that is worth its price now.
    pub(super) fn rises_now(&mut self, py: Python<'_>, session: &Session, ordinal: u64, rise: Risen) {
        let risen = rise.bytes;
        if risen == 0 || session.board().pause_limit().is_none() {
            return;
        }
        let (age, ease) = (Duration::from_nanos(session.age()), |usual| one_part_in(usual, session));
        if self.scan.rests(self.scanning.wait(self.scan.times, self.scan.took(), risen, age, ease)) {
            self.scanning.begin(risen);
            self.scan(session, ordinal);
        }
        let looked = self.looked_at;
        let first = looked == 0 && (risen >= STRONG || is_cheap(session, risen));
        let pause = one_part_in(PAUSE_FACTOR, session) * if risen < MIN_RISE_BYTES { SMALL_RISE } else { 1 };
        let next = looked > 0
            && ordinal >= (2 * looked).max(looked + MIN_CYCLES_BETWEEN_WALKS)
            && self.whole.is_due(pause);
        if (first || next) && rise.is_worth_a_look() {
            self.look(py, session);
            self.looked_at = ordinal;
        }
    }
}

/// What live memory rose by.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Risen {
    pub(super) bytes: u64,
    /// It still does, by more than the report would take for a framework's own.
    goes_on: bool,
}

impl Risen {
    /// By cycles of which each must have kept so many bytes to be a rise, and so many lately.
    pub(super) fn of(rise: &Trend, least: u64, lately: u64) -> Self {
        let bytes = rise.risen(least);
        Self { bytes, goes_on: bytes > 0 && rise.goes_on(lately) }
    }

    /// A look at the whole heap is dear: a small rise gets one while it goes on.
    pub(super) fn is_worth_a_look(self) -> bool {
        self.bytes >= MIN_RISE_BYTES || self.goes_on
    }
}

/// Bytes per cycle that are worth a look: what repeats a thousand times a minute keeps less each time.
pub(super) fn least(unit: CycleUnit) -> u64 {
    match unit {
        CycleUnit::Step | CycleUnit::OnBatch | CycleUnit::Call | CycleUnit::Update => MIN_SHORT_CYCLE_BYTES,
        _ => MIN_CYCLE_BYTES,
    }
}

/// Bytes per cycle that a small rise must go on by: half of what the report takes for a framework's own.
pub(super) fn lately(unit: CycleUnit) -> u64 {
    match unit {
        CycleUnit::Epoch | CycleUnit::Fit | CycleUnit::Evaluate | CycleUnit::Model => 8 << 10,
        CycleUnit::Predict | CycleUnit::Request => 1 << 10,
        _ => 128,
    }
}

/// One part in so many of the program's time, where it may take as much as is usual; a larger part for who allows more.
pub(super) fn one_part_in(usual: u32, session: &Session) -> u32 {
    let ease = (session.board().overhead() / DEFAULT_OVERHEAD).clamp(1.0, MAX_EASE);
    (f64::from(usual) / ease).ceil() as u32
}

/// Whether a first look at such a rise would be a small part of the program's time so far.
pub(super) fn is_cheap(session: &Session, risen: u64) -> bool {
    let share = if risen < MIN_RISE_BYTES { PAUSE_FACTOR } else { FIRST_TIME_DIVISOR };
    Duration::from_nanos(session.age()) >= FIRST_LOOK_BUDGET * one_part_in(share, session)
}

//! Marks among the program's objects, and looks at the garbage behind them.
//!
//! In: the ends of cycles, the GIL. Out: records of how much garbage was made since each mark. What must not happen here: a mark that is
//! used after a full collection, which shuffles what stands behind it; a look after the program's functions have returned, when what
//! they held is garbage too.
//!
//! A look at the whole heap finds all garbage, but takes longer than the program may be held up where there are many objects. This
//! looks at the young ones alone.

use std::time::{Duration, Instant};

use nilometer_capture::{CensusCounts, Observation};
use nilometer_census::{Object, WaitingLimits};
use pyo3::types::PyList;
use pyo3::{Py, Python};

use super::cost_meter::{Began, CostMeter};
use super::looks::{has_room, limits, nanoseconds};
use super::state::{State, one_part_in};
use crate::recorder;
use crate::scan_schedule::PAUSE_FACTOR;
use crate::session::Session;

/// Marks that are kept; when there are more, every second one goes.
const MAX_MARKS: usize = 8;
/// The next mark, and the next look, wait for such a part of the program's time so far: a service that runs for weeks must not fill its
/// capture, and the last look must come near the end.
const MARK_AGE_DIVISOR: u64 = 8;
const LOOK_AGE_DIVISOR: u64 = 32;
const MIN_BETWEEN_NS: u64 = 100_000_000;
/// Objects behind a mark: 50,000 take some 30 ms.
const MAX_OBJECTS: usize = 50_000;
/// The part of the longest pause that a look may take.
const PAUSE_DIVISOR: u64 = 3;

/// An object of ours on the collector's lists, which grows old as its neighbours do.
struct Mark {
    object: Py<PyList>,
    born_ns: u64,
}

/// The marks of this process, the oldest first.
#[derive(Default)]
pub(super) struct Marks {
    all: Vec<Mark>,
    next_mark_ns: u64,
    next_look_ns: u64,
    /// Full collections when they were made.
    full: Option<u64>,
    meter: CostMeter,
}

impl Marks {
    /// Makes one at the end of a cycle, if it is time.
    pub(super) fn mark(&mut self, py: Python<'_>, session: &Session, age_ns: u64) {
        if age_ns < self.next_mark_ns || session.board().pause_limit().is_none() {
            return;
        }
        self.next_mark_ns = age_ns + (age_ns / MARK_AGE_DIVISOR).max(MIN_BETWEEN_NS);
        let _ours = recorder::Ours::begin();
        self.drop_stale(py, session);
        if self.all.len() >= MAX_MARKS {
            let mut goes = true;
            self.all.retain(|_| {
                goes = !goes;
                !goes
            });
        }
        if let Ok(object) = PyList::new(py, [0_u8; 0]) {
            self.all.push(Mark { object: object.unbind(), born_ns: age_ns });
        }
    }

    /// Whether there is a mark to look behind, and it is time: the last look took no more than one part in `part` of the time since.
    fn is_due(&self, part: u32, age_ns: u64) -> bool {
        !self.all.is_empty() && age_ns >= self.next_look_ns && self.meter.is_due(part)
    }

    /// Without marks from before a full collection.
    fn drop_stale(&mut self, py: Python<'_>, session: &Session) {
        let full = session.full_collections(py);
        if std::mem::replace(&mut self.full, full) != full || full.is_none() {
            self.all.clear();
        }
    }
}

impl State {
    /// Tells how much garbage waits behind each mark, if it is time.
    pub(super) fn look_at_waiting(&mut self, py: Python<'_>, session: &Session) {
        let age_ns = session.age();
        if !self.marks.is_due(one_part_in(PAUSE_FACTOR, session), age_ns) {
            return;
        }
        self.marks.next_look_ns = age_ns + age_ns / LOOK_AGE_DIVISOR;
        let _ours = recorder::Ours::begin();
        let (began, took) = (Instant::now(), Began::now());
        self.marks.drop_stale(py, session);
        if !has_room(session) {
            self.marks.meter.note(took);
            return;
        }
        let born: Vec<u64> = self.marks.all.iter().map(|mark| mark.born_ns).collect();
        let at = |mark: &Mark| Object::at(mark.object.as_ptr() as u64);
        let marks: Vec<Object> = self.marks.all.iter().map(at).collect();
        let pause = Duration::from_nanos(limits(session).max_pause_ns / PAUSE_DIVISOR);
        let limits = WaitingLimits { objects: MAX_OBJECTS, pause };
        let found = self.ready(session).and_then(|census| census.waiting_garbage(&marks, limits));
        self.marks.meter.note(took);
        let Some((found, objects)) = found else { return };
        // Marks with too many objects behind them are of no use any more.
        let oldest = found.first().map_or(0, |one| one.mark);
        self.marks.all.drain(..oldest);
        let pause_ns = nanoseconds(began);
        for one in found.iter().rev() {
            session.see(Observation::Census(CensusCounts {
                depth: Some(3),
                objects: Some(objects),
                garbage_bytes: Some(one.bytes),
                garbage_objects: Some(one.objects),
                pause_ns: Some(pause_ns),
                behind_ns: born.get(one.mark).copied(),
                young_bytes: Some(one.young_bytes),
                ..CensusCounts::default()
            }));
        }
    }
}

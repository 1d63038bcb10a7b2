//! Readings at marks: whether one is taken, and the live memory that it shows.
//!
//! In: marks, the GIL. Out: readings in the capture; live memory. What must not happen here: a level without Python's objects taken
//! for one with them.

use nilometer_capture::{Counters, CycleUnit, MIN_SHARED_BYTES, Moment};
use pyo3::Python;

use super::Session;
use crate::reading::{self, Depth, Taken};
use crate::reading_schedule::Asker;

/// Marks that follow each other within this time share one reading: an epoch ends and its phase ends.
const SAME_MOMENT_NS: u64 = 50_000;
/// So do those within this part of what dear figures take: a line is printed, and the loop turns.
const SAME_MOMENT_DIVISOR: u64 = 10;

/// The last whole reading.
pub(super) struct Latest {
    ended_ns: u64,
    /// The unit at whose end it was taken.
    unit: Option<CycleUnit>,
    taken: Taken,
}

impl Session {
    /// Gives live memory, where it was read.
    pub(super) fn read_if_due(&self, py: Python<'_>, asker: Asker, nth: u64, moment: Moment) -> Option<u64> {
        if let Asker::Cycle(unit) = asker {
            self.dear_parts.turn(unit, self.writer.now());
        }
        // A cycle is judged by what it ends with: a reading that left a part out is none.
        let suffices = |taken: &Taken| !matches!(asker, Asker::Cycle(_)) || taken.is_whole;
        if let Some(taken) = self.just_read(moment).filter(suffices) {
            self.append_reading(self.writer.now(), moment, &taken.counters);
            live(&taken)
        } else if self.pacer.wants(asker, nth, self.writer.now()) {
            self.read(py, asker, moment, self.paced(asker))
        } else {
            None
        }
    }

    /// Gives the reading that was just taken to this moment too, if it is whole.
    pub(super) fn share(&self, moment: Moment) -> Option<u64> {
        let taken = self.just_read(moment).filter(|taken| taken.is_whole)?;
        self.append_reading(self.writer.now(), moment, &taken.counters);
        live(&taken)
    }

    /// Writes a reading, and before it how many requests of each endpoint had ended. With the GIL: none ends meanwhile.
    fn append_reading(&self, at_ns: u64, moment: Moment, counters: &Counters) {
        self.tell_ended(at_ns);
        self.writer.append_reading(at_ns, moment, counters);
    }

    pub(super) fn paced(&self, asker: Asker) -> Depth {
        let now = self.writer.now();
        self.dear_parts.depth(asker, self.reader.dear_cost(), self.pacer.is_among_cycles(now), now)
    }

    pub(super) fn read(&self, py: Python<'_>, asker: Asker, moment: Moment, depth: Depth) -> Option<u64> {
        let python = reading::Python {
            collector: &|counters| {
                self.interpreter.read_collector(py, counters);
                self.interpreter.read_libraries(py, counters);
            },
            allocator: &|counters| self.interpreter.read_allocator(py, counters),
        };
        self.read_with(&python, asker, moment, depth)
    }

    pub(super) fn read_with(
        &self,
        python: &reading::Python<'_>,
        asker: Asker,
        moment: Moment,
        depth: Depth,
    ) -> Option<u64> {
        let now = self.writer.now();
        let taken = self.reader.read(now, depth, Some(python))?;
        let end = self.writer.now();
        // A tick that counted turns is the clock's: as a cycle of its own it would make the ticks rare that the next turns need.
        let paced = if moment == Moment::Tick && asker != Asker::Once { Asker::Tick } else { asker };
        self.pacer.note(paced, end, taken.counters.cost_ns.unwrap_or_default().saturating_sub(taken.dear_ns));
        if taken.is_whole {
            self.dear_parts.note(asker, end, taken.dear_ns);
        }
        self.append_reading(now, moment, &taken.counters);
        if matches!(moment, Moment::Cycle { .. })
            && let Some(arenas) = self.arenas.look(&taken.counters)
        {
            self.fact("heap.arenas".to_owned(), arenas);
        }
        let live = live(&taken);
        if let Ok(mut latest) = self.latest.try_lock() {
            *latest = Some(Latest { ended_ns: end, unit: unit_of(moment), taken });
        }
        live
    }

    /// Live memory at the last reading; nothing where that left a part out.
    pub(crate) fn live(&self) -> Option<u64> {
        live(&self.latest.try_lock().ok()?.as_ref()?.taken)
    }

    /// The last reading, if it is of this very moment; it costs nothing again.
    fn just_read(&self, moment: Moment) -> Option<Taken> {
        let latest = self.latest.try_lock().ok()?;
        let Latest { ended_ns, unit, taken } = latest.as_ref()?;
        // The next cycle of the same unit is another moment, however short it was: what it kept is not in the reading.
        let is_next = unit.is_some() && *unit == unit_of(moment);
        let moment_ns = SAME_MOMENT_NS.max(taken.dear_ns / SAME_MOMENT_DIVISOR);
        let same = !is_next && self.writer.now().saturating_sub(*ended_ns) < moment_ns;
        let again = |taken: &Taken| {
            let counters = Counters { cost_ns: Some(0), ..taken.counters.clone() };
            Taken { counters, ..taken.clone() }
        };
        same.then(|| again(taken))
    }
}

fn unit_of(moment: Moment) -> Option<CycleUnit> {
    match moment {
        Moment::Cycle { unit, .. } => Some(unit),
        _ => None,
    }
}

/// Bytes in use: of the C allocator's blocks (of those that a pool lies in, what it handed out), of Python's own, and shared ones. Nothing
/// where a part of them was left out.
fn live(Taken { counters, is_whole, .. }: &Taken) -> Option<u64> {
    let blocks = counters.heap_in_use.filter(|_| *is_whole)?
        + counters.heap_mapped.unwrap_or(0)
        + counters.py_in_use.map_or(0, |in_use| in_use.saturating_sub(counters.py_kept.unwrap_or(0)));
    let shared = counters.rss_shmem.filter(|bytes| *bytes > MIN_SHARED_BYTES).unwrap_or(0);
    let blocks = blocks + counters.library_used.unwrap_or(0) + shared;
    let pools = (counters.pool_used.unwrap_or(0), counters.pool_reserved.unwrap_or(0));
    Some(blocks.saturating_sub(pools.1) + pools.0)
}

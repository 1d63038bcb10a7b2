//! What the ticker asks of a recording: readings by the clock, and the looks that follow from them.
//!
//! In: beats, with the GIL on the main thread or in its place, or without it. Out: readings, perhaps a look at the heap. What
//! must not happen here: an allocation where the GIL is not held; code of the program's on the ticker's thread.

use nilometer_capture::Moment;
use pyo3::sync::PyOnceLock;
use pyo3::{Py, PyAny, Python};

use super::{SECOND_NS, Session};
use crate::reading::Taken;
use crate::reading_schedule::Asker;
use crate::{interp, reading};

/// What is called at ticks of the clock, on the main thread.
static AT_TICKS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Calls this at ticks from now on; the first one stays.
pub(crate) fn at_ticks(py: Python<'_>, call: Py<PyAny>) {
    drop(AT_TICKS.set(py, call));
}

impl Session {
    /// Nanoseconds since the last full reading.
    pub(crate) fn silence(&self) -> u64 {
        if self.watch.is_asked(self.board()) {
            return u64::MAX;
        }
        self.writer.now().saturating_sub(self.pacer.last())
    }

    /// Whether a tick would be affordable now. What the import of a framework takes is told where it ends.
    pub(crate) fn wants_tick(&self) -> bool {
        let now = self.writer.now();
        let pause = if self.board().is_importing() { SECOND_NS } else { 0 };
        let has_rested = now.saturating_sub(self.pacer.last()) >= pause;
        has_rested && self.pacer.wants(Asker::Tick, u64::MAX, now) || self.watch.is_asked(self.board())
    }

    /// A tick with the GIL, on the main thread.
    pub(crate) fn tick(&self, py: Python<'_>) {
        self.watch.main_thread_answers();
        if let Some(call) = AT_TICKS.get(py)
            && !self.interpreter.is_spied_on(py)
        {
            // What it raises is no business of the program's.
            drop(call.call0(py));
        }
        self.ask_devices(py, Moment::Tick);
        let asker = self.asker_of_tick();
        if self.wants(asker) && !self.watch.is_looking() {
            let live = self.read(py, asker, Moment::Tick, self.paced(asker));
            self.ends_turns(py);
            self.look_after_tick(py, live);
        }
        if let Some(outside) = &self.outside {
            outside.read_if_due(&self.writer);
        }
        if let Ok(mut turned) = self.turned.try_lock() {
            *turned = None;
        }
    }

    /// A tick at which turns were counted reads as the end of one: those are judged.
    fn asker_of_tick(&self) -> Asker {
        let turned = self.turned.try_lock().ok().and_then(|turned| *turned);
        turned.map_or(Asker::Tick, |(unit, _)| {
            self.dear_parts.turn(unit, self.writer.now());
            Asker::Cycle(unit)
        })
    }

    fn wants(&self, asker: Asker) -> bool {
        let is_turn = matches!(asker, Asker::Cycle(_));
        is_turn && self.pacer.wants(asker, u64::MAX, self.writer.now()) || self.wants_tick()
    }

    /// The reading of this tick is also that of the turns that were counted at it.
    fn ends_turns(&self, py: Python<'_>) {
        let turned = self.turned.try_lock().ok().and_then(|mut turned| turned.take());
        if let Some((unit, ordinal)) = turned {
            let live = self.share(Moment::Cycle { unit, ordinal });
            self.watch.cycle(py, self, unit, ordinal, live);
        }
    }

    /// A tick with the GIL, on the ticker's thread: the main one has waited in one call for long.
    pub(crate) fn tick_instead(&self, py: Python<'_>) {
        if self.wants_tick() && !self.watch.is_looking() {
            let python = reading::Python {
                collector: &|counters| {
                    self.interpreter.read_collector_elsewhere(py, counters);
                    self.interpreter.read_libraries(py, counters);
                },
                allocator: &|counters| self.interpreter.read_allocator(py, counters),
            };
            let live = self.read_with(&python, Asker::Tick, Moment::Tick, self.paced(Asker::Tick));
            self.look_after_tick(py, live);
        }
    }

    fn look_after_tick(&self, py: Python<'_>, live: Option<u64>) {
        self.watch.answer(py, self);
        self.watch.beat(py, self, interp::modules(py), live, self.patience);
    }

    /// Whether there is a reason to take the main thread's turn: somebody waits for an answer, or memory rises while it waits.
    pub(crate) fn wants_turn(&self) -> bool {
        let is_late = || self.writer.now().saturating_sub(self.pacer.last()) >= SECOND_NS;
        self.watch.is_asked(self.board()) || is_late() && self.wants_tick() && self.watch.rises_meanwhile()
    }

    /// A tick without the GIL, from the ticker's own thread. Does not allocate.
    pub(crate) fn tick_outside(&self) {
        let now = self.writer.now();
        // What a look needs meanwhile would be taken for the program's.
        if self.unasked.is_due(now)
            && !self.watch.is_looking()
            && let Some(Taken { counters, .. }) = self.reader.read(now, self.paced(Asker::Tick), None)
        {
            // What was made and not touched is not resident, and what Python's small objects take is not the C allocator's.
            let parts = [counters.rss_anon, counters.heap_in_use, counters.heap_mapped];
            self.watch.meanwhile(now / SECOND_NS, parts.into_iter().flatten().sum());
            self.unasked.note(self.writer.now(), counters.cost_ns.unwrap_or_default());
            self.writer.append_reading(now, Moment::Tick, &counters);
        }
    }
}

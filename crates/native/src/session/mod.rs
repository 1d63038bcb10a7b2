//! The one recording of this process: what to write, and whether to write at all.
//!
//! In: marks from Python, beats of the ticker. Out: records in the capture. What must not happen here: a lock held while
//! Python or the C library is called; anything but an atomic load once the recording is off (stopped, or in a forked child).

mod devices;
mod ended;
mod found;
mod life;
mod outside;
mod readings;
mod ticks;

use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use nilometer_capture::{Board, Counters, CycleUnit, Edge, Moment, Observation, Record, Writer};
use pyo3::Python;

pub(crate) use self::life::{current, make, start, start_child, stop, turn_off_in_child};
use self::outside::Outside;
pub(crate) use self::ticks::at_ticks;

use crate::arenas::Arenas;
use crate::census::Watch;
use crate::cost_limiter::CostLimiter;
use crate::dear_parts::DearParts;
use crate::devices::Devices;
use crate::endpoints::Endpoints;
use crate::found::Kinds;
use crate::interp::Interpreter;
use crate::losses::{Losses, Told};
use crate::names::{Names, is_recorded};
use crate::reading::{Depth, Reader};
use crate::reading_schedule::{Asker, ReadingSchedule};
use crate::{thread, ticker};

/// Each unit's first cycles are all recorded, later ones at most one per this time.
const RECORDED_CYCLES: u64 = 1024;
const CYCLE_PAUSE_NS: u64 = 10_000_000;

/// A second, in nanoseconds.
pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// The phase of a call of `fit`.
const FIT: &str = "fit";

/// A recording.
pub(crate) struct Session {
    writer: Writer,
    interpreter: Interpreter,
    reader: Reader,
    arenas: Arenas,
    pacer: ReadingSchedule,
    dear_parts: DearParts,
    /// Readings without Python's part.
    unasked: CostLimiter,
    phases: Names,
    losses: Losses,
    last_cycle: [AtomicU64; CycleUnit::COUNT],
    /// The last whole reading. Only ever tried, never waited for.
    latest: Mutex<Option<readings::Latest>>,
    ticking: AtomicBool,
    watch: Watch,
    devices: Devices,
    /// What requests and tasks are of.
    endpoints: Endpoints,
    /// What repeats that no hook knows.
    kinds: Mutex<Kinds>,
    last_beat: AtomicU64,
    /// The unit whose turns were counted at this tick, and how many there are. Only ever tried.
    turned: Mutex<Option<(CycleUnit, u64)>>,
    /// Seconds of a rise without cycles before anybody looks.
    patience: usize,
    /// What the machine says, where no supervisor reads it.
    outside: Option<Outside>,
}

impl Session {
    /// Whether the ticker is to run.
    pub(crate) fn is_ticking(&self) -> bool {
        self.ticking.load(Relaxed)
    }

    /// Ends the ticker for good.
    pub(crate) fn stop_ticking(&self, py: Python<'_>) {
        self.ticking.store(false, Relaxed);
        py.detach(ticker::stop);
    }

    pub(crate) fn step(&self) {
        self.writer.board().count_step();
    }

    /// A framework begins to be imported, or has been.
    pub(crate) fn importing(&self, begins: bool) {
        let board = self.writer.board();
        if begins { board.begin_import() } else { board.end_import() }
    }

    pub(crate) fn cycle(&self, py: Python<'_>, unit: CycleUnit) {
        let ordinal = self.writer.board().count_cycle(unit);
        let now = self.writer.now();
        let Some(last) = self.last_cycle.get(unit.index()) else { return };
        if ordinal > RECORDED_CYCLES && now.saturating_sub(last.load(Relaxed)) < CYCLE_PAUSE_NS {
            return;
        }
        last.store(now, Relaxed);
        self.writer.append_at(now, &Record::Cycle { unit, ordinal });
        let live = self.read_if_due(py, Asker::Cycle(unit), ordinal, Moment::Cycle { unit, ordinal });
        self.ask_devices(py, Moment::Cycle { unit, ordinal });
        self.watch.cycle(py, self, unit, ordinal, live);
    }

    /// A cycle of a caller who says which are read and which are looked at, whatever that costs.
    pub(crate) fn cycle_exactly(&self, py: Python<'_>, unit: CycleUnit, read: bool, look: bool) {
        let ordinal = self.writer.board().count_cycle(unit);
        let now = self.writer.now();
        self.writer.append_at(now, &Record::Cycle { unit, ordinal });
        if read {
            self.read(py, Asker::Cycle(unit), Moment::Cycle { unit, ordinal }, Depth::Whole);
        }
        if look {
            self.watch.look_now(py, self, ordinal);
        }
    }

    /// `is_part`: told as a part of the phase around it, for which readings at its edges would tell nothing.
    pub(crate) fn phase(&self, py: Python<'_>, name: String, edge: Edge, is_part: bool) {
        match edge {
            _ if name != FIT => {}
            Edge::Begin => self.watch.fit_begins(),
            Edge::End => self.watch.fit_ends(py, self),
        }
        let nth = self.phases.count(&name, edge);
        if !is_recorded(nth) {
            return;
        }
        self.writer.append(&Record::Phase { name, edge, thread: thread::number() });
        if !is_part {
            self.read_if_due(py, Asker::Phase, nth, Moment::Phase);
        }
    }

    pub(crate) fn fact(&self, key: String, value: String) {
        self.writer.append(&Record::Fact { key, value });
    }

    pub(crate) fn child(&self, pid: u64, role: String) {
        let parent = u64::from(std::process::id());
        self.writer.append(&Record::Child { pid, parent, role });
    }

    /// Nanoseconds since the run began.
    pub(crate) fn age(&self) -> u64 {
        self.writer.now()
    }

    pub(crate) fn board(&self) -> &Board {
        self.writer.board()
    }

    pub(crate) fn see(&self, seen: Observation) {
        self.writer.append(&Record::Observation(seen));
    }

    pub(crate) fn lost(&self, what: &str) {
        if let Some(told) = self.losses.count(what) {
            self.tell(told);
        }
    }

    /// Live memory now, exactly: for moments that are few and known.
    pub(crate) fn read_now(&self, py: Python<'_>) -> Option<u64> {
        self.read(py, Asker::Once, Moment::Tick, Depth::Whole)
    }

    /// Full collections so far, if Python tells.
    pub(crate) fn full_collections(&self, py: Python<'_>) -> Option<u64> {
        let mut counters = Counters::default();
        self.interpreter.read_collector(py, &mut counters);
        counters.gc2
    }

    /// The program's own code has ended: the last chance to see who holds what.
    pub(crate) fn code_ended(&self, py: Python<'_>) {
        self.watch.code_ends(py, self);
    }

    /// A census, now.
    pub(crate) fn census(&self, py: Python<'_>) {
        self.writer.board().ask_census();
        self.watch.answer(py, self);
    }

    /// A reading at a moment that comes once.
    pub(crate) fn once(&self, py: Python<'_>, moment: Moment) {
        self.read(py, Asker::Once, moment, Depth::Whole);
        self.ask_devices(py, moment);
        for told in self.losses.rest() {
            self.tell(told);
        }
    }

    fn tell(&self, Told { what, count }: Told) {
        self.writer.append(&Record::Loss { what, count });
    }
}

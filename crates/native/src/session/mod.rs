//! The one recording of this process: what to write, and whether to write at all.
//!
//! In: marks from Python, beats of the ticker. Out: records in the capture. What must not happen here: a lock held while
//! Python or the C library is called; anything but an atomic load once the recording is off (in a forked child).

mod found;
mod readings;
mod ticks;

use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Mutex, OnceLock};
use std::time::UNIX_EPOCH;

use nilometer_capture::{Board, CycleUnit, Edge, Moment, Observation, Record, Writer};
use pyo3::sync::PyOnceLock;
use pyo3::{Py, PyAny, Python};

use crate::arenas::Arenas;
use crate::census::Watch;
use crate::found::Kinds;
use crate::heap::Allocator;
use crate::interp::Interpreter;
use crate::losses::{Losses, Told};
use crate::names::{Names, is_recorded};
use crate::pace::Pace;
use crate::pacing::{Asker, Pacer};
use crate::reading::{Depth, Reader};
use crate::{fork, thread, ticker};

/// Each unit's first cycles are all recorded, later ones at most one per this time.
const RECORDED_CYCLES: u64 = 1024;
const CYCLE_PAUSE_NS: u64 = 10_000_000;

/// Seconds of a rise without cycles before anybody looks: a program that reads its data before it trains rises too.
const PATIENCE: usize = 10;

/// A second, in nanoseconds.
pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// The phase of a call of `fit`.
const FIT: &str = "fit";

/// One for each fork in a row, as recordings are never taken apart: others may hold a reference.
static SESSIONS: [OnceLock<Session>; 16] = [const { OnceLock::new() }; 16];
/// Which of them is this process's.
static GENERATION: AtomicUsize = AtomicUsize::new(0);
static ON: AtomicBool = AtomicBool::new(false);

/// The recording, if there is one and this is the process that it belongs to.
pub(crate) fn current() -> Option<&'static Session> {
    if ON.load(Relaxed) { SESSIONS.get(GENERATION.load(Relaxed))?.get() } else { None }
}

/// What is called at ticks of the clock, on the main thread.
static AT_TICKS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Calls this at ticks from now on; the first one stays.
pub(crate) fn at_ticks(py: Python<'_>, call: Py<PyAny>) {
    drop(AT_TICKS.set(py, call));
}

/// Begins the recording. False if the capture cannot be joined, or if this process had a recording before.
pub(crate) fn start(py: Python<'_>, path: &Path) -> bool {
    !ON.load(Relaxed) && Writer::join(path).is_ok_and(|writer| start_with(py, writer, PATIENCE))
}

/// Begins the recording of a child of the program, in a capture of its own that this makes, unless the recorder was
/// sooner; also where the process that this one was forked from had a recording. `patience` is how many seconds
/// it must rise without cycles before anybody looks at its heap.
pub(crate) fn start_child(py: Python<'_>, path: &Path, run: &str, patience: usize) -> bool {
    if ON.load(Relaxed) {
        return false;
    }
    let made = Writer::create(path, false);
    let is_new = made.is_ok();
    // A name can be taken by an earlier run: in containers pids come again in the same order.
    let Some(writer) =
        made.ok().or_else(|| if is_of_run(path, run) { Writer::join(path).ok() } else { None })
    else {
        return false;
    };
    if is_new {
        let parent = std::os::unix::process::parent_id().to_string();
        for (key, value) in [("run", run), ("pid", &std::process::id().to_string()), ("parent", &parent)] {
            writer.append(&Record::Fact { key: key.to_owned(), value: value.to_owned() });
        }
    }
    start_with(py, writer, patience)
}

/// Whether the file was written to since this run began; a run's number is that moment, in nanoseconds since 1970.
fn is_of_run(path: &Path, run: &str) -> bool {
    let changed = std::fs::metadata(path).and_then(|about| about.modified()).ok();
    let changed = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
    run.parse::<u64>().is_ok_and(|run| changed.is_some_and(|changed| changed.as_nanos() >= run.into()))
}

fn start_with(py: Python<'_>, writer: Writer, patience: usize) -> bool {
    let mut generation = GENERATION.load(Relaxed);
    let parent = SESSIONS.get(generation).and_then(OnceLock::get);
    let is_forked = parent.is_some();
    if let Some(parent) = parent {
        // What the program may be held up by holds for those that it forks.
        writer.board().limit_pause(parent.board().pause_limit());
        writer.board().allow_overhead(parent.board().overhead());
        generation += 1;
    }
    let Some(slot) = SESSIONS.get(generation) else { return false };
    let allocator = Allocator::find();
    let session = Session {
        writer,
        interpreter: Interpreter::find(py),
        reader: Reader::new(allocator.source),
        arenas: Arenas::default(),
        pacer: Pacer::default(),
        unasked: Pace::default(),
        phases: Names::new(),
        losses: Losses::default(),
        last_cycle: [const { AtomicU64::new(0) }; CycleUnit::COUNT],
        latest: Mutex::new(None),
        ticking: AtomicBool::new(false),
        watch: Watch::default(),
        kinds: Mutex::new(Kinds::new()),
        last_beat: AtomicU64::new(0),
        turned: Mutex::new(None),
        patience,
    };
    let session = slot.get_or_init(|| session);
    GENERATION.store(generation, Relaxed);
    // A fork in C that we do not hear of would let the child write on in the parent's name. Handlers are inherited.
    if !is_forked && !fork::register() {
        session.lost("nothing was recorded inside the program: fork handlers were refused");
        return false;
    }
    // What goes wrong in here is told in the capture; a panic's message on the program's stderr helps nobody.
    std::panic::set_hook(Box::new(|_| {}));
    ON.store(true, Relaxed);
    thread::number(); // the thread that starts the recording is the first
    if let Some(name) = allocator.foreign {
        session.fact("allocator".to_owned(), name);
    }
    session.ticking.store(true, Relaxed);
    if !ticker::start(py) {
        session.lost("readings by the clock: no thread could be started");
    }
    true
}

/// Ends it in a forked child: the recording is the parent's. Async-signal-safe.
pub(crate) fn turn_off_in_child() {
    if let Some(session) = current() {
        session.writer.close_in_child();
    }
    ON.store(false, Relaxed);
}

/// A recording.
pub(crate) struct Session {
    writer: Writer,
    interpreter: Interpreter,
    reader: Reader,
    arenas: Arenas,
    pacer: Pacer,
    /// Readings without Python's part.
    unasked: Pace,
    phases: Names,
    losses: Losses,
    last_cycle: [AtomicU64; CycleUnit::COUNT],
    /// The last whole reading. Only ever tried, never waited for.
    latest: Mutex<Option<readings::Latest>>,
    ticking: AtomicBool,
    watch: Watch,
    /// What repeats that no hook knows.
    kinds: Mutex<Kinds>,
    last_beat: AtomicU64,
    /// The unit whose turns were counted at this tick, and how many there are. Only ever tried.
    turned: Mutex<Option<(CycleUnit, u64)>>,
    /// Seconds of a rise without cycles before anybody looks.
    patience: usize,
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
        self.watch.cycle(py, self, unit, ordinal, live);
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
        for told in self.losses.rest() {
            self.tell(told);
        }
    }

    fn tell(&self, Told { what, count }: Told) {
        self.writer.append(&Record::Loss { what, count });
    }
}

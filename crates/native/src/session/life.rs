#![expect(unsafe_code, reason = "the recording is reached by a pointer, and freed when nobody is inside")]
//! Begin and end of the recording of this process; it may begin and end more than once.
//!
//! In: a capture to join or to make. Out: the current recording, to whoever has something to say. What must not happen here: a
//! recording freed while a thread is inside of it, which may be waiting there for the GIL; a second one beside the first.

use std::ops::Deref;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize};
use std::time::{Duration, UNIX_EPOCH};

use nilometer_capture::{CycleUnit, Exit, MemoryKill, Moment, Record, Writer};
use pyo3::Python;

use super::{Outside, Session};
use crate::arenas::Arenas;
use crate::census::Watch;
use crate::cost_limiter::CostLimiter;
use crate::dear_parts::DearParts;
use crate::devices::Devices;
use crate::endpoints::Endpoints;
use crate::found::Kinds;
use crate::heap::Allocator;
use crate::interp::Interpreter;
use crate::losses::Losses;
use crate::names::Names;
use crate::reading::Reader;
use crate::reading_schedule::ReadingSchedule;
use crate::words;
use crate::{code, fork, thread, ticker};

/// Seconds of a rise without cycles before anybody looks: a program that reads its data before it trains rises too.
const MAX_SECONDS_WITHOUT_CYCLES: usize = 10;

/// The recording; in a forked child that of its parent, which is off.
static CURRENT: AtomicPtr<Session> = AtomicPtr::new(null_mut());
static ON: AtomicBool = AtomicBool::new(false);
/// Threads that are inside of a recording, or about to be.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
/// Recordings that have ended while somebody was inside. With the GIL only.
static RETIRED: Mutex<Vec<Retired>> = Mutex::new(Vec::new());
static ENDING: AtomicBool = AtomicBool::new(false);
static FORKS_ARE_HEARD: AtomicBool = AtomicBool::new(false);

/// The recording, held: it is not freed meanwhile.
pub(crate) struct Inside(&'static Session);

impl Deref for Inside {
    type Target = Session;
    fn deref(&self) -> &Session {
        self.0
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, SeqCst);
    }
}

/// The recording, if there is one and this is the process that it belongs to. Async-signal-safe.
pub(crate) fn current() -> Option<Inside> {
    if !ON.load(Relaxed) {
        return None;
    }
    // Counted first: who ends the recording takes the pointer away first and looks at the count then.
    INSIDE.fetch_add(1, SeqCst);
    let session = if ON.load(SeqCst) { CURRENT.load(SeqCst) } else { null_mut() };
    // SAFETY: null, or a recording that is freed only while nobody is counted who could have seen the pointer.
    let held = unsafe { session.as_ref() }.map(Inside);
    if held.is_none() {
        INSIDE.fetch_sub(1, SeqCst);
    }
    held
}

/// Joins a capture that is there. False if it cannot be joined, or if this process is recorded.
pub(crate) fn start(py: Python<'_>, path: &Path) -> bool {
    !ON.load(Relaxed)
        && Writer::join(path).is_ok_and(|writer| start_with(py, writer, MAX_SECONDS_WITHOUT_CYCLES, None))
}

/// Makes a capture and begins to record; nobody outside reads what the machine says. `pause` is the longest that a look at the heap
/// may take; `None`: no look by itself. The words say why not.
pub(crate) fn make(
    py: Python<'_>,
    path: &Path,
    overwrite: bool,
    pause: Option<Duration>,
) -> Result<(), String> {
    if ON.load(Relaxed) {
        return Err(words::RECORDED_ALREADY.to_owned());
    }
    let writer = Writer::create(path, overwrite).map_err(|error| format!("{error}; {}", error.hint()))?;
    writer.board().limit_pause(pause.map(|most| u64::try_from(most.as_nanos()).unwrap_or(u64::MAX - 1)));
    if start_with(py, writer, MAX_SECONDS_WITHOUT_CYCLES, Some(Outside::default())) {
        Ok(())
    } else {
        Err(words::NO_FORK_HANDLER.to_owned())
    }
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
    start_with(py, writer, patience, None)
}

/// Whether the file was written to since this run began; a run's number is that moment, in nanoseconds since 1970.
fn is_of_run(path: &Path, run: &str) -> bool {
    let changed = std::fs::metadata(path).and_then(|about| about.modified()).ok();
    let changed = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
    run.parse::<u64>().is_ok_and(|run| changed.is_some_and(|changed| changed.as_nanos() >= run.into()))
}

fn start_with(py: Python<'_>, writer: Writer, patience: usize, outside: Option<Outside>) -> bool {
    // SAFETY: null, or the recording of the process that this one was forked from, which nobody frees here.
    let parent = unsafe { CURRENT.load(SeqCst).as_ref() };
    let is_forked = parent.is_some();
    if let Some(parent) = parent {
        // What the program may be held up by holds for those that it forks.
        writer.board().limit_pause(parent.board().pause_limit());
        writer.board().allow_overhead(parent.board().overhead());
    }
    // A fork in C that we do not hear of would let the child write on in the parent's name. Handlers are inherited.
    if !FORKS_ARE_HEARD.load(Relaxed) {
        if !fork::register() {
            let what = words::NOTHING_RECORDED.to_owned();
            writer.append(&Record::Loss { what, count: 1 });
            return false;
        }
        FORKS_ARE_HEARD.store(true, Relaxed);
    }
    let allocator = Allocator::find();
    let session = Session {
        writer,
        interpreter: Interpreter::find(py),
        reader: Reader::new(allocator.source),
        arenas: Arenas::default(),
        pacer: ReadingSchedule::default(),
        dear_parts: DearParts::default(),
        unasked: CostLimiter::default(),
        phases: Names::new(),
        losses: Losses::default(),
        last_cycle: [const { AtomicU64::new(0) }; CycleUnit::COUNT],
        latest: Mutex::new(None),
        ticking: AtomicBool::new(true),
        watch: Watch::default(),
        devices: Devices::new(py, is_forked),
        endpoints: Endpoints::default(),
        kinds: Mutex::new(Kinds::new()),
        last_beat: AtomicU64::new(0),
        turned: Mutex::new(None),
        patience,
        outside,
    };
    CURRENT.store(Box::into_raw(Box::new(session)), SeqCst);
    // What goes wrong in here is told in the capture; a panic's message on the program's stderr helps nobody.
    std::panic::set_hook(Box::new(|_| {}));
    ON.store(true, SeqCst);
    thread::number(); // the thread that starts the recording is the first
    let Some(session) = current() else { return false };
    if let Some(name) = allocator.foreign {
        session.fact("allocator".to_owned(), name);
    }
    if is_forked {
        for (key, value) in code::facts() {
            session.fact(key, value);
        }
    }
    if !ticker::start(py) {
        session.lost(words::NO_CLOCK);
    }
    session.read_outside();
    true
}

/// Ends the recording while the program goes on; another one may begin after it. A capture that was made here is complete then.
/// `look`: at what the program holds now, a last time.
pub(crate) fn stop(py: Python<'_>, look: bool) {
    let Some(session) = current() else { return };
    // The ticker is waited for without the GIL: meanwhile another thread may ask for the same.
    if ENDING.swap(true, SeqCst) {
        return;
    }
    session.stop_ticking(py);
    if look {
        session.code_ended(py);
        session.once(py, Moment::BeforeExit);
    }
    session.completed();
    ON.store(false, SeqCst);
    drop(session);
    let ended = Retired(CURRENT.swap(null_mut(), SeqCst));
    if let Ok(mut all) = RETIRED.try_lock() {
        all.push(ended);
        if INSIDE.load(SeqCst) == 0 {
            all.clear();
        }
    }
    ENDING.store(false, SeqCst);
}

/// Ends it in a forked child: the recording is the parent's. Async-signal-safe.
pub(crate) fn turn_off_in_child() {
    if let Some(session) = current() {
        session.writer.close_in_child();
    }
    ON.store(false, SeqCst);
}

/// A recording that nobody can enter any more.
struct Retired(*mut Session);

// SAFETY: the recording may be used from all threads, and this is the only owner left.
unsafe impl Send for Retired {}

impl Drop for Retired {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: made by `Box::into_raw`; taken out of `CURRENT`, and dropped only while nobody is inside.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

impl Session {
    /// Reads what the machine says, if nobody else does.
    pub(super) fn read_outside(&self) {
        if let Some(outside) = &self.outside {
            outside.read(&self.writer);
        }
    }

    /// Nothing more comes into a capture that was made here.
    pub(crate) fn completed(&self) {
        if let Some(outside) = &self.outside {
            outside.read(&self.writer);
            self.writer.append(&Record::Exit(Exit {
                code: None,
                signal: None,
                memory_kill: MemoryKill::None,
            }));
        }
    }
}

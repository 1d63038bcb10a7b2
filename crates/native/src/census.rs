//! When the program's heap is looked at, and what of it is written down.
//!
//! In: the ends of cycles with live memory, the end of `fit`, requests from outside; the GIL. Out: records of who holds
//! what. What must not happen here: a look in a program whose memory does not rise and that nobody asked about; more than
//! one part in a hundred of the program's time beyond the first looks; a pause beyond the limit that was given.

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, TryLockError};
use std::time::{Duration, Instant};

use nilometer_capture::{
    Board, CensusCounts, Counters, CycleUnit, DEFAULT_PAUSE_NS, Grown, Holder, Observation,
};
use nilometer_census::{Census, Class, Path, PathLimits};
use pyo3::Python;

use crate::recorder;
use crate::rise::Rise;
use crate::session::Session;
use crate::types::Types;

/// Pause after a look, as a multiple of what it took.
const PAUSE: u32 = 100;
/// The first scans may follow each other faster: growth is what rose in three of them.
const FIRST_SCANS: u32 = 4;
const FIRST_PAUSE: u32 = 4;
/// A rise of so many bytes is looked at at once, one of so many at the end of its stretch; a smaller one, which may be
/// garbage that waits, when the first look costs no more than one part in fifty of the program's time so far.
const STRONG: u64 = 4 << 20;
const NOTABLE: u64 = 1 << 20;
const FIRST_LOOK: Duration = Duration::from_millis(300);
const FIRST_SHARE: u32 = 50;
/// Later ones lie so far apart, as a part of the time so far: a service that runs for weeks must not fill its capture.
const PARTS: u64 = 64;
/// Cycles between two whole looks at least.
const APART: u64 = 4;
/// Whole looks that are taken whatever they cost: one in the middle, one at the end.
const WHATEVER_THE_COST: u32 = 2;
/// Cycles of a unit that a process has which has no cycles: a service builds its model, too.
const ONCE: u64 = 3;
/// A second, in nanoseconds.
const SECOND: u64 = 1_000_000_000;
/// Sample ids in one record.
const IDS: usize = 2000;
/// Paths that get an id; the rest share one, and go untold.
const PATHS: usize = 4096;

/// Looks at the heap of this process.
#[derive(Default)]
pub(crate) struct Watch {
    state: Mutex<State>,
    /// Bytes of the census' own tables, which lie in the program's heap and are none of its own.
    own: AtomicU64,
}

#[derive(Default)]
struct State {
    census: Heap,
    rises: [Rise; CycleUnit::ALL.len()],
    /// Where there are no cycles, and how many modules there were then.
    seconds: Rise,
    second: u64,
    /// Seconds of a rise that are needed before they count.
    patience: usize,
    modules: usize,
    scan: Turn,
    whole: Turn,
    /// Ids of paths, and what they were last seen to hold.
    ids: HashMap<String, (u64, String)>,
    types: Types,
    /// Requests from outside that were answered.
    answered: u64,
    /// Cycles of the rising unit at the last whole look, and at the last scan.
    looked_at: u64,
    scanned_at: u64,
    /// Calls of `fit` that are under way.
    fits: u32,
    /// Bytes of our own tables.
    own: u64,
}

#[derive(Default)]
enum Heap {
    #[default]
    NotYet,
    Ready(Box<Census>),
    /// This Python cannot be read.
    Refused,
}

/// How often something was done, when last, and how long it took.
#[derive(Clone, Copy, Default)]
struct Turn {
    times: u32,
    last: Option<(Instant, Duration)>,
}

impl Turn {
    fn is_due(&self, pause: u32) -> bool {
        self.last.is_none_or(|(end, took)| end.elapsed() >= took * pause)
    }

    /// Whether it ended at least so long ago.
    fn rests(&self, pause: Duration) -> bool {
        self.last.is_none_or(|(end, _)| end.elapsed() >= pause)
    }

    fn note(&mut self, began: Instant) {
        self.times = self.times.saturating_add(1);
        self.last = Some((Instant::now(), began.elapsed()));
    }
}

impl Watch {
    /// A cycle ended, with so much live memory if it was read.
    pub(crate) fn cycle(
        &self,
        py: Python<'_>,
        session: &Session,
        unit: CycleUnit,
        ordinal: u64,
        live: Option<u64>,
    ) {
        let Ok(mut state) = self.state.try_lock() else { return };
        // What ends inside of an epoch comes and goes with it; and only between epochs does a path begin at `fit`.
        if state.fits > 0 && !matches!(unit, CycleUnit::Epoch | CycleUnit::Step | CycleUnit::Request) {
            return;
        }
        let Some(rise) = state.rises.get_mut(unit as usize) else { return };
        if let Some(live) = live {
            rise.note(ordinal, live);
        }
        let risen = rise.risen();
        state.rises_now(py, session, ordinal, risen);
        self.own.store(state.own, Relaxed);
    }

    /// A beat of the clock in a process that may have no cycles: a worker that a program started, a service. Seconds serve
    /// instead, those in which no module comes: what is imported rises as nothing else does, and is no leak. So many of
    /// them must have gone by: a program that reads its data before it trains rises as well.
    pub(crate) fn beat(
        &self,
        py: Python<'_>,
        session: &Session,
        modules: usize,
        live: Option<u64>,
        patience: usize,
    ) {
        let Ok(mut state) = self.state.try_lock() else { return };
        if CycleUnit::ALL.into_iter().any(|unit| session.board().cycles(unit) > ONCE) {
            state.seconds = Rise::default();
            return;
        }
        if std::mem::replace(&mut state.modules, modules) != modules {
            state.seconds = Rise::default();
        }
        let Some(live) = live else { return };
        let ordinal = session.age() / SECOND;
        if std::mem::replace(&mut state.second, ordinal) == ordinal {
            return;
        }
        state.seconds.note(ordinal, live);
        state.patience = patience;
        let risen = state.seconds_risen();
        state.rises_now(py, session, ordinal, risen);
        self.own.store(state.own, Relaxed);
    }

    /// A call of `fit` begins.
    pub(crate) fn fit_begins(&self) {
        if let Ok(mut state) = self.state.try_lock() {
            state.fits = state.fits.saturating_add(1);
        }
    }

    /// A call of `fit` ends, after which what its frames hold is gone.
    pub(crate) fn fit_ends(&self, py: Python<'_>, session: &Session) {
        self.last_chance(py, session);
        if let Ok(mut state) = self.state.try_lock() {
            state.fits = state.fits.saturating_sub(1);
        }
    }

    /// A stretch of cycles is over: the last chance to see what its frames hold.
    pub(crate) fn last_chance(&self, py: Python<'_>, session: &Session) {
        let Ok(mut state) = self.state.try_lock() else { return };
        let risen = |unit: CycleUnit| state.rises.get(unit as usize).map_or(0, Rise::risen);
        let rising = CycleUnit::ALL.into_iter().filter(|unit| risen(*unit) > 0);
        let seconds = (session.age() / SECOND, state.seconds_risen());
        let seconds = Some(seconds).filter(|(_, risen)| *risen > 0);
        let most = rising.map(|unit| (session.board().cycles(unit), risen(unit))).chain(seconds).max();
        let Some((ordinal, risen)) = most.filter(|(ordinal, _)| *ordinal >= state.looked_at + APART) else {
            return;
        };
        if session.board().pause_limit().is_none() {
            return;
        }
        // What grew since the scans before is told once more, cheaply, and for short runs enough.
        if state.scan.times > 0 && risen >= NOTABLE && state.scanned_at < ordinal {
            state.scan(session, ordinal);
            self.own.store(state.own, Relaxed);
        }
        let early = state.whole.times < WHATEVER_THE_COST && (risen >= NOTABLE || is_cheap(session));
        let affordable = early || state.whole.times > 0 && state.whole.is_due(PAUSE);
        if affordable {
            state.look(py, session);
            state.looked_at = ordinal;
        }
    }

    /// Answers requests, from outside or from the program itself.
    pub(crate) fn answer(&self, py: Python<'_>, session: &Session) {
        let Ok(mut state) = self.state.try_lock() else { return };
        let asked = session.board().censuses_asked();
        if asked > state.answered {
            state.answered = asked;
            state.look(py, session);
        }
    }

    /// Takes our own tables out of what the program has in use.
    pub(crate) fn leave_out(&self, counters: &mut Counters) {
        let own = self.own.load(Relaxed);
        // Tables are large, and large blocks are mappings.
        let mapped = counters.heap_mapped.map_or(0, |mapped| mapped.min(own));
        counters.heap_mapped = counters.heap_mapped.map(|bytes| bytes - mapped);
        counters.heap_in_use = counters.heap_in_use.map(|bytes| bytes.saturating_sub(own - mapped));
    }

    /// Whether a look is under way, perhaps without the GIL. Does not allocate.
    pub(crate) fn is_looking(&self) -> bool {
        matches!(self.state.try_lock(), Err(TryLockError::WouldBlock))
    }

    /// Whether somebody waits for an answer. Does not allocate.
    pub(crate) fn is_asked(&self, board: &Board) -> bool {
        self.state.try_lock().is_ok_and(|state| board.censuses_asked() > state.answered)
    }
}

impl State {
    fn ready(&mut self, session: &Session) -> Option<&mut Census> {
        if matches!(self.census, Heap::NotYet) {
            self.census = match Census::find() {
                Ok(census) => Heap::Ready(Box::new(census)),
                Err(why) => {
                    session.lost(&format!("who holds memory: {why}"));
                    Heap::Refused
                }
            };
        }
        match &mut self.census {
            Heap::Ready(census) => Some(census),
            Heap::NotYet | Heap::Refused => None,
        }
    }

    /// Bytes that the seconds of a process without cycles rose by.
    fn seconds_risen(&self) -> u64 {
        if self.seconds.points() < self.patience { 0 } else { self.seconds.risen() }
    }

    /// Live memory has risen by so much; looks at the heap if that is worth its price now.
    fn rises_now(&mut self, py: Python<'_>, session: &Session, ordinal: u64, risen: u64) {
        if risen == 0 || session.board().pause_limit().is_none() {
            return;
        }
        let is_due = if self.scan.times < FIRST_SCANS {
            self.scan.is_due(FIRST_PAUSE)
        } else {
            self.scan.is_due(PAUSE) && self.scan.rests(Duration::from_nanos(session.age() / PARTS))
        };
        if is_due {
            self.scan(session, ordinal);
        }
        let looked = self.looked_at;
        let first = looked == 0 && (risen >= STRONG || is_cheap(session));
        if first || looked > 0 && (ordinal >= (2 * looked).max(looked + APART) && self.whole.is_due(PAUSE)) {
            self.look(py, session);
            self.looked_at = ordinal;
        }
    }

    /// Looks at the lengths of containers, and weighs those that grow.
    fn scan(&mut self, session: &Session, cycle: u64) {
        let _ours = recorder::Ours::begin();
        let began = Instant::now();
        let limits = limits(session);
        let Some(census) = self.ready(session) else { return };
        // A third of the pause for the walk over all objects and for weighing each; what is left of it for paths.
        census.path_limits.max_pause_ns = limits.max_pause_ns;
        census.limits().walk = Duration::from_nanos(limits.max_pause_ns / 3);
        census.limits().weigh = Duration::from_nanos(limits.max_pause_ns / 3);
        let found = census.scan(cycle);
        let counts = found.counts;
        let news = self.types.news(&found.types).into_iter();
        let mut seen: Vec<_> = news.map(|(name, count)| Observation::Objects { name, count }).collect();
        for one in found.grown {
            let (Some(path), grown) = (one.path, one.container) else { continue };
            let holder = Holder { elements: grown.elements, ..told(path) };
            let holder = self.holder(holder, &mut seen);
            seen.push(Observation::Grown(Grown {
                holder,
                cycle,
                length: grown.length,
                bytes: grown.bytes,
                new: grown.length.saturating_sub(grown.before),
                // What leads to more than could be walked is not weighed either.
                native: grown.native || grown.partial,
            }));
        }
        self.scan.note(began);
        self.scanned_at = cycle;
        self.own = counts.table_bytes;
        seen.push(Observation::Census(CensusCounts {
            depth: Some(1),
            objects: Some(counts.objects),
            cost_ns: Some(counts.cost_ns),
            pause_ns: Some(nanoseconds(began)),
            cut: Some(u64::from(!counts.whole)),
            ..CensusCounts::default()
        }));
        for one in seen {
            session.see(one);
        }
    }

    /// Goes over the whole heap and looks for the recorder's samples.
    fn look(&mut self, py: Python<'_>, session: &Session) {
        let _ours = recorder::Ours::begin();
        let began = Instant::now();
        let limits = limits(session);
        let blocks = recorder::samples();
        let Some(census) = self.ready(session) else { return };
        let Some(collected) = census.collect(&limits) else { return };
        let analysed = py.detach(|| collected.analyse(&blocks));
        let Some(whole) = census.name(analysed, &limits) else { return };
        let mut seen = Vec::new();
        let mut found = 0;
        for (index, samples) in whole.held {
            let Some(holder) = whole.holders.get(index) else { continue };
            let (retained, alone) = (Some(holder.retained_bytes), Some(holder.alone_bytes));
            let holder = match holder.class {
                Class::Reachable => Holder { retained, alone, ..told(holder.path.clone()) },
                Class::NativeHeld => Holder { kind: "native".to_owned(), retained, ..Holder::default() },
                Class::Garbage => Holder { kind: "garbage".to_owned(), retained, ..Holder::default() },
            };
            found += samples.len() as u64;
            let id = self.holder(holder, &mut seen);
            for samples in samples.chunks(IDS) {
                seen.push(Observation::Held { holder: id, samples: samples.to_vec() });
            }
        }
        self.whole.note(began);
        let counts = whole.counts;
        // Last: a reader takes the moment of this record for the moment of the look.
        seen.push(Observation::Census(CensusCounts {
            depth: Some(2),
            objects: Some(counts.objects),
            nodes: Some(counts.objects),
            edges: Some(counts.edges),
            garbage_bytes: Some(counts.garbage_bytes),
            native_bytes: Some(counts.native_bytes),
            cost_ns: Some(counts.cost_ns),
            pause_ns: Some(counts.pause_ns),
            sought: Some(blocks.len() as u64),
            found: Some(found),
            cut: Some(u64::from(counts.cut)),
        }));
        for one in seen {
            session.see(one);
        }
    }

    /// The id of a path; tells what it holds now.
    fn holder(&mut self, holder: Holder, seen: &mut Vec<Observation>) -> u64 {
        let key = if holder.path.is_empty() { &holder.kind } else { &holder.path };
        let next = self.ids.len() as u64 + 1;
        if self.ids.len() >= PATHS && !self.ids.contains_key(key) {
            return PATHS as u64 + 1;
        }
        let (id, elements) = self.ids.entry(key.clone()).or_insert_with(|| (next, String::new()));
        if !holder.elements.is_empty() {
            elements.clone_from(&holder.elements);
        }
        seen.push(Observation::Holder(Holder { id: *id, elements: elements.clone(), ..holder }));
        *id
    }
}

/// Whether a first look would be a small part of the program's time so far.
fn is_cheap(session: &Session) -> bool {
    Duration::from_nanos(session.age()) >= FIRST_LOOK * FIRST_SHARE
}

fn limits(session: &Session) -> PathLimits {
    let max_pause_ns = session.board().pause_limit().unwrap_or(DEFAULT_PAUSE_NS);
    PathLimits { max_pause_ns, ..PathLimits::default() }
}

fn told(path: Path) -> Holder {
    let Path { text, owner, role, kind, file, bound } = path;
    Holder { path: text, owner, role, kind, file, bound, ..Holder::default() }
}

fn nanoseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

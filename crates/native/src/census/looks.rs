//! The looks themselves: a scan of containers, a walk over the whole heap, and the records of what they found.
//!
//! In: the GIL, the recorder's samples. Out: records in the capture. What must not happen here: a pause beyond the limit that
//! was given; memory of ours taken for the program's.

use std::time::{Duration, Instant};

use nilometer_capture::{CensusCounts, DEFAULT_PAUSE_NS, Grown, Holder, Observation};
use nilometer_census::{Census, Path, PathLimits, Reachability};
use pyo3::Python;

use super::cost_meter::Began;
use super::state::State;
use crate::scan_schedule::Told;
use crate::session::Session;
use crate::words;
use crate::{code, headroom, recorder};

/// Sample ids in one record.
const IDS: usize = 2000;
/// Paths that get an id; the rest share one, and go untold.
const PATHS: usize = 4096;

#[derive(Default)]
pub(super) enum Heap {
    #[default]
    NotYet,
    Ready(Box<Census>),
    /// This Python cannot be read.
    Refused,
}

impl State {
    pub(super) fn ready(&mut self, session: &Session) -> Option<&mut Census> {
        if matches!(self.census, Heap::NotYet) {
            self.census = match Census::find(nilometer_frameworks::CENSUS) {
                Ok(mut census) => {
                    census.own(code::own());
                    Heap::Ready(Box::new(census))
                }
                Err(why) => {
                    session.lost(&words::no_look(&why));
                    Heap::Refused
                }
            };
        }
        match &mut self.census {
            Heap::Ready(census) => Some(census),
            Heap::NotYet | Heap::Refused => None,
        }
    }

    /// Looks at the lengths of containers, and weighs those that grow.
    pub(super) fn scan(&mut self, session: &Session, cycle: u64) {
        let _ours = recorder::Ours::begin();
        let (began, took) = (Instant::now(), Began::now());
        let limits = limits(session);
        if !has_room(session) {
            self.scan.note(took);
            return;
        }
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
                native: grown.native,
                shared: grown.shared,
                partial: grown.partial,
            }));
        }
        self.scan.note(took);
        self.scanned_at = cycle;
        let told = match seen.iter().any(|one| matches!(one, Observation::Grown(grown) if grown.new > 0)) {
            true => Told::Growth,
            false if found.promising => Told::Perhaps,
            false => Told::Nothing,
        };
        self.scanning.end(self.scan.times, told, counts.objects, counts.complete);
        seen.push(Observation::Census(CensusCounts {
            depth: Some(1),
            objects: Some(counts.objects),
            cost_ns: Some(counts.cost_ns),
            pause_ns: Some(nanoseconds(began)),
            cut: Some(u64::from(!counts.complete)),
            ..CensusCounts::default()
        }));
        for one in seen {
            session.see(one);
        }
    }

    /// Goes over the whole heap and looks for the recorder's samples.
    pub(super) fn look(&mut self, py: Python<'_>, session: &Session) {
        self.look_within(py, session, &limits(session));
    }

    /// The same within other limits.
    pub(super) fn look_within(&mut self, py: Python<'_>, session: &Session, limits: &PathLimits) {
        let _ours = recorder::Ours::begin();
        let took = Began::now();
        if !has_room(session) {
            self.whole.note(took);
            return;
        }
        let blocks = recorder::samples();
        let Some(census) = self.ready(session) else { return };
        let Some(collected) = census.collect(&blocks, limits) else { return };
        let analysed = py.detach(|| collected.analyse(&blocks));
        let Some(whole) = census.name(analysed, limits) else { return };
        let mut seen = Vec::new();
        let mut found = 0;
        for (index, samples) in whole.held {
            let Some(holder) = whole.holders.get(index) else { continue };
            let (retained, alone) = (Some(holder.retained_bytes), Some(holder.alone_bytes));
            let holder = match holder.reachability {
                Reachability::Reachable => Holder { retained, alone, ..told(holder.path.clone()) },
                Reachability::NativeHeld => {
                    Holder { kind: "native".to_owned(), retained, ..Holder::default() }
                }
                Reachability::Garbage => Holder { kind: "garbage".to_owned(), retained, ..Holder::default() },
            };
            found += samples.len() as u64;
            let id = self.holder(holder, &mut seen);
            for samples in samples.chunks(IDS) {
                seen.push(Observation::Held { holder: id, samples: samples.to_vec() });
            }
        }
        self.whole.note(took);
        let counts = whole.counts;
        self.was_cut = counts.cut || counts.graphs_cut;
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
            garbage_objects: Some(counts.garbage_objects),
            ..CensusCounts::default()
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

pub(super) fn has_room(session: &Session) -> bool {
    let enough = headroom::is_enough(session.live());
    if !enough {
        session.lost(words::NO_MEMORY_TO_LOOK);
    }
    enough
}

pub(super) fn limits(session: &Session) -> PathLimits {
    let max_pause_ns = session.board().pause_limit().unwrap_or(DEFAULT_PAUSE_NS);
    PathLimits { max_pause_ns, ..PathLimits::default() }
}

fn told(path: Path) -> Holder {
    let Path { text, owner, role, kind, file, bound, numbers } = path;
    Holder { path: text, owner, role, kind, file, bound, numbers, ..Holder::default() }
}

pub(super) fn nanoseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

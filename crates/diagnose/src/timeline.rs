//! From records to what the judges look at: readings in order, each with the cycles that had ended by then.
//!
//! In: a capture. Out: plain numbers. What must not happen here: a judgement.

use nilometer_capture::{
    Capture, CensusCounts, Counters, CycleUnit, MIN_SHARED_BYTES, Moment, Observation, Record,
};

use crate::pack::Packs;

/// Counters at a moment, with what was derived from them.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) at_ns: u64,
    pub(crate) moment: Moment,
    /// Bytes the program really uses: malloc's blocks in use, those of Python's small-object allocator, and shared memory.
    pub(crate) live: Option<f64>,
    /// Shared memory among them.
    pub(crate) shared: u64,
    pub(crate) counters: Counters,
    /// Whether the collector's counters are of this reading, not of one before.
    pub(crate) has_collector: bool,
    /// Whether the bytes of Python's small objects are, which are part of `live`.
    pub(crate) has_python: bool,
}

impl Reading {
    /// What is judged: live bytes, else anonymous memory.
    pub(crate) fn level(&self, basis: Basis) -> Option<f64> {
        match basis {
            Basis::Live => self.live,
            Basis::Anonymous => self.resident(),
        }
    }

    /// What the kernel cannot drop: anonymous memory, and shared memory that counts.
    pub(crate) fn resident(&self) -> Option<f64> {
        Some(self.anonymous()? + self.shared as f64)
    }

    /// Anonymous memory, in RAM or swapped out.
    pub(crate) fn anonymous(&self) -> Option<f64> {
        let resident = self.counters.rss_anon?;
        Some((resident + self.counters.swap.unwrap_or(0)) as f64)
    }
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    Live,
    Anonymous,
}

impl Basis {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Anonymous => "anonymous",
        }
    }
}

/// A cycle mark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CycleMark {
    pub(crate) at_ns: u64,
    pub(crate) unit: CycleUnit,
    pub(crate) ordinal: u64,
}

/// What a look at the whole heap saw that no root leads to. Only of looks that their limits did not end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unreached {
    pub(crate) at_ns: u64,
    /// Cyclic garbage that waits for the collector, as far as Python shows its bytes.
    pub(crate) garbage_bytes: f64,
    pub(crate) garbage_objects: f64,
    /// Bytes of objects that only native code holds.
    pub(crate) native_bytes: f64,
}

impl Unreached {
    fn of(at_ns: u64, counts: &CensusCounts) -> Option<Self> {
        Some(Self {
            at_ns,
            garbage_bytes: counts.garbage_bytes? as f64,
            garbage_objects: counts.garbage_objects.filter(|_| counts.cut == Some(0))? as f64,
            native_bytes: counts.native_bytes? as f64,
        })
    }
}

/// Garbage that waits for the collector, behind a mark that was made at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) at_ns: u64,
    /// That moment.
    pub(crate) behind_ns: u64,
    /// At the least: blocks and tables of its objects, without data of arrays and C++ objects.
    pub(crate) garbage_bytes: f64,
    /// The part of it that a collection of younger generations frees.
    pub(crate) young_bytes: f64,
    /// Its objects.
    pub(crate) garbage_objects: f64,
}

impl Waiting {
    fn of(at_ns: u64, counts: &CensusCounts) -> Option<Self> {
        Some(Self {
            at_ns,
            behind_ns: counts.behind_ns?,
            garbage_bytes: counts.garbage_bytes? as f64,
            young_bytes: counts.young_bytes? as f64,
            garbage_objects: counts.garbage_objects? as f64,
        })
    }
}

/// Readings and cycle marks of the program itself, in the order of time.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    pub(crate) readings: Vec<Reading>,
    pub(crate) marks: Vec<CycleMark>,
    /// Of each complete look at the whole heap.
    pub(crate) unreached: Vec<Unreached>,
    /// Of each look among young objects and each of its marks.
    pub(crate) waiting: Vec<Waiting>,
    /// When the last thing was recorded.
    pub(crate) end_ns: u64,
    /// Containers made, net, between two collections of the youngest generation: Python's default for this version.
    pub(crate) young: f64,
    /// The collection at exit leaves garbage: a framework in the program lets some of its objects go no more by then.
    pub(crate) exit_leaves_garbage: bool,
}

/// Mean size of a small Python block where the allocator tells only their number. Measured on heaps of TensorFlow
/// programs: 90 to 110 bytes.
const MEAN_BLOCK: u64 = 96;
/// `gc.get_threshold()[0]`. A program that raises it makes more garbage than is counted here.
const YOUNG: f64 = 700.0;
/// The same in 3.14, whose collector was an incremental one until 3.14.4: that looks at a part of the old objects after each so
/// many new ones, and counts it as a collection of the middle generation; only a full one is of the oldest there, too.
const YOUNG_SINCE_3_13: f64 = 2000.0;

/// Readings of live memory that suffice, however many had no word of it: what one unit of eight turns needs, twice.
const MIN_LIVE_READINGS: usize = 16;

impl Timeline {
    pub(crate) fn of(capture: &Capture, packs: Packs) -> Self {
        let leaves_garbage = |key: &str| packs.iter().any(|pack| pack.leaves_garbage == Some(key));
        let mut out = Self { young: YOUNG, ..Self::default() };
        let counts = shares_memory(capture);
        let mut python = 0;
        let mut collector = Counters::default();
        for stamped in &capture.records {
            out.end_ns = out.end_ns.max(stamped.at_ns);
            match &stamped.record {
                Record::Reading { moment, counters } => {
                    // A tick that found the interpreter busy has no Python part: small objects are as they were.
                    // Free lists fill in any training; what lies in them is not alive.
                    let alive = |in_use: u64| in_use.saturating_sub(counters.py_kept.unwrap_or(0));
                    let small = counters.py_in_use.map(alive).or(counters.py_blocks.map(|n| n * MEAN_BLOCK));
                    python = small.unwrap_or(python);
                    let has_python = small.is_some();
                    let mut counters = Counters::clone(counters);
                    let has_collector = counters.gc0.is_some();
                    carry_collector(&mut collector, &mut counters);
                    let heap = heap_in_use(&counters);
                    let shared = counters.rss_shmem.filter(|_| counts).unwrap_or(0);
                    out.readings.push(Reading {
                        at_ns: stamped.at_ns,
                        moment: *moment,
                        live: heap.map(|b| b.saturating_add(python).saturating_add(shared) as f64),
                        shared,
                        counters,
                        has_collector,
                        has_python,
                    });
                }
                Record::Fact { key, value } if key == "python.version" => {
                    let minor = value.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
                    if minor.is_some_and(|minor| minor >= 13) {
                        out.young = YOUNG_SINCE_3_13;
                    }
                }
                Record::Fact { key, .. } if leaves_garbage(key) => out.exit_leaves_garbage = true,
                Record::Observation(Observation::Census(counts)) => {
                    out.unreached.extend(Unreached::of(stamped.at_ns, counts));
                    out.waiting.extend(Waiting::of(stamped.at_ns, counts));
                }
                Record::Cycle { unit, ordinal } => {
                    out.marks.push(CycleMark { at_ns: stamped.at_ns, unit: *unit, ordinal: *ordinal });
                }
                _ => {}
            }
        }
        out
    }

    /// Live bytes if the allocator could be asked. A heap that is dear to ask is not asked in every reading; those in which it was
    /// are enough from so many on.
    pub(crate) fn basis(&self) -> Basis {
        let known = self.readings.iter().filter(|r| r.live.is_some()).count();
        if known >= MIN_LIVE_READINGS || known * 2 > self.readings.len() || self.readings.is_empty() {
            Basis::Live
        } else {
            Basis::Anonymous
        }
    }

    /// The last reading while the program's own code ran: the first at its exit. The next is of when exit handlers were gone.
    pub(crate) fn last(&self) -> Option<&Reading> {
        let at_exit = |r: &&Reading| matches!(r.moment, Moment::BeforeExit | Moment::AfterExitCollection);
        let ends = self.readings.iter().find(|r| r.moment == Moment::BeforeExit);
        ends.or_else(|| self.readings.iter().rev().find(|r| !at_exit(r)))
    }
}

/// Whether the program maps shared memory: blocks of `multiprocessing.shared_memory`, or `mmap(-1, n)`. No allocator hands it out, and no
/// kernel can drop it.
fn shares_memory(capture: &Capture) -> bool {
    let counts = |record: &Record| match record {
        Record::Reading { counters, .. } => counters.rss_shmem.is_some_and(|bytes| bytes > MIN_SHARED_BYTES),
        _ => false,
    };
    capture.records.iter().any(|stamped| counts(&stamped.record))
}

/// Blocks of the C allocator in use. Of those that a pool of tensors lies in, what the pool has handed out: it takes
/// them in doubling sizes and keeps them, so that neither a leaked tensor nor a freed one would show.
fn heap_in_use(counters: &Counters) -> Option<u64> {
    let blocks =
        counters.heap_in_use? + counters.heap_mapped.unwrap_or(0) + counters.library_used.unwrap_or(0);
    let (used, reserved) = (counters.pool_used.unwrap_or(0), counters.pool_reserved.unwrap_or(0));
    Some(blocks.saturating_sub(reserved) + used)
}

/// The collector's counters of a reading without Python's part are those of the reading before: taken for zero, the next
/// ones would look like a collection.
fn carry_collector(last: &mut Counters, now: &mut Counters) {
    let pairs = [
        (&mut last.gc0, &mut now.gc0),
        (&mut last.gc1, &mut now.gc1),
        (&mut last.gc2, &mut now.gc2),
        (&mut last.gc_young, &mut now.gc_young),
        (&mut last.gc_collected, &mut now.gc_collected),
        (&mut last.gc_enabled, &mut now.gc_enabled),
        (&mut last.library_used, &mut now.library_used),
    ];
    for (last, now) in pairs {
        *now = now.or(*last);
        *last = *now;
    }
}

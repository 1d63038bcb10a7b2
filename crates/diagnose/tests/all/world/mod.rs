//! A small world: programs described in a few lines, written through the real writer and read by the real reader.
#![allow(clippy::unwrap_used, dead_code, reason = "a test's own world; each test uses a part of it")]

pub(crate) mod children;
pub(crate) mod leaks;
pub(crate) mod recorder;

use nilometer_capture::{Capture, Counters, CycleUnit, Edge, Moment, Record, Surroundings, Writer};
use nilometer_diagnose::{Report, diagnose, diagnose_with};

use recorder::Recorder;

pub(crate) const KIB: i64 = 1024;
pub(crate) const MIB: i64 = 1024 * KIB;

/// A program that lives through cycles; all amounts are bytes.
#[allow(clippy::struct_excessive_bools, reason = "switches of what a reading tells")]
pub(crate) struct World {
    writer: Writer,
    folder: tempfile::TempDir,
    at_ns: u64,
    live: i64,
    /// Anonymous memory above live.
    slack: i64,
    collections: [u64; 3],
    collected: u64,
    young: u64,
    ordinals: [u64; CycleUnit::COUNT],
    /// What the C allocator has free, if it tells; part of the memory above live.
    free: Option<i64>,
    has_heap: bool,
    has_collector: bool,
    /// Readings tell what Python's small objects use.
    has_python: bool,
    /// What they use.
    python: i64,
    blocks: Option<i64>,
    /// `gc.disable()` was not called.
    pub(crate) collects_by_itself: bool,
    /// What tensors use of a pool, and what it has reserved, if there is one.
    pool: Option<(i64, i64)>,
    shared: i64,
    /// Modules that are loaded, if readings tell.
    pub(crate) modules: Option<u64>,
    pub(crate) recorder: Recorder,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let writer = Writer::create(&folder.path().join("world.nilo"), false).unwrap();
        let mut world = Self {
            writer,
            folder,
            at_ns: 0,
            live: 200 * MIB,
            slack: 30 * MIB,
            collections: [0; 3],
            collected: 0,
            young: 0,
            ordinals: [0; CycleUnit::COUNT],
            free: None,
            has_heap: true,
            has_collector: true,
            has_python: true,
            python: 80 * MIB,
            blocks: None,
            collects_by_itself: true,
            pool: None,
            shared: 0,
            modules: None,
            recorder: Recorder::default(),
        };
        world.limits(8 * 1024 * MIB, 7 * 1024 * MIB);
        world
    }

    pub(crate) fn say(&mut self, record: &Record) -> &mut Self {
        assert!(self.writer.append_at(self.at_ns, record));
        self.at_ns += 1000;
        self
    }

    /// The moment of the next record.
    pub(crate) fn now_ns(&self) -> u64 {
        self.at_ns
    }

    pub(crate) fn fact(&mut self, key: &str, value: &str) -> &mut Self {
        self.say(&Record::Fact { key: key.to_owned(), value: value.to_owned() })
    }

    pub(crate) fn limits(&mut self, ram: i64, available: i64) -> &mut Self {
        self.say(&Record::Surroundings(Surroundings {
            ram_total: Some(ram as u64),
            ram_available: Some(available as u64),
            ..Surroundings::default()
        }))
    }

    /// Live memory changes.
    pub(crate) fn takes(&mut self, bytes: i64) -> &mut Self {
        self.live += bytes;
        self
    }

    /// Live memory changes by Python's small objects.
    pub(crate) fn takes_small(&mut self, bytes: i64) -> &mut Self {
        self.python += bytes;
        self.takes(bytes)
    }

    /// So many more of Python's small blocks are in use.
    pub(crate) fn takes_blocks(&mut self, count: i64) -> &mut Self {
        self.blocks = Some(self.blocks.unwrap_or(1_000_000) + count);
        self
    }

    /// Readings from now on say nothing of Python's small objects, as where time was short.
    pub(crate) fn python_is_read(&mut self, is_read: bool) -> &mut Self {
        self.has_python = is_read;
        self
    }

    /// Resident memory changes while live memory does not.
    pub(crate) fn retains(&mut self, bytes: i64) -> &mut Self {
        self.slack += bytes;
        self
    }

    /// So much more shared memory is mapped and was written.
    pub(crate) fn shares(&mut self, bytes: i64) -> &mut Self {
        self.shared += bytes;
        self
    }

    /// The C allocator has so much free, and says so.
    pub(crate) fn has_free(&mut self, bytes: i64) -> &mut Self {
        self.free = Some(bytes);
        self
    }

    /// Container objects are made; the young generations are collected as Python would.
    pub(crate) fn objects(&mut self, count: u64) -> &mut Self {
        self.young += count;
        while self.young > 700 && self.collects_by_itself {
            self.young -= 700;
            self.collections[0] += 1;
        }
        self
    }

    pub(crate) fn collects(&mut self, generation: usize) -> &mut Self {
        self.collections[generation] += 1;
        self
    }

    /// A collection frees so many objects that kept so many bytes.
    pub(crate) fn frees(&mut self, generation: usize, objects: u64, bytes: i64) -> &mut Self {
        self.collected += objects;
        self.takes(-bytes).collects(generation)
    }

    /// Another allocator is preloaded: malloc's own figures are missing.
    pub(crate) fn without_heap(&mut self) -> &mut Self {
        self.has_heap = false;
        self
    }

    /// Readings from now on have malloc's own figures, or lack them, as where time was short.
    pub(crate) fn heap_is_read(&mut self, is_read: bool) -> &mut Self {
        self.has_heap = is_read;
        self
    }

    /// Tensors take so much more of their pool, which reserves regions of doubling size.
    pub(crate) fn pool_takes(&mut self, bytes: i64) -> &mut Self {
        let (used, mut reserved) = self.pool.unwrap_or((0, 0));
        let used = used + bytes;
        let mut region = 2 * MIB;
        while reserved < used {
            reserved += region;
            region *= 2;
        }
        self.pool = Some((used, reserved));
        self
    }

    /// Readings from now on have no word of the collector, or have it again.
    pub(crate) fn collector_is_read(&mut self, is_read: bool) -> &mut Self {
        self.has_collector = is_read;
        self
    }

    pub(crate) fn passes(&mut self, seconds: f64) -> &mut Self {
        self.at_ns = self.at_ns.saturating_add_signed((seconds * 1e9) as i64);
        self
    }

    pub(crate) fn reads(&mut self, moment: Moment) -> &mut Self {
        let python = self.python;
        let known = |count: u64| self.has_collector.then_some(count);
        let counters = Counters {
            rss_anon: Some((self.live + self.slack) as u64),
            rss_file: Some(300 << 20),
            rss_shmem: Some(self.shared as u64),
            heap_in_use: self.has_heap.then(|| (self.live - python) as u64),
            heap_mapped: Some(self.pool.map_or(0, |(_, reserved)| reserved as u64)),
            heap_free: self.free.map(|free| free as u64),
            heap_system: self.free.map(|free| (self.live - python + free) as u64),
            pool_used: self.pool.map(|(used, _)| used as u64),
            pool_reserved: self.pool.map(|(_, reserved)| reserved as u64),
            py_in_use: self.has_python.then_some(python as u64),
            py_blocks: self.blocks.map(|blocks| blocks as u64),
            gc0: known(self.collections[0]),
            gc1: known(self.collections[1]),
            gc2: known(self.collections[2]),
            gc_young: known(self.young),
            gc_collected: known(self.collected),
            gc_enabled: known(u64::from(self.collects_by_itself)),
            modules: self.modules,
            ..Counters::default()
        };
        self.say(&Record::Reading { moment, counters: Box::new(counters) })
    }

    /// A cycle of one second ends.
    pub(crate) fn cycle(&mut self, unit: CycleUnit) -> &mut Self {
        self.scan_ends();
        self.passes(1.0).ends_cycle(unit)
    }

    /// A cycle ends now.
    pub(crate) fn ends_cycle(&mut self, unit: CycleUnit) -> &mut Self {
        self.ordinals[unit.index()] += 1;
        let ordinal = self.writer.board().count_cycle(unit);
        self.say(&Record::Cycle { unit, ordinal });
        self.reads(Moment::Cycle { unit, ordinal })
    }

    /// So many cycles pass without readings, as pacing makes them.
    pub(crate) fn unread_cycles(&mut self, unit: CycleUnit, count: u64) -> &mut Self {
        for _ in 0..count {
            self.ordinals[unit.index()] += 1;
            self.writer.board().count_cycle(unit);
        }
        self.passes(count as f64)
    }

    pub(crate) fn phase(&mut self, name: &str, inside: impl FnOnce(&mut Self)) -> &mut Self {
        let edge = |edge| Record::Phase { name: name.to_owned(), edge, thread: 1 };
        self.say(&edge(Edge::Begin)).reads(Moment::Phase);
        inside(self);
        self.say(&edge(Edge::End)).reads(Moment::Phase)
    }

    /// A phase that passes without readings, as pacing makes them.
    pub(crate) fn unread_phase(&mut self, name: &str, inside: impl FnOnce(&mut Self)) -> &mut Self {
        let edge = |edge| Record::Phase { name: name.to_owned(), edge, thread: 1 };
        self.say(&edge(Edge::Begin));
        inside(self);
        self.say(&edge(Edge::End))
    }

    /// The program ends; the collection at exit frees this much, in objects as heavy as a framework's garbage.
    pub(crate) fn ends(&mut self, garbage: i64) -> &mut Self {
        self.ends_with(garbage as u64 / 250, garbage)
    }

    /// The program ends; the collection at exit frees so many objects that kept so many bytes.
    pub(crate) fn ends_with(&mut self, objects: u64, garbage: i64) -> &mut Self {
        self.scan_ends().reads(Moment::BeforeExit);
        self.frees(2, objects, garbage).reads(Moment::AfterExitCollection)
    }

    /// The same, where exit handlers free so many bytes before that collection.
    pub(crate) fn ends_with_handlers(&mut self, handlers: i64, objects: u64, garbage: i64) -> &mut Self {
        self.scan_ends().reads(Moment::BeforeExit).takes(-handlers);
        self.reads(Moment::BeforeExit).reads(Moment::BeforeExit);
        self.frees(2, objects, garbage).reads(Moment::AfterExitCollection)
    }

    pub(crate) fn report(&self) -> Report {
        diagnose(&self.capture(), nilometer_frameworks::DIAGNOSE)
    }

    /// The report of someone who has the program's files.
    pub(crate) fn report_with_names(&self) -> Report {
        diagnose_with(&self.capture(), &mut self.files())
    }

    pub(crate) fn files(&self) -> recorder::Files {
        self.recorder.files()
    }

    pub(crate) fn capture(&self) -> Capture {
        Capture::open(&self.folder.path().join("world.nilo")).unwrap()
    }
}

/// Start-up of a fit: data copies, first batch, and two epochs that settle.
pub(crate) fn started() -> World {
    let mut w = World::new();
    w.phase("fit_entry", |w| {
        w.takes(16 * MIB);
    });
    w.phase("first_batch", |w| {
        w.takes(35 * MIB).objects(60_000).collects(2);
    });
    w
}

/// Numbers that look like noise and are the same in every run: uniform in -1 to 1.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn bytes(&mut self, amplitude: i64) -> i64 {
        (self.next() * amplitude as f64) as i64
    }

    /// Uniform in 0 to 1.
    pub(crate) fn share(&mut self) -> f64 {
        f64::midpoint(self.next(), 1.0)
    }

    /// One of so many.
    pub(crate) fn of(&mut self, count: u64) -> u64 {
        (self.share() * count as f64) as u64
    }
}

//! What a capture can say: one enum, the single vocabulary that passes from the user's process to the analysis.
//!
//! Adding a field: append it to its struct (old readers skip trailing fields, new readers see `None` in old files).
//! Adding a record: give it a new [`kind`] number (old readers skip kinds they do not know).
//! Never reuse a number or reorder fields; `docs/capture-format.md` lists them all.

use crate::counters::{Counters, ProcessReading, Surroundings};
use crate::cycle_unit::CycleUnit;
use crate::observation::Observation;
use crate::sample::Sampling;

/// Beginning or end of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Edge {
    /// The phase begins here.
    Begin = 0,
    /// The phase ends here.
    End = 1,
}

/// Why a reading was taken at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// At the end of a cycle; `ordinal` counts from 1 and equals the [`Record::Cycle`] just before it.
    Cycle {
        /// The unit of the cycle that ended.
        unit: CycleUnit,
        /// How many cycles of this unit had ended, this one included.
        ordinal: u64,
    },
    /// At the beginning or end of the phase whose record stands just before (same thread).
    Phase,
    /// By the clock.
    Tick,
    /// The program's own code has ended; interpreter shutdown begins.
    BeforeExit,
    /// Right after the full collection that Python itself makes while shutting down, before modules are cleared.
    AfterExitCollection,
}

/// What ended the program, where a memory limit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MemoryKill {
    /// No memory limit is known to have ended it.
    None = 0,
    /// The cgroup's limit.
    Cgroup = 1,
    /// The machine ran out of memory.
    System = 2,
    /// A resource limit of the process (`ulimit -v`, `ulimit -d`) made an allocation fail.
    Rlimit = 3,
}

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Exit code, if it exited.
    pub code: Option<i32>,
    /// Signal number, if a signal ended it.
    pub signal: Option<i32>,
    /// Whether a memory limit ended it, and which.
    pub memory_kill: MemoryKill,
}

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A named fact about the program or its surroundings: `argv`, `python`, `framework.keras`, `allocator`, ...
    Fact {
        /// Dotted name.
        key: String,
        /// Its value; lists are JSON.
        value: String,
    },
    /// A cycle ended.
    Cycle {
        /// What repeated.
        unit: CycleUnit,
        /// How many of this unit have ended, this one included. Fast cycles are thinned: ordinals may skip.
        ordinal: u64,
    },
    /// A phase began or ended.
    Phase {
        /// Its name: `import`, `build`, `fit`, `first_batch`, ... or the user's own.
        name: String,
        /// Begin or end.
        edge: Edge,
        /// The thread that is in it, numbered by the writer.
        thread: u64,
    },
    /// Counters, read inside the process.
    Reading {
        /// Why now.
        moment: Moment,
        /// What was read; boxed, as there may be a million smaller records beside it.
        counters: Box<Counters>,
    },
    /// A process of the program's tree, read from outside.
    Process(Box<ProcessReading>),
    /// Limits and the machine, read from outside.
    Surroundings(Surroundings),
    /// A process the program started, and what it is for.
    Child {
        /// Its process id.
        pid: u64,
        /// Who started it.
        parent: u64,
        /// What it is for: a multiprocessing name, `PyDataset worker`, or a command.
        role: String,
    },
    /// The program ended.
    Exit(Exit),
    /// Something could not be recorded or read.
    Loss {
        /// What was lost and why, for people.
        what: String,
        /// How many times.
        count: u64,
    },
    /// What the recorder of allocations said.
    Sampling(Sampling<'static>),
    /// What probes and the census saw.
    Observation(Observation),
}

/// Record kinds as they stand in the file.
pub mod kind {
    #![allow(missing_docs, reason = "each names the record of the same name")]
    pub const FACT: u8 = 1;
    pub const CYCLE: u8 = 2;
    pub const PHASE: u8 = 3;
    pub const READING: u8 = 4;
    pub const PROCESS: u8 = 5;
    pub const SURROUNDINGS: u8 = 6;
    pub const CHILD: u8 = 7;
    pub const EXIT: u8 = 8;
    pub const LOSS: u8 = 9;
    pub const SAMPLING_START: u8 = 10;
    pub const MODULE: u8 = 11;
    pub const TEXT: u8 = 12;
    pub const CODE: u8 = 13;
    pub const STACK: u8 = 14;
    pub const BIRTH: u8 = 15;
    pub const DEATH: u8 = 16;
    pub const SAMPLING_COUNT: u8 = 17;
    pub const NURSERY: u8 = 18;
    pub const PROBE: u8 = 19;
    pub const TRACE: u8 = 20;
    pub const CENSUS: u8 = 21;
    pub const HOLDER: u8 = 22;
    pub const HELD: u8 = 23;
    pub const GROWN: u8 = 24;
    pub const OBJECTS: u8 = 25;
    pub const DEVICE: u8 = 26;
    pub const ENDPOINT: u8 = 27;
    pub const ENDED: u8 = 28;
    pub const GPU: u8 = 29;
}

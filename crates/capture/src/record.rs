//! What a capture can say: one enum, the single vocabulary that passes from the user's process to the analysis.
//!
//! Adding a field: append it to its struct (old readers skip trailing fields, new readers see `None` in old files).
//! Adding a record: give it a new [`kind`] number (old readers skip kinds they do not know).
//! Never reuse a number or reorder fields; `docs/capture-format.md` lists them all.

use crate::observation::Observation;
use crate::sample::Sampling;

/// What happens again and again in the program; growth is told per one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum CycleUnit {
    /// One epoch inside `fit`.
    Epoch = 0,
    /// One call of `fit`.
    Fit = 1,
    /// One call of `evaluate` by the user (not the validation inside `fit`).
    Evaluate = 2,
    /// One call of `predict`.
    Predict = 3,
    /// One call of `train_on_batch`, `test_on_batch` or `predict_on_batch`.
    OnBatch = 4,
    /// One model built.
    Model = 5,
    /// One call of `clear_session`.
    ClearSession = 6,
    /// One request, said by the user: `nilometer.cycle("request")`.
    Request = 7,
    /// One step, said by the user: `nilometer.cycle()`.
    Step = 8,
    /// One call of a traced function (`tf.function`) outside of `fit`, `evaluate` and `predict`.
    Call = 9,
}

impl CycleUnit {
    /// All units, in the order of their numbers.
    pub const ALL: [Self; 10] = [
        Self::Epoch,
        Self::Fit,
        Self::Evaluate,
        Self::Predict,
        Self::OnBatch,
        Self::Model,
        Self::ClearSession,
        Self::Request,
        Self::Step,
        Self::Call,
    ];

    /// The unit with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The word for this unit, the same on screen, in JSON and in Python.
    pub fn word(self) -> &'static str {
        match self {
            Self::Epoch => "epoch",
            Self::Fit => "fit",
            Self::Evaluate => "evaluate",
            Self::Predict => "predict",
            Self::OnBatch => "on_batch",
            Self::Model => "model",
            Self::ClearSession => "clear_session",
            Self::Request => "request",
            Self::Step => "step",
            Self::Call => "call",
        }
    }
}

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

/// Declares a struct of optional numbers that travels as a list of them, in this order.
macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$field_doc])* pub $field: Option<u64>),+ }

        impl $name {
            /// The names of the numbers, in file order.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($field)),+];

            /// The numbers, in file order.
            pub fn to_numbers(&self) -> Vec<Option<u64>> {
                vec![$(self.$field),+]
            }

            /// The numbers, in file order, without allocating: this is what the writer uses.
            pub fn to_array(&self) -> [Option<u64>; Self::NAMES.len()] {
                [$(self.$field),+]
            }

            /// From numbers in file order; missing ones are `None`, surplus ones are ignored.
            pub fn from_numbers(numbers: &[Option<u64>]) -> Self {
                let mut rest = numbers.iter().copied();
                Self { $($field: rest.next().flatten()),+ }
            }
        }
    };
}
pub(crate) use numbers;

numbers! {
    /// Counters read inside the process. Bytes unless said otherwise; `None` where it could not be read this time.
    Counters {
        /// Resident anonymous memory (`RssAnon`).
        rss_anon,
        /// Resident file-backed memory (`RssFile`).
        rss_file,
        /// Resident shared memory (`RssShmem`).
        rss_shmem,
        /// Swapped out (`VmSwap`).
        swap,
        /// Address space (`VmSize`).
        vm_size,
        /// Private data (`VmData`), what `RLIMIT_DATA` limits.
        vm_data,
        /// Threads (a count).
        threads,
        /// The C allocator's blocks in use inside its arenas (`mallinfo2().uordblks`).
        heap_in_use,
        /// The C allocator's blocks that are mappings of their own (`hblkhd`), all of it in use.
        heap_mapped,
        /// Free bytes the C allocator keeps (`fordblks`).
        heap_free,
        /// Bytes the C allocator's arenas took from the system (`arena`).
        heap_system,
        /// Bytes of Python's small-object allocator in use: block sizes times blocks in use, over its size classes.
        py_in_use,
        /// Bytes of Python's small-object allocator's arenas.
        py_system,
        /// Blocks of Python's small-object allocator in use (a count).
        py_blocks,
        /// Collections of generation 0 so far (a count).
        gc0,
        /// Collections of generation 1 so far (a count).
        gc1,
        /// Full collections so far (a count).
        gc2,
        /// Net container objects made since the last collection of generation 0 (`gc.get_count()[0]`, a count).
        gc_young,
        /// What taking this reading cost, in nanoseconds.
        cost_ns,
        /// Objects that collections of all generations have freed so far (a count).
        gc_collected,
        /// Bytes in use inside pools of tensor memory on the CPU, which lie in blocks of the C allocator.
        pool_used,
        /// Bytes that these pools took from the C allocator, in use or not.
        pool_reserved,
        /// Whether Python's collector runs by itself: 1, or 0 after `gc.disable()`.
        gc_enabled,
        /// Bytes in use inside pools of libraries that have an allocator of their own, outside of the C allocator's blocks.
        library_used,
    }
}

numbers! {
    /// One process as its parent machine sees it, read from outside. Bytes unless said otherwise.
    ProcessReading {
        /// Process id.
        pid,
        /// Resident anonymous memory (`RssAnon`).
        rss_anon,
        /// Resident file-backed memory (`RssFile`).
        rss_file,
        /// Resident shared memory (`RssShmem`).
        rss_shmem,
        /// Swapped out (`VmSwap`).
        swap,
        /// Address space (`VmSize`).
        vm_size,
        /// Largest address space so far (`VmPeak`).
        vm_peak,
        /// Private data (`VmData`).
        vm_data,
        /// Largest resident memory so far (`VmHWM`).
        rss_peak,
        /// Threads (a count).
        threads,
        /// CPU time used, user and system together, in nanoseconds.
        cpu_ns,
    }
}

numbers! {
    /// The limits around the program. Bytes unless said otherwise.
    Surroundings {
        /// Physical memory of the machine.
        ram_total,
        /// Memory the machine could still give (`MemAvailable`).
        ram_available,
        /// The smallest cgroup limit that applies, if any.
        cgroup_limit,
        /// Use counted against that limit.
        cgroup_current,
        /// Highest use so far.
        cgroup_peak,
        /// Kills by that cgroup's memory limit so far (a count).
        cgroup_oom_kills,
        /// Times the limit was hit so far (a count).
        cgroup_limit_hits,
        /// Page cache inside the current use, which the kernel can take back.
        cgroup_file,
        /// Kills by the machine running out of memory so far (a count).
        system_oom_kills,
    }
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
}

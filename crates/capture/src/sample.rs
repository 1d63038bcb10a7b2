//! What the recorder says: samples of allocated memory, and the stacks, code and modules they refer to.
//!
//! Texts and stacks are borrowed where they are written, since the recorder must not allocate, and owned where they are
//! read. Identifiers count from 1 in each generation of a process; a [`Sampling::Start`] begins a generation, and what
//! an earlier one of that process had in memory is gone (the process replaced itself by `exec`).

use std::borrow::Cow;

/// Who was asked for the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Source {
    /// The C allocator: `malloc` and its kin, C++ `new`.
    Malloc = 0,
    /// An anonymous mapping made by the program itself.
    Mapping = 1,
    /// Python's small-object allocator.
    Python = 2,
    /// A framework's pool of tensor memory on the CPU (TensorFlow's BFC allocator).
    ///
    /// This memory lies inside of memory that a [`Source::Region`] tells, which must not be added to it.
    Pool = 3,
    /// Memory that such a pool took from the system to hand it out in parts: reserved, not in use by itself.
    Region = 4,
    /// A pool of device memory, which is not memory of the process.
    Device = 5,
}

impl Source {
    /// The source with this number.
    pub fn from_number(number: u64) -> Option<Self> {
        [Self::Malloc, Self::Mapping, Self::Python, Self::Pool, Self::Region, Self::Device]
            .into_iter()
            .find(|source| *source as u64 == number)
    }
}

/// Why a stack is not known further out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Cut {
    /// More frames than the recorder keeps.
    TooDeep = 0,
    /// Code without unwind information: made at run time, or written by hand.
    NoUnwindInfo = 1,
    /// The thread had too little stack left to look.
    LittleStack = 2,
    /// Python frames of a version or in a state that the recorder does not read.
    PythonUnknown = 3,
    /// Native and Python frames could not be matched, so that one side is left out.
    Unmatched = 4,
    /// Another reason.
    Other = 5,
}

impl Cut {
    /// The reason with this number; what only a newer version knows is [`Cut::Other`].
    pub fn from_number(number: u64) -> Self {
        [Self::TooDeep, Self::NoUnwindInfo, Self::LittleStack, Self::PythonUnknown, Self::Unmatched]
            .into_iter()
            .find(|cut| *cut as u64 == number)
            .unwrap_or(Self::Other)
    }
}

/// One frame of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StackFrame {
    /// A return address in machine code; the call is in the instruction before it.
    Native {
        /// As it was in the process; [`Sampling::Module`] says which file that is.
        address: u64,
    },
    /// A line of Python.
    Python {
        /// Id of the [`Sampling::Code`].
        code: u64,
        /// Line number, from 1; 0 if it is not known.
        line: u32,
    },
    /// Frames are missing here.
    Cut(Cut),
}

/// One sampled allocation.
///
/// It stands for `size / (1 - exp(-size / mean))` bytes: the sum of these over the samples that are alive is an unbiased
/// estimate of the live bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Birth {
    /// Id of the sample, from 1.
    pub id: u64,
    /// Id of the innermost node of its stack; 0 if there is none.
    pub stack: u64,
    /// Bytes that were asked for.
    pub size: u64,
    /// Mean bytes between samples of this size at that moment.
    pub mean: u64,
    /// Where the memory begins.
    pub address: u64,
    /// The thread that asked, as the kernel numbers it.
    pub thread: u64,
    /// Who was asked.
    pub source: Source,
}

/// One thing the recorder said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sampling<'a> {
    /// The recorder began in this process; ids begin anew.
    Start {
        /// Mean bytes between samples that was asked for.
        sample: u64,
    },
    /// A file with machine code is mapped.
    Module {
        /// First address.
        start: u64,
        /// Address behind the last one.
        end: u64,
        /// What is added to the addresses in the file.
        bias: u64,
        /// Its path.
        path: Cow<'a, str>,
    },
    /// A text that others refer to.
    Text {
        /// Its id.
        id: u64,
        /// The text.
        text: Cow<'a, str>,
    },
    /// A Python function, or what else has code.
    Code {
        /// Its id.
        id: u64,
        /// Text id of the file name.
        file: u64,
        /// Text id of the qualified name.
        function: u64,
        /// First line.
        first_line: u64,
    },
    /// Nodes of the tree of stacks: the first is a child of `parent`, each other one a child of the one before it.
    Stack {
        /// Id of the first node; the others follow.
        first: u64,
        /// Id of the node further out, 0 for none.
        parent: u64,
        /// The outermost first.
        frames: Cow<'a, [StackFrame]>,
    },
    /// Memory that was sampled, at the time of the record.
    Birth(Birth),
    /// Memory that was sampled has been given back.
    Death {
        /// Id of the sample.
        id: u64,
    },
    /// What the recorder did so far.
    ///
    /// Boxed, as records are many and this one is rare; a recorder, which must not allocate, uses `Writer::append_count`.
    Count(Box<SamplingCount>),
}

crate::counters::numbers! {
    /// What the recorder did so far in this generation, all of it counts unless said otherwise.
    SamplingCount {
        /// Samples taken.
        samples,
        /// Samples whose memory was given back.
        deaths,
        /// Samples that were not kept, since a table was full or a record could not be written.
        dropped,
        /// Time spent on samples, in nanoseconds.
        cost_ns,
        /// CPU time of the process at that moment, in nanoseconds.
        cpu_ns,
        /// Nodes of stacks.
        nodes,
        /// Stacks that are not known to their outermost frame.
        cut,
        /// Smallest mean bytes between samples of any size class at that moment, in bytes.
        finest_mean,
        /// Largest mean bytes between samples of any size class at that moment, in bytes.
        coarsest_mean,
        /// Samples dropped, since all rooms to walk stacks in were taken.
        scratch_full,
        /// Samples dropped, since another thread held the tree of stacks for too long.
        stacks_busy,
        /// Samples kept without a stack, since the tree of stacks was full; not among the dropped.
        stacks_full,
        /// Samples dropped, since the table of living samples had no place.
        table_full,
        /// Samples dropped, since their address could not be followed at that moment.
        filter_busy,
        /// Samples dropped, since the list of sampled mappings had no place.
        mappings_full,
        /// Samples dropped, since the recorder was at work on that thread already.
        reentrant,
        /// Samples dropped, since the capture took no record.
        capture_refused,
        /// Ends of samples that were not told, since the capture took no record: they seem to live.
        deaths_refused,
        /// Ends of samples that were not told, since too many waited already: they seem to live.
        deaths_pending,
    }
}

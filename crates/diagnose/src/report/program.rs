//! What ran: the program, the processes it started, and what was counted of its objects and of its framework's.
//!
//! Sizes are bytes, times are seconds.

use serde::Serialize;

/// How many objects of each type the collector tracked, at the looks at the heap.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Objects {
    /// The looks, in the order of time.
    pub looks: Vec<Look>,
    /// The types, those that became more by most first; the ones that were told and not all of the program's.
    pub types: Vec<TypeCounts>,
}

/// A look at the heap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Look {
    /// When, since the program's start.
    pub seconds: f64,
    /// Cycles that had ended.
    pub cycle: u64,
}

/// The objects of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TypeCounts {
    /// The type, with its module.
    pub name: String,
    /// One for each look; null before it was first told.
    pub counts: Vec<Option<u64>>,
}

/// What ran, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Program {
    /// What the user named: a script, `-m module` or `-c`.
    pub name: String,
    /// Its arguments, the name first.
    pub argv: Vec<String>,
    /// Python's version.
    pub python: Option<String>,
    /// Versions of the frameworks it imported.
    pub frameworks: std::collections::BTreeMap<String, String>,
    /// Its process id.
    pub pid: Option<u64>,
    /// How long it ran, or has run so far.
    pub seconds: f64,
    /// How it ended; null while it runs, or if nilometer was ended with it.
    pub exit: Option<Exit>,
    /// What there was before the recording began, where it began in a program that ran already; absent elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attached: Option<Attached>,
}

/// A recording that began late.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Attached {
    /// How long the program had run by then.
    pub uptime_seconds: f64,
    /// Its anonymous memory by then, which was not seen being made; null where that could not be read.
    pub resident_bytes: Option<u64>,
}

/// How the program ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Exit {
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether a memory limit ended it.
    pub oom_killed: bool,
    /// Which limit that was: `cgroup`, `ram` or `rlimit`.
    pub limit: Option<&'static str>,
}

/// A count of a framework's own things: graphs, functions, registry entries.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Probe {
    /// What was counted.
    pub name: String,
    /// At the end of the first cycle.
    pub first: u64,
    /// At the end of the last one.
    pub last: u64,
    /// How much it grows with each cycle; 0 where it does not go on growing, null with too few cycles.
    pub per_cycle: Option<f64>,
}

/// A function that TensorFlow traces again and again.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Retraced {
    /// Its name.
    pub function: String,
    /// The file that it is defined in.
    pub file: String,
    /// Its first line.
    pub line: u64,
    /// The program's file that called it last; empty if it is not known.
    pub caller_file: String,
    /// The line there; 0 if it is not known.
    pub caller_line: u64,
    /// How many times it was traced.
    pub traces: u64,
    /// How many times per cycle, late in the run.
    pub per_cycle: f64,
    /// What differed between the last trace and the one before, in words.
    pub why: String,
}

/// A process that the program started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Process {
    /// Its process id.
    pub pid: u64,
    /// What it is for.
    pub role: String,
    /// Anonymous memory when it was first seen.
    pub first_bytes: u64,
    /// Anonymous memory when it was last seen.
    pub last_bytes: u64,
    /// Most anonymous memory it was seen with.
    pub peak_bytes: u64,
    /// How much anonymous memory it went on growing by, to the end; null where it did not, or lived too short a time to tell.
    pub bytes_per_minute: Option<i64>,
    /// Anonymous memory that it shared with no other process when that was last read; null where it was not.
    pub private_bytes: Option<u64>,
    /// Memory that it inherited and turned into its own by writing to it; null where that is little. No growth: it ends with what
    /// was inherited.
    pub turned_private_bytes: Option<u64>,
}

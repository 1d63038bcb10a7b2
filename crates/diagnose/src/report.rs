//! The report: what is said about a run, and the shape of its JSON (`docs/report.schema.json`).
//!
//! Sizes are bytes, times are seconds. A field that could not be known is null, never a guess. Additive changes keep
//! the schema's number; anything else raises it.

use serde::Serialize;

/// The name and version of the JSON report.
pub const SCHEMA: &str = "nilometer.report/1";

/// All that is said about one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// What ran.
    pub program: Program,
    /// Leak, no leak, or not known yet.
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub reason: String,
    /// What repeats, and how often it did.
    pub cycles: Cycles,
    /// How live memory grows per cycle; null where there are too few cycles to say.
    pub growth: Option<Growth>,
    /// When the limit is reached; only where memory leaks and a limit is known.
    pub forecast: Option<Forecast>,
    /// Levels and limits.
    pub memory: Memory,
    /// What the memory curve is made of.
    pub components: Vec<Component>,
    /// What causes a growth, the biggest first.
    pub findings: Vec<Finding>,
    /// What to run next where memory leaks and the findings do not account for it.
    pub next_steps: Vec<NextStep>,
    /// Who held how much at the last look at the program's heap, the most first; what hangs below several paths counts for
    /// one of them.
    pub holders: Vec<HolderBytes>,
    /// What the recorder of allocations saw; null where it was not at work.
    pub sampling: Option<Sampling>,
    /// `on`, or `off: ` and why; null if nothing was said of it.
    pub recorder: Option<String>,
    /// Counts of a framework's own things, by name.
    pub probes: Vec<Probe>,
    /// Objects of Python's by type, look by look; null unless the heap was looked at twice.
    pub objects: Option<Objects>,
    /// Functions that were traced again and again, and still were late in the run; the most often traced first.
    pub retraced: Vec<Retraced>,
    /// The processes that the program started.
    pub processes: Vec<Process>,
    /// The curve, thinned.
    pub timeline: Vec<TimelinePoint>,
    /// Which phase the program was in when, without gaps; `program` is outside of all. Coarser where there are thousands.
    pub phases: Vec<PhaseSpan>,
    /// What each phase took in all, those with the most time first.
    pub phase_totals: Vec<PhaseTotal>,
    /// What could not be recorded or read.
    pub losses: Vec<String>,
}

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

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Live memory grows with every cycle, with no sign of an end.
    Leak,
    /// It does not, or too little to matter.
    NoLeak,
    /// The evidence does not reach.
    Undecided,
}

/// What repeats.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cycles {
    /// `epoch`, `fit`, `predict`, `request`, `step`, `call` or `window`.
    pub unit: &'static str,
    /// How many of them ended.
    pub count: u64,
    /// How many more it takes for a verdict; null where there is one.
    pub needed: Option<u64>,
    /// How long one takes, the median; null below two.
    pub seconds: Option<f64>,
}

/// An estimate with its 95 % interval, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bytes {
    /// The best single number.
    pub estimate: i64,
    /// Lower end.
    pub low: i64,
    /// Upper end.
    pub high: i64,
}

impl Bytes {
    /// No more than `most`, which was counted, while this was sampled.
    pub(crate) fn cap(&mut self, most: i64) {
        for end in [&mut self.estimate, &mut self.low, &mut self.high] {
            *end = (*end).min(most);
        }
    }

    /// Rounds an interval to whole bytes.
    pub fn round(interval: &nilometer_stats::Interval) -> Self {
        Self {
            estimate: interval.estimate.round() as i64,
            low: interval.low.round() as i64,
            high: interval.high.round() as i64,
        }
    }
}

/// Growth of live memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Growth {
    /// Per cycle.
    pub bytes_per_cycle: Bytes,
    /// The first cycle that counts: start-up ends before it.
    pub since_cycle: u64,
    /// What was judged: `live` bytes, or `anonymous` memory where the allocator could not be asked.
    pub basis: &'static str,
    /// Share of it that findings account for; null without a recorder. Sampling makes it an estimate: above 1 at times.
    pub explained: Option<f64>,
}

/// A command that would tell more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextStep {
    /// As it is typed.
    pub command: String,
    /// What it does, and at what price.
    pub why: String,
}

/// When the limit is reached at this rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// `cgroup` or `ram`.
    pub limit: &'static str,
    /// The limit.
    pub limit_bytes: u64,
    /// Cycles from the last one on.
    pub cycles_left: u64,
    /// Seconds from the last cycle on; null where the length of a cycle is not known.
    pub seconds_left: Option<f64>,
}

/// Levels and limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// Most resident memory the program had.
    pub peak_bytes: Option<u64>,
    /// Live bytes at the last reading.
    pub live_bytes: Option<u64>,
    /// Anonymous resident memory at the last reading.
    pub anonymous_bytes: Option<u64>,
    /// The limit that would be met first: `cgroup` or `ram`.
    pub limit: Option<&'static str>,
    /// That limit.
    pub limit_bytes: Option<u64>,
    /// What is left below it.
    pub headroom_bytes: Option<u64>,
}

/// What a part of the curve is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Live memory that every cycle adds to.
    Growing,
    /// Live growth that slows towards a bound.
    Filling,
    /// A step at a phase, flat after.
    OneTime,
    /// Free memory that the allocator keeps.
    Retained,
    /// Growth that a collection takes back.
    Sawtooth,
    /// Memory that a pool of tensors took and has not handed out.
    Reserved,
    /// Mapped files, which the kernel can drop.
    FileBacked,
}

/// A part of the memory curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Component {
    /// What kind of memory it is.
    pub kind: Kind,
    /// The phase it came in, if one.
    pub phase: Option<String>,
    /// How much, over the run.
    pub bytes: i64,
    /// How much per cycle, for what repeats.
    pub bytes_per_cycle: Option<i64>,
    /// What it is, for people.
    pub sentence: String,
    /// Where most of it was made, if the recorder saw one place.
    pub made_at: Option<Site>,
}

/// A claim about the cause of a growth, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The cause's name.
    pub cause: String,
    /// `certain`, `likely` or `possible`.
    pub confidence: &'static str,
    /// What happens, for people.
    pub sentence: String,
    /// Who keeps the memory.
    pub holder: Option<Holder>,
    /// Others that keep a good part of the same memory.
    pub also_held_by: Vec<Holder>,
    /// Where it was made and kept.
    pub sites: Vec<Site>,
    /// Its share of the growth.
    pub bytes_per_cycle: Bytes,
    /// The phase it happens in.
    pub phase: Option<String>,
    /// In words, the part of a framework that made it, where no Python did.
    pub part: Option<String>,
    /// Cycles whose memory was seen to stay.
    pub cycles_seen: u64,
    /// The stack that made most of it, the innermost frame first.
    pub stack: Vec<Frame>,
    /// What to change.
    pub change: Option<String>,
    /// The command that proves the change.
    pub prove: Option<String>,
}

/// Who keeps memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Holder {
    /// Its name.
    pub owner: String,
    /// What the owner is to its framework: `callback`, `dataset`, `layer`, `model`, `metric`, or of a function: `generator`, `closure`; null for all others.
    pub role: Option<String>,
    /// The path from a root that a person knows.
    pub path: String,
    /// The source file of its owner, if it is known.
    pub file: Option<String>,
    /// What kind of container: `list`, `dict`, `closure`, ...
    pub kind: String,
    /// What was new in it at the last look.
    pub elements: String,
    /// How many elements it had then, if it was seen to grow.
    pub length: Option<u64>,
    /// How many more it gets with each cycle.
    pub per_cycle: Option<f64>,
    /// The number of elements it cannot grow beyond, if there is one.
    pub bound: Option<u64>,
    /// Share of the finding's memory that was seen to hang below it; null where it was not sampled.
    pub share: Option<f64>,
}

impl Holder {
    /// What it holds, in words: `40 elements, 1 more per epoch; newest: 9 x ndarray (2000, 500) float64`.
    pub fn content(&self, unit: &str) -> String {
        let Some(length) = self.length else { return self.elements.clone() };
        let mut text = format!("{length} element{}", if length == 1 { "" } else { "s" });
        if let Some(more) = self.per_cycle {
            let decimals = usize::from((more - more.round()).abs() > 0.05);
            text += &format!(", {more:.decimals$} more per {unit}");
        }
        if !self.elements.is_empty() {
            text += &format!("; newest: {}", self.elements);
        }
        text
    }
}

/// A holder and how much it held.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HolderBytes {
    /// Who.
    pub holder: Holder,
    /// Estimated from samples.
    pub live_bytes: i64,
}

/// A place in the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Site {
    /// `kept_at` or `made_at`.
    pub role: &'static str,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function.
    pub function: String,
    /// What it adds per cycle.
    pub bytes_per_cycle: i64,
    /// Its source, where the file can be read.
    pub text: Option<String>,
    /// What the line calls, folded: library and functions.
    pub inside: Option<String>,
}

/// A frame of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Frame {
    /// `user`, `library`, `standard`, `native`, or `cut` where frames are missing.
    pub kind: &'static str,
    /// The source file, or the object file of machine code.
    pub file: String,
    /// The line; 0 if there is none.
    pub line: u32,
    /// The function; empty if it is not known.
    pub function: String,
    /// Most of the growth was made below this function, not just what the one stack made that stands for it.
    #[serde(skip)]
    pub carries: bool,
}

/// What the recorder of allocations saw.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sampling {
    /// Samples in the capture that this report rests on.
    pub samples: u64,
    /// Samples that could not be kept.
    pub dropped: u64,
    /// Estimate of the live bytes at the last reading.
    pub live_bytes: i64,
    /// Share of them that is credited to a line of Python or a named part of a framework; null without any.
    pub credited: Option<f64>,
    /// Mean bytes between samples that was asked for.
    pub asked_mean: Option<u64>,
    /// Smallest mean bytes between samples of any size.
    pub finest_mean: Option<u64>,
    /// Largest mean bytes between samples of any size.
    pub coarsest_mean: Option<u64>,
    /// Share of the program's CPU time that sampling took.
    pub cost: Option<f64>,
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
}

/// One point of the curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimelinePoint {
    /// Since the start.
    pub seconds: f64,
    /// Cycles that had ended.
    pub cycle: u64,
    /// Live bytes; null where the allocator could not be asked.
    pub live_bytes: Option<u64>,
    /// Anonymous resident memory.
    pub anonymous_bytes: Option<u64>,
    /// File-backed resident memory.
    pub file_bytes: Option<u64>,
}

/// A stretch of the run in one phase.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseSpan {
    /// The phase.
    pub name: String,
    /// Since the start.
    pub begin_seconds: f64,
    /// Since the start.
    pub end_seconds: f64,
}

/// All stretches in one phase together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PhaseTotal {
    /// The phase.
    pub name: String,
    /// How often it began; 0 for what the program does outside of all.
    pub times: u64,
    /// Time in it, without the phases inside it that are told by themselves. Of a phase that comes very often, only the
    /// part that was recorded.
    pub seconds: f64,
    /// Change of live memory that is known to have come in it.
    pub bytes: i64,
}

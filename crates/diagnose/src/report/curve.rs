//! The curve of memory: cycles, levels, parts, phases.
//!
//! Sizes are bytes, times are seconds.

use serde::Serialize;

use super::Site;

/// What repeats.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cycles {
    /// The word for one of them: `epoch`, `request`, `round`, ...
    pub unit: &'static str,
    /// What was counted: the same word for a unit that hooks know, else `line`, `loop` or `window`.
    pub kind: &'static str,
    /// How a unit was found that no hook knows: ``the printed line `round #/#` ``; null for the others.
    pub found_by: Option<String>,
    /// What else repeated.
    pub alternatives: Vec<OtherCycles>,
    /// How many of them ended.
    pub count: u64,
    /// How many more it takes for a verdict; null where there is one.
    pub needed: Option<u64>,
    /// How long one takes, the median; null below two.
    pub seconds: Option<f64>,
}

/// Something that repeated, too; `--cycle` judges by it instead.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherCycles {
    /// As in [`Cycles`].
    pub unit: &'static str,
    /// As in [`Cycles`].
    pub kind: &'static str,
    /// As in [`Cycles`].
    pub found_by: Option<String>,
    /// How many of them ended.
    pub count: u64,
}

impl OtherCycles {
    /// Whether a user who asks for `asked` means this: its word or its kind, with the beginning of the line behind a colon.
    pub fn is_called(&self, asked: &str) -> bool {
        let (kind, text) = asked.split_once(':').unwrap_or((asked, ""));
        let text = text.trim().trim_end_matches('*').trim_end();
        let found_by = self.found_by.as_deref().unwrap_or_default();
        (kind == self.kind || kind == self.unit) && (text.is_empty() || found_by.contains(text))
    }

    /// What to ask for to have growth told by this.
    pub fn asked_by(&self) -> String {
        let text = self.found_by.as_deref().and_then(|found| found.split('`').nth(1));
        match text {
            Some(text) => format!("'{}:{text}'", self.kind),
            None => self.kind.to_owned(),
        }
    }
}

/// How a cell of a notebook is named in `found_by`.
pub(crate) const RUNS_OF: &str = "the runs of ";

impl Cycles {
    /// The notebook's cell whose runs are the cycles.
    pub fn cell(&self) -> Option<&str> {
        self.found_by.as_deref()?.strip_prefix(RUNS_OF)
    }

    /// The same of what was judged.
    pub fn is_called(&self, asked: &str) -> bool {
        let judged = OtherCycles {
            unit: self.unit,
            kind: self.kind,
            found_by: self.found_by.clone(),
            count: self.count,
        };
        judged.is_called(asked)
    }
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
    /// What to change, where that is worth it.
    pub change: Option<String>,
    /// The command that shows what the change gives.
    pub prove: Option<String>,
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

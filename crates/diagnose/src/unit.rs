//! What a series counts: its word, its floor, and how it was found.
//!
//! In: a unit of the capture, or a length of time. Out: words and bytes for the report. What must not happen here: a floor for a
//! found unit that depends on its name, which is the program's; its duration, and the steps that it ends, say what it may keep.

use crate::numbers::{
    CALL_FLOOR_BYTES, CHECKED_FLOOR_BYTES, FLOOR_BYTES_PER_SECOND, LONG_FLOOR_BYTES, MIN_CHECKED_RISE_BYTES,
    MIN_RISE_BYTES, REQUEST_FLOOR_BYTES, REQUESTS_RISE_BYTES, TOLERANCE_RATIO,
};
use nilometer_capture::{CycleUnit, FoundKind};

/// What the series counts: a unit that was marked, one that was found in the program, or stretches of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unit {
    /// Hooks know it by name.
    Marked(CycleUnit),
    /// A kind of printed line, or a loop.
    /// Its floor is in bytes per turn, its length in seconds.
    Found { unit: CycleUnit, kind: FoundKind, word: &'static str, floor: f64, seconds: f64 },
    /// A stretch of time.
    Window { seconds: f64 },
}

/// The word for a kind of printed line that begins with no such noun. A line alone is one of code.
pub const PRINTED_LINE: &str = "printed line";

/// Words for what a program does again and again, if a line begins with one: `round 3/24`.
const NOUNS: [&str; 37] = [
    "batch",
    "case",
    "chapter",
    "chunk",
    "cycle",
    "day",
    "document",
    "epoch",
    "episode",
    "file",
    "fold",
    "frame",
    "game",
    "gen",
    "generation",
    "image",
    "item",
    "iter",
    "iteration",
    "job",
    "loop",
    "message",
    "minute",
    "page",
    "part",
    "request",
    "round",
    "row",
    "run",
    "sample",
    "shard",
    "step",
    "sweep",
    "task",
    "tick",
    "trial",
    "turn",
];

impl Unit {
    /// A found unit from its description in the capture; `seconds` is the median length of a turn. A line that is printed for every
    /// 20th job is no job: `skips` says so.
    pub(crate) fn found(unit: CycleUnit, description: &str, skips: bool, seconds: f64) -> Option<Self> {
        let (kind, text) = FoundKind::parse(description)?;
        let word = match kind {
            FoundKind::Line => noun(text).filter(|_| !skips).unwrap_or(PRINTED_LINE),
            FoundKind::Loop => "turn",
        };
        let floor = (FLOOR_BYTES_PER_SECOND * seconds).clamp(CALL_FLOOR_BYTES, LONG_FLOOR_BYTES);
        Some(Self::Found { unit, kind, word, floor, seconds })
    }

    /// The same unit where each turn ends many of a framework's steps: an epoch, however short. Programs note numbers per step, and a
    /// hundred losses are 3 KiB.
    pub(crate) fn over_steps(self) -> Self {
        match self {
            Self::Found { unit, kind, word, seconds, .. } => {
                Self::Found { unit, kind, word, floor: LONG_FLOOR_BYTES, seconds }
            }
            other => other,
        }
    }

    /// The word in the report.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Marked(CycleUnit::Evaluate | CycleUnit::Call) => "call",
            Self::Marked(CycleUnit::OnBatch) => "step",
            // Whoever goes over a data set once has made an epoch, with or without a trainer.
            Self::Marked(CycleUnit::Pass) => "epoch",
            Self::Marked(unit) => unit.word(),
            Self::Found { word, .. } => word,
            Self::Window { .. } => "window",
        }
    }

    /// The kind of unit, one word of a fixed list for other tools.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Marked(CycleUnit::Pass) => "pass",
            Self::Marked(_) => self.word(),
            Self::Found { kind, .. } => kind.word(),
            Self::Window { .. } => "window",
        }
    }

    /// The unit in the capture; windows have none.
    pub(crate) fn marks(self) -> Option<CycleUnit> {
        match self {
            Self::Marked(unit) | Self::Found { unit, .. } => Some(unit),
            Self::Window { .. } => None,
        }
    }

    /// Whether something that repeats is counted, not time.
    pub(crate) fn repeats(self) -> bool {
        self.marks().is_some()
    }

    /// Growth per cycle that nobody needs to hear of: what frameworks themselves keep per cycle (the history of an
    /// epoch, the record of a call). Measured residues are 1 to 4 KiB per epoch or fit and tens of bytes per call.
    pub(crate) fn floor(self) -> f64 {
        use CycleUnit::{Cell, Epoch, Evaluate, Fit, Model, Pass, Predict, Request, Served, Task, Trial};
        match self {
            Self::Marked(Epoch | Fit | Evaluate | Model | Cell | Trial | Pass) => LONG_FLOOR_BYTES,
            Self::Marked(Predict | Request | Served | Task) => REQUEST_FLOOR_BYTES,
            Self::Marked(CycleUnit::Check) => CHECKED_FLOOR_BYTES,
            Self::Marked(_) => CALL_FLOOR_BYTES,
            Self::Found { floor, .. } => floor,
            Self::Window { seconds } => FLOOR_BYTES_PER_SECOND * seconds,
        }
    }
}

impl Unit {
    /// The floor over so many cycles. A service ends requests for as long as it lives: what each keeps adds up, so that of many of them
    /// less is forgiven.
    pub(crate) fn floor_over(self, cycles: u64) -> f64 {
        let floor = self.floor();
        if !self.marks().is_some_and(CycleUnit::is_served) {
            return floor;
        }
        (REQUESTS_RISE_BYTES / cycles.max(1) as f64).clamp(CALL_FLOOR_BYTES, floor)
    }

    /// The share of live memory that a cycle may grow by; nothing of short cycles, of which there are many to the hour. Nobody knows how
    /// many turns of a found unit will come, so its duration says how long a cycle it is.
    pub(crate) fn tolerated_ratio(self) -> f64 {
        match self {
            Self::Window { .. } => TOLERANCE_RATIO,
            _ if self.floor() < LONG_FLOOR_BYTES => 0.0,
            Self::Found { seconds, .. } => {
                TOLERANCE_RATIO * (FLOOR_BYTES_PER_SECOND * seconds / LONG_FLOOR_BYTES).min(1.0)
            }
            Self::Marked(_) => TOLERANCE_RATIO,
        }
    }

    /// A rise in the whole run that no process makes by itself. A call that is checked is read after a full collection.
    pub(crate) fn min_rise(self) -> f64 {
        if self == Self::Marked(CycleUnit::Check) { MIN_CHECKED_RISE_BYTES } else { MIN_RISE_BYTES }
    }
}

/// The noun that a line begins with, before a number: `epoch #/# loss #`.
fn noun(skeleton: &str) -> Option<&'static str> {
    let mut words = skeleton.split(|letter: char| !letter.is_alphanumeric() && letter != '#');
    let mut words = words.by_ref().filter(|word| !word.is_empty());
    let mut first = words.next()?;
    // `[12:31:04] epoch 3`, `2026-11-26 INFO epoch 3`: what stands before is a time and a level.
    while first.starts_with('#') || LEVELS.contains(&first) {
        first = words.next()?;
    }
    let (word, numbered) = match first.split_once('#') {
        Some((word, _)) => (word, true),
        None => (first, words.next().is_some_and(|next| next.starts_with('#'))),
    };
    let lower = word.to_lowercase();
    numbered.then(|| NOUNS.into_iter().find(|noun| *noun == lower))?
}

const LEVELS: [&str; 5] = ["DEBUG", "INFO", "WARNING", "ERROR", "root"];

#[cfg(test)]
mod tests {
    use super::*;
    use nilometer_capture::Found;

    fn line(text: &str, seconds: f64) -> Unit {
        let unit = CycleUnit::Found(Found::new(0).unwrap_or_else(|| unreachable!()));
        Unit::found(unit, &format!("line:{text}"), false, seconds).unwrap_or_else(|| unreachable!())
    }

    #[test]
    fn a_line_is_called_by_the_noun_that_it_begins_with() {
        for (text, word) in [
            ("round #/# spread #", "round"),
            ("Epoch #/#", "epoch"),
            ("[step #] loss #", "step"),
            ("# INFO iteration #: ok", "iteration"),
            ("gen# best #", "gen"),
            ("loss # acc #", PRINTED_LINE),
            ("served # requests", PRINTED_LINE),
            ("batch of # done", PRINTED_LINE),
            ("#/# ~ #", PRINTED_LINE),
        ] {
            assert_eq!(line(text, 1.0).word(), word, "{text}");
        }
        assert_eq!(line("loss #", 1.0).kind(), "line");
    }

    #[test]
    fn a_line_for_every_twentieth_job_is_no_job() {
        let unit = CycleUnit::Found(Found::new(0).unwrap_or_else(|| unreachable!()));
        let word = |skips| Unit::found(unit, "line:job # done", skips, 1.0).map(Unit::word);
        assert_eq!((word(false), word(true)), (Some("job"), Some(PRINTED_LINE)));
    }

    #[test]
    fn the_floor_of_a_found_unit_is_that_of_its_duration() {
        assert!((line("round #", 1.0).floor() - 4096.0).abs() < 1.0);
        assert!((line("step #", 0.001).floor() - 256.0).abs() < 1.0);
        assert!((line("step #", 60.0).floor() - LONG_FLOOR_BYTES).abs() < 1.0);
        assert!((line("epoch #", 0.1).over_steps().floor() - LONG_FLOOR_BYTES).abs() < 1.0);
    }

    #[test]
    fn a_found_unit_is_as_long_a_cycle_as_its_duration_says() {
        let ratio = |seconds| line("shard #", seconds).over_steps().tolerated_ratio();
        assert!(
            (ratio(0.13) - 0.0325 * TOLERANCE_RATIO).abs() < 1e-9,
            "2,000 of them are over in five minutes"
        );
        assert!((ratio(4.0) - TOLERANCE_RATIO).abs() < 1e-9);
        assert!((ratio(60.0) - TOLERANCE_RATIO).abs() < 1e-9);
        assert!(line("step #", 0.13).tolerated_ratio().abs() < 1e-9, "its floor is that of a short cycle");
        assert!((Unit::Marked(CycleUnit::Epoch).tolerated_ratio() - TOLERANCE_RATIO).abs() < 1e-9);
    }
}

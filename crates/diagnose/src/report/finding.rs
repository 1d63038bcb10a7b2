//! A finding: what grows, made where, held by whom, and what was sampled to know it.
//!
//! Sizes are bytes, times are seconds.

use serde::Serialize;

use super::Bytes;
use crate::sizes::plural;

/// A claim about the cause of a growth, with its evidence.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    /// The process it is about, where that is one that the program started; its sentence has the rate then.
    pub process: Option<u64>,
    /// The device it is about, where that is none of the program's own memory; its sentence has the rate then.
    pub device: Option<String>,
}

impl Finding {
    /// Whether its bytes are of the program's own memory. The sentence of the others has their rate.
    pub fn is_own(&self) -> bool {
        self.process.is_none() && self.device.is_none()
    }
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
    /// How many elements it had when it was last counted, if it was seen to grow.
    pub length: Option<u64>,
    /// The cycle that had ended then, if a good part of the run came after it; null if not.
    pub counted_at: Option<u64>,
    /// How many more it gets with each cycle.
    pub per_cycle: Option<f64>,
    /// The number of elements it cannot grow beyond, if there is one.
    pub bound: Option<u64>,
    /// Share of the finding's memory that was seen to hang below it; null where it was not sampled.
    pub share: Option<f64>,
}

/// How many elements come with each cycle: `1 more per epoch`, or `1 more per 50 calls` of what comes seldom.
fn pace(more: f64, unit: &str) -> String {
    const SELDOM_RATIO: f64 = 0.5;
    if more > 0.0 && more < SELDOM_RATIO {
        return format!("1 more per {:.0} {}", 1.0 / more, plural(unit));
    }
    let decimals = usize::from((more - more.round()).abs() > 0.05);
    format!("{more:.decimals$} more per {unit}")
}

impl Holder {
    /// What it holds, in words: `40 elements, 1 more per epoch; newest: 9 x ndarray (2000, 500) float64`.
    pub fn content(&self, unit: &str) -> String {
        let Some(length) = self.length else { return self.elements.clone() };
        let mut text = format!("{length} element{}", if length == 1 { "" } else { "s" });
        if let Some(cycle) = self.counted_at {
            text += &format!(" at {unit} {cycle}");
        }
        if let Some(more) = self.per_cycle {
            text += &format!(", {}", pace(more, unit));
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
    /// `kept_at` or `made_at`; of a warning `called_at`.
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
    /// What was lost, by cause.
    pub lost: Vec<LostSamples>,
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

/// Samples that were lost for one cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LostSamples {
    /// The cause's name: the counter in the capture, or `unknown` for captures without them.
    pub cause: &'static str,
    /// How many samples.
    pub count: u64,
    /// What happened, as the end of a sentence that begins with the count.
    pub what: &'static str,
    /// What to do about it.
    pub change: &'static str,
    /// It took a share of all samples that matters; such a loss stands in the report's `losses`, too.
    #[serde(rename = "notable")]
    pub is_notable: bool,
}

impl LostSamples {
    /// One sentence: how many, what happened, what to do.
    pub fn sentence(&self) -> String {
        let samples = if self.count == 1 { "sample" } else { "samples" };
        format!("{} {samples} {} ({})", self.count, self.what, self.change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_from_long_ago_is_told_with_its_cycle() {
        let mut holder = Holder { length: Some(6), per_cycle: Some(1.0), ..Holder::default() };
        assert_eq!(holder.content("fit"), "6 elements, 1 more per fit");
        holder.counted_at = Some(6);
        assert_eq!(holder.content("fit"), "6 elements at fit 6, 1 more per fit");
    }

    #[test]
    fn what_comes_seldom_is_not_told_as_nothing() {
        let told =
            |more| Holder { length: Some(32), per_cycle: Some(more), ..Holder::default() }.content("call");
        assert_eq!(told(0.02), "32 elements, 1 more per 50 calls");
        assert_eq!(told(0.6), "32 elements, 0.6 more per call");
        assert_eq!(told(0.0), "32 elements, 0 more per call");
    }
}

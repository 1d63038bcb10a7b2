//! What differs between two runs: of one program before and after a change, or of two programs.
//!
//! In: two reports, with the sampled memory and the cycles where there are any. Out: what grew, shrank, appeared and went,
//! by cause, holder, site, phase and kind, and in the curve. What must not happen here: noise told as a change. What was
//! sampled differs only beyond what sampling may have made; what was counted, beyond a small share.

mod lists;

use serde::Serialize;

use crate::cycle_table::CycleRow;
use crate::profile::Profile;
use crate::report::{Bytes, Report, Verdict};
use crate::told::words::diff::{self as words, Became};

/// The name and version of the difference as JSON (`docs/diff.schema.json`).
pub const DIFF_SCHEMA: &str = "nilometer.diff/1";

/// One of the two runs.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its report.
    pub report: &'a Report,
    /// Its sampled memory.
    pub profile: Option<&'a Profile>,
    /// Its cycles.
    pub cycles: &'a [CycleRow],
}

/// All that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diff {
    /// Always [`DIFF_SCHEMA`].
    pub schema: &'static str,
    /// The run before.
    pub a: Summary,
    /// The run after.
    pub b: Summary,
    /// What became of the growth, in one sentence.
    pub sentence: String,
    /// Growth of live memory per cycle; null where one of the runs has none, or they count different things.
    pub growth: Option<Difference>,
    /// Levels of memory.
    pub levels: Vec<Difference>,
    /// Growth per cycle by cause.
    pub causes: Vec<Difference>,
    /// Growth per cycle by who keeps it.
    pub holders: Vec<Difference>,
    /// Growth per cycle by where it was made.
    pub sites: Vec<Difference>,
    /// Bytes that live at the end by who keeps them; empty where one of the runs was not looked at.
    pub live_by_holder: Vec<Difference>,
    /// Bytes that live at the end by where they were made.
    pub live_by_site: Vec<Difference>,
    /// Bytes that live at the end by the phase they were made in; where one of the runs was not sampled, what live memory
    /// rose by in each phase.
    pub phases: Vec<Difference>,
    /// Parts of the curve by their kind.
    pub kinds: Vec<Difference>,
    /// Live memory after the same number of cycles; empty where they count different things.
    pub curve: Vec<CurvePoint>,
}

/// A run in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// What ran.
    pub name: String,
    /// What is said of it.
    pub verdict: Verdict,
    /// What it counts.
    pub unit: &'static str,
    /// How many of them ended.
    pub cycles: u64,
    /// How long it ran.
    pub seconds: f64,
    /// How it grows per cycle.
    pub bytes_per_cycle: Option<Bytes>,
}

/// What became of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is in the second run only.
    Appeared,
    /// It is in the first run only.
    Went,
    /// It is more.
    Grew,
    /// It is less.
    Shrank,
    /// It is as much, as far as can be told.
    Same,
}

/// One thing in both runs. Bytes, or bytes per cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What it is.
    pub name: String,
    /// What became of it.
    pub change: Change,
    /// In the first run; null where it was not seen.
    pub a: Option<i64>,
    /// In the second run; null where it was not seen.
    pub b: Option<i64>,
    /// Second less first.
    pub difference: i64,
}

/// Live memory after so many cycles of both runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CurvePoint {
    /// The cycle.
    pub cycle: u64,
    /// Bytes in the first run.
    pub a: u64,
    /// Bytes in the second run.
    pub b: u64,
}

impl Difference {
    /// `spread` is how far the two numbers may be apart by chance.
    pub(crate) fn new(name: impl Into<String>, a: Option<i64>, b: Option<i64>, spread: f64) -> Self {
        let difference = b.unwrap_or(0) - a.unwrap_or(0);
        let change = match (a, b) {
            _ if difference.unsigned_abs() as f64 <= spread => Change::Same,
            (None, Some(_)) => Change::Appeared,
            (Some(_), None) => Change::Went,
            _ if difference > 0 => Change::Grew,
            _ => Change::Shrank,
        };
        Self { name: name.into(), change, a, b, difference }
    }

    /// Whether there is something to tell.
    pub fn is_change(&self) -> bool {
        self.change != Change::Same
    }
}

impl Diff {
    /// Whether the second run surely grows more per cycle, by more than so many bytes.
    pub fn grew_beyond(&self, bytes: i64) -> bool {
        let growth = self.growth.as_ref();
        growth.is_some_and(|growth| growth.change == Change::Grew && growth.difference > bytes)
    }
}

/// Compares two runs.
pub fn diff(a: Side, b: Side) -> Diff {
    let comparable = a.report.cycles.unit == b.report.cycles.unit;
    let growth = growth(a.report, b.report).filter(|_| comparable);
    let curve = if comparable { curve(a.cycles, b.cycles) } else { Vec::new() };
    Diff {
        schema: DIFF_SCHEMA,
        a: summary(a.report),
        b: summary(b.report),
        sentence: sentence(a.report, b.report, growth.as_ref()),
        growth,
        levels: levels(a.report, b.report, curve.last()),
        causes: if comparable { lists::causes(a.report, b.report) } else { Vec::new() },
        holders: if comparable { lists::holders(a.report, b.report) } else { Vec::new() },
        sites: if comparable { lists::sites(a, b) } else { Vec::new() },
        live_by_holder: lists::live_by_holder(a.report, b.report),
        live_by_site: lists::live_by_site(a, b),
        phases: lists::phases(a, b),
        kinds: lists::kinds(a.report, b.report),
        curve,
    }
}

fn summary(report: &Report) -> Summary {
    Summary {
        name: report.program.name.clone(),
        verdict: report.verdict,
        unit: report.cycles.unit,
        cycles: report.cycles.count,
        seconds: report.program.seconds,
        bytes_per_cycle: report.growth_told(),
    }
}

/// Two intervals that touch are no difference, and neither is one that a verdict would pass over.
fn growth(a: &Report, b: &Report) -> Option<Difference> {
    let leaks = |report: &Report| report.job.program == Verdict::Leak;
    let (from, to) = (a.growth.as_ref()?.bytes_per_cycle, b.growth.as_ref()?.bytes_per_cycle);
    let apart = to.low > from.high || to.high < from.low;
    let spread = if apart && (leaks(a) || leaks(b)) { 0.0 } else { f64::INFINITY };
    Some(Difference::new("live memory", Some(from.estimate), Some(to.estimate), spread))
}

fn sentence(a: &Report, b: &Report, growth: Option<&Difference>) -> String {
    let (before, after) = (a.cycles.unit, b.cycles.unit);
    let Some(growth) = growth else { return words::no_growth(before, after) };
    let became = match (growth.change, b.job.program) {
        (Change::Same, _) => Became::Same,
        (Change::Grew, _) => Became::More,
        (_, Verdict::NoLeak) => Became::Mended,
        _ => Became::Less,
    };
    words::growth(became, (growth.a.unwrap_or(0), growth.b.unwrap_or(0)), after)
}

fn levels(a: &Report, b: &Report, last: Option<&CurvePoint>) -> Vec<Difference> {
    let (before, after) = (&a.memory, &b.memory);
    let mut out = vec![
        counted(words::PEAK, before.peak_bytes, after.peak_bytes),
        counted(words::LIVE_AT_END, before.live_bytes, after.live_bytes),
        counted(words::ANONYMOUS_AT_END, before.anonymous_bytes, after.anonymous_bytes),
    ];
    if let Some(point) = last {
        out.push(counted(&words::live_at(b.cycles.unit, point.cycle), Some(point.a), Some(point.b)));
    }
    // A level that one run could not read is no level that went.
    out.retain(|level| level.a.is_some() && level.b.is_some());
    out
}

/// What was counted is the same within a megabyte or a twentieth.
pub(crate) fn counted(name: &str, a: Option<u64>, b: Option<u64>) -> Difference {
    let (a, b) = (a.map(u64::cast_signed), b.map(u64::cast_signed));
    let most = a.unwrap_or(0).max(b.unwrap_or(0));
    Difference::new(name, a, b, (1024.0 * 1024.0_f64).max(0.05 * most as f64))
}

/// Points of the curve in the difference at most.
const CURVE: usize = 500;

fn curve(a: &[CycleRow], b: &[CycleRow]) -> Vec<CurvePoint> {
    let mut after = b.iter().peekable();
    let mut out = Vec::new();
    for row in a {
        while after.next_if(|next| next.cycle < row.cycle).is_some() {}
        let same = after.peek().filter(|next| next.cycle == row.cycle);
        if let Some((a, b)) = same.and_then(|next| row.live_bytes.zip(next.live_bytes)) {
            out.push(CurvePoint { cycle: row.cycle, a, b });
        }
    }
    let every = out.len().div_ceil(CURVE).max(1);
    let last = out.len().saturating_sub(1);
    out.into_iter()
        .enumerate()
        .filter(|(i, _)| i % every == 0 || *i == last)
        .map(|(_, point)| point)
        .collect()
}

//! Cells of a notebook: which of them are the same one, run again, so that growth may be told per cell.
//!
//! In: the facts that the notebook's hook says of each cell. Out: the capture with the turns of one stretch alone: of one cell, run again
//! with nothing in between that left memory. What must not happen here: a growth between cells that differ.

mod shown;
mod source;

use std::collections::BTreeMap;

use nilometer_capture::{BoardCounts, Capture, CycleUnit, Moment, Observation, Record, Stamped};
use serde::Deserialize;

use crate::choose::MIN_TURNS;

pub(crate) use shown::Shown;
pub(crate) use source::Sources;

/// The fact that is said of each cell: `cell.12`.
const PREFIX: &str = "cell.";

/// How the name of a cell's phase begins.
const PHASE: &str = "In [";

/// What the notebook shows beside a cell.
fn called(number: u64) -> String {
    format!("{PHASE}{number}]")
}

/// What the hook says of one cell.
#[derive(Debug, Deserialize)]
struct Said {
    stretch: u64,
    #[serde(default)]
    file: String,
}

/// A stretch: the runs of one cell.
#[derive(Debug, Default)]
struct Stretch {
    /// Turns of each unit that hooks know.
    turns: BTreeMap<CycleUnit, u64>,
    /// The number of its last run, `In [12]`.
    last: u64,
    /// When the last of its turns ended.
    ended: u64,
}

impl Stretch {
    /// Whether something in it came often enough to be judged.
    fn repeats(&self) -> bool {
        self.turns.iter().any(|(unit, turns)| says_growth(*unit) && *turns >= MIN_TURNS as u64)
    }
}

/// What else a cell does again and again says nothing about its memory by itself.
fn says_growth(unit: CycleUnit) -> bool {
    !matches!(unit, CycleUnit::Found(_) | CycleUnit::Model | CycleUnit::ClearSession)
}

/// Whether cells of a notebook's kernel ran.
pub(crate) fn are_in(capture: &Capture) -> bool {
    capture.records.iter().any(|stamped| cell(&stamped.record).is_some())
}

/// The number of a cell, and what was said of it when it began.
fn cell(record: &Record) -> Option<(u64, Said)> {
    let Record::Fact { key, value } = record else { return None };
    let number = key.strip_prefix(PREFIX)?.parse().ok()?;
    Some((number, serde_json::from_str(value).ok()?))
}

/// The stretch that is judged.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    /// The run of its cell that was the last one.
    pub(crate) number: u64,
    /// Whether something in it came often enough.
    pub(crate) repeats: bool,
    stretch: u64,
    ended: u64,
}

/// The last stretch in which something came often enough; where there is none, the last one.
fn judged(capture: &Capture) -> Option<Judged> {
    let mut stretches: BTreeMap<u64, Stretch> = BTreeMap::new();
    let mut turns = Turns::default();
    for stamped in &capture.records {
        let in_turn = turns.of(stamped);
        let Some(now) = turns.stretch else { continue };
        let stretch = stretches.entry(now).or_default();
        stretch.last = turns.number;
        if let Some((unit, count, _)) = in_turn {
            *stretch.turns.entry(unit).or_default() += count;
            stretch.ended = stamped.at_ns;
        }
    }
    let last = |repeats: bool| {
        let fits = stretches.iter().filter(|(_, stretch)| stretch.repeats() || !repeats);
        fits.max_by_key(|(_, stretch)| stretch.ended)
    };
    let (repeats, (stretch, of)) =
        last(true).map(|found| (true, found)).or(last(false).map(|found| (false, found)))?;
    Some(Judged { number: of.last, repeats, stretch: *stretch, ended: of.ended })
}

/// Which stretch runs, and how many turns each mark stands for.
#[derive(Debug, Default)]
struct Turns {
    stretch: Option<u64>,
    number: u64,
    seen: BTreeMap<CycleUnit, u64>,
}

impl Turns {
    /// Of the mark of a turn: its unit, the turns since the mark before it, and its number.
    fn of(&mut self, stamped: &Stamped) -> Option<(CycleUnit, u64, u64)> {
        if let Some((number, said)) = cell(&stamped.record) {
            // Too many cells ran: those from here on are of no stretch.
            (self.stretch, self.number) = (Some(said.stretch).filter(|stretch| *stretch > 0), number);
        }
        let Record::Cycle { unit, ordinal } = stamped.record else { return None };
        let before = self.seen.insert(unit, ordinal).unwrap_or(0);
        Some((unit, ordinal.saturating_sub(before), ordinal))
    }
}

/// The same capture with the turns of the judged stretch alone, counted from 1, and without what was seen to grow after it. Nothing where
/// no cells ran.
pub(crate) fn narrowed(capture: &Capture) -> Option<(Capture, Judged)> {
    let judged = judged(capture)?;
    let mut out = capture.clone();
    let mut turns = Turns::default();
    // Of each unit, its turns in the stretch; and the number that each mark has now.
    let mut counts: BTreeMap<CycleUnit, u64> = BTreeMap::new();
    let mut renamed: BTreeMap<CycleUnit, (u64, Option<u64>)> = BTreeMap::new();
    out.records.retain_mut(|stamped| {
        let in_turn = turns.of(stamped);
        let is_inside = turns.stretch == Some(judged.stretch);
        match &mut stamped.record {
            Record::Cycle { ordinal, .. } => {
                let Some((unit, count, was)) = in_turn else { return true };
                let now = is_inside.then(|| {
                    let all = counts.entry(unit).or_default();
                    *all += count;
                    *all
                });
                renamed.insert(unit, (was, now));
                *ordinal = now.unwrap_or(0);
                now.is_some()
            }
            Record::Reading { moment, .. } => {
                if let Moment::Cycle { unit, ordinal } = moment {
                    let now = renamed.get(unit).filter(|(was, _)| was == ordinal).and_then(|(_, now)| *now);
                    *moment = now.map_or(Moment::Tick, |ordinal| Moment::Cycle { unit: *unit, ordinal });
                }
                true
            }
            // Each run of a cell has a phase of its own: those of one cell are one.
            Record::Phase { name, .. } if is_inside && name.starts_with(PHASE) => {
                *name = called(judged.number);
                true
            }
            Record::Observation(Observation::Grown(_) | Observation::Census(_)) => {
                stamped.at_ns <= judged.ended + SCAN_NS
            }
            _ => true,
        }
    });
    out.board = BoardCounts::of(capture.board.steps, |unit| counts.get(&unit).copied().unwrap_or(0));
    Some((out, judged))
}

/// A look at the heap tells what it saw so long after the cycle that it was of.
const SCAN_NS: u64 = 500_000_000;

//! Everything that repeated in a run, and which of it is judged.
//!
//! In: the timeline, the board's counts, the facts that describe found units. Out: the series that is judged, a coarser one, and
//! what else there was. The choice itself is [`choose`]'s.

use nilometer_capture::{BoardCounts, Capture, CycleUnit, FoundKind, Record};

use crate::ASKED_CYCLE;
use crate::cells;
use crate::choose::{Candidate, Choice, choose};
use crate::cycles::{Cycles, Point, marked, median, seconds};
use crate::phases::Course;
use crate::report::OtherCycles;
use crate::timeline::{Basis, CycleMark, Timeline};
use crate::told::words::found_by;
use crate::unit::Unit;
use crate::windows;

/// Fits in a row, each of several epochs, from which on a fit is the cycle (models in a loop, folds, trials).
const FITS_IN_A_LOOP: u64 = 6;
/// So many models, made through most of the rest of the run, are what it is about where nothing else repeats. A few are made to begin with.
const MODELS_IN_A_LOOP: u64 = 6;
/// Those must be made through this share of what is left of the run.
const MIN_MODELS_SPAN_RATIO: f64 = 0.5;
impl Cycles {
    /// The series of the unit that is chosen, or that was asked for.
    pub(crate) fn of(timeline: &Timeline, capture: &Capture, basis: Basis) -> Self {
        Chosen::of(timeline, capture, basis).cycles
    }
}

/// The series that is judged, and what else there was.
pub(crate) struct Chosen {
    pub(crate) cycles: Cycles,
    /// A coarser unit, to be judged where this one does not show a leak.
    pub(crate) coarser: Option<Cycles>,
    pub(crate) alternatives: Vec<OtherCycles>,
}

impl Chosen {
    pub(crate) fn of(timeline: &Timeline, capture: &Capture, basis: Basis) -> Self {
        let all = all(timeline, capture, basis);
        let candidates: Vec<Candidate> = all.iter().map(|one| one.candidate(timeline)).collect();
        let choice = match asked(capture) {
            Some(asked) => {
                Choice { unit: all.iter().position(|one| one.alternative().is_called(asked)), coarser: None }
            }
            None => choose(&candidates),
        };
        let asked_for_windows = asked(capture) == Some(WINDOW_UNIT);
        let windows = || windows::of(timeline, &Course::of(capture), basis);
        // A person at a notebook adds to its memory as they go on: time says nothing there.
        let cell = || marked(timeline, &capture.board, Unit::Marked(CycleUnit::Cell), String::new(), basis);
        let instead = || if asked(capture).is_none() && cells::are_in(capture) { cell() } else { windows() };
        let at = choice.unit.filter(|_| !asked_for_windows);
        let cycles = at.and_then(|at| all.get(at)).cloned().unwrap_or_else(instead);
        let coarser = choice.coarser.and_then(|at| all.get(at)).cloned().map(Cycles::over_steps);
        let others = all.iter().enumerate().filter(|(index, one)| Some(*index) != at && one.count > 1);
        let alternatives = others.map(|(_, one)| one.alternative()).collect();
        Self { cycles, coarser, alternatives }
    }
}

/// Stands for what changes in a printed line.
const PLACEHOLDER: char = '#';

/// The word by which windows of time are asked for.
const WINDOW_UNIT: &str = "window";

/// The unit that was asked for, if one was.
fn asked(capture: &Capture) -> Option<&str> {
    fact(capture, ASKED_CYCLE)
}

fn fact<'c>(capture: &'c Capture, name: &str) -> Option<&'c str> {
    capture.records.iter().rev().find_map(|stamped| match &stamped.record {
        Record::Fact { key, value } if key == name => Some(value.as_str()),
        _ => None,
    })
}

/// The series of everything that repeated: first what hooks know, in the order in which users would name it, then what was found.
fn all(timeline: &Timeline, capture: &Capture, basis: Basis) -> Vec<Cycles> {
    use CycleUnit::{
        Call, Cell, Check, Episode, Epoch, Evaluate, Fit, Model, OnBatch, Pass, Predict, Request, Served,
        Step, Task, Trial, Update,
    };
    let board = &capture.board;
    let looped = board.cycles(Fit) >= FITS_IN_A_LOOP && board.cycles(Epoch) > board.cycles(Fit);
    let (first, second) = if looped { (Fit, Epoch) } else { (Epoch, Fit) };
    let order = [
        Check, Request, Step, Trial, Task, Served, first, second, Predict, OnBatch, Evaluate, Episode, Cell,
        Update, Call, Pass, Model,
    ];
    let known = order.into_iter().filter(|unit| *unit != Model || makes_models(timeline, board));
    let known = known.map(|unit| (Unit::Marked(unit), String::new()));
    let found = CycleUnit::all().filter_map(|unit| {
        let CycleUnit::Found(place) = unit else { return None };
        let description = fact(capture, &place.fact())?;
        let found = unit_of(timeline, capture, unit)?;
        let (kind, text) = FoundKind::parse(description)?;
        let how = match kind {
            FoundKind::Line => found_by::line(&text.replace(PLACEHOLDER, "N")),
            FoundKind::Loop => found_by::loop_at(&shown(text, capture)),
        };
        Some((found, how))
    });
    let units = known.chain(found);
    let marks = |unit: Unit| unit.marks().map_or(0, |unit| board.cycles(unit));
    units
        .filter(|(unit, _)| marks(*unit) > 0)
        .map(|(unit, how)| marked(timeline, board, unit, how, basis))
        .collect()
}

/// A unit of the capture, as it is called. A found one must be described.
pub(crate) fn unit_of(timeline: &Timeline, capture: &Capture, unit: CycleUnit) -> Option<Unit> {
    let CycleUnit::Found(place) = unit else { return Some(Unit::Marked(unit)) };
    let skips = fact(capture, &place.step_fact()).is_some();
    Unit::found(unit, fact(capture, &place.fact())?, skips, seconds(timeline, unit).unwrap_or(0.0))
}

/// The file of a place, as seen from the program's folder.
fn shown(place: &str, capture: &Capture) -> String {
    let folder = fact(capture, "cwd").map(|folder| format!("{}/", folder.trim_end_matches('/')));
    let inside = folder.and_then(|folder| place.strip_prefix(&folder).map(str::to_owned));
    inside.unwrap_or_else(|| place.to_owned())
}

/// Whether models are made through most of the rest of the run.
fn makes_models(timeline: &Timeline, board: &BoardCounts) -> bool {
    let at = || timeline.marks.iter().filter(|m| m.unit == CycleUnit::Model).map(|m| m.at_ns);
    let (Some(first), Some(last)) = (at().next(), at().next_back()) else { return false };
    let rest = timeline.end_ns.saturating_sub(first) as f64;
    board.cycles(CycleUnit::Model) >= MODELS_IN_A_LOOP
        && (last - first) as f64 >= MIN_MODELS_SPAN_RATIO * rest
}

impl Cycles {
    /// How it was found, where no hook knows it.
    pub(crate) fn found_by(&self) -> Option<String> {
        Some(self.how.clone()).filter(|how| !how.is_empty())
    }

    /// For the report, where another unit is judged.
    pub(crate) fn alternative(&self) -> OtherCycles {
        let unit = self.unit;
        OtherCycles { unit: unit.word(), kind: unit.kind(), found_by: self.found_by(), count: self.count }
    }

    /// The same series, of which each turn ends many steps.
    fn over_steps(self) -> Self {
        Self { unit: self.unit.over_steps(), ..self }
    }

    fn candidate(&self, timeline: &Timeline) -> Candidate {
        let of_unit = |m: &&CycleMark| Some(m.unit) == self.unit.marks();
        let mut at = timeline.marks.iter().filter(of_unit).map(|m| m.at_ns);
        let first = at.next();
        let ends = first.map_or(0, |first| at.next_back().unwrap_or(first) - first);
        // Marks are of ends. The first turn began earlier: of two epochs it is half.
        let turns = self.count as f64 / self.count.saturating_sub(1).max(1) as f64;
        Candidate {
            unit: self.unit,
            count: self.count,
            read: self.points.len(),
            span: ends as f64 / 1e9 * turns,
            irregularity: irregularity(&self.points, self.floor()),
        }
    }
}

/// Points that belong to the start of a series, where everything is made for the first time.
const START: usize = 2;

/// How far the growth per turn scatters around its median, in multiples of the median or of the floor, whichever is more.
fn irregularity(points: &[Point], floor: f64) -> f64 {
    let steps = points.get(START.min(points.len())..).unwrap_or_default().windows(2);
    let growth: Vec<f64> =
        steps.map(|w| (w[1].level - w[0].level) / (w[1].ordinal - w[0].ordinal).max(1) as f64).collect();
    let Some(usual) = median(growth.clone()) else { return f64::INFINITY };
    let scatter = median(growth.iter().map(|one| (one - usual).abs()).collect()).unwrap_or(f64::INFINITY);
    scatter / usual.abs().max(floor)
}

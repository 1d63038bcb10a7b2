//! Chooses the unit that growth is told by, from all that repeated in a run.
//!
//! In: what is known of each candidate. Out: the order in which they serve. Pure. What must not happen here: a look at the
//! verdict that a unit would give.
//!
//! What the program marks itself wins. Then comes the unit that spans most of the run and has enough turns; of several the
//! one that its user would name: a framework's own cycle, a call or a step, a printed line, a loop. Time is the last resort.

use nilometer_capture::{CycleUnit, FoundKind};

use crate::numbers::CALL_FLOOR_BYTES;
use crate::unit::Unit;

/// Turns that were read from which on a unit can be judged.
pub(crate) const MIN_TURNS: usize = 8;
/// A unit spans the run if its turns cover this share of what the longest-lasting unit covers.
const MIN_SPAN_RATIO: f64 = 0.5;
/// The growth of two kinds of lines is equally regular within this ratio.
const SAME_IRREGULARITY_RATIO: f64 = 1.5;
/// A unit is coarser than another if it has so many times fewer turns.
const MIN_COARSER_RATIO: f64 = 3.0;

/// What repeats, as far as the choice asks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) unit: Unit,
    /// How often it came.
    pub(crate) count: u64,
    /// How often live memory was read at its end.
    pub(crate) read: usize,
    /// How long all its turns take, the first one with them, in seconds.
    pub(crate) span: f64,
    /// How far its growth per turn scatters, in multiples of its floor or of the growth itself.
    pub(crate) irregularity: f64,
}

/// What a user would name first, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// `nilometer.cycle()`.
    Own,
    /// An epoch, a request, a trial: a cycle of the framework's own.
    Named,
    /// A call, a step, a model: a part of a loop that is the program's.
    Part,
    Line,
    Loop,
}

impl Candidate {
    fn rank(&self) -> Option<Rank> {
        use CycleUnit::{Call, ClearSession, Model, OnBatch, Pass, Request, Step, Update};
        Some(match self.unit {
            Unit::Marked(Request | Step) => Rank::Own,
            Unit::Marked(Call | OnBatch | Update | Model | Pass) => Rank::Part,
            Unit::Marked(ClearSession) | Unit::Window { .. } => return None,
            Unit::Marked(_) => Rank::Named,
            Unit::Found { kind: FoundKind::Line, .. } => Rank::Line,
            Unit::Found { kind: FoundKind::Loop, .. } => Rank::Loop,
        })
    }

    fn spans(&self, longest: f64) -> bool {
        self.count >= 2 && self.span >= MIN_SPAN_RATIO * longest
    }
}

/// What was chosen, as indices of the candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The unit; none where windows of time serve.
    pub(crate) unit: Option<usize>,
    /// A coarser one that is judged too: growth that is too little per step may be plain per epoch.
    pub(crate) coarser: Option<usize>,
}

/// Chooses among candidates in the order of preference of their own kind.
pub(crate) fn choose(candidates: &[Candidate]) -> Choice {
    let ranked = || candidates.iter().enumerate().filter_map(|(at, one)| Some((one.rank()?, at, one)));
    if let Some((_, at, _)) = ranked().find(|(rank, _, one)| *rank == Rank::Own && one.count >= 2) {
        return Choice { unit: Some(at), coarser: None };
    }
    let longest = ranked().map(|(.., one)| one.span).fold(0.0, f64::max);
    let spanning = || ranked().filter(|(.., one)| one.spans(longest));
    // A framework's cycle is what the run is about even where it came seldom: what is finer tells of its insides.
    if let Some((_, at, chosen)) = spanning().find(|(rank, ..)| *rank <= Rank::Named) {
        return Choice { unit: Some(at), coarser: line_around(chosen, spanning()) };
    }
    let enough = || spanning().filter(|(.., one)| one.read >= MIN_TURNS);
    let first = enough().min_by(|a, b| a.0.cmp(&b.0)).map(|(rank, ..)| rank);
    let unit = first.and_then(|rank| match rank {
        Rank::Own | Rank::Named | Rank::Part => enough().find(|(of, ..)| *of == rank),
        Rank::Line | Rank::Loop => most_regular(enough().filter(|(of, ..)| *of == rank)),
    });
    if let Some((_, at, chosen)) = unit {
        let fewer = |one: &Candidate| one.count as f64 * MIN_COARSER_RATIO <= chosen.count as f64;
        // A call or a step ends no steps, however seldom it comes.
        let is_outer = |one: &Candidate| one.unit.over_steps().floor() > CALL_FLOOR_BYTES;
        let coarser = enough().filter(|(rank, .., one)| *rank != Rank::Loop && fewer(one) && is_outer(one));
        return Choice { unit: Some(at), coarser: most_regular(coarser).map(|(_, at, _)| at) };
    }
    // Too few turns of anything: what hooks know says how many more are needed.
    let known = |(rank, _, one): &(Rank, usize, &Candidate)| *rank <= Rank::Part && one.count >= 1;
    let seldom = spanning().find(known).or_else(|| ranked().find(|one| known(one) && one.0 <= Rank::Named));
    Choice { unit: seldom.map(|(_, at, _)| at), coarser: None }
}

/// The line that a program prints after several short calls of a framework: each fold and each setting of a search is a fit, and what a setting
/// keeps is too little per fit.
fn line_around<'a>(
    chosen: &Candidate,
    spanning: impl Iterator<Item = (Rank, usize, &'a Candidate)> + Clone,
) -> Option<usize> {
    use CycleUnit::{Evaluate, Fit, Predict};
    if !matches!(chosen.unit, Unit::Marked(Fit | Predict | Evaluate)) {
        return None;
    }
    let fewer = |one: &Candidate| one.count as f64 * MIN_COARSER_RATIO <= chosen.count as f64;
    let lines = spanning.filter(|(rank, _, one)| *rank == Rank::Line && one.read >= MIN_TURNS && fewer(one));
    most_regular(lines).map(|(_, at, _)| at)
}

/// The one whose growth per turn scatters least; of several alike the one with the fewest turns.
fn most_regular<'a>(
    candidates: impl Iterator<Item = (Rank, usize, &'a Candidate)> + Clone,
) -> Option<(Rank, usize, &'a Candidate)> {
    let least = candidates.clone().map(|(.., one)| one.irregularity).fold(f64::INFINITY, f64::min);
    candidates
        .filter(|(.., one)| one.irregularity <= SAME_IRREGULARITY_RATIO * least.max(0.1))
        .min_by_key(|(.., one)| one.count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nilometer_capture::Found;

    /// What repeated, which of it is the unit, and which is judged too because it is coarser.
    type World = (&'static str, Vec<Candidate>, Option<usize>, Option<usize>);

    fn known(unit: CycleUnit, count: u64, span: f64) -> Candidate {
        Candidate { unit: Unit::Marked(unit), count, read: count.min(500) as usize, span, irregularity: 0.1 }
    }

    fn found(kind: FoundKind, place: u8, count: u64, span: f64, irregularity: f64) -> Candidate {
        let unit = CycleUnit::Found(Found::new(place).unwrap_or_else(|| unreachable!()));
        let unit = Unit::Found { unit, kind, word: "line", floor: 4096.0, seconds: 1.0 };
        Candidate { unit, count, read: count.min(500) as usize, span, irregularity }
    }

    fn line(place: u8, count: u64, span: f64) -> Candidate {
        found(FoundKind::Line, place, count, span, 0.1)
    }

    #[test]
    fn the_unit_that_a_user_would_name() {
        use CycleUnit::{Call, Epoch, Model, OnBatch, Pass, Request, Served, Step, Update};
        let looped = |count, span| found(FoundKind::Loop, 40, count, span, 0.1);
        let table: Vec<World> = vec![
            ("nothing", vec![], None, None),
            ("lines alone", vec![line(0, 24, 60.0)], Some(0), None),
            ("seven lines are too few", vec![line(0, 7, 60.0)], None, None),
            ("epochs before lines", vec![known(Epoch, 24, 60.0), line(0, 24, 60.0)], Some(0), None),
            (
                "seven fits to a line",
                vec![known(CycleUnit::Fit, 280, 60.0), line(0, 40, 60.0)],
                Some(0),
                Some(1),
            ),
            ("a line for each fit", vec![known(CycleUnit::Fit, 40, 60.0), line(0, 40, 60.0)], Some(0), None),
            ("lines of few epochs", vec![known(Epoch, 280, 60.0), line(0, 40, 60.0)], Some(0), None),
            (
                "two epochs before their batches",
                vec![known(Epoch, 2, 50.0), line(0, 200, 60.0)],
                Some(0),
                None,
            ),
            ("three epochs before an hour", vec![known(Epoch, 3, 10.0), line(0, 500, 3600.0)], Some(1), None),
            ("its own marks", vec![known(Step, 9, 5.0), known(Epoch, 24, 60.0)], Some(0), None),
            ("its own requests", vec![known(Request, 90, 5.0), line(0, 24, 60.0)], Some(0), None),
            ("requests served", vec![known(Served, 900, 60.0), line(0, 90, 60.0)], Some(0), None),
            (
                "calls, and epochs that are printed",
                vec![known(Call, 2400, 60.0), line(0, 24, 60.0)],
                Some(0),
                Some(1),
            ),
            (
                "updates, and passes over the data",
                vec![known(Update, 2400, 60.0), known(Pass, 24, 60.0)],
                Some(0),
                Some(1),
            ),
            (
                "steps, a call after each six of them, and a line",
                vec![known(OnBatch, 90, 60.0), known(Call, 15, 60.0), line(0, 15, 60.0)],
                Some(0),
                Some(2),
            ),
            (
                "a line for two calls is no coarser unit",
                vec![known(Call, 48, 60.0), line(0, 24, 60.0)],
                Some(0),
                None,
            ),
            ("three models, many lines", vec![known(Model, 3, 1.0), line(0, 24, 60.0)], Some(1), None),
            ("five calls in all the run", vec![known(Call, 5, 60.0)], Some(0), None),
            ("two calls at its start, then nothing", vec![known(Call, 2, 1.0)], Some(0), None),
            ("lines before loops", vec![line(0, 24, 60.0), looped(24, 60.0)], Some(0), None),
            ("a loop", vec![looped(24, 60.0)], Some(0), None),
            ("lines at its start, then a loop", vec![line(0, 24, 5.0), looped(24, 60.0)], Some(1), None),
            (
                "of two lines the regular one",
                vec![found(FoundKind::Line, 0, 20, 60.0, 3.0), found(FoundKind::Line, 1, 40, 60.0, 0.2)],
                Some(1),
                None,
            ),
            ("of two alike the coarser one", vec![line(0, 240, 60.0), line(1, 24, 60.0)], Some(1), None),
        ];
        for (world, candidates, unit, coarser) in table {
            assert_eq!(choose(&candidates), Choice { unit, coarser }, "{world}");
        }
    }
}

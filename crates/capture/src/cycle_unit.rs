//! What repeats in a program: the units that growth is told by.
//!
//! Their numbers stand in files and on the board: never reuse or reorder them. What must not happen here: a unit without its word.

/// Numbers below this are units that hooks know by name; the numbers from here on are [`Found`] units.
pub const FIRST_FOUND: u8 = 32;
/// Found units that one capture has room for.
pub const MAX_FOUND: u8 = 48;

/// What happens again and again in the program; growth is told per one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CycleUnit {
    /// One epoch inside `fit`.
    Epoch,
    /// One call of `fit`.
    Fit,
    /// One call of `evaluate` by the user (not the validation inside `fit`).
    Evaluate,
    /// One call of `predict`.
    Predict,
    /// One call of `train_on_batch`, `test_on_batch` or `predict_on_batch`.
    OnBatch,
    /// One model built.
    Model,
    /// One call of `clear_session`.
    ClearSession,
    /// One request, said by the user: `nilometer.cycle("request")`.
    Request,
    /// One step, said by the user: `nilometer.cycle()`.
    Step,
    /// One call of a model or of a traced or compiled function, outside of `fit`, `evaluate` and `predict`.
    Call,
    /// One step of an optimizer outside of all the above, and of traced functions.
    Update,
    /// One request that a web framework served.
    Served,
    /// One task of a task queue.
    Task,
    /// One cell of a notebook.
    Cell,
    /// One trial of a hyperparameter search.
    Trial,
    /// One episode of an environment.
    Episode,
    /// One pass over a data set.
    Pass,
    /// One call of a function that `nilometer.check()` repeats, read after a full collection.
    Check,
    /// A unit that no hook knows by name: a kind of printed line, or a loop. A fact of the capture describes it.
    Found(Found),
}

/// Which of the found units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Found(u8);

impl Found {
    /// The found unit in this place, from 0; nothing beyond [`MAX_FOUND`].
    pub fn new(place: u8) -> Option<Self> {
        (place < MAX_FOUND).then_some(Self(place))
    }

    /// Its place among them.
    pub fn place(self) -> usize {
        usize::from(self.0)
    }

    /// The name of the fact that describes it: `cycle.32`, with a [`FoundKind`] and the text behind a colon.
    pub fn fact(self) -> String {
        format!("cycle.{}", FIRST_FOUND + self.0)
    }

    /// The name of the fact that says by how much the number in a line rises from one to the next, where that is more than one.
    pub fn step_fact(self) -> String {
        format!("{}.step", self.fact())
    }
}

/// How a found unit was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FoundKind {
    /// Printed lines that differ in numbers alone.
    Line,
    /// Turns of a loop in the user's own files.
    Loop,
}

impl FoundKind {
    /// Its word, the same in captures, on screen and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Loop => "loop",
        }
    }

    /// Splits a description: `line:round #/24`.
    pub fn parse(description: &str) -> Option<(Self, &str)> {
        let (word, text) = description.split_once(':')?;
        let kind = [Self::Line, Self::Loop].into_iter().find(|kind| kind.word() == word)?;
        Some((kind, text))
    }
}

impl CycleUnit {
    /// Counters that are needed to tell all units apart by [`CycleUnit::number`].
    pub const COUNT: usize = (FIRST_FOUND + MAX_FOUND) as usize;

    /// The units that hooks know, in the order of their numbers.
    pub const KNOWN: [Self; 18] = [
        Self::Epoch,
        Self::Fit,
        Self::Evaluate,
        Self::Predict,
        Self::OnBatch,
        Self::Model,
        Self::ClearSession,
        Self::Request,
        Self::Step,
        Self::Call,
        Self::Update,
        Self::Served,
        Self::Task,
        Self::Cell,
        Self::Trial,
        Self::Episode,
        Self::Pass,
        Self::Check,
    ];

    /// All units: the known ones, then the found ones.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::KNOWN.into_iter().chain((0..MAX_FOUND).filter_map(Found::new).map(Self::Found))
    }

    /// The number of this unit in files and on the board.
    pub fn number(self) -> u8 {
        match self {
            Self::Epoch => 0,
            Self::Fit => 1,
            Self::Evaluate => 2,
            Self::Predict => 3,
            Self::OnBatch => 4,
            Self::Model => 5,
            Self::ClearSession => 6,
            Self::Request => 7,
            Self::Step => 8,
            Self::Call => 9,
            Self::Update => 10,
            Self::Served => 11,
            Self::Task => 12,
            Self::Cell => 13,
            Self::Trial => 14,
            Self::Episode => 15,
            Self::Pass => 16,
            Self::Check => 17,
            Self::Found(Found(place)) => FIRST_FOUND + place,
        }
    }

    /// The same, as the place in a table of [`CycleUnit::COUNT`] counters.
    pub fn index(self) -> usize {
        usize::from(self.number())
    }

    /// The unit with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        match number.checked_sub(FIRST_FOUND) {
            Some(place) => Found::new(place).map(Self::Found),
            None => Self::KNOWN.get(usize::from(number)).copied(),
        }
    }

    /// Whether a process ends this for as long as it lives: a service's requests, a worker's tasks.
    pub fn is_served(self) -> bool {
        matches!(self, Self::Request | Self::Served | Self::Task)
    }

    /// The word for this unit in Python; a found unit has that of its kind, which the capture says.
    pub fn word(self) -> &'static str {
        match self {
            Self::Epoch => "epoch",
            Self::Fit => "fit",
            Self::Evaluate => "evaluate",
            Self::Predict => "predict",
            Self::OnBatch => "on_batch",
            Self::Model => "model",
            Self::ClearSession => "clear_session",
            Self::Request | Self::Served => "request",
            Self::Step => "step",
            Self::Call | Self::Check => "call",
            Self::Update => "update",
            Self::Task => "task",
            Self::Cell => "cell",
            Self::Trial => "trial",
            Self::Episode => "episode",
            Self::Pass => "pass",
            Self::Found(_) => "turn",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_has_its_own_number_and_is_found_by_it() {
        for (expected, unit) in CycleUnit::KNOWN.into_iter().enumerate() {
            assert_eq!(unit.index(), expected);
        }
        for unit in CycleUnit::all() {
            assert_eq!(CycleUnit::from_number(unit.number()), Some(unit));
            assert!(unit.index() < CycleUnit::COUNT);
        }
        assert_eq!(CycleUnit::all().count(), CycleUnit::KNOWN.len() + usize::from(MAX_FOUND));
        for number in [18, 31, FIRST_FOUND + MAX_FOUND, u8::MAX] {
            assert_eq!(CycleUnit::from_number(number), None);
        }
    }

    #[test]
    fn a_description_says_how_the_unit_was_found() {
        assert_eq!(FoundKind::parse("line:round #/24: ok"), Some((FoundKind::Line, "round #/24: ok")));
        assert_eq!(FoundKind::parse("loop:train.py:17"), Some((FoundKind::Loop, "train.py:17")));
        for wrong in ["", "line", "pass:x"] {
            assert_eq!(FoundKind::parse(wrong), None);
        }
        assert_eq!(Found::new(1).map(Found::fact), Some("cycle.33".to_owned()));
    }
}

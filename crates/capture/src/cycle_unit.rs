//! What repeats in a program: the units that growth is told by.
//!
//! Their numbers stand in files and on the board: never reuse or reorder them. What must not happen here: a unit without its word.

/// What happens again and again in the program; growth is told per one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum CycleUnit {
    /// One epoch inside `fit`.
    Epoch = 0,
    /// One call of `fit`.
    Fit = 1,
    /// One call of `evaluate` by the user (not the validation inside `fit`).
    Evaluate = 2,
    /// One call of `predict`.
    Predict = 3,
    /// One call of `train_on_batch`, `test_on_batch` or `predict_on_batch`.
    OnBatch = 4,
    /// One model built.
    Model = 5,
    /// One call of `clear_session`.
    ClearSession = 6,
    /// One request, said by the user: `nilometer.cycle("request")`.
    Request = 7,
    /// One step, said by the user: `nilometer.cycle()`.
    Step = 8,
    /// One call of a traced function (`tf.function`) outside of `fit`, `evaluate` and `predict`.
    Call = 9,
    /// One application of gradients by an optimizer outside of all the above, and of traced functions.
    Update = 10,
}

impl CycleUnit {
    /// All units, in the order of their numbers.
    pub const ALL: [Self; 11] = [
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
    ];

    /// The unit with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The word for this unit, the same on screen, in JSON and in Python.
    pub fn word(self) -> &'static str {
        match self {
            Self::Epoch => "epoch",
            Self::Fit => "fit",
            Self::Evaluate => "evaluate",
            Self::Predict => "predict",
            Self::OnBatch => "on_batch",
            Self::Model => "model",
            Self::ClearSession => "clear_session",
            Self::Request => "request",
            Self::Step => "step",
            Self::Call => "call",
            Self::Update => "update",
        }
    }
}

//! What is said of a training that is wrong while its memory is well.

use serde::Serialize;

use super::Site;

/// Something wrong with the training that is not about memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Its name, as `docs/warnings.md` has it.
    pub name: String,
    /// What happens, for people.
    pub sentence: String,
    /// The line of the program that asked for it, if it is known.
    pub called_at: Option<Site>,
    /// What to change.
    pub change: String,
}

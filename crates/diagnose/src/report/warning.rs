//! What is said beside the verdict: a training that is wrong while its memory is well, memory that garbage has on a GPU.

use serde::Serialize;

use super::Site;

/// Something that the verdict is not about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Its name, as `docs/warnings.md` has it.
    pub name: String,
    /// What it is about.
    pub about: About,
    /// What happens, for people.
    pub sentence: String,
    /// The line of the program that asked for it, if it is known.
    pub called_at: Option<Site>,
    /// What to change.
    pub change: String,
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum About {
    /// The training, not its memory.
    Training,
    /// Memory of GPUs that garbage has.
    GpuMemory,
}

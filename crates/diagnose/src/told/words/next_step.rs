//! Next steps, in words: the command as it is typed, and what it does.
//!
//! In: a step and the script. Out: a command with its purpose. What must not happen here: a step that was not chosen.

use crate::report::NextStep;

/// A command that would tell more.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// One part after another is left out, until the growth goes.
    Prove,
    /// A sample in so many KiB, and what that may cost of the program's time.
    SampleMore { kib: u64, max_overhead_percent: u32 },
    /// The processes that the program starts are recorded as well.
    LookIntoChildren,
}

/// The step as it is told.
pub(crate) fn told(step: Step, script: &str) -> NextStep {
    let (command, why) = match step {
        Step::Prove => (
            format!("nilometer prove {script}"),
            "leaves out callbacks, data and more, one at a time, until the growth goes",
        ),
        Step::SampleMore { kib, max_overhead_percent } => (
            format!("nilometer run --sample {kib}K --max-overhead {max_overhead_percent} {script}"),
            "samples more closely, so that smaller growth gets its line; slower",
        ),
        Step::LookIntoChildren => (
            format!("nilometer run --children {script}"),
            "looks into the processes that the program starts, too",
        ),
    };
    NextStep { command, why: why.to_owned() }
}

//! The sentences of this module: what was lost in the user's process, and why a recording did not begin.
//!
//! In: names and reasons. Out: words. What must not happen here: a decision, or a word that the report does not know.

use std::path::Path;

// Losses, which a report tells with their number, and answers to a start that was refused.
pub(crate) const INTERNAL_ERROR: &str = "an internal error of nilometer";
pub(crate) const NO_PATH: &str = "its path is no path";
pub(crate) const UNKNOWN_UNIT: &str = "a cycle of an unknown unit";
pub(crate) const UNNAMED_PHASE: &str = "a phase whose name is not a string";
pub(crate) const NO_FACT: &str = "a fact that is not two strings";
pub(crate) const NO_PROBE: &str = "a probe without a name or a count";
pub(crate) const NO_TRACE: &str = "a trace without its names";
pub(crate) const NO_CHILD: &str = "a child process without a number or a role";
pub(crate) const NO_LOOP: &str = "a loop without a key";
pub(crate) const UNNAMED_LOSS: &str = "a loss without a name";
pub(crate) const WRONG_SETTINGS: &str = "the recorder needs a library, a capture and settings, each a string";
pub(crate) const REPORT_A_FAULT: &str = "this is a fault of ours; please report it, with the file if you can";
pub(crate) const RECORDED_ALREADY: &str = "this process is recorded already";
pub(crate) const NO_FORK_HANDLER: &str = "the C library refused a handler of forks";
pub(crate) const NOTHING_RECORDED: &str =
    "nothing was recorded inside the program: fork handlers were refused";
pub(crate) const NO_CLOCK: &str = "readings by the clock: no thread could be started";
pub(crate) const NO_CLOCK_AFTER_FORK: &str = "readings by the clock after a fork: no thread could be started";
pub(crate) const SLOW_CLOCK: &str =
    "a clock that did not stop in time for a fork: the fork was held up for seconds";
pub(crate) const NO_MEMORY_TO_LOOK: &str =
    "who holds memory: too little memory was left to look without harm";

/// The file is there, but it is another library.
pub(crate) fn not_the_recorder(library: &Path) -> String {
    format!("{} is not the recorder of this version of nilometer", library.display())
}

pub(crate) fn not_loaded(why: &str) -> String {
    format!("the recorder could not be loaded: {why}")
}

pub(crate) fn failed_while_reading(name: &str) -> String {
    format!("nilometer failed while it read {name}")
}

/// A framework answers otherwise than its known versions.
pub(crate) fn unknown_devices(framework: &str) -> String {
    format!("memory of devices: this version of {framework} does not tell it as known")
}

pub(crate) fn no_look(why: &str) -> String {
    format!("who holds memory: {why}")
}

//! `nilometer prove`: its runs, how far it is, and what keeps it from running. The proof's sentences are those of `crates/prove`.

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use nilometer_diagnose::{Bytes, counted, duration, plural, size};

use super::{program, system};
use crate::messages::Failure;

/// Names of runs; files are called after them.
pub(crate) const FIRST_RUN: &str = "as it is";
pub(crate) const COLLECTING_RUN: &str = "as it is, with collections";
pub(crate) const SECOND_RUN: &str = "as it is, again";

/// A run with more epochs than the one before.
pub(crate) fn longer_run(name: &str, epochs: u64) -> String {
    format!("{name}, {epochs} epochs")
}

/// The line that moves while runs do; `left` is how many may still come, and how long they take together.
pub(crate) fn running(
    number: usize,
    names: &[&str],
    took: Duration,
    left: Option<(usize, Duration)>,
) -> String {
    let mut text = format!("{number}  {}: {}", names.join(", "), duration(took.as_secs_f64()));
    if let Some((runs, most)) = left {
        text += &format!(", at most {runs} to go, {}", duration(most.as_secs_f64()));
    }
    text
}

/// The unchanged program has run; its growth per cycle in bytes.
pub(crate) fn first(name: &str, growth: Option<i64>, cycles: u64, unit: &str, took: Duration) -> String {
    let took = duration(took.as_secs_f64());
    format!("{name}: {}, {} in {took}", rate(growth, unit, "no growth to be seen"), counted(cycles, unit))
}

/// An experiment has been made; `effect` is its verdict.
pub(crate) fn experiment(
    name: &str,
    growth: Option<Bytes>,
    unit: &str,
    seconds: f64,
    effect: &str,
) -> String {
    let growth = rate(growth.map(|growth| growth.estimate), unit, "too few cycles");
    format!("{name}: {growth} in {}, {effect}", duration(seconds))
}

fn rate(growth: Option<i64>, unit: &str, none: &str) -> String {
    growth.map_or(none.to_owned(), |bytes| format!("{} per {unit}", size(bytes as f64)))
}

/// Notes on an experiment: interventions that changed nothing,
pub(crate) fn idle(names: &[String]) -> String {
    format!("{} had nothing to change", names.join(", "))
}

/// a run whose time was over,
pub(crate) const CUT: &str = "ended because its time was over";

/// a run that failed,
pub(crate) fn failed_run(exit_code: Option<i32>, log: &str) -> String {
    let how = exit_code.map_or("ended by a signal".to_owned(), |code| format!("exit code {code}"));
    format!("{how}; see {log}")
}

/// a run that repeats something else than the unchanged program.
pub(crate) fn other_unit(unit: &str, first: &str) -> String {
    format!("it has {} instead of {}", plural(unit), plural(first))
}

/// Notes on all experiments.
pub(crate) const COLLECTS: &str =
    "these runs collect garbage in each cycle, as garbage would hide how much memory stays";
pub(crate) const INTERRUPTED: &str = "the experiments were interrupted before their end";

pub(crate) fn first_failed(exit_code: Option<i32>) -> String {
    format!("the unchanged program ended with {}", program::ending(exit_code))
}

/// The unchanged program failed.
pub(crate) fn no_growth_seen(exit_code: Option<i32>, log: &Path, outside: Option<&str>) -> Failure {
    Failure::new(format!(
        "the program ended {} before its growth could be measured; its output is in {}",
        program::ended(exit_code),
        log.display()
    ))
    .hint(program::advice(outside))
}

pub(crate) fn interrupted_early() -> Failure {
    Failure::new("interrupted before anything was measured")
}

pub(crate) fn no_capture(name: &str, log: &Path) -> Failure {
    Failure::new(format!("the run “{name}” left no capture"))
        .hint(format!("its output is in {}", log.display()))
}

pub(crate) fn no_run(name: &str) -> Failure {
    Failure::new(format!("the run “{name}” was not made"))
}

pub(crate) fn cannot_wait(error: &dyn Display) -> Failure {
    Failure::new(format!("nilometer cannot wait for a run to end ({error})"))
}

pub(crate) fn no_folder(folder: &Path, error: &dyn Display) -> Failure {
    system::cannot_make(folder, error).hint("-o names another folder for the captures")
}

pub(crate) fn no_current_folder(error: &dyn Display) -> Failure {
    Failure::new(format!("the current folder cannot be read ({error})"))
}

pub(crate) fn from_stdin() -> Failure {
    Failure::new("a script from stdin can be read only once, and is to run several times")
        .hint("save it to a file")
}

pub(crate) fn nothing_to_replace() -> Failure {
    Failure::new("--with replaces a script, and this program has none")
}

pub(crate) fn nameless(capture: &Path) -> Failure {
    Failure::new(format!("{} does not name the program that it was made of", capture.display()))
        .hint("name the program: nilometer prove train.py")
}

pub(crate) fn not_the_programs(file: &Path) -> Failure {
    Failure::new(format!("{} lies outside of the program's folders, so it cannot be changed", file.display()))
}

pub(crate) fn not_copied(file: &Path) -> Failure {
    Failure::new(format!("{} is not copied, so it cannot be changed", file.display()))
}

pub(crate) fn too_much(folder: &Path) -> Failure {
    Failure::new(format!(
        "{} is too large to be copied for each run: it holds more than 1 GiB or 50000 files",
        folder.display()
    ))
    .hint("start it from a smaller folder; --yes copies all of it")
}

/// `said` is the last line of what failed.
pub(crate) fn no_cluster(said: &str) -> Failure {
    Failure::new(format!("Ray did not answer ({said})"))
}

/// Where runs take place.
pub(crate) fn on(cluster: &str) -> String {
    format!("on {cluster}\n")
}

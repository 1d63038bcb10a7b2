//! `nilometer fix`: the answer, what a patch did, and why one is no fix.

use std::fmt::Display;

use nilometer_diagnose::{Bytes, Verdict, counted, size};
use nilometer_prove::{Effect, Experiment, share_of_growth};

use super::program;
use crate::messages::Failure;

/// The answer where no patch was proven; `tried` says whether there was one.
pub(crate) fn no_fix(verdict: Verdict, reason: &str, tried: bool) -> String {
    match verdict {
        Verdict::NoLeak => format!("nothing to fix: {reason}"),
        Verdict::Undecided => format!("whether it leaks is undecided: {reason}"),
        Verdict::Leak if tried => "no patch that was tried could be proven".to_owned(),
        Verdict::Leak => "there is no mechanical change for this leak".to_owned(),
    }
}

/// The answer where one was; the program prints so many `lines` as before.
pub(crate) fn fixed(experiment: &Experiment, unit: &str, lines: usize) -> String {
    let share = experiment.removed.map_or("the growth".to_owned(), share_of_growth);
    let cycles = experiment.cycles;
    let left = match experiment.growth {
        Some(growth) if growth.estimate <= 0 => format!("; {} do not grow", counted(cycles, unit)),
        Some(growth) => format!("; {} per {unit} are left, seen in {cycles}", size(growth.estimate as f64)),
        None => String::new(),
    };
    let lines = match lines {
        0 => "the program prints nothing, with it and without".to_owned(),
        1 => "the line that the program prints is the same".to_owned(),
        lines => format!("all {lines} lines that the program prints are the same"),
    };
    format!("this patch removes {share}{left}; {lines}")
}

/// The first line.
pub(crate) fn heading(program: &str, growth: Option<Bytes>, cycles: u64, unit: &str) -> String {
    let growth = growth.map_or("no growth to be seen".to_owned(), |growth| rate(&growth, unit));
    format!("nilometer fix  {program}: {growth}, {}", counted(cycles, unit))
}

/// `+4.0 MiB per epoch (95 %: 3.9 MiB to 4.1 MiB)`.
fn rate(growth: &Bytes, unit: &str) -> String {
    let sign = if growth.estimate > 0 { "+" } else { "" };
    let [estimate, low, high] = [growth.estimate, growth.low, growth.high].map(|bytes| size(bytes as f64));
    format!("{sign}{estimate} per {unit} (95 %: {low} to {high})")
}

/// A cause without a patch.
pub(crate) fn no_patch(why: &str) -> String {
    format!("    No patch: {why}.")
}

/// A patch that was tried and not proven.
pub(crate) fn tried(why: &str) -> String {
    format!("    Tried, and it is no fix: {why}.")
}

pub(crate) fn written(files: &str) -> String {
    format!("Written: {files}.")
}

pub(crate) fn not_written(files: &str, folder: &str) -> String {
    format!("Nothing is changed: --write changes {files}; or patch -p1 < {folder}/fix.patch")
}

/// A note.
pub(crate) const NO_TIME: &str = "there was no time left to try more";

/// Why a patch is no fix: the program ends in another way, and says this,
pub(crate) fn ends_otherwise(exit_code: Option<i32>, said: Option<&str>) -> String {
    let said = said.map(|line| format!(": {line}")).unwrap_or_default();
    format!("the program ends {}{said}", program::ended(exit_code))
}

/// it prints something else,
pub(crate) fn prints_otherwise(old: &str, new: &str) -> String {
    format!("the program prints “{new}” where it printed “{old}”")
}

/// it does so without a patch, too,
pub(crate) const UNSTEADY: &str = "the program prints something else each time it runs";

/// or it still grows.
pub(crate) fn still_grows(experiment: &Experiment) -> String {
    let open = experiment.removed.is_some_and(|share| share.high > 0.9);
    let left = experiment
        .growth
        .map_or("too little to say how much".to_owned(), |growth| size(growth.estimate as f64));
    match experiment.verdict {
        Effect::Reduces if open => {
            format!("{left} per cycle may be left; only a longer run of the program can tell")
        }
        Effect::Reduces => format!("it removes only a part of the growth: {left} per cycle are left"),
        Effect::NoEffect => format!("it does not change the growth: {left} per cycle"),
        Effect::Undecided | Effect::Cures => {
            "its run does not show whether the growth ends with it".to_owned()
        }
    }
}

/// The Python that makes patches failed.
pub(crate) fn no_proposals(what: &dyn Display) -> Failure {
    Failure::new(format!("patches could not be made ({what})"))
}

pub(crate) fn changed_meanwhile(file: &str) -> Failure {
    Failure::new(format!("{file} has changed since it was read; nothing was written"))
        .hint("run nilometer fix again")
}

pub(crate) fn cannot_write(file: &str, error: &dyn Display) -> Failure {
    Failure::new(format!("{file} could not be written ({error})"))
}

/// Why a file cannot be written.
pub(crate) const READ_ONLY: &str = "it is read-only";

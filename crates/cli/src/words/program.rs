//! The program that a command runs: its name, its end, what it does outside of its folder.

use std::path::Path;

use crate::messages::Failure;

/// No word on the command line names one.
pub(crate) fn none(command: &str) -> Failure {
    Failure::new(format!("there is no program to {command}")).hint(format!("nilometer {command} train.py"))
}

/// A hint: an option of ours that the program gets.
pub(crate) fn misplaced(word: &str) -> String {
    format!(
        "{word} stands after the program's name, so the program gets it; nilometer's own options go before the name"
    )
}

/// The command was not started by its Python entry.
pub(crate) fn no_package() -> Failure {
    Failure::new("nilometer's Python package was not found")
        .hint("start nilometer as `nilometer`, or as `python -m nilometer`")
}

pub(crate) fn no_file(path: &Path) -> Failure {
    Failure::new(format!("there is no {}", path.display()))
}

/// Python ignores the environment that carries us into the program.
pub(crate) const ISOLATED: &str = "Python was started with -I, -E or -S";

/// How it ended: an exit code, or a signal.
pub(crate) fn ended(exit_code: Option<i32>) -> String {
    exit_code.map_or("by a signal".to_owned(), |code| format!("with exit code {code}"))
}

/// The same as the cause of an end.
pub(crate) fn ending(exit_code: Option<i32>) -> String {
    exit_code.map_or("a signal".to_owned(), |code| format!("exit code {code}"))
}

/// A note: a write outside of its folder, which was `allowed` or not.
pub(crate) fn outside(path: &str, allowed: bool) -> String {
    if allowed {
        format!("the program writes {path}, outside of its folder")
    } else {
        format!("the program tried to write {path}, outside of its folder")
    }
}

/// What to do about a program that failed before it showed anything; `outside` is a path that it was kept from writing.
pub(crate) fn advice(outside: Option<&str>) -> String {
    match outside {
        Some(path) => format!("{}; --yes allows it", self::outside(path, false)),
        None => "check that the program runs from this folder, without input from a terminal".to_owned(),
    }
}

//! What is known about the program before it starts.

use std::ffi::OsString;
use std::io::IsTerminal as _;

use nilometer_capture::{Record, Writer};
use nilometer_host::rlimit::Rlimits;

use super::Plan;
use crate::place::program_name;

/// Writes the facts down.
pub(crate) fn write(plan: &Plan, pid: u32, limits: Rlimits, writer: &Writer) {
    let cwd = std::env::current_dir().map(|folder| folder.to_string_lossy().into_owned()).ok();
    let limit = |limit: Option<u64>| limit.map(|bytes| bytes.to_string());
    let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok();
    let facts = [
        ("pid", Some(pid.to_string())),
        ("argv", Some(list(&plan.program))),
        ("script", Some(program_name(&plan.program))),
        ("python", Some(plan.python.clone())),
        ("python_flags", Some(list(&plan.flags))),
        ("cwd", cwd),
        ("nilometer", Some(env!("CARGO_PKG_VERSION").to_owned())),
        // Seconds since 1970, UTC.
        ("started", started.map(|since| since.as_secs().to_string())),
        ("rlimit.as", limit(limits.address_space)),
        ("rlimit.data", limit(limits.data)),
        ("terminals", Some(list(&terminals()))),
    ];
    for (key, value) in facts {
        if let Some(value) = value {
            writer.append(&Record::Fact { key: key.to_owned(), value });
        }
    }
    if plan.package.is_none() {
        writer.append(&Record::Loss { what: NOT_INSIDE.to_owned(), count: 1 });
    }
}

/// What will be missing because the program cannot be looked into.
const NOT_INSIDE: &str =
    "Python was started with -I, -E or -S, so marks and live memory could not be recorded";

/// As JSON.
fn list<Word: Clone + Into<OsString>>(words: &[Word]) -> String {
    let words: Vec<String> =
        words.iter().map(|word| word.clone().into().to_string_lossy().into_owned()).collect();
    serde_json::to_string(&words).unwrap_or_default()
}

/// Which of the standard streams are terminals.
fn terminals() -> Vec<&'static str> {
    [
        ("stdin", std::io::stdin().is_terminal()),
        ("stdout", std::io::stdout().is_terminal()),
        ("stderr", std::io::stderr().is_terminal()),
    ]
    .into_iter()
    .filter_map(|(name, is_terminal)| is_terminal.then_some(name))
    .collect()
}

//! What is known about the program before it starts.

use std::ffi::OsString;
use std::io::IsTerminal as _;

use nilometer_capture::{Record, Writer};
use nilometer_host::rlimit::Rlimits;
use nilometer_model::OWN_FACT;

use super::Plan;
use super::environment::Leads;
use super::recorder::Recorder;
use crate::capture_path::program_name;
use crate::words::recorder::consequence;
use crate::words::run::no_boot;

/// Writes the facts down.
pub(crate) fn write(
    plan: &Plan,
    leads: &Leads<'_>,
    recorder: &Recorder,
    pid: u32,
    limits: Rlimits,
    writer: &Writer,
) {
    let cwd = std::env::current_dir().map(|folder| folder.to_string_lossy().into_owned()).ok();
    let limit = |limit: Option<u64>| limit.map(|bytes| bytes.to_string());
    let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok();
    let children = if leads.children.is_some() { "all" } else { "forked" };
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
        // Once the program has ended it is known whether the recorder was on.
        ("recorder", recorder.off()),
        (nilometer_diagnose::ASKED_CYCLE, plan.cycle.clone()),
        // Also where our boot does not run, which says it, too.
        (OWN_FACT, Some(plan.own.join(",")).filter(|own| !own.is_empty())),
        ("run", leads.run().map(|run| run.to_string())),
        ("children", leads.children.or(leads.forks).map(|_| children.to_owned())),
    ];
    for (key, value) in facts {
        if let Some(value) = value {
            writer.append(&Record::Fact { key: key.to_owned(), value });
        }
    }
    let lost = |what: String| writer.append(&Record::Loss { what, count: 1 });
    if leads.package.is_none() {
        lost(no_boot(plan.deaf));
    }
    if let Recorder::Impossible(reason) = recorder {
        lost(consequence(*reason));
    }
}

/// As JSON.
pub(crate) fn list<Word: Clone + Into<OsString>>(words: &[Word]) -> String {
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

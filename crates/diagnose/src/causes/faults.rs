//! Known faults of frameworks: what a cause rests on, in which version it was measured, and where it is talked about.
//!
//! In: a cause's name, the frameworks of the run. Out: a few words for the end of the change. What must not happen here: a word
//! about a version that was not measured. `tests/hooks/test_faults.py` measures each again on the installed one.

use crate::pack::{Fault, Run};

/// What is known of the fault behind a cause, if this run's framework has it.
pub(super) fn known(cause: &str, run: Run) -> Option<String> {
    let has = |fault: &&Fault| {
        let version = run.program.frameworks.get(fault.package)?;
        let is = |known: &&str| {
            version.strip_prefix(*known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        fault.causes.contains(&cause).then(|| fault.versions.iter().any(is))
    };
    let fault = run.packs.iter().flat_map(|pack| pack.faults).find(|fault| has(fault) == Some(true))?;
    let version = run.program.frameworks.get(fault.package)?;
    Some(format!("a fault of {} {version}: {} ({})", fault.package, fault.what, fault.thread))
}

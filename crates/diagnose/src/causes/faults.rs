//! Known faults of frameworks: what a cause rests on, in which version it was measured, and where it is talked about.
//!
//! In: a cause's name, the frameworks of the run. Out: a few words for the end of the change. What must not happen here: a word
//! about a version that was not measured. `tests/hooks/test_faults.py` measures each again on the installed one.

use crate::report::Program;

/// A fault, as it was measured.
struct Fault {
    /// The causes that rest on it.
    causes: &'static [&'static str],
    package: &'static str,
    /// Versions that have it, by major and minor number.
    versions: &'static [&'static str],
    what: &'static str,
    thread: &'static str,
}

const FAULTS: [Fault; 3] = [
    Fault {
        causes: &[
            "models-in-a-loop",
            "recompiled-per-round",
            "clear-session-in-the-loop",
            "eager-toggled",
            "tf-gradient-registry",
        ],
        package: "tensorflow",
        versions: &["2.21"],
        what: "nothing is taken out of its gradient registry",
        thread: "https://github.com/tensorflow/tensorflow/issues/97697",
    },
    Fault {
        causes: &["tf-keeps-py-functions"],
        package: "tensorflow",
        versions: &["2.21"],
        what: "nothing is taken out of its list of Python functions",
        thread: "https://github.com/tensorflow/tensorflow/issues/57690",
    },
    Fault {
        causes: &["random-ops-seeded"],
        package: "tensorflow",
        versions: &["2.21"],
        what: "a seeded draw outside of a function leaves its kernel",
        thread: "https://github.com/tensorflow/tensorflow/issues/37252",
    },
];

/// What is known of the fault behind a cause, if this run's framework has it.
pub(super) fn known(cause: &str, program: &Program) -> Option<String> {
    let has = |fault: &&Fault| {
        let version = program.frameworks.get(fault.package)?;
        let is = |known: &&str| {
            version.strip_prefix(*known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        fault.causes.contains(&cause).then(|| fault.versions.iter().any(is))
    };
    let fault = FAULTS.iter().find(|fault| has(fault) == Some(true))?;
    let version = program.frameworks.get(fault.package)?;
    Some(format!("a fault of {} {version}: {} ({})", fault.package, fault.what, fault.thread))
}

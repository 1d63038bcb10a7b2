//! The start of a guarded service, and what is told at its end.
//!
//! In: the options and the words of the program. Out: the program's own end. What must not happen here: a service that is started though an
//! option asks for what only a training can do.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::Wanted;
use super::kind::Kind;
use crate::capture_path::Templates;
use crate::guard::options::GuardOptions;
use crate::guard::{OVERHEAD, PAUSE, SAMPLE_BYTES, attempt};
use crate::messages::{self, Failure};
use crate::supervisor::keep::Keep;
use crate::supervisor::{Plan, Recorded, Wanted as Recorder, supervise};
use crate::words::{guard as of_trainings, guard_service as words};
use crate::{env, own, run};

/// Runs a service under the guard.
///
/// # Errors
/// If an option is for trainings alone, or nothing can be started.
pub(in crate::guard) fn guard(
    kind: Kind,
    options: &GuardOptions,
    python: String,
    flags: Vec<String>,
) -> Result<i32, Failure> {
    let asked = [
        ("--resume", options.resume.is_some()),
        ("--restart", options.restart > 0),
        ("--reserve", options.reserve.0.is_some()),
    ];
    if let Some((option, _)) = asked.into_iter().find(|(_, is_asked)| *is_asked) {
        return Err(words::of_trainings(option));
    }
    let leave = Leave::make().map_err(|error| words::no_folder(&error))?;
    let outcome = supervise(&plan(kind, options, python, flags, &leave.0))?;
    drop(leave);
    match &outcome.capture {
        Some(capture) => run::tell(capture, &outcome.children, Recorded::All, options.quiet),
        None => messages::warning(of_trainings::NO_CAPTURE),
    }
    Ok(run::end_like(outcome.change))
}

/// A folder of this user's alone, by which workers are asked to end; removed when the guard ends.
struct Leave(PathBuf);

impl Leave {
    fn make() -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("nilometer-guard-{}", attempt(0)));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Leave {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap_or_default();
    }
}

fn plan(kind: Kind, options: &GuardOptions, python: String, flags: Vec<String>, leave: &Path) -> Plan {
    let templates = Templates::new(options.output.as_deref(), &options.program);
    let in_workers = serde_json::json!({ "leave": leave.to_string_lossy() });
    Plan {
        python,
        flags,
        program: options.program.clone(),
        package: env::get(env::PACKAGE).map(Into::into),
        deaf: false,
        recorder: Some(Recorder { sample: SAMPLE_BYTES, overhead: OVERHEAD }),
        cycle: None,
        // Each worker says by its own capture whether it leaks.
        children: Recorded::All,
        pause: Some(PAUSE),
        templates: templates.telling_processes_apart(),
        overwrite: options.force,
        events: None,
        // Its line would stand between what the guard says.
        live: false,
        guard: Some(in_workers.to_string()),
        service: Some(Wanted { kind, limit: options.limit, leave: leave.to_owned() }),
        metrics: None,
        keep: Keep::Usual,
        own: own::with_environment(&options.own),
    }
}

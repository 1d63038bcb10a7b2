//! `nilometer run`: the program, then the report, then the program's own end.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nilometer_capture::Capture;

use crate::args::{self, RunOptions};
use crate::capture_path::Templates;
use crate::lookup::Files;
use crate::messages::{self, Failure};
use crate::metrics::Prepared;
use crate::python_options::ignores_environment;
use crate::supervisor::kernel::{self, Change};
use crate::supervisor::{Child, Plan, Recorded, Wanted, supervise};
use crate::told_children::OfJob;
use crate::words::{program, run as words};
use crate::{env, events, judged_children, own, style, told_children};

/// Whether the program is a notebook's kernel, whose own option `-f` is.
fn is_kernel(program: &[OsString]) -> bool {
    matches!(program, [module, name, ..] if module == "-m" && name == "ipykernel_launcher")
}

pub(crate) fn run(options: &RunOptions, python: String, flags: Vec<String>) -> Result<i32, Failure> {
    kernel::fill_closed_streams();
    if options.program.is_empty() {
        return Err(program::none("run"));
    }
    let misplaced = args::misplaced("run", &options.program);
    if let Some(word) = misplaced.filter(|_| !is_kernel(&options.program)) {
        messages::hint(program::misplaced(word));
    }
    // An interpreter that ignores its environment would hand what is the boot's on to every process it starts.
    let line =
        flags.iter().map(AsRef::as_ref).chain(options.program.iter().map(AsRef::<std::ffi::OsStr>::as_ref));
    let deaf = ignores_environment(line);
    let templates = Templates::new(options.output.as_deref(), &options.program);
    let children = match (options.children, options.no_children) {
        (true, _) => Recorded::All,
        (_, true) => Recorded::None,
        _ => Recorded::Forked,
    };
    let templates = if children == Recorded::All { templates.telling_processes_apart() } else { templates };
    let events = options.tensorboard.as_deref().map(events::folder).transpose()?;
    let metrics = Prepared::of(&options.metrics)?;
    let wanted = Wanted { sample: options.sample, overhead: options.max_overhead };
    let outcome = supervise(&Plan {
        python,
        flags,
        program: options.program.clone(),
        package: env::get(env::PACKAGE).map(PathBuf::from),
        deaf,
        recorder: (!options.no_recorder).then_some(wanted),
        cycle: options.cycle.clone(),
        children,
        pause: (!options.no_census).then_some(Duration::from_millis(options.max_pause.into())),
        templates,
        overwrite: options.force,
        events,
        live: !options.no_live && !env::is_on(env::NO_PROGRESS),
        guard: None,
        service: None,
        metrics,
        keep: options.keep,
        own: own::with_environment(&options.own),
    })?;
    if let Some(events) = outcome.events {
        events.end();
    }
    if let Some(capture) = &outcome.capture {
        tell(capture, &outcome.children, children, options.quiet);
    }
    Ok(end_like(outcome.change))
}

/// The final screen.
pub(crate) fn tell(path: &Path, children: &[Child], recorded: Recorded, quiet: bool) {
    let mut text = String::new();
    // Before the program's own report, which rests on it.
    let judged = judged_children::judge(path, children);
    let mut job = OfJob::default();
    if !quiet || !children.is_empty() {
        match Capture::open_streamed(path) {
            Ok(capture) => {
                let report = nilometer_diagnose::diagnose_with(&capture, &mut Files::default());
                job.blamed.extend(report.findings.iter().filter_map(|finding| finding.process));
                job.together = report.job.lives.is_some();
                if !quiet {
                    text.push('\n');
                    text.push_str(&nilometer_report::terminal(&report, &style::of(&std::io::stderr(), 2)));
                    if !text.ends_with('\n') {
                        text.push('\n');
                    }
                    text.push('\n');
                }
            }
            Err(error) => {
                messages::warning(&error);
                messages::hint(error.hint());
            }
        }
    }
    let told = told_children::tell(children, &judged, recorded, &job, |capture| {
        from_here(capture).display().to_string()
    });
    for capture in told.to_remove {
        let _gone = std::fs::remove_file(capture);
    }
    text.push_str(&told.text);
    text.push_str(&words::capture(&from_here(path)));
    messages::to_stderr(&text);
}

/// The path as one would type it from the current folder.
fn from_here(path: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path).to_path_buf()
}

/// Ends as the program did: its exit code, or its signal, so that whoever started us sees the same.
pub(crate) fn end_like(change: Change) -> i32 {
    match change {
        Change::Exited(code) => code,
        Change::Killed(signal) => {
            kernel::forbid_core();
            kernel::suffer(signal);
            // Only if the signal was not deadly to us: then the shell's way of writing it.
            128 + signal
        }
        Change::Stopped(_) | Change::Continued => 2,
    }
}

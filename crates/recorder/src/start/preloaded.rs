#![expect(unsafe_code, reason = "asks for the parent process and for Python")]
//! The library is there before everything else of the process: what to record stands in the environment.
//!
//! In: the private variables. Out: the capture to write to, and an environment without a trace of us. What must not happen
//! here: a variable taken from children that are to be recorded too.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use nilometer_capture::Writer;

use super::{How, Refused};
use crate::config::Config;
use crate::environment;
use crate::facts::fact;
use crate::recorder::Recorder;

const CAPTURE: &str = "_NILOMETER_CAPTURE";
const RECORDER: &str = "_NILOMETER_RECORDER";
const PRELOAD: &str = "LD_PRELOAD";

/// What a child needs to begin, kept from the environment of the parent.
static TEMPLATE: OnceLock<(Vec<u8>, Config)> = OnceLock::new();

/// Begins to record if that was asked for.
pub(super) fn begin() {
    let (Some(capture), Some(settings)) = (environment::get(CAPTURE), environment::get(RECORDER)) else {
        return;
    };
    let config = Config::read(&settings);
    // What is not Python may be a script in Python's place, which replaces itself by Python: that needs all of it.
    if is_python() {
        tidy(&config);
    }
    let children = config.children;
    let template = TEMPLATE.get_or_init(|| (capture, config));
    let writer = if children { of_family(template) } else { of_program(&template.0) };
    let how = How::Preloaded { make_in_child: children.then_some(make_in_child) };
    let _nobody_to_tell: Option<Refused> =
        writer.and_then(|writer| super::record(writer, &template.1, how).err());
}

/// What was asked for, before there was a program; `None` where nothing was.
pub(super) fn config() -> Option<&'static Config> {
    TEMPLATE.get().map(|(_capture, config)| config)
}

/// Leaves no trace for the program and what it starts; its children that are recorded too need all of it.
fn tidy(config: &Config) {
    if config.children {
        return;
    }
    match &config.preload {
        Some(preload) => environment::replace(PRELOAD, preload),
        None => environment::remove(PRELOAD),
    }
    if config.alone {
        environment::remove(CAPTURE);
        environment::remove(RECORDER);
    }
}

/// The template with this process's id for each `{pid}`.
fn path(template: &[u8]) -> PathBuf {
    const PID: &[u8] = b"{pid}";
    let (pid, mut rest, mut path) = (std::process::id().to_string(), template, Vec::new());
    while let Some(at) = rest.windows(PID.len()).position(|word| word == PID) {
        let (before, behind) = rest.split_at(at);
        path.extend_from_slice(before);
        path.extend_from_slice(pid.as_bytes());
        rest = behind.get(PID.len()..).unwrap_or_default();
    }
    path.extend_from_slice(rest);
    PathBuf::from(OsString::from_vec(path))
}

/// The capture of the program itself, which is there already.
fn of_program(template: &[u8]) -> Option<Writer> {
    Writer::join(&path(template)).ok()
}

/// The capture of a process of the program's family: whoever comes first makes it.
fn of_family(template: &(Vec<u8>, Config)) -> Option<Writer> {
    join_of_run(&path(&template.0), &template.1).or_else(|| if is_python() { create(template) } else { None })
}

/// A name can be taken by an earlier run: in containers pids come again in the same order.
fn join_of_run(path: &Path, config: &Config) -> Option<Writer> {
    let changed = std::fs::metadata(path).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    // A run's number is the moment at which it began, in nanoseconds since 1970.
    let run = config.run.as_deref().and_then(|run| run.parse::<u64>().ok())?;
    if changed.as_nanos() >= u128::from(run) { Writer::join(path).ok() } else { None }
}

fn create((template, config): &(Vec<u8>, Config)) -> Option<Writer> {
    let path = path(template);
    let Ok(writer) = Writer::create(&path, false) else {
        return join_of_run(&path, config);
    };
    // SAFETY: no arguments.
    let parent = unsafe { libc::getppid() };
    fact(&writer, "run", config.run.as_deref().unwrap_or_default());
    fact(&writer, "pid", &std::process::id().to_string());
    fact(&writer, "parent", &parent.to_string());
    Some(writer)
}

fn is_python() -> bool {
    // SAFETY: the name is a C string.
    unsafe { !libc::dlsym(libc::RTLD_DEFAULT, c"Py_BytesMain".as_ptr()).is_null() }
}

fn make_in_child() -> Option<Box<Recorder>> {
    let template = TEMPLATE.get()?;
    super::make(create(template)?, &template.1, 0)
}

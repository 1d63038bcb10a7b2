#![expect(unsafe_code, reason = "the library's constructor, destructor and exported functions")]
//! The beginning: before the program's own code and before `main`.
//!
//! In: the environment. Out: a recorder, or a library that passes everything on. What must not happen here: a word to the
//! program, or a trace in its environment.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use nilometer_capture::{Sampling, Writer};
use nilometer_pyframes::Support;

use crate::config::Config;
use crate::facts::{fact, tell_python};
use crate::floats::Floats;
use crate::recorder::Recorder;
use crate::{environment, fork, frames, pace, real, sampler, spared, state, wrappers};

const CAPTURE: &str = "_NILOMETER_CAPTURE";
const RECORDER: &str = "_NILOMETER_RECORDER";
const PRELOAD: &str = "LD_PRELOAD";

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = loaded;

#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = end;

/// What a child needs to begin, kept from the environment of the parent.
static TEMPLATE: std::sync::OnceLock<(Vec<u8>, Config)> = std::sync::OnceLock::new();

/// The library is there, before everything else of the process.
extern "C" fn loaded() {
    let _theirs = Floats::begin();
    begin();
}

#[inline(never)]
fn begin() {
    real::resolve();
    if let (Some(capture), Some(settings)) = (environment::get(CAPTURE), environment::get(RECORDER)) {
        let config = Config::read(&settings);
        // What is not Python may be a script in Python's place, which replaces itself by Python: that needs all of it.
        if is_python() {
            tidy(&config);
        }
        let children = config.children;
        let template = TEMPLATE.get_or_init(|| (capture, config));
        sampler::set_seed(pace::seed());
        let writer = if children { of_family(template) } else { of_program(&template.0) };
        if let Some(recorder) = writer.and_then(|writer| make(writer, &template.1)) {
            nilometer_unwind::prepare();
            let wrapped = wrappers::put();
            tell_facts(&recorder, wrapped);
            let registered = fork::register(children.then_some(make_in_child));
            if registered {
                state::begin(recorder);
            }
        }
    }
    state::decide();
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

fn make(writer: Writer, config: &Config) -> Option<Box<Recorder>> {
    writer.append_sampling(writer.now(), &Sampling::Start { sample: u64::from(config.sample) });
    Recorder::new(writer, config)
}

fn make_in_child() -> Option<Box<Recorder>> {
    let template = TEMPLATE.get()?;
    sampler::set_seed(pace::seed());
    make(create(template)?, &template.1)
}

/// Begins in a forked child of the program that was not recorded so far, in a capture that is there; the path's bytes.
///
/// # Safety
/// `path` has `length` bytes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nilometer_recorder_begin(path: *const u8, length: usize) -> bool {
    let Some(template) = TEMPLATE.get().filter(|_| state::recorder().is_none() && state::is_decided()) else {
        return false;
    };
    let _theirs = Floats::begin();
    let Some(_quiet) = crate::quiet::Quiet::begin() else { return false };
    // SAFETY: as the caller promises.
    let path = unsafe { std::slice::from_raw_parts(path, length) };
    sampler::set_seed(pace::seed());
    let writer = Writer::join(Path::new(OsStr::from_bytes(path))).ok();
    let recorder = writer.and_then(|writer| make(writer, &template.1));
    // Each thread draws its distances anew at its next look.
    recorder.is_some_and(state::begin)
}

fn tell_facts(recorder: &Recorder, wrapped: bool) {
    let hook = crate::hooks::malloc_address();
    let allocator = match (real::is_hooked(hook), real::is_the_c_librarys()) {
        (false, _) => "the program's own: not recorded",
        (true, true) => "glibc",
        (true, false) => "preloaded",
    };
    fact(&recorder.writer, "recorder.allocator", allocator);
    let objects = if wrapped { "yes" } else { "no" };
    fact(&recorder.writer, "recorder.python_objects", objects);
}

/// The library goes: at the end of the process.
extern "C" fn end() {
    let Some(recorder) = state::recorder() else { return };
    let Some(_quiet) = crate::quiet::Quiet::begin() else { return };
    recorder.pending.drain(|id| crate::deaths::write(recorder, id));
    tell_python(recorder);
    pace::tell(recorder, recorder.writer.now(), pace::cpu_ns());
}

/// The interpreter begins to end on the calling thread: from now on, only this thread's Python frames are looked at.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn nilometer_recorder_python_ends() {
    if let Some(recorder) = state::recorder() {
        frames::python_ends(crate::tls::block().thread());
        if let Some(Support::Ready(python)) = recorder.frames.support() {
            spared::spare(python.freed_too_early().map_or(0, |state| state as usize));
        }
        if let Some(_quiet) = crate::quiet::Quiet::begin() {
            tell_python(recorder);
        }
    }
}

//! Programs in C that do to the recorder what programs seldom do; none may notice it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod recorded;

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use recorded::{Recording, weight};

/// Often enough that each mode meets the recorder thousands of times.
const FINE: &str = "sample=4096,overhead=0.5";

/// Builds a program or library beside the tests.
fn built(name: &str, options: &[&str]) -> PathBuf {
    let to = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let source = format!("{}/tests/programs/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let mut status = Command::new("cc");
    // Newer compilers know what `malloc` answers and leave out the call.
    status.args(["-O1", "-g", "-w", "-pthread", "-fno-builtin"]).args(options).arg("-o").arg(&to).arg(source);
    assert!(status.status().unwrap().success(), "a C compiler builds {name}");
    to
}

fn torture() -> &'static PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| built("torture", &[]))
}

fn run(mode: &str) -> Recording {
    let recording = Recording::of(Command::new(torture()).arg(mode), FINE);
    assert!(recording.status.success(), "{mode}: {:?}", recording.status);
    assert_eq!(recording.losses, Vec::<String>::new(), "{mode}");
    assert_eq!(recording.facts.get("recorder.allocator").map(String::as_str), Some("glibc"));
    let count = recording.counts.last().unwrap();
    assert_eq!(count.cut, Some(0), "{mode}: all stacks reach the thread's first frame");
    recording
}

fn samples(recording: &Recording) -> u64 {
    recording.counts.last().and_then(|count| count.samples).unwrap_or(0)
}

/// What is alive at the end, in KiB.
fn live(recording: &Recording) -> f64 {
    recording.live().map(weight).sum::<f64>() / 1024.0
}

#[test]
fn threads_with_small_stacks() {
    let recording = run("stacks");
    assert!(samples(&recording) > 500, "{}", samples(&recording));
    assert!(live(&recording) < 2000.0, "{}", live(&recording));
}

#[test]
fn many_short_threads() {
    let recording = run("threads");
    assert!(samples(&recording) > 500, "{}", samples(&recording));
    assert!(live(&recording) < 2000.0, "{}", live(&recording));
}

#[test]
fn forks_with_busy_threads() {
    let recording = run("forks");
    assert!(samples(&recording) > 500, "{}", samples(&recording));
    assert!(live(&recording) < 2000.0, "{}", live(&recording));
}

#[test]
fn handlers_that_free() {
    let recording = run("signals");
    assert!(samples(&recording) > 200, "{}", samples(&recording));
    assert!(live(&recording) < 1000.0, "no death is forgotten: {}", live(&recording));
}

#[test]
fn threads_that_are_cancelled() {
    run("cancel");
}

#[test]
fn a_storm_of_allocations() {
    let recording = run("storm");
    assert!(live(&recording) < 2000.0, "{}", live(&recording));
}

#[test]
fn requests_that_fail_and_odd_sizes() {
    let recording = run("edges");
    assert!(samples(&recording) > 200, "{}", samples(&recording));
    assert!(live(&recording) < 1000.0, "{}", live(&recording));
}

#[test]
fn mappings_in_parts() {
    let recording = run("mappings");
    // 40 times 2 MiB and 3 MiB stay; all that is larger than the mean is a sample for sure.
    let mapped: f64 =
        recording.live().filter(|birth| birth.source == nilometer_capture::Source::Mapping).map(weight).sum();
    let truth = 40.0 * 5.0 * 1024.0 * 1024.0;
    assert!((mapped / truth - 1.0).abs() < 0.25, "{mapped} of {truth}");
}

#[test]
fn without_a_capture_everything_is_passed_on() {
    for mode in ["edges", "threads"] {
        let mut command = Command::new(torture());
        command.arg(mode).env("LD_PRELOAD", recorded::library());
        assert!(command.status().unwrap().success(), "{mode}");
        command.env("_NILOMETER_CAPTURE", "/nowhere/{pid}.nilo").env("_NILOMETER_RECORDER", "sample=4096");
        assert!(command.status().unwrap().success(), "{mode}");
    }
}

#[test]
fn another_allocator_behind_the_recorder_is_served() {
    let other = built("other_allocator", &["-fPIC", "-shared"]);
    for mode in ["edges", "threads", "stacks", "storm"] {
        let recording = Recording::behind(Command::new(torture()).arg(mode), FINE, &other);
        assert!(recording.status.success(), "{mode}: {:?}", recording.status);
        assert_eq!(recording.facts.get("recorder.allocator").map(String::as_str), Some("preloaded"));
        assert!(samples(&recording) > 200, "{mode}: {}", samples(&recording));
        assert!(live(&recording) < 2000.0, "{mode}: {}", live(&recording));
    }
}

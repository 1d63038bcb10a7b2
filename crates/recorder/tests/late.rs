//! The recorder in programs that run already: it comes late, says what is true, and goes without a trace.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod recorded;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use recorded::pythons::{python, pythons};
use recorded::{Recording, weight};

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/late").join(name)
}

fn run(python: &Path, name: &str, arguments: &[&str]) -> Recording {
    let mut command = Command::new(python);
    command.arg(program(name)).args(arguments);
    let recording = Recording::late(&mut command);
    assert!(recording.status.success(), "{}: {name}: {:?}", python.display(), recording.status);
    assert_eq!(recording.losses, Vec::<String>::new());
    recording
}

/// A library to be loaded by a program.
fn later() -> String {
    static BUILT: OnceLock<String> = OnceLock::new();
    let build = || {
        let library = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("liblater.so");
        let mut compiler = Command::new("cc");
        compiler
            .args(["-O1", "-fPIC", "-shared", "-fno-builtin", "-o"])
            .arg(&library)
            .arg(program("later.c"));
        assert!(compiler.status().unwrap().success(), "a C compiler builds a library");
        library.display().to_string()
    };
    BUILT.get_or_init(build).clone()
}

/// Bytes alive whose innermost Python frame is in this function.
fn near(recording: &Recording, function: &str) -> f64 {
    let innermost = |node| recording.stack(node).into_iter().rev().find(|frame| frame.contains(".py:"));
    let is_here = |birth: &&nilometer_capture::Birth| {
        innermost(birth.stack).is_some_and(|frame| frame.starts_with(function))
    };
    recording.live().filter(is_here).map(weight).sum()
}

#[test]
fn what_is_kept_after_the_start_has_its_line_and_what_was_before_does_no_harm() {
    const MIB: f64 = 1024.0 * 1024.0;
    for python in pythons() {
        let recording = run(&python, "keeps.py", &[]);
        assert_eq!(recording.output, "0 3000\n");
        let fact = |key: &str| recording.facts.get(key).map(String::as_str);
        assert_eq!(fact("recorder.allocator"), Some("glibc"));
        assert_eq!(fact("recorder.python_objects"), Some("yes"));
        assert!(fact("recorder.python").is_some_and(|version| !version.contains(':')));
        let expect = |function: &str, truth: f64, tolerance: f64| {
            let found = near(&recording, function);
            let off = (found / truth - 1.0).abs();
            assert!(off < tolerance, "{}: {function}: {found} of {truth}", python.display());
        };
        expect("one_block", 20.0 * MIB, 0.05);
        expect("a_thousand_blocks", 20.0 * 1000.0 * 1024.0, 0.15);
        expect("small_objects", 20.0 * 20_000.0 * 32.0 + 3.6 * MIB, 0.25);
        expect("of_thread", 4.0 * 2000.0 * 2049.0, 0.15);
        assert!(near(&recording, "garbage") < MIB, "{}", near(&recording, "garbage"));
        let count = recording.counts.last().unwrap();
        assert!(count.cpu_ns < Some(60_000_000_000) && count.samples > Some(2000), "{count:?}");
        let frames: Vec<_> = recording.births.iter().flat_map(|it| recording.stack(it.stack)).collect();
        assert!(!frames.iter().any(|frame| frame.contains("libnilometer_recorder")), "frames of our own");
    }
}

#[test]
fn rounds_leave_everything_as_it_was() {
    let newest = python();
    for python in pythons() {
        let rounds = if python == newest { "200" } else { "8" };
        assert_eq!(run(&python, "rounds.py", &[rounds]).output, "as it was\n", "{}", python.display());
    }
}

#[test]
fn a_library_that_is_loaded_after_the_start_is_seen_and_may_go() {
    let recording = run(&python(), "loads.py", &[&later()]);
    assert_eq!(recording.output, "done\n");
    // What the first two made has gone; the last one's was given back after the stop, which nobody saw.
    let (kept, truth) = (recording.live_at("liblater.so"), 500.0 * 25_000.0);
    assert!((kept / truth - 1.0).abs() < 0.15, "{kept} of {truth}");
    let frames = |birth: &nilometer_capture::Birth| recording.stack(birth.stack).join(" ");
    let of_it = recording.births.iter().filter(|birth| frames(birth).contains("liblater.so"));
    assert!(of_it.count() > 1200, "those of all three times");
}

#[test]
fn a_forked_child_is_off_and_may_begin_anew() {
    for python in pythons() {
        let recording = run(&python, "forks.py", &[]);
        assert_eq!(recording.output, "7\n", "{}", python.display());
        let (child, parent) = (near(&recording, "in_child"), near(&recording, "in_parent"));
        assert!(child < 1.0 && parent > 0.8 * 2000.0 * 5000.0, "{child} {parent}");
    }
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("child.nilo");
    drop(nilometer_capture::Writer::create(&own, false).unwrap());
    run(&python(), "forks.py", &[&own.display().to_string()]);
    let capture = nilometer_capture::Capture::open(&own).unwrap();
    let births = capture.records.iter().filter(|stamped| {
        let said = &stamped.record;
        matches!(said, nilometer_capture::Record::Sampling(nilometer_capture::Sampling::Birth(it)) if it.size > 5000)
    });
    assert!(births.count() > 1000, "the child's own");
}

#[test]
fn objects_are_counted_once_whoever_stands_in_front() {
    for python in pythons() {
        let recording = run(&python, "traced.py", &[]);
        let (found, truth) = (near(&recording, "objects"), 2.0 * 20_000.0 * 32.0 + 2.0 * 180_000.0);
        assert!((found / truth - 1.0).abs() < 0.35, "{}: {found} of {truth}", python.display());
    }
}

#[test]
fn what_cannot_be_is_told_in_words() {
    assert_eq!(run(&python(), "refused.py", &[]).output, "done\n");
}

#[test]
fn starts_and_stops_at_any_moment_do_no_harm() {
    // 230 rounds before a crash, at most, when a word was put back where its object had been.
    assert_eq!(run(&python(), "storm.py", &[&later(), "150"]).output, "done\n");
}

//! Programs in Python under the recorder: what it says of them is true, and they do not notice it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod recorded;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use nilometer_capture::{Record, Sampling};

use recorded::Recording;
use recorded::pythons::{python, pythons};

const MIB: f64 = 1024.0 * 1024.0;

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)
}

fn run(python: &Path, name: &str, arguments: &[&str], settings: &str) -> Recording {
    let mut command = Command::new(python);
    command.arg(program(name)).args(arguments);
    let recording = Recording::of(&mut command, settings);
    assert!(recording.status.success(), "{}: {:?}", python.display(), recording.status);
    assert_eq!(recording.losses, Vec::<String>::new());
    recording
}

/// Bytes alive whose innermost Python frame is in this function.
fn near(recording: &Recording, function: &str) -> f64 {
    let innermost = |node| recording.stack(node).into_iter().rev().find(|frame| frame.contains(".py:"));
    let here =
        |birth: &&nilometer_capture::Birth| innermost(birth.stack).is_some_and(|it| it.starts_with(function));
    recording.live().filter(here).map(recorded::weight).sum()
}

#[test]
fn a_script_in_the_place_of_python_hands_the_recorder_on() {
    // What dies young leaves nothing.
    const PROGRAM: &str = "import time; kept = [bytearray(9000) for _ in range(3000)]; time.sleep(0.4)";
    for python in pythons() {
        let mut command = Command::new("/bin/sh");
        let line = "exec \"$0\" \"$1\" \"$2\"";
        command.args(["-c", line]).arg(&python).args(["-c", PROGRAM]);
        let recording = Recording::of(&mut command, "sample=16384,overhead=0.5");
        assert!(recording.status.success());
        let found: f64 = recording
            .births
            .iter()
            .filter(|birth| recording.stack(birth.stack).iter().any(|frame| frame.contains("<string>")))
            .map(recorded::weight)
            .sum();
        assert!(found > 0.8 * 3000.0 * 9000.0, "{}: {found}", python.display());
    }
}

#[test]
fn each_kind_of_leak_on_its_line_in_each_version() {
    for python in pythons() {
        let recording = run(&python, "leaks.py", &[], "sample=16384,overhead=0.5");
        let said = recording.facts.get("recorder.python").cloned().unwrap_or_default();
        assert!(said.starts_with("3.1") && !said.contains(':'), "{}: {said}", python.display());
        assert_eq!(recording.facts.get("recorder.python_objects").map(String::as_str), Some("yes"));
        let expect = |function: &str, truth: f64, tolerance: f64| {
            let found = near(&recording, function);
            assert!(
                (found / truth - 1.0).abs() < tolerance,
                "{}: {function}: {found} of {truth}",
                python.display()
            );
        };
        expect("one_block", 20.0 * MIB, 0.05);
        expect("a_thousand_blocks", 20.0 * 1000.0 * 1024.0, 0.15);
        // 40 to 48 bytes each, by version, and the list that holds them.
        expect("small_objects", 20.0 * 20_000.0 * 46.0 + 3.6 * MIB, 0.25);
        assert!(near(&recording, "garbage") < 2.0 * MIB, "{}", near(&recording, "garbage"));
        let lines = |birth: &nilometer_capture::Birth| recording.stack(birth.stack).join("\n");
        assert!(
            recording
                .live()
                .any(|birth| lines(birth).contains("leaks.py:13\n") || lines(birth).contains("leaks.py:13"))
        );
        assert!(
            !recording.live().any(|birth| lines(birth).contains("libnilometer_recorder")),
            "frames of our own"
        );
    }
}

#[test]
fn the_estimate_is_right_on_average() {
    let python = python();
    let found: Vec<f64> = (0..6)
        .map(|_| near(&run(&python, "leaks.py", &[], "sample=65536,overhead=0.1"), "a_thousand_blocks"))
        .collect();
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    assert!((mean / (20.0 * 1000.0 * 1024.0) - 1.0).abs() < 0.2, "{found:?}");
}

#[test]
fn other_allocators_of_python() {
    for setting in ["malloc", "debug", "malloc_debug", "pymalloc"] {
        let mut command = Command::new(python());
        command.arg(program("leaks.py")).env("PYTHONMALLOC", setting);
        let recording = Recording::of(&mut command, "sample=16384,overhead=0.5");
        assert!(recording.status.success(), "{setting}: {:?}", recording.status);
        let blocks = near(&recording, "a_thousand_blocks") / (20.0 * 1000.0 * 1024.0);
        assert!((0.85..1.2).contains(&blocks), "{setting}: {blocks}");
        let objects = near(&recording, "small_objects") / (20.0 * 20_000.0 * 46.0 + 3.6 * MIB);
        assert!(objects > 0.75 && objects < 3.0, "{setting}: {objects}");
    }
}

#[test]
fn threads_and_their_end() {
    for python in pythons() {
        for stacks in ["small", "usual"] {
            let recording = run(&python, "threads.py", &[stacks], "sample=4096,overhead=0.5");
            assert_eq!(recording.output, "done 298900000\n");
            let count = recording.counts.last().unwrap();
            assert!(count.samples > Some(500), "{count:?}");
            // While Python ends, only the native side of stacks is known.
            assert!(count.cut < count.samples.map(|samples| samples / 10), "{}: {count:?}", python.display());
        }
    }
}

#[test]
fn daemon_threads_that_outlive_python_do_no_harm() {
    for python in pythons() {
        for _again in 0..3 {
            let mut command = Command::new(&python);
            command.arg(program("late.py"));
            let recording = Recording::of(&mut command, "sample=4096,overhead=0.5");
            assert_eq!(recording.output, "before\n");
            assert_eq!(recording.status.code(), Some(6), "{}: {:?}", python.display(), recording.status);
        }
    }
}

#[test]
fn children_do_not_disturb_the_parents_capture() {
    let python = python();
    let mut command = Command::new(&python);
    command.arg(program("family.py"));
    let plain = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let recording = run(&python, "family.py", &[], "sample=4096,overhead=0.5,alone=1");
    assert_eq!(recording.output, plain);
    assert!(plain.contains("child sees 0 0") && plain.ends_with("again 1000 False\n"), "{plain}");
}

#[test]
fn what_was_preloaded_before_is_put_back() {
    let mut command = Command::new(python());
    let code = "import os; print(os.environ.get('LD_PRELOAD'), list(os.environ)[:2])";
    command.env_clear().env("AAA", "1").args(["-I", "-c", code]);
    let recording = Recording::of(&mut command, "sample=4096,alone=1,preload=/x.so");
    assert_eq!(recording.output.lines().next(), Some("/x.so ['AAA', 'LD_PRELOAD']"));
}

#[test]
fn a_kill_loses_nothing() {
    let mut command = Command::new(python());
    let code = "import os, signal\nkeep = [bytearray(1 << 20) for _ in range(50)]\nos.kill(os.getpid(), signal.SIGKILL)";
    command.args(["-c", code]);
    let recording = Recording::of(&mut command, "sample=65536");
    assert!(!recording.status.success());
    let large = recording.live().filter(|birth| birth.size > 1 << 20);
    // Each is a sample for sure, and each has its whole stack.
    assert_eq!(large.filter(|birth| !recording.stack(birth.stack).is_empty()).count(), 50);
}

#[test]
fn children_have_captures_of_their_own_if_asked_for() {
    let code = "
import os, subprocess, sys
keep = [bytes(3000) for _ in range(300)]
child = os.fork()
if child == 0:
    keep = [bytes(3000) for _ in range(1000)]
    os._exit(0)
os.waitpid(child, 0)
subprocess.run(['true'])
subprocess.run([sys.executable, '-c', 'keep = [bytes(3000) for _ in range(1000)]; import os; os._exit(0)'])
os._exit(0)
";
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    let settings = format!("sample=4096,overhead=0.5,children=1,run={now}");
    let mut command = Command::new(python());
    command.args(["-c", code]);
    let recording = Recording::with_template(&mut command, &settings, "{pid}.nilo");
    assert!(recording.status.success());
    // The program's under both its names, the forked child's and the started one's.
    let all = recording.all();
    let names: Vec<_> = all.iter().map(|(name, _capture)| name.as_str()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    for (name, capture) in &all {
        let births = capture.records.iter().filter(|stamped| {
            matches!(&stamped.record, Record::Sampling(Sampling::Birth(birth)) if birth.size > 3000 && birth.size < 3100)
        });
        let (pids, births): (HashSet<_>, Vec<_>) = births.map(|stamped| (stamped.pid, stamped)).unzip();
        assert_eq!(pids.len(), 1, "{name}: one process writes to it");
        let range = if name == "a.nilo" || births.len() < 400 { 60..400 } else { 400..900 };
        assert!(range.contains(&births.len()), "{name}: {}", births.len());
        let fact = |key: &str| {
            capture
                .records
                .iter()
                .any(|stamped| matches!(&stamped.record, Record::Fact { key: it, .. } if it == key))
        };
        assert_eq!(fact("parent"), births.len() >= 400, "{name}: who makes a capture says whose child it is");
    }
}

#[test]
fn a_small_leak_among_temporaries_of_its_size_is_sampled_closely_once_it_was_seen() {
    // Where the header of a capture counts the cycles of this unit.
    let requests = 64 + 8 * nilometer_capture::CycleUnit::Request.index();
    let recording = run(&python(), "suspects.py", &[&requests.to_string()], "sample=524288,overhead=0.02");
    let kept = |birth: &&nilometer_capture::Birth| {
        recording.stack(birth.stack).iter().any(|frame| frame.starts_with("keeps_8k"))
    };
    // 8,000 bytes and the header of a `bytes`: by chance alone, one or two of these would be samples.
    let kept: Vec<_> = recording.live().filter(kept).filter(|birth| birth.size > 8000).collect();
    assert!(kept.len() > 8, "{} of 80", kept.len());
}

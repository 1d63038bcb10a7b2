//! A growth whose turns ended long before the program did: data that is loaded, and work on it.

use crate::world::{KIB, MIB, World};
use nilometer_capture::CycleUnit::{self, Epoch};
use nilometer_capture::{Found, Moment, ProcessReading, Record};
use nilometer_diagnose::{Report, Verdict};

const TURNS: u32 = 24;

/// What the program does after its last turn.
#[derive(Clone, Copy)]
struct Later {
    seconds: u32,
    /// Processor time per second.
    busy: f64,
    /// Bytes per second.
    adds: i64,
}

const WORKS: Later = Later { seconds: 30, busy: 1.0, adds: 0 };

/// Turns of a second that keep 2,000 KiB each, and what comes later.
fn turns(unit: impl FnOnce(&mut World) -> CycleUnit, later: Later) -> Report {
    let mut w = World::new();
    w.fact("pid", "7").takes(40 * MIB).objects(5000);
    let unit = unit(&mut w);
    for _ in 0..TURNS {
        w.takes(2000 * KIB).objects(3).cycle(unit);
    }
    for second in 1..=later.seconds {
        let cpu_ns = Some((f64::from(second) * later.busy * 1e9) as u64);
        w.passes(1.0).takes(later.adds).reads(Moment::Tick);
        w.say(&Record::Process(Box::new(ProcessReading {
            pid: Some(7),
            cpu_ns,
            ..ProcessReading::default()
        })));
    }
    w.ends(0).report()
}

fn lines(later: Later) -> Report {
    let files = |w: &mut World| {
        let found = Found::new(0).unwrap();
        w.fact(&found.fact(), "line:loading # of #");
        CycleUnit::Found(found)
    };
    turns(files, later)
}

fn is(report: &Report, verdict: Verdict, words: &str) {
    assert_eq!(report.verdict, verdict, "{}", report.reason);
    assert!(report.reason.contains(words), "{}", report.reason);
}

#[test]
fn files_that_are_loaded_before_longer_work_are_no_leak() {
    let report = lines(WORKS);
    is(&report, Verdict::NoLeak, "in 24 printed lines, and no more in the 30 s after the last one");
    assert!(report.findings.is_empty());
    is(&lines(Later { seconds: 12, ..WORKS }), Verdict::Undecided, "and no more in the 12 s");
}

#[test]
fn turns_that_end_with_the_program_are_judged_as_before() {
    is(&lines(Later { seconds: 4, ..WORKS }), Verdict::Leak, "shows no sign of levelling");
}

#[test]
fn a_worker_that_waits_for_its_next_job_is_not_done() {
    is(&lines(Later { busy: 0.1, ..WORKS }), Verdict::Leak, "shows no sign of levelling");
}

#[test]
fn what_goes_on_rising_is_open() {
    is(&lines(Later { adds: 200 * KIB, ..WORKS }), Verdict::Undecided, "30 s before the end");
}

#[test]
fn epochs_that_hooks_know_are_a_training_whatever_follows() {
    is(&turns(|_| Epoch, WORKS), Verdict::Leak, "shows no sign of levelling");
}

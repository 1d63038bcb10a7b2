//! Leaks of fifteen epochs whose cause is asked for: one that nobody saw made, and one that a single place makes.

use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{Observation, Record, Trace};
use nilometer_diagnose::{Finding, Report, Verdict};

use super::{KIB, World, started};

pub(crate) const STEP: &str = "/job/train.py:27 main";

pub(crate) const SCALAR: &str = "argument 'step' was 17, before 16 (a Python int)";

pub(crate) fn count(w: &mut World, name: &str, value: u64) {
    w.say(&Record::Observation(Observation::Probe { name: name.to_owned(), value }));
}

pub(crate) fn trace(w: &mut World, nth: u64, why: &str) {
    w.say(&Record::Observation(Observation::Trace(Trace {
        function: "train_step".to_owned(),
        file: "/job/train.py".to_owned(),
        line: 12,
        nth,
        why: why.to_owned(),
        caller_file: "/job/train.py".to_owned(),
        caller_line: 43,
    })));
}

/// Fifteen epochs that keep 300 KiB each, of which no recorder and no census knows.
pub(crate) fn unexplained(each: impl Fn(&mut World, u64)) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").fact("argv", r#"["train.py"]"#);
    for epoch in 1..=15 {
        w.takes(300 * KIB).objects(100);
        each(&mut w, epoch);
        w.cycle(Epoch);
    }
    w.ends(0);
    w.report()
}

pub(crate) fn only(report: &Report) -> &Finding {
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    finding
}

/// Fifteen epochs in which one place keeps 1 MiB.
pub(crate) fn sampled(frames: &[&str], each: impl Fn(&mut World, u64)) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 1);
    let stack = w.stack(frames);
    for epoch in 1..=15 {
        w.makes(stack, 64 << 10, 16);
        each(&mut w, epoch);
        w.objects(200).cycle(Epoch);
    }
    w.ends(0);
    w.report_with_names()
}

//! Warnings of what is wrong with the training: apart from the verdict, and only where the program gave cause.

use crate::world::started;
use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::{Report, Verdict};

fn healthy(facts: &[(&str, &str)]) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").fact("argv", r#"["train.py"]"#);
    for (key, value) in facts {
        w.fact(key, value);
    }
    for _ in 0..15 {
        w.objects(100).cycle(Epoch);
    }
    w.ends(0);
    w.report()
}

#[test]
fn a_program_that_gives_no_cause_is_not_warned() {
    let report = healthy(&[("framework.keras", "3.15.1")]);
    assert_eq!(report.warnings, []);
}

#[test]
fn what_is_wrong_with_the_training_is_told_apart_from_the_verdict() {
    let report = healthy(&[
        ("stateful.carried.at", "/job/train.py:31"),
        ("stateful.carried", "lstm"),
        ("stateful.shuffled.at", "/job/train.py:31"),
        ("stateful.shuffled", "lstm, lstm_1, gru"),
    ]);
    assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
    assert_eq!(report.findings, []);
    let names: Vec<&str> = report.warnings.iter().map(|w| w.name.as_str()).collect();
    assert_eq!(names, ["stateful-shuffled", "stateful-not-reset"]);
    assert!(report.warnings[0].sentence.contains("lstm, lstm_1 and gru"), "{}", report.warnings[0].sentence);
    for warning in &report.warnings {
        let site = warning.called_at.as_ref().unwrap();
        assert_eq!((site.role, site.file.as_str(), site.line), ("called_at", "train.py", 31));
    }
}

#[test]
fn a_place_that_is_none_is_left_out() {
    for at in ["train.py", "train.py:0", ":", ""] {
        let report = healthy(&[("stateful.validated", "gru"), ("stateful.validated.at", at)]);
        let [warning] = report.warnings.as_slice() else { panic!("{:?}", report.warnings) };
        assert_eq!((warning.name.as_str(), &warning.called_at), ("stateful-validated", &None));
    }
}

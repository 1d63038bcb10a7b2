//! Evidence of a run: the same report again without the capture or any file of the program's machine.

use crate::world::{MIB, World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{Record, Sampling};
use nilometer_diagnose::{Evidence, Report, Verdict};

const FIT: &str = "/job/train.py:60 <module>";
const CALLBACK: &str = "/job/train.py:30 Keep.on_epoch_end";
const BATCH: &str = "/job/train.py:40 batch";

/// A callback that keeps 8 MB per epoch, beside batches that come and go within one.
fn keeps() -> World {
    let mut w = started();
    w.fact("cwd", "/job").records(512 << 10, 1);
    let stack = w.stack(&[FIT, CALLBACK, "PyArray_NewFromDescr"]);
    let passing = w.stack(&[FIT, BATCH, "PyArray_NewFromDescr"]);
    for _ in 0..12 {
        for _ in 0..4 {
            let batch = w.makes(passing, 8_000_000, 1);
            w.gives_back(batch);
        }
        w.makes(stack, 8_000_000, 1);
        w.objects(70).cycle(Epoch);
    }
    w.ends(0);
    w
}

fn json(report: &Report) -> serde_json::Value {
    serde_json::to_value(report).unwrap()
}

fn births(evidence: &Evidence) -> usize {
    let is_birth = |record: &Record| matches!(record, Record::Sampling(Sampling::Birth(_)));
    let (capture, _) = evidence.clone().into_parts(nilometer_frameworks::DIAGNOSE);
    capture.records.iter().filter(|stamped| is_birth(&stamped.record)).count()
}

#[test]
fn the_report_is_the_same_without_the_program_and_its_files() {
    let w = keeps();
    let (evidence, report) = Evidence::of(&w.capture(), &mut w.files());
    assert_eq!(report.verdict, Verdict::Leak);
    assert_eq!(report.findings[0].sites[0].text.as_deref(), Some("made = predict()  # line 30"));
    let again = Evidence::from_bytes(&evidence.to_bytes()).unwrap();
    assert_eq!(again, evidence);
    assert_eq!(json(&again.judge(nilometer_frameworks::DIAGNOSE)), json(&report));
    assert_eq!(json(&report), json(&w.report_with_names()), "noting the answers changed the report");
}

#[test]
fn samples_that_nobody_saw_alive_are_counted_and_left_out() {
    let w = keeps();
    let capture = w.capture();
    let (evidence, report) = Evidence::of(&capture, &mut w.files());
    let all =
        capture.records.iter().filter(|s| matches!(s.record, Record::Sampling(Sampling::Birth(_)))).count();
    assert!(births(&evidence) < all / 2, "{} of {all}", births(&evidence));
    let sampled = evidence.judge(nilometer_frameworks::DIAGNOSE).sampling.unwrap().samples;
    assert_eq!(sampled, report.sampling.unwrap().samples);
    assert!(sampled as usize > births(&evidence));
}

#[test]
fn a_healthy_program_without_a_recorder_is_small() {
    let mut w = started();
    for _ in 0..15 {
        w.objects(20).cycle(Epoch);
    }
    let (evidence, report) = Evidence::of(&w.ends(0).capture(), &mut w.files());
    assert_eq!(report.verdict, Verdict::NoLeak);
    let bytes = evidence.to_bytes();
    assert!(bytes.len() < 4096, "{}", bytes.len());
    assert!(Evidence::begins(&bytes) && !Evidence::is_newer(&bytes));
}

#[test]
fn of_a_newer_version_is_evidence_that_cannot_be_read_here() {
    let newer = b"nilometer evidence 9\nwhatever it may hold";
    assert!(Evidence::begins(newer) && Evidence::is_newer(newer));
    assert_eq!(Evidence::from_bytes(newer), None);
    assert!(!Evidence::begins(b"nilometer") && !Evidence::is_newer(b"nilometer"));
    assert!(!Evidence::is_newer(b"nilometer evidence 1"), "this one, but cut");
}

#[test]
fn damaged_bytes_are_no_evidence_and_no_panic() {
    let mut w = started();
    w.takes(MIB).cycle(Epoch);
    let (evidence, _) = Evidence::of(&w.ends(0).capture(), &mut w.files());
    let bytes = evidence.to_bytes();
    for length in 0..bytes.len() {
        assert_eq!(Evidence::from_bytes(&bytes[..length]), None, "cut at {length}");
    }
    for place in 21..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[place] ^= 0x55;
        // Some bytes are a character of a text; whatever is read can be judged.
        if let Some(read) = Evidence::from_bytes(&bytes) {
            read.judge(nilometer_frameworks::DIAGNOSE);
        }
    }
}

#[test]
fn another_name_for_a_folder_changes_no_verdict_and_leaves_no_old_name() {
    let w = keeps();
    let (evidence, report) = Evidence::of(&w.capture(), &mut w.files());
    let renamed = evidence.renamed("/job", "/elsewhere");
    let other = renamed.judge(nilometer_frameworks::DIAGNOSE);
    let text = |report: &Report| serde_json::to_string(report).unwrap();
    assert_eq!(text(&other).replace("/elsewhere", "/job"), text(&report));
    assert!(!text(&other).contains("/job"));
    assert!(!format!("{renamed:?}").contains("/job"));
}

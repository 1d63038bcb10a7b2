//! Numbers that a program notes stay for good and harm nobody; what is kept beside them is told.

use crate::world::started;
use nilometer_capture::CycleUnit::{Epoch, Served};
use nilometer_capture::{CycleUnit, Found, Grown, Holder};
use nilometer_diagnose::{Report, Verdict};

const FIT: &str = "/job/train.py:60 <module>";
const NOTES: &str = "/job/train.py:30 LossHistory.on_train_batch_end";
const KEEPS: &str = "/job/train.py:40 Keep.on_epoch_end";

/// Cycles of so many numbers each, and of blocks beside them; scans tell of the list if they are to.
fn notes(unit: CycleUnit, numbers: u64, beside: Option<u64>, scanned: Option<&str>) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").records(16 << 10, 5);
    let (notes, keeps) = (w.stack(&[FIT, NOTES, "PyFloat_FromDouble"]), w.stack(&[FIT, KEEPS, "malloc"]));
    for epoch in 1..=20 {
        w.makes(notes, 24, numbers);
        w.takes(8 * numbers.cast_signed());
        if let Some(size) = beside {
            w.makes(keeps, size, 1);
        }
        if let Some(elements) = scanned {
            let path = "__main__.history.losses[*]".to_owned();
            let (kind, file) = ("list".to_owned(), "/job/train.py".to_owned());
            let holder =
                Holder { id: 1, path, kind, file, elements: elements.to_owned(), ..Holder::default() };
            let (length, bytes) = (epoch * numbers, 24 * numbers);
            let grown = Grown { holder: 1, cycle: epoch, length, bytes, new: numbers, ..Grown::default() };
            w.scans_grown(holder, grown).scan_ends();
        }
        w.objects(20).cycle(unit);
    }
    w.ends(0).report_with_names()
}

#[test]
fn the_losses_of_all_batches_are_no_leak() {
    for scanned in [None, Some("1,500 x float")] {
        let report = notes(Epoch, 1500, None, scanned);
        assert_eq!(report.verdict, Verdict::NoLeak, "{scanned:?}: {}", report.reason);
        assert!(report.reason.contains("numbers that the program notes"), "{}", report.reason);
        assert_eq!(report.findings, []);
        assert!(report.growth.unwrap().bytes_per_cycle.estimate > 40_000, "it is still said how much it is");
    }
}

/// Epochs that note so many pairs of a step and its loss, beside buffers that come and go. Scans tell of the list.
fn pairs(count: u64, elements: &str, is_noisy: bool) -> Report {
    let found = Found::new(0).unwrap();
    let mut w = started();
    w.fact(&found.fact(), "line:epoch # loss #").fact("cwd", "/job");
    for epoch in 1..=30 {
        w.takes(120 * count.cast_signed());
        let path = "__main__.writer['loss'][*]".to_owned();
        let (kind, file, elements) = ("list".to_owned(), "/job/train.py".to_owned(), elements.to_owned());
        let holder = Holder { id: 1, path, kind, file, elements, ..Holder::default() };
        let (length, bytes) = (epoch * count, 112 * count);
        w.scans_grown(
            holder,
            Grown { holder: 1, cycle: epoch, length, bytes, new: count, ..Grown::default() },
        );
        let swing = if is_noisy && epoch * 7 % 3 == 1 { 4 << 20 } else { 0 };
        w.scan_ends().takes(swing).objects(1).passes(-0.8).cycle(CycleUnit::Found(found)).takes(-swing);
    }
    w.ends(0).report_with_names()
}

#[test]
fn steps_with_their_losses_are_numbers_too() {
    let noted = pairs(100, "300 x tuple (int, float)", false);
    assert_eq!(noted.verdict, Verdict::NoLeak, "{}", noted.reason);
    for (count, elements) in [(100, "300 x tuple (int, str)"), (1000, "3000 x tuple (int, float)")] {
        let kept = pairs(count, elements, false);
        assert_eq!(kept.verdict, Verdict::Leak, "{elements}: {}", kept.reason);
    }
}

#[test]
fn numbers_prove_nothing_where_live_memory_moves_too_much() {
    let noted = pairs(100, "300 x tuple (int, float)", true);
    assert_ne!(noted.verdict, Verdict::Leak, "{}", noted.reason);
    let kept = pairs(100, "300 x tuple (int, str)", true);
    assert_eq!(kept.verdict, Verdict::Leak, "{}", kept.reason);
}

#[test]
fn a_short_printed_round_may_note_numbers() {
    let found = Found::new(0).unwrap();
    let rounds = |numbers, beside: Option<u64>| {
        let mut w = started();
        w.fact(&found.fact(), "line:epoch # loss #").fact("cwd", "/job").records(4 << 10, 5);
        let (notes, keeps) = (w.stack(&[FIT, NOTES, "PyFloat_FromDouble"]), w.stack(&[FIT, KEEPS, "malloc"]));
        for _ in 0..40 {
            w.makes(notes, 24, numbers);
            if let Some(size) = beside {
                w.makes(keeps, size, 1);
            }
            w.objects(3).passes(-0.8).cycle(CycleUnit::Found(found));
        }
        w.ends(0).report_with_names()
    };
    let noted = rounds(200, None);
    assert_eq!(noted.verdict, Verdict::NoLeak, "{}", noted.reason);
    assert!(noted.reason.contains("numbers"), "{}", noted.reason);
    assert_eq!(rounds(150, Some(6000)).verdict, Verdict::Leak, "an array beside them");
    assert_eq!(rounds(1500, None).verdict, Verdict::Leak, "too many");
}

#[test]
fn what_is_more_than_noted_numbers_is_a_leak() {
    let noted = "1,500 x float";
    for (what, report) in [
        ("arrays of 30 kB beside numbers", notes(Epoch, 1500, Some(30_000), Some(noted))),
        ("arrays of 60 kB beside numbers", notes(Epoch, 1500, Some(60_000), Some(noted))),
        ("far more numbers", notes(Epoch, 40_000, None, Some("40,000 x float"))),
        ("numbers of each request", notes(Served, 1500, None, Some(noted))),
        ("a list of arrays", notes(Epoch, 0, Some(60_000), Some("1 x ndarray (7500,) float64"))),
    ] {
        assert_eq!(report.verdict, Verdict::Leak, "{what}: {}", report.reason);
    }
}

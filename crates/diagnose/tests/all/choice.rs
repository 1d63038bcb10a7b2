//! Which unit growth is told by, and that the cycles which were read span the run.

use crate::world::{KIB, MIB, World};
use nilometer_capture::CycleUnit::{self, Call, Epoch, Served, Step, Update};
use nilometer_capture::{Found, Grown, Holder, Moment};
use nilometer_diagnose::{Report, Verdict};

/// A found unit, described as the program's process does.
fn found(w: &mut World, place: u8, description: &str) -> CycleUnit {
    let found = Found::new(place).unwrap();
    w.fact(&found.fact(), description);
    CycleUnit::Found(found)
}

fn started() -> World {
    let mut w = World::new();
    w.takes(40 * MIB).objects(5000);
    w
}

#[test]
fn printed_rounds_of_a_program_without_a_framework() {
    for (each, verdict) in [(2000 * KIB, Verdict::Leak), (0, Verdict::NoLeak)] {
        let mut w = started();
        let round = found(&mut w, 0, "line:round #/# spread #");
        for _ in 0..24 {
            w.takes(each).objects(3).cycle(round);
        }
        let report = w.ends(0).report();
        assert_eq!(report.verdict, verdict, "{}", report.reason);
        assert_eq!((report.cycles.unit, report.cycles.kind, report.cycles.count), ("round", "line", 24));
        assert_eq!(report.cycles.found_by.as_deref(), Some("the printed line `round N/N spread N`"));
        let growth = report.growth.unwrap().bytes_per_cycle;
        assert!((growth.estimate - each).abs() < 32 * KIB, "{growth:?}");
    }
}

/// Rounds of a hundred updates of 10 ms, of which each keeps so many bytes, and each round so many more.
fn updates_in_rounds(per_update: i64, per_round: i64) -> Report {
    updates_of(0.01, per_update, per_round)
}

/// The same, of updates that take so many seconds.
fn updates_of(seconds: f64, per_update: i64, per_round: i64) -> Report {
    let mut w = started();
    let round = found(&mut w, 0, "line:epoch # loss #");
    for _ in 0..24 {
        for _ in 0..100 {
            w.takes(per_update).passes(seconds - 1.0).cycle(Update);
        }
        w.takes(per_round).passes(seconds - 1.0).cycle(round);
    }
    w.ends(0).report()
}

/// Epochs of eight updates, each of which keeps so many bytes. A list of the user's gets an element per epoch, or per update.
fn kept_in_a_list(per_update: i64, per_epoch: i64, elements_per_epoch: u64) -> Report {
    let mut w = started();
    let epoch = found(&mut w, 0, "line:epoch # loss #");
    let (mut length, mut kept) = (0, 0);
    for number in 1..=30_u64 {
        for _ in 0..8 {
            w.takes(per_update).cycle(Update);
        }
        w.takes(per_epoch);
        kept += 8 * per_update + per_epoch;
        length += elements_per_epoch;
        if number % 4 == 0 {
            let (path, kind, file) = ("main(): kept[*]".into(), "list".into(), "/job/train.py".into());
            let holder = Holder { id: 1, path, kind, file, ..Holder::default() };
            let (new, bytes) = (4 * elements_per_epoch, kept.unsigned_abs());
            w.scans_grown(holder, Grown { cycle: number * 8, length, bytes, new, ..Grown::default() })
                .scan_ends();
            kept = 0;
        }
        w.ends_cycle(epoch);
    }
    w.ends(0).report()
}

#[test]
fn a_leak_that_comes_seldom_is_told_by_the_coarser_unit() {
    let seldom = kept_in_a_list(0, 600 * KIB, 1);
    assert_eq!((seldom.verdict, seldom.cycles.unit), (Verdict::Leak, "epoch"), "{}", seldom.reason);
    let growth = seldom.growth.unwrap().bytes_per_cycle;
    assert!((growth.estimate - 600 * KIB).abs() < 30 * KIB, "{growth:?}");
    let often = kept_in_a_list(75 * KIB, 0, 8);
    assert_eq!((often.verdict, often.cycles.unit), (Verdict::Leak, "update"), "{}", often.reason);
}

#[test]
fn numbers_that_are_noted_per_step_are_no_leak_of_a_short_round() {
    // A float and its place in a list.
    let noted = updates_of(0.001, 32, 0);
    assert_eq!(noted.verdict, Verdict::NoLeak, "{}", noted.reason);
    let kept = updates_of(0.001, 0, 24 * KIB);
    assert_eq!((kept.verdict, kept.cycles.unit), (Verdict::Leak, "epoch"), "{}", kept.reason);
}

#[test]
fn what_is_too_little_per_step_is_told_per_round() {
    let report = updates_in_rounds(0, 24 * KIB);
    assert_eq!((report.verdict, report.cycles.unit), (Verdict::Leak, "epoch"), "{}", report.reason);
    let others: Vec<_> = report.cycles.alternatives.iter().map(|other| (other.unit, other.count)).collect();
    assert_eq!(others, [("update", 2400)]);
    let report = updates_in_rounds(24 * KIB, 0);
    assert_eq!((report.verdict, report.cycles.unit), (Verdict::Leak, "update"));
    let report = updates_in_rounds(0, 0);
    assert_eq!((report.verdict, report.cycles.unit), (Verdict::NoLeak, "update"));
}

#[test]
fn the_unit_that_was_asked_for_is_judged() {
    for (asked, unit) in [
        ("line", "epoch"),
        ("line:epoch *", "epoch"),
        ("epoch", "epoch"),
        ("update", "update"),
        ("window", "window"),
        ("call", "window"),
    ] {
        let mut w = started();
        let round = found(&mut w, 0, "line:epoch # loss #");
        for _ in 0..24 {
            for _ in 0..10 {
                w.passes(-0.9).cycle(Update);
            }
            w.reads(Moment::Tick).cycle(round);
        }
        w.fact("cycle.asked", asked);
        assert_eq!(w.ends(0).report().cycles.unit, unit, "{asked}");
    }
}

/// A first epoch of so many printed updates and a second one of fifteen, each of 50 ms.
fn two_epochs(first_updates: usize) -> Report {
    let mut w = started();
    let update = found(&mut w, 0, "line:#/#~#/step - loss: #");
    for updates in [first_updates, 15] {
        for _ in 0..updates {
            w.passes(0.05).ends_cycle(update);
        }
        w.ends_cycle(Epoch);
    }
    w.ends(0).report()
}

#[test]
fn the_first_of_two_epochs_belongs_to_what_they_span() {
    for (first_updates, unit) in [(15, "epoch"), (25, "epoch"), (100, "printed line")] {
        assert_eq!(two_epochs(first_updates).cycles.unit, unit, "{first_updates}");
    }
}

#[test]
fn three_epochs_before_an_hour_of_requests_are_not_what_the_program_is_about() {
    let mut w = started();
    for _ in 0..3 {
        w.cycle(Epoch);
    }
    for _ in 0..60 {
        w.takes(64 * KIB).objects(3).cycle(Served);
    }
    let report = w.ends(0).report();
    assert_eq!((report.verdict, report.cycles.unit), (Verdict::Leak, "request"));
}

/// So many cycles too fast to be read are over before the next reading, after the ones that were; they and the program's end
/// keep so many bytes.
fn fast(unit: CycleUnit, read: u64, unread: u64, each: i64, at_the_end: i64) -> Report {
    let mut w = started();
    for _ in 0..read {
        w.takes(each).passes(-0.999).cycle(unit);
    }
    w.takes(each * i64::try_from(unread).unwrap());
    w.unread_cycles(unit, unread).passes(1.0 - unread as f64).takes(at_the_end).reads(Moment::Tick);
    w.ends(0).report()
}

#[test]
fn no_leak_is_said_of_cycles_that_were_read_to_their_end_only() {
    for (unit, rise) in [(Step, 9), (Call, 9), (Update, 9), (Served, 9), (Epoch, 100)] {
        // Flat where it was read, and megabytes after that: nobody knows which cycle kept them.
        let hidden = fast(unit, 64, 3000, 0, rise * MIB);
        assert_eq!(hidden.verdict, Verdict::Undecided, "{unit:?}: {}", hidden.reason);
        assert!(hidden.reason.contains("was read until"), "{}", hidden.reason);
        let quiet = fast(unit, 64, 3000, 0, 0);
        assert_eq!(quiet.verdict, Verdict::NoLeak, "{unit:?}: {}", quiet.reason);
        // Where nine tenths were read, the slope tells.
        let nearly_all = fast(unit, 64, 6, 0, rise * MIB);
        assert_eq!(nearly_all.verdict, Verdict::NoLeak, "{unit:?}: {}", nearly_all.reason);
    }
}

#[test]
fn a_clean_up_at_the_end_hides_no_leak() {
    let job = |read: u64, unread: u64, each: i64| {
        let mut w = started();
        for _ in 0..read {
            w.takes(each).objects(100).cycle(Step);
        }
        w.takes(each * i64::try_from(unread).unwrap()).unread_cycles(Step, unread);
        // The first reading after them was short of time.
        w.passes(1.0).heap_is_read(false).reads(Moment::Tick).heap_is_read(true);
        w.takes(-60 * MIB).ends(0).report()
    };
    assert_eq!(job(35, 5, 2 * MIB).verdict, Verdict::Leak);
    assert_eq!(job(35, 5, 0).verdict, Verdict::NoLeak, "nearly all were read");
    assert_eq!(job(9, 15, 0).verdict, Verdict::NoLeak, "dear readings of a short run");
    assert_eq!(job(9, 40, 0).verdict, Verdict::Undecided);
    assert_eq!(job(35, 400, 0).verdict, Verdict::Undecided, "nobody knows what the others kept until then");
}

#[test]
fn what_fast_cycles_keep_shows_when_they_are_over() {
    let report = fast(Step, 64, 2936, 3 * KIB, 0);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let growth = report.growth.unwrap().bytes_per_cycle;
    assert!((growth.estimate - 3 * KIB).abs() < 200, "{growth:?}");
}

#[test]
fn windows_decide_from_eight_seconds_of_work_on() {
    for (seconds, verdict) in [(9, Verdict::Leak), (6, Verdict::Undecided)] {
        let mut w = started();
        for _ in 0..4 * seconds {
            w.passes(0.25).takes(64 * KIB).objects(3).reads(Moment::Tick);
        }
        let report = w.ends(0).report();
        assert_eq!(report.verdict, verdict, "{seconds} s: {}", report.reason);
    }
}

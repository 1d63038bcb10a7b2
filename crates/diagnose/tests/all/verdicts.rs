//! Verdicts on small worlds whose truth is known; the amounts are those measured on real Keras programs.

use crate::world::{KIB, MIB, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{Exit, MemoryKill, Record};
use nilometer_diagnose::{Kind, Verdict};

#[test]
fn a_callback_that_keeps_predictions_leaks() {
    let mut w = started();
    for _ in 0..12 {
        w.takes(8 * MIB + 160 * KIB).objects(700).cycle(Epoch);
    }
    w.ends(2 * MIB);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let rate = report.growth.unwrap().bytes_per_cycle;
    assert!((rate.estimate - 8 * MIB).abs() < 8 * MIB / 10, "{rate:?}");
    assert!(rate.low <= 8 * MIB && 8 * MIB <= rate.high, "{rate:?}");
    let forecast = report.forecast.unwrap();
    assert_eq!(forecast.limit, "ram");
    assert!((850..=910).contains(&forecast.cycles_left), "{forecast:?}");
}

#[test]
fn a_limit_that_ended_the_program_is_not_forecast() {
    let mut w = started();
    for _ in 0..12 {
        w.takes(8 * MIB).objects(100).cycle(Epoch);
    }
    w.say(&Record::Exit(Exit { code: None, signal: Some(9), memory_kill: MemoryKill::Cgroup }));
    let report = w.report();
    assert_eq!(report.verdict, Verdict::Leak);
    assert_eq!(report.forecast, None);
    let exit = report.program.exit.unwrap();
    assert!(exit.oom_killed && exit.limit == Some("cgroup"), "{exit:?}");
}

#[test]
fn a_healthy_fit_whose_resident_memory_drifts_does_not_leak() {
    let increments = [
        41, 60, 26, 14, 10, 11, 17, 12, 9, 9, 8, 11, 10, 5, 11, 10, -126, 1, 10, 9, 8, 9, 10, 7, 9, 8, 9, 10,
    ];
    let mut w = started();
    for kib in increments {
        w.takes(kib * KIB).retains(400 * KIB).objects(100).cycle(Epoch);
    }
    w.ends(150 * KIB);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::NoLeak, "{} {:?}", report.reason, report.growth);
    let retained = report.components.iter().find(|c| c.kind == Kind::Retained).unwrap();
    assert!(retained.bytes > 8 * MIB, "{retained:?}");
}

#[test]
fn pages_of_large_arrays_that_are_first_written_late_are_no_free_memory() {
    let said = |untouched: i64| {
        let mut w = started();
        // Asked for, and not resident yet.
        w.takes(untouched).retains(-untouched);
        for _ in 1..=30 {
            w.objects(100).retains(2 * MIB).cycle(Epoch);
        }
        w.ends(0);
        let report = w.report();
        assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
        report.components.iter().find(|c| c.kind == Kind::Retained).unwrap().sentence.clone()
    };
    assert!(said(400 * MIB).contains("first written"), "{}", said(400 * MIB));
    assert!(said(0).contains("allocator keeps"), "{}", said(0));
}

#[test]
fn few_cycles_are_undecided_and_the_number_needed_suffices() {
    for epochs in 1..8_u64 {
        let mut w = started();
        for _ in 0..epochs {
            w.takes(8 * MIB).objects(100).cycle(Epoch);
        }
        w.ends(0);
        let report = w.report();
        assert_eq!(report.verdict, Verdict::Undecided, "{epochs}");
        let needed = report.cycles.needed.unwrap();
        for _ in 0..needed {
            w.takes(8 * MIB).objects(100).cycle(Epoch);
        }
        w.ends(0);
        assert_eq!(w.report().verdict, Verdict::Leak, "{epochs} + {needed}");
    }
}

#[test]
fn an_allocator_that_cannot_be_asked_is_never_called_leaking() {
    let mut w = started();
    w.without_heap();
    for _ in 0..20 {
        w.takes(8 * MIB).objects(100).cycle(Epoch);
    }
    w.ends(0);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::Undecided, "{}", report.reason);
    assert_eq!(report.growth.unwrap().basis, "anonymous");
}

#[test]
fn few_read_cycles_of_many_are_told_as_that() {
    let epochs = |read_every: u64| {
        let mut w = started();
        for epoch in 1..=12 {
            match epoch % read_every {
                0 => w.cycle(Epoch),
                _ => w.unread_cycles(Epoch, 1),
            };
        }
        w.ends(0).report()
    };
    let few = epochs(4);
    assert_eq!(few.verdict, Verdict::Undecided);
    assert!(few.reason.starts_with("live memory was read at the end of 3 of 12 epochs"), "{}", few.reason);
    // Five more that are read, of which there is one in four.
    assert_eq!(few.cycles.needed, Some(20));
    assert_eq!(epochs(1).verdict, Verdict::NoLeak);
}

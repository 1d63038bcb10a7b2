//! Free memory that the allocator keeps is told with what to change where it is much, and never as a leak.

use crate::world::{MIB, World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::Moment;
use nilometer_diagnose::{Component, Kind, Report, Verdict};

const MANY: &str = r#"{"count":13,"main_system":94000000,"main_free":3000000,"others_system":100000000,
    "others_free":96000000,"largest_free":9000000}"#;
const ONE: &str = r#"{"count":9,"main_system":194000000,"main_free":93000000,"others_system":9000000,
    "others_free":6000000,"largest_free":1000000}"#;

/// Epochs whose live memory is flat, and what each changes.
fn run(epochs: u64, each: impl Fn(&mut World, u64)) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").fact("argv", r#"["train.py", "--epochs", "18"]"#);
    for epoch in 1..=epochs {
        each(&mut w, epoch);
        w.objects(100).cycle(Epoch);
    }
    w.ends(0);
    w.report()
}

/// What is kept climbs by 12 MiB per epoch to 96 MiB, as one thread after the other takes an arena.
fn climbs(w: &mut World, epoch: u64) {
    if epoch <= 8 {
        w.retains(12 * MIB).has_free(12 * MIB * i64::try_from(epoch).unwrap());
    }
}

fn told(report: &Report) -> Option<&Component> {
    assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
    report.components.iter().find(|c| c.kind == Kind::Retained && c.change.is_some())
}

#[test]
fn arenas_of_threads_are_to_be_shared() {
    let report = run(18, |w, epoch| {
        climbs(w, epoch);
        w.fact("heap.arenas", MANY);
    });
    let kept = told(&report).unwrap();
    assert_eq!((kept.bytes, kept.bytes_per_cycle), (96 * MIB, None));
    assert!(kept.sentence.contains("in 13 arenas") && !kept.sentence.contains("leak"), "{}", kept.sentence);
    let change = kept.change.as_ref().unwrap();
    // 96 MiB times (96 - 9) of 99 million.
    assert!(change.contains("MALLOC_ARENA_MAX=2") && change.contains("84.4 MiB less"), "{change}");
    assert!(change.contains("malloc_trim(0)") && change.contains("96.0 MiB less"), "{change}");
    assert_eq!(kept.prove.as_deref(), Some("MALLOC_ARENA_MAX=2 nilometer run train.py"));
}

#[test]
fn what_one_arena_keeps_is_to_be_trimmed() {
    let report = run(18, |w, epoch| {
        climbs(w, epoch);
        w.fact("heap.arenas", ONE);
    });
    let kept = told(&report).unwrap();
    let change = kept.change.as_ref().unwrap();
    assert!(change.contains("malloc_trim(0)") && !change.contains("ARENA_MAX"), "{change}");
    assert_eq!(kept.prove, None);
}

#[test]
fn where_arenas_are_not_known_both_are_told() {
    for said in ["", "no JSON", r#"{"count":3}"#, "[]"] {
        let report = run(18, |w, epoch| {
            climbs(w, epoch);
            w.fact("heap.arenas", said);
        });
        let change = told(&report).unwrap().change.as_ref().unwrap();
        assert!(change.contains("malloc_trim(0)") && change.contains("MALLOC_ARENA_MAX=2"), "{change}");
    }
}

#[test]
fn slack_is_not_worth_a_word() {
    // Little; little beside the rest; too short; given back at the end of a late cycle; not resident; of another allocator.
    let little = run(18, |w, _| _ = w.has_free(30 * MIB));
    let beside = run(18, |w, epoch| {
        _ = (epoch == 1).then(|| w.retains(400 * MIB).takes(400 * MIB).has_free(80 * MIB));
    });
    let short = run(8, climbs);
    let given_back = run(18, |w, epoch| {
        climbs(w, epoch);
        w.has_free(if epoch == 17 { 20 * MIB } else { 96 * MIB });
    });
    let trimmed = run(18, |w, _| _ = w.has_free(300 * MIB));
    let foreign = run(18, |w, _| _ = w.retains(10 * MIB));
    for (report, what) in [
        (little, "little"),
        (beside, "beside"),
        (given_back, "given back"),
        (trimmed, "trimmed"),
        (foreign, "foreign"),
    ] {
        assert_eq!(told(&report), None, "{what}");
    }
    assert!(short.components.iter().all(|c| c.change.is_none()), "short");
}

#[test]
fn memory_that_each_epoch_uses_again_is_not_told() {
    let report = run(18, |w, epoch| {
        climbs(w, epoch);
        w.takes(80 * MIB).retains(-80 * MIB).has_free(16 * MIB).passes(0.2).reads(Moment::Tick);
        w.takes(-80 * MIB).retains(80 * MIB).has_free(96 * MIB);
    });
    assert_eq!(told(&report), None);
}

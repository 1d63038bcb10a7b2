//! What counts as a cycle, and which phase the memory came in.

use crate::world::{KIB, MIB, World, started};
use nilometer_capture::CycleUnit::{Call, Epoch, Evaluate, Fit, Model, OnBatch, Predict};
use nilometer_capture::Moment;
use nilometer_diagnose::{Kind, Verdict};

#[test]
fn phases_tell_where_the_one_time_memory_came_from() {
    let mut w = World::new();
    w.fact("fit.elements", "2097152");
    w.phase("import", |w| {
        w.takes(150 * MIB);
    });
    w.phase("fit", |w| {
        w.phase("fit_entry", |w| {
            w.phase("data_adapter", |w| {
                w.takes(16 * MIB);
            });
        });
        w.phase("first_batch", |w| {
            w.phase("trace", |w| {
                w.takes(14 * MIB);
            });
            w.takes(21 * MIB);
        });
        for _ in 0..20 {
            w.objects(50).cycle(Epoch);
        }
    });
    w.ends(0);
    let report = w.report();
    let once = |phase: &str| {
        let of_phase =
            |c: &&nilometer_diagnose::Component| c.kind == Kind::OneTime && c.phase.as_deref() == Some(phase);
        report.components.iter().find(of_phase).unwrap()
    };
    assert_eq!(once("import").bytes, 150 * MIB);
    assert_eq!(once("fit_entry").bytes, 16 * MIB);
    assert!(once("fit_entry").sentence.contains("float32 twice"), "{:?}", once("fit_entry"));
    assert_eq!(once("first_batch").bytes, 35 * MIB);
    assert_eq!(report.verdict, Verdict::NoLeak);
}

#[test]
fn the_growing_phase_is_named() {
    let mut w = started();
    for _ in 0..12 {
        w.phase("epoch", |w| {
            w.objects(100);
            w.phase("predict", |w| {
                w.takes(4 * MIB);
                w.unread_phase("trace", |_| ()).unread_phase("data_adapter", |_| ());
            });
            w.cycle(Epoch);
        });
    }
    w.ends(0);
    let report = w.report();
    let growing = report.components.iter().find(|c| c.kind == Kind::Growing).unwrap();
    assert_eq!(growing.phase.as_deref(), Some("predict"));
}

#[test]
fn the_growing_phase_is_named_where_only_the_first_epochs_were_read_closely() {
    let mut w = started();
    for epoch in 0..30 {
        let predicts = |w: &mut World| {
            w.takes(4 * MIB);
        };
        w.takes(8 * KIB).objects(100);
        if epoch < 8 {
            w.phase("epoch", |w| {
                w.phase("predict", predicts);
                w.cycle(Epoch);
            });
        } else {
            predicts(&mut w);
            w.unread_phase("predict", |_| ()).cycle(Epoch);
        }
    }
    w.ends(0);
    let report = w.report();
    let growing = report.components.iter().find(|c| c.kind == Kind::Growing).unwrap();
    assert_eq!(growing.phase.as_deref(), Some("predict"));
    // The first epochs' predictions are part of the growth, not a one-time rise.
    let once =
        |c: &&nilometer_diagnose::Component| c.kind == Kind::OneTime && c.phase.as_deref() == Some("predict");
    assert_eq!(report.components.iter().find(once), None);
}

/// A monitor that scores between fits and keeps what it computed, as it was measured: `fit()` copies the data of each day,
/// which goes when the next day's are made. What enters with `fit()` is thirty times the leak, and none of it.
#[test]
fn what_one_phase_takes_and_another_gives_back_names_no_phase() {
    let mut w = started();
    for _ in 0..20 {
        w.phase("fit", |w| {
            w.phase("fit_entry", |w| {
                w.takes(4 * MIB);
            });
            w.phase("epoch", |w| {
                w.objects(100).takes(-4 * MIB).cycle(Epoch);
            });
        });
        w.takes(128 * KIB);
    }
    w.ends(0);
    let report = w.report();
    let growing = report.components.iter().find(|c| c.kind == Kind::Growing).unwrap();
    assert_eq!(growing.phase, None, "{growing:?}");
}

/// A loop that keeps its gradients every 64 calls, as it was measured: the first calls are all read, and give back by and by what
/// start-up took; later ones are read now and then.
#[test]
fn readings_that_lie_close_weigh_no_more_than_others() {
    let mut w = started();
    let mut level = 0;
    for _ in 1..=64 {
        w.takes(-12 * KIB).cycle(Call);
    }
    let mut at = 64;
    let later = [
        (80, 1182),
        (141, 1650),
        (237, 1683),
        (348, 2734),
        (483, 3500),
        (641, 4139),
        (783, 5802),
        (946, 6455),
        (1129, 7789),
        (1307, 9192),
        (1513, 10252),
    ];
    for (call, kib) in later {
        w.unread_cycles(Call, call - at - 1).takes((kib - level) * KIB).objects(200).cycle(Call);
        (at, level) = (call, kib);
    }
    w.ends(0);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let rate = report.growth.unwrap().bytes_per_cycle;
    assert!(rate.low <= 6 * KIB && rate.high >= 6 * KIB && rate.low >= 4 * KIB, "{rate:?}");
}

#[test]
fn readings_without_pythons_part_are_no_levels() {
    // Records of numbers that are kept: small objects alone grow, and on a busy machine the last readings leave them out.
    let mut w = started();
    for epoch in 1..=14 {
        w.python_is_read(epoch < 10).takes_small(280 * KIB).objects(4).cycle(Epoch);
    }
    w.python_is_read(true).ends(0);
    let report = w.report();
    assert_ne!(report.verdict, Verdict::NoLeak, "{} {:?}", report.reason, report.growth);
    let rate = report.growth.unwrap().bytes_per_cycle;
    assert!(rate.low <= 280 * KIB && 280 * KIB <= rate.high && rate.estimate > 250 * KIB, "{rate:?}");
}

#[test]
fn without_any_cycle_windows_of_time_serve() {
    let mut w = World::new();
    for _ in 0..240 {
        w.passes(0.25).takes(64 * KIB).objects(3).reads(Moment::Tick);
    }
    w.ends(0);
    let report = w.report();
    assert_eq!(report.cycles.unit, "window");
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let rate = report.growth.unwrap().bytes_per_cycle;
    assert!((rate.estimate - 256 * KIB).abs() < 8 * KIB, "{rate:?}");
}

/// An import of so many seconds, as from a cold disk.
fn imports(w: &mut World, seconds: u32) {
    w.phase("import", |w| {
        for _ in 0..4 * seconds {
            w.passes(0.25).takes(2 * MIB).objects(500).reads(Moment::Tick);
        }
    });
}

#[test]
fn an_import_that_takes_long_is_no_growth() {
    let mut w = World::new();
    imports(&mut w, 30);
    w.ends(0);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::Undecided, "{} {:?}", report.reason, report.growth);
    let once = report.components.iter().find(|c| c.phase.as_deref() == Some("import")).unwrap();
    assert_eq!((once.kind, once.bytes / MIB), (Kind::OneTime, 240));
    // Nor is one later; and what grows besides does so by the second that is no import's.
    for (later, each, verdict) in [(20, 0, Verdict::NoLeak), (0, 64 * KIB, Verdict::Leak)] {
        let mut w = World::new();
        for (import, part) in [(20, 80), (later, 100)] {
            imports(&mut w, import);
            for _ in 0..part {
                w.passes(0.25).takes(each).objects(3).reads(Moment::Tick);
            }
        }
        w.ends(0);
        let report = w.report();
        assert_eq!(report.verdict, verdict, "{} {:?}", report.reason, report.growth);
        assert!(report.cycles.count <= 47, "{:?}", report.cycles);
        let rate = report.growth.unwrap().bytes_per_cycle;
        assert!((rate.estimate - 4 * each).abs() < 16 * KIB, "{rate:?}");
    }
}

#[test]
fn a_program_begins_to_work_when_its_modules_are_there() {
    // Of no framework; one of them is a library that takes two seconds without another module.
    let mut w = World::new();
    for part in 0..80 {
        w.modules = Some(part);
        w.passes(if part == 40 { 2.0 } else { 0.25 }).takes(2 * MIB).objects(500).reads(Moment::Tick);
    }
    for _ in 0..28 {
        w.passes(0.25).objects(3).reads(Moment::Tick);
    }
    w.ends(0);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::NoLeak, "{} {:?}", report.reason, report.growth);
    assert!(report.cycles.count <= 16, "{:?}", report.cycles);
}

#[test]
fn modules_that_come_later_or_for_ever_are_no_reason_to_wait() {
    for every in [1, 20] {
        let mut w = World::new();
        for part in 0..400 {
            w.modules = Some(part / every);
            w.passes(0.25).takes(64 * KIB).objects(3).reads(Moment::Tick);
        }
        w.ends(0);
        let report = w.report();
        assert_eq!(report.verdict, Verdict::Leak, "{every}: {}", report.reason);
        assert!(report.cycles.count >= 60, "{every}: {:?}", report.cycles);
    }
    // Nor is a program that waits without being asked, from its beginning or later, after which there are more of them.
    for before in [0, 1] {
        let mut w = World::new();
        for (modules, seconds) in [(Some(300), before), (None, 25), (Some(400), 1)] {
            w.modules = modules;
            for _ in 0..4 * seconds {
                w.passes(0.25).objects(3).reads(Moment::Tick);
            }
        }
        w.ends(0);
        let report = w.report();
        assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
        assert!(report.cycles.count >= 25, "{:?}", report.cycles);
    }
}

#[test]
fn the_cycle_is_what_the_program_is_about() {
    let mut w = started();
    for _ in 0..3 {
        w.cycle(Epoch);
    }
    w.cycle(Fit);
    for _ in 0..60 {
        w.objects(10).cycle(Predict);
    }
    w.ends(0);
    assert_eq!(w.report().cycles.unit, "predict");

    let mut w = started();
    for _ in 0..20 {
        w.cycle(Predict).cycle(Epoch);
    }
    assert_eq!(w.report().cycles.unit, "epoch");

    let mut w = World::new();
    for _ in 0..20 {
        w.cycle(OnBatch).cycle(Call);
    }
    assert_eq!(w.report().cycles.unit, "step");
}

#[test]
fn models_are_the_cycle_where_they_are_made_all_along_and_nothing_else_repeats() {
    let made = |models: u64, seconds_after: f64| {
        let mut w = World::new();
        for _ in 0..models {
            w.passes(0.25).takes(300 * KIB).objects(50).cycle(Model);
        }
        for _ in 0..(4.0 * seconds_after) as u64 {
            w.passes(0.25).objects(3).reads(Moment::Tick);
        }
        w.cycle(Evaluate).ends(0);
        w.report()
    };
    let report = made(20, 1.0);
    assert_eq!((report.cycles.unit, report.cycles.count, report.verdict), ("model", 20, Verdict::Leak));
    // A few of them, or all at the beginning.
    assert_eq!(made(3, 0.0).cycles.unit, "call");
    assert_eq!(made(20, 60.0).cycles.unit, "call");
}

#[test]
fn nothing_at_all_is_undecided() {
    let report = World::new().report();
    assert_eq!(report.verdict, Verdict::Undecided);
    assert_eq!(report.cycles.count, 0);
    assert!(report.growth.is_none() && report.forecast.is_none());
}

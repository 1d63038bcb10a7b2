//! Phases as the report tells them; on a small world.

use crate::world::{MIB, World};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::Moment;
use nilometer_diagnose::Kind;

#[test]
fn phases_are_told_without_gaps_and_summed() {
    let mut w = World::new();
    w.phase("import", |w| {
        w.takes(100 * MIB).passes(3.0);
    });
    for _ in 0..4 {
        w.phase("epoch", |w| {
            w.takes(MIB).passes(1.0).phase("validation", |w| {
                w.takes(2 * MIB).passes(0.5);
            });
        });
        w.cycle(Epoch);
    }
    w.fact("phase.validation.count", "9000").ends(0);
    let report = w.report();

    let spans = &report.phases;
    assert_eq!(spans.first().unwrap().begin_seconds.to_bits(), 0.0_f64.to_bits());
    for pair in spans.windows(2) {
        assert_eq!(pair[0].end_seconds.to_bits(), pair[1].begin_seconds.to_bits(), "no gap");
        assert_ne!(pair[0].name, pair[1].name);
    }
    let told = |name: &str| spans.iter().filter(|span| span.name == name).count();
    assert_eq!(
        (told("import"), told("epoch"), told("validation")),
        (1, 8, 4),
        "an epoch goes on behind its validation"
    );

    let total = |name: &str| report.phase_totals.iter().find(|total| total.name == name).unwrap();
    assert_eq!(total("epoch").times, 4);
    assert_eq!(total("validation").times, 9000, "as was counted, not as often as it was told");
    assert!((total("validation").seconds - 2.0).abs() < 0.1);
    assert!((total("epoch").seconds - 4.0).abs() < 0.1, "without what is inside it");
    assert_eq!(total("import").bytes, 100 * MIB);
    assert_eq!(total("validation").bytes, 8 * MIB);
    assert_eq!(total("epoch").bytes, 4 * MIB);
}

/// By an attach, or by `nilometer.start()`: what was there is nobody's, least of all the program's own data.
#[test]
fn what_was_there_before_a_late_recording_is_told_apart() {
    let told = |fact: Option<&str>| {
        let mut w = World::new();
        if let Some(key) = fact {
            w.fact(key, "25.0");
        }
        w.passes(0.5).reads(Moment::Tick).takes(20 * MIB).passes(0.5).reads(Moment::Tick);
        for _ in 0..20 {
            w.objects(3).cycle(Epoch);
        }
        let report = w.ends(0).report();
        let once = report.components.iter().filter(|one| one.kind == Kind::OneTime);
        once.map(|one| (one.phase.clone().unwrap(), one.bytes / MIB)).collect::<Vec<_>>()
    };
    // A world begins with 200 MiB.
    let apart = [("before".to_owned(), 200), ("program".to_owned(), 20)];
    assert_eq!(told(Some("attached.uptime")), apart);
    assert_eq!(told(Some("begun_by")), apart);
    assert_eq!(told(None), [("program".to_owned(), 220)]);
}

/// `AdamW` imports a compiler when it is made: that is no data of the program's.
#[test]
fn what_a_library_imports_late_is_told_as_such() {
    let told = |frame: &str| {
        let mut w = crate::world::started();
        w.records(64 << 10, 1);
        let stack =
            w.stack(&["/job/train.py:14 <module>", frame, "/v/site-packages/lib/dynamo.py:3 <module>"]);
        w.makes(stack, 64 << 10, 600);
        for _ in 0..20 {
            w.objects(3).cycle(Epoch);
        }
        let report = w.ends(0).report();
        let own = report.components.into_iter().find(|one| one.phase.as_deref() == Some("program"));
        own.unwrap().sentence
    };
    let imported = told("<frozen importlib._bootstrap>:241 _call_with_frames_removed");
    assert!(imported.starts_with("modules that libraries import"), "{imported}");
    assert_eq!(told("/job/train.py:9 load"), "the program's own data and objects, made before the cycles");
}

#[test]
fn a_step_in_mid_run_is_told_where_it_came() {
    let steps = |height: i64, every: u64| {
        let mut w = crate::world::started();
        w.records(64 << 10, 1);
        let stack = w.stack(&["/job/train.py:33 unfreeze"]);
        for epoch in 1..=30 {
            if epoch % every == 14 {
                w.makes(stack, 64 << 10, height.unsigned_abs() >> 16);
            }
            w.objects(3).cycle(Epoch);
        }
        let report = w.ends(0).report();
        let once = report.components.into_iter().filter(|one| one.kind == Kind::OneTime);
        once.filter(|one| one.phase.is_none()).collect::<Vec<_>>()
    };
    let told = steps(16 * MIB, 100);
    let [one] = told.as_slice() else { panic!("{told:#?}") };
    assert_eq!((one.bytes / MIB, one.made_at.as_ref().map(|site| site.line)), (16, Some(33)));
    assert!(one.sentence.contains("came with epoch 14"), "{}", one.sentence);
    assert_eq!(steps(MIB / 2, 100), [], "too small for a line");
    assert_eq!(steps(16 * MIB, 15), [], "one of several is no only one");
}

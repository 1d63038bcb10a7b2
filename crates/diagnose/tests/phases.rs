//! Phases as the report tells them; on a small world.
#![allow(clippy::unwrap_used, reason = "tests")]

mod world;

use nilometer_capture::CycleUnit::Epoch;
use world::{MIB, World};

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

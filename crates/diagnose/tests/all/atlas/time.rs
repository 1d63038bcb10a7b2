//! Windows of time, imports, cycles that nobody read, and which unit is chosen.
//!
//! In: seconds, units, readings. Out: rows. What must not happen here: a growth that differs from cycle to cycle.

use nilometer_capture::CycleUnit::{self, Epoch, Evaluate, Fit, Served, Step, Update};
use nilometer_capture::{Found, Moment};
use nilometer_diagnose::Report;

use super::growth::{Unit, grows};
use super::table::{Theme, Truth, of};
use crate::world::{KIB, MIB, World};

/// So many seconds of work after an import, or modules that come for so long.
fn works(import: u32, modules: Option<u64>, seconds: u32, each: i64) -> Report {
    let mut w = World::new();
    if import > 0 {
        w.phase("import", |w| {
            for _ in 0..4 * import {
                w.passes(0.25).takes(2 * MIB).objects(500).reads(Moment::Tick);
            }
        });
    }
    for part in 0..4 * modules.unwrap_or(0) {
        w.modules = Some(part);
        w.passes(0.25).takes(MIB).objects(500).reads(Moment::Tick);
    }
    for _ in 0..4 * seconds {
        w.passes(0.25).takes(each / 4).objects(3).reads(Moment::Tick);
    }
    w.ends(0).report()
}

/// Cycles of a millisecond of which the first are read, then others that are not; a while after them a last reading.
fn fast(unit: CycleUnit, read: u64, unread: u64, each: i64, then: i64, wait: f64) -> Report {
    let mut w = World::new();
    w.takes(40 * MIB).objects(5000);
    for _ in 0..read {
        w.takes(each).passes(-0.999).cycle(unit);
    }
    w.takes(each * unread.cast_signed());
    w.unread_cycles(unit, unread).passes(wait - unread as f64).takes(then).reads(Moment::Tick);
    w.ends(0).report()
}

/// Turns of two units, a number of the finer ones to one of the coarser, and what each keeps.
fn nested(coarse: u64, fine: u64, of_coarse: i64, of_fine: i64) -> Report {
    let mut w = World::new();
    w.takes(40 * MIB).objects(5000);
    let found = Found::new(0).unwrap();
    w.fact(&found.fact(), "line:epoch # loss #");
    for _ in 0..coarse {
        for _ in 0..fine {
            w.takes(of_fine).passes(-0.99).cycle(Update);
        }
        w.takes(of_coarse).passes(-0.99).cycle(CycleUnit::Found(found));
    }
    w.ends(0).report()
}

pub(crate) fn worlds(theme: &mut Theme) {
    for (seconds, window) in [(28, 1), (59, 1), (110, 1), (125, 2), (200, 3), (400, 6)] {
        for each in [0, 64 * KIB] {
            let name =
                format!("{seconds} s of work that keep {} KiB a second: about MAX_WINDOWS", each / KIB);
            let truth = of(if seconds < 30 { each / 2 } else { each * window });
            theme.world(name, truth, grows(Unit::Window, seconds, 1, each));
        }
    }
    for (import, seconds) in [(30, 0), (30, 4), (30, 12), (5, 40)] {
        for each in [0, 128 * KIB] {
            let name = format!("an import of {import} s, then {seconds} s that keep {} KiB", each / KIB);
            let truth = if seconds < 30 { of(each / 2) } else { of(each) };
            theme.world(name, truth, works(import, None, seconds, each));
        }
    }
    for modules in [1, 10, 28, 40] {
        for each in [0, 128 * KIB] {
            let name = format!(
                "modules come for {modules} s, then 40 s that keep {} KiB: about BEGUN_NS",
                each / KIB
            );
            theme.world(name, of(each), works(0, Some(modules), 40, each));
        }
    }
    for (name, unread) in [("a tenth less", 6), ("a tenth", 7), ("a tenth more", 8), ("nearly all", 3000)] {
        for (rise, what) in [(0, "nothing"), (200, "200 KiB"), (9000, "9 MiB")] {
            for (unit, word) in [(Step, "steps"), (Epoch, "epochs")] {
                let truth = if rise == 0 { Truth::Healthy } else { Truth::Either };
                let name = format!("{word}, {name} unread, and {what} at the end: about MIN_READ_RATIO");
                theme.world(name, truth, fast(unit, 64, unread, 0, rise * KIB, 1.0));
            }
        }
    }
    for each in [100, 400, 3000] {
        let report = fast(Step, 64, 2936, each, 0, 1.0);
        let truth = if each < 256 { Truth::Either } else { of(each) };
        theme.world(format!("3000 steps of {each} B, of which 64 are read"), truth, report);
    }
    for (ms, about) in [(0.015, "below"), (0.025, "above")] {
        let name = format!("3000 steps, and a reading {} ms after them, {about} LAST_MARK_NS", ms * 1e3);
        theme.world(name, Truth::Either, fast(Step, 64, 2936, 3000, 0, ms));
    }
    for (coarse, fine) in [(24, 2), (24, 3), (24, 40), (7, 40), (8, 40)] {
        for (of_coarse, of_fine) in [(0, 0), (24, 0), (0, 24)] {
            let name = format!(
                "{coarse} printed epochs of {fine} updates, keep {of_coarse} and {of_fine} KiB: about MIN_COARSER_RATIO"
            );
            let truth = if of_coarse + of_fine == 0 { Truth::Healthy } else { Truth::Either };
            theme.world(name, truth, nested(coarse, fine, of_coarse * KIB, of_fine * KIB));
        }
    }
    for of_coarse in [4, 12, 20, 24] {
        let name = format!("24 printed epochs of 100 updates, keep {of_coarse} KiB: about LONG_FLOOR_BYTES");
        let truth = if of_coarse < 16 { Truth::Either } else { Truth::Leak(of_coarse * KIB) };
        theme.world(name, truth, nested(24, 100, of_coarse * KIB, 0));
    }
    for (name, before, unit, after) in [
        ("3 epochs, then 60 requests served", 3, Served, 60),
        ("50 epochs, then 60 requests served", 50, Served, 60),
        ("70 epochs, then 60 requests served: about MIN_SPAN_RATIO", 70, Served, 60),
        ("12 epochs, then 9 evaluations", 12, Evaluate, 9),
        ("12 epochs, then 6 fits: about MIN_SPAN_RATIO", 12, Fit, 6),
        ("13 epochs, then 6 fits: about MIN_SPAN_RATIO", 13, Fit, 6),
    ] {
        for each in [0, 64 * KIB] {
            let mut w = World::new();
            for _ in 0..before {
                w.cycle(Epoch);
            }
            for _ in 0..after {
                w.takes(each).objects(3).cycle(unit);
            }
            let truth = if each == 0 { Truth::Healthy } else { Truth::Either };
            theme.world(format!("{name} that keep {} KiB", each / KIB), truth, w.ends(0).report());
        }
    }
}

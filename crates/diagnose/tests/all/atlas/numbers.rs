//! Numbers that a program notes, alone and beside what it keeps; short rounds that keep little in all.
//!
//! In: counts and sizes. Out: rows. What must not happen here: numbers that are no growth of live memory.

use nilometer_capture::CycleUnit::{self, Epoch, Served};
use nilometer_capture::Found;
use nilometer_diagnose::Report;

use super::table::{Theme, Truth};
use crate::world::{KIB, Noise, World, started};

const MAIN: &str = "/job/train.py:60 <module>";
const NOTES: &str = "/job/train.py:30 History.on_train_batch_end";
const KEEPS: &str = "/job/train.py:40 Keep.on_epoch_end";

/// Cycles of so many numbers each, with a block of so many bytes beside them if there is one.
fn notes(unit: CycleUnit, cycles: u64, seconds: f64, numbers: u64, beside: u64) -> Report {
    let mut w: World = started();
    if let CycleUnit::Found(found) = unit {
        w.fact(&found.fact(), "line:epoch # loss #");
    }
    w.fact("cwd", "/job").records(8 * KIB.unsigned_abs(), 7);
    let (noting, keeping) =
        (w.stack(&[MAIN, NOTES, "PyFloat_FromDouble"]), w.stack(&[MAIN, KEEPS, "malloc"]));
    for _ in 0..cycles {
        if numbers > 0 {
            w.makes(noting, 24, numbers);
        }
        if beside > 0 {
            w.makes(keeping, beside, 1);
        }
        w.objects(3).passes(seconds - 1.0).cycle(unit);
    }
    w.ends(0).report_with_names()
}

/// Cycles that keep three blocks of 3000 bytes each, of which every one is sampled, beside batches that come and go.
fn blocks(unit: CycleUnit, cycles: u64, seconds: f64) -> Report {
    let mut w: World = started();
    if let CycleUnit::Found(found) = unit {
        w.fact(&found.fact(), "line:epoch # loss #");
    }
    w.fact("cwd", "/job").records(256, 7);
    let keeping = w.stack(&[MAIN, KEEPS, "malloc"]);
    for cycle in 0..cycles {
        w.makes(keeping, 3000, 3);
        w.takes(if cycle % 2 == 0 { 40 * KIB } else { -40 * KIB });
        w.objects(3).passes(seconds - 1.0).cycle(unit);
    }
    w.ends(0).report_with_names()
}

/// Short rounds that keep so many bytes each, in a breath of so many.
fn breathes(unit: CycleUnit, cycles: u64, keeps: i64, breath: i64) -> Report {
    let mut w: World = started();
    if let CycleUnit::Found(found) = unit {
        w.fact(&found.fact(), "line:round # ok");
    }
    let (mut noise, mut last) = (Noise(41), 0);
    for _ in 0..cycles {
        let now = noise.bytes(breath);
        w.takes(keeps + now - last).objects(3).passes(0.1).ends_cycle(unit);
        last = now;
    }
    w.ends(0).report()
}

pub(crate) fn worlds(theme: &mut Theme) {
    let round = CycleUnit::Found(Found::new(0).unwrap());
    for numbers in [400, 1500, 3000, 4000, 6000, 20_000] {
        let name = format!("20 epochs note {numbers} numbers each: about TOLERANCE_RATIO");
        let truth = if numbers < 4000 { Truth::Healthy } else { Truth::Either };
        theme.world(name, truth, notes(Epoch, 20, 1.0, numbers, 0));
    }
    for beside in [3, 5, 18, 60] {
        let name = format!(
            "20 epochs note 1500 numbers and keep {beside} KiB: about MIN_OTHER_RATIO, MIN_CARRIED_RATIO"
        );
        let truth = if beside < 16 { Truth::Either } else { Truth::Leak(36_000 + beside * KIB) };
        theme.world(name, truth, notes(Epoch, 20, 1.0, 1500, (beside * KIB).unsigned_abs()));
    }
    for numbers in [100, 300, 600, 1000] {
        let name = format!("40 printed rounds of 0.2 s note {numbers} numbers: about LONG_FLOOR_BYTES");
        let truth = if numbers < 600 { Truth::Healthy } else { Truth::Either };
        theme.world(name, truth, notes(round, 40, 0.2, numbers, 0));
    }
    for bytes in [2000, 3000, 4000, 12_000] {
        let name = format!("40 printed rounds of 0.2 s keep {bytes} B: about MIN_KEPT_BY_FOUND_BYTES");
        let truth = if bytes <= 4000 { Truth::Either } else { Truth::Leak(bytes) };
        theme.world(name, truth, notes(round, 40, 0.2, 0, bytes.unsigned_abs()));
    }
    for seconds in [1.0, 5.0] {
        let name =
            format!("14 printed rounds of {seconds} s keep 9000 B in blocks: about MIN_KEPT_BY_FOUND_BYTES");
        theme.world(name, Truth::Either, blocks(round, 14, seconds));
    }
    theme.world("100 requests note 1500 numbers each", Truth::Leak(36_000), notes(Served, 100, 1.0, 1500, 0));
    for breath in [20, 60, 120, 250] {
        for keeps in [0, 1, 3, 12] {
            let name = format!(
                "60 rounds of 0.1 s that keep {keeps} KiB in a breath of {breath} KiB: about MAX_UNSEEN_FLOORS"
            );
            // 3 KiB in each of 60 rounds are less in all than any process breathes.
            let truth = match keeps {
                0 => Truth::Healthy,
                12 => Truth::Leak(12 * KIB),
                _ => Truth::Either,
            };
            theme.world(name, truth, breathes(round, 60, keeps * KIB, breath * KIB));
        }
    }
}

//! Containers that are seen to grow, where live memory moves too much to show it.
//!
//! In: what scans tell of a list. Out: rows. What must not happen here: counters that show the growth by themselves.

use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::Report;

use super::holders::{LIST, Told};
use super::table::{Theme, Truth};
use crate::world::{KIB, started};

/// Twenty epochs that keep so much, in a breath of 300 KiB; scans after these see a list with elements in proportion.
fn in_noise(keeps: i64, told: &Told, per_epoch: f64, at: &[u64]) -> Report {
    let mut w = started();
    w.fact("cwd", "/job");
    let mut length = 0;
    for epoch in 1..=20_u64 {
        let breath = [200, -350, 300, -150][epoch as usize % 4] * KIB;
        w.takes(keeps + breath).objects(100).cycle(Epoch);
        if at.contains(&epoch) {
            let now = (per_epoch * epoch as f64) as u64;
            told.is_seen(&mut w, epoch, now, now - length);
            length = now;
        }
    }
    w.ends(0);
    w.report_with_names()
}

pub(crate) fn worlds(theme: &mut Theme) {
    let third = [6, 9, 12, 15, 18];
    for bytes in [0, 3000, 6000, 7500, 12_000, 15_000, 18_000, 27_000, 60_000, 250_000] {
        let told = Told { bytes: bytes / 2, ..LIST };
        let truth = if bytes > 18_000 { Truth::Leak(bytes.cast_signed()) } else { Truth::Either };
        let name = format!(
            "a list gets {bytes} B an epoch in a breath of 300 KiB: about EVEN_FLOOR_RATIO and the floor"
        );
        theme.world(name, truth, in_noise(bytes.cast_signed(), &told, 2.0, &third));
    }
    for each in [700_u64, 900, 1200, 4000] {
        let told = Told { bytes: each, ..LIST };
        let name = format!("a list gets 10 elements of {each} B an epoch: about MIN_HEAVY_BYTES");
        theme.world(name, Truth::Either, in_noise(10 * each.cast_signed(), &told, 10.0, &third));
    }
    for (name, at) in [
        ("once", vec![18]),
        ("twice, fewer than MIN_TOLD_ALONE", vec![15, 18]),
        ("three times, MIN_TOLD_ALONE", vec![12, 15, 18]),
        ("three times in all epochs from the ninth", vec![9, 14, 19]),
        ("until epoch 12, before LATE_RATIO", vec![3, 6, 9, 12]),
        ("until epoch 14, about LATE_RATIO", vec![5, 8, 11, 14]),
        ("until epoch 16, after LATE_RATIO", vec![7, 10, 13, 16]),
        ("for the last 3 epochs, less than MIN_WATCHED_CYCLES", vec![17, 18, 19, 20]),
        ("for the last 6 epochs, MIN_WATCHED_CYCLES", vec![14, 16, 18, 20]),
    ] {
        let told = Told { bytes: 2765, ..LIST };
        let name = format!("a list of 27 KiB an epoch in a breath of 300 KiB is told of {name}");
        theme.world(name, Truth::Either, in_noise(27 * KIB, &told, 10.0, &at));
    }
    for (per_epoch, bytes) in
        [(1.0, 400), (1.0, 480), (1.0, 560), (1.0, 900), (0.7, 900), (0.85, 900), (2.0, 900)]
    {
        let told = Told { bytes, native: true, ..LIST };
        for keeps in [27, 120] {
            let name = format!(
                "a list gets {per_epoch} native things of {bytes} B, epochs keep {keeps} KiB: about MIN_NATIVE_ELEMENTS, MIN_NATIVE_BYTES"
            );
            theme.world(name, Truth::Leak(keeps * KIB), in_noise(keeps * KIB, &told, per_epoch, &third));
        }
    }
    for (name, told) in [
        ("shares its elements", Told { shared: true, ..LIST }),
        ("has a bound in reach", Told { bound: Some(400), ..LIST }),
        ("has a bound out of reach", Told { bound: Some(1 << 20), ..LIST }),
        ("is weighed in part", Told { partial: true, ..LIST }),
    ] {
        let told = Told { bytes: 2765, ..told };
        let name = format!("a list of 27 KiB an epoch in a breath of 300 KiB {name}");
        theme.world(name, Truth::Either, in_noise(27 * KIB, &told, 10.0, &third));
    }
    for percent in [100_u64, 60, 45, 30, 10] {
        let told = Told { bytes: 410, ..LIST };
        let mut w = started();
        w.fact("cwd", "/job");
        let (mut length, mut told_length) = (0, 0);
        for epoch in 1..=24_u64 {
            let now = if epoch > 12 { percent } else { 100 };
            length += now;
            let breath = [200, -350, 300, -150][epoch as usize % 4] * KIB;
            w.takes(40 * KIB * now.cast_signed() / 100 + breath).objects(100).cycle(Epoch);
            if epoch % 3 == 0 {
                told.is_seen(&mut w, epoch, length, length - told_length);
                told_length = length;
            }
        }
        let name = format!("a list of 40 KiB an epoch, later {percent} % as fast: about SLOWED_RATIO");
        theme.world(name, Truth::Either, w.ends(0).report_with_names());
    }
}

//! Growth that may be garbage: containers that were made, collections that were seen, and what the one at exit frees.
//!
//! In: bytes and containers for each epoch. Out: rows. What must not happen here: collections that come again and again; `post_collection_bound.rs`
//! has those.

use nilometer_capture::CycleUnit::{Epoch, Fit};
use nilometer_diagnose::Report;

use super::table::{Theme, Truth, of};
use crate::world::{KIB, MIB, World, started};

/// So many epochs with bytes and containers for each, and what follows.
fn makes(epochs: u64, bytes: i64, containers: u64, then: impl FnOnce(&mut World)) -> Report {
    let mut w = started();
    for _ in 0..epochs {
        w.takes(bytes).objects(containers).cycle(Epoch);
    }
    then(&mut w);
    w.report()
}

/// Twenty epochs that keep some bytes and leave garbage, which waits; a full collection comes early, others later.
fn collected(keeps: i64, garbage: i64, objects: u64, at: &[i64]) -> Report {
    let mut w = started();
    let (mut waits, mut count) = (0, 0);
    for epoch in 1..=24 {
        w.takes(keeps + garbage).objects(objects);
        (waits, count) = (waits + garbage, count + objects);
        if at.contains(&epoch) {
            w.frees(2, count, waits);
            (waits, count) = (0, 0);
        }
        w.cycle(Epoch);
    }
    w.ends_with(count, waits);
    w.report()
}

/// Eighteen epochs, of which the last six are read without malloc's figures. A full collection after the 16th frees so much.
fn collected_unread(freed: i64) -> Report {
    let mut w = started();
    for epoch in 1..=18 {
        w.takes(2 * MIB).objects(2700).heap_is_read(epoch <= 12).cycle(Epoch);
        if epoch == 16 {
            w.frees(2, 7300, freed);
        }
    }
    w.heap_is_read(true).ends_with(2900, MIB);
    w.report()
}

/// Exits that say less than others of the garbage before them.
fn exits(theme: &mut Theme) {
    for percent in [0, 50, 90] {
        let report = collected_unread(16 * 2 * MIB * percent / 100);
        let truth = if percent < 90 { Truth::Either } else { Truth::Healthy };
        theme.world(format!("a full collection after the last point frees {percent} %"), truth, report);
    }
    for (torch, truth) in [("with PyTorch", Truth::Either), ("without PyTorch", of(320 * KIB))] {
        let mut w = started();
        if torch == "with PyTorch" {
            w.fact("framework.torch", "2.15.0");
        }
        for _ in 0..20 {
            w.takes(960 * KIB).objects(1500).cycle(Fit);
        }
        w.ends_with(29_000, 20 * 640 * KIB);
        let name = format!("20 fits of 960 KiB, of which the exit frees 640, {torch}");
        theme.world(name, truth, w.report());
    }
}

pub(crate) fn worlds(theme: &mut Theme) {
    for containers in [0, 50, 100, 200, 250, 270, 290, 320, 400, 2000] {
        let truth = if containers <= 250 { Truth::Leak(300 * KIB) } else { Truth::Either };
        let name = format!("300 KiB and {containers} containers an epoch, killed: about MAX_OBJECT_BYTES");
        theme.world(name, truth, makes(24, 300 * KIB, containers, |_| ()));
    }
    for percent in [0, 20, 50, 80, 95, 100, 105, 130] {
        for (bytes, what) in [(160 * KIB, "160 KiB"), (2 * MIB, "2 MiB")] {
            let freed = 20 * bytes * percent / 100;
            let kept = bytes - bytes * percent.min(100) / 100;
            let truth = if (80..100).contains(&percent) { Truth::Either } else { of(kept) };
            let name = format!("20 epochs of {what}, {percent} % of which the exit collection frees");
            theme.world(name, truth, makes(20, bytes, (bytes / 250) as u64, |w| _ = w.ends(freed)));
        }
    }
    exits(theme);
    for each in [60, 150, 200, 320, 600, 2000, 20_000] {
        let name = format!(
            "20 epochs of 160 KiB, freed at exit with {each} bytes an object: about GARBAGE_OBJECT_BYTES"
        );
        let objects = 160 * 1024 / each;
        let report = makes(20, 160 * KIB, objects, |w| _ = w.ends_with(20 * objects, 20 * 160 * KIB));
        theme.world(name, Truth::Healthy, report);
    }
    for kib in [100, 250, 300, 400, 800] {
        let report = makes(20, 20 * KIB, 80, |w| _ = w.ends_with(40, kib * KIB));
        let name = format!("20 KiB an epoch, and {kib} KiB of few objects go at exit: about FREE_LISTS");
        theme.world(name, Truth::Leak(20 * KIB), report);
    }
    for (name, at) in [
        ("a full collection at epoch 4", vec![4]),
        ("a full collection at epoch 12", vec![12]),
        ("a full collection at epoch 22", vec![22]),
        ("full collections at 10 and 12, nearer than LEAST_SPAN", vec![10, 12]),
        ("full collections at 6 and 12 of 24, nearer than COVER", vec![6, 12]),
        ("full collections at 6 and 16 of 24, farther than COVER", vec![6, 16]),
        ("full collections at 5, 10, 15, 20", vec![5, 10, 15, 20]),
        ("no full collection", vec![]),
    ] {
        for keeps in [0, 60, 400] {
            let name = format!("200 KiB of garbage an epoch, {name}; keeps {keeps} KiB");
            theme.world(name, of(keeps * KIB), collected(keeps * KIB, 200 * KIB, 800, &at));
        }
    }
    for weight in [100, 200, 300, 600, 2000] {
        let garbage = 400 * weight;
        let mut w = started();
        w.takes(garbage);
        for epoch in 1..=24 {
            w.takes(300 * KIB).objects(150);
            if epoch == 8 {
                w.frees(1, 400, garbage);
            }
            w.cycle(Epoch);
        }
        let name = format!(
            "300 KiB and 150 containers an epoch, killed; old garbage weighed {weight} B: about WEIGHT_MARGIN"
        );
        theme.world(name, Truth::Either, w.report());
    }
    for (name, is_on, is_read, version) in [
        ("the collector is switched off", false, true, "3.12.1"),
        ("nobody reads the collector", true, false, "3.12.1"),
        ("Python 3.11", true, true, "3.11.4"),
        ("Python 3.13", true, true, "3.13.0"),
    ] {
        let mut w = started();
        w.fact("python.version", version);
        w.collects_by_itself = is_on;
        w.collector_is_read(is_read);
        for _ in 0..24 {
            w.takes(2 * MIB).objects(1500).cycle(Epoch);
        }
        let truth = if is_on { Truth::Either } else { Truth::Leak(2 * MIB) };
        theme.world(format!("2 MiB and 1500 containers an epoch, killed: {name}"), truth, w.report());
    }
    for keeps in [0, 30, 180, 1000] {
        let mut w = started();
        for fold in 1..=12 {
            w.takes((211 + keeps) * KIB).objects(700);
            if fold == 5 {
                w.frees(1, 1094, 583 * KIB);
            }
            w.cycle(Epoch).cycle(Epoch).cycle(Fit);
        }
        w.takes(-275 * KIB).ends_with(5408, (5857 + 12 * keeps) * KIB);
        let name = format!("12 fits with garbage of 309 bytes an object, and {keeps} KiB that main() held");
        theme.world(name, of(keeps * KIB), w.report());
    }
}

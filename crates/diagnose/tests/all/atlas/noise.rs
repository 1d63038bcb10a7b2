//! Noise around a level, around a growth, and batches that are in flight at some ends of epochs.
//!
//! In: amplitudes, and what stays. Out: rows. What must not happen here: a recorder, which would see what passes.

use nilometer_capture::CycleUnit::{Epoch, Request};
use nilometer_diagnose::Report;

use super::table::{Theme, Truth, of};
use crate::world::{KIB, MIB, Noise, World, started};

/// So many cycles with a level of its own each, and what stays.
fn levels(epochs: i64, keeps: i64, mut level: impl FnMut(i64) -> i64) -> World {
    let mut w = started();
    let mut last = 0;
    for epoch in 1..=epochs {
        let now = level(epoch);
        w.takes(keeps + now - last).objects(50).cycle(Epoch);
        last = now;
    }
    w.ends(0);
    w
}

fn noisy(seed: u64, epochs: i64, keeps: i64, amplitude: i64) -> Report {
    let mut noise = Noise(seed * 7919);
    levels(epochs, keeps, |_| noise.bytes(amplitude)).report()
}

/// A batch of so many bytes is in flight at every end of an epoch but each third; the level that returns differs by so much.
fn in_flight(epochs: i64, keeps: i64, batch: i64, differ: i64) -> Report {
    let mut noise = Noise(31);
    levels(epochs, keeps, |epoch| {
        let low = noise.bytes(differ);
        if epoch % 3 == 0 { low } else { batch + low }
    })
    .report()
}

pub(crate) fn worlds(theme: &mut Theme) {
    for kib in [10, 100, 200, 400, 1000, 4000] {
        for keeps in [0, 40, 200] {
            let name =
                format!("noise of {kib} KiB in 24 epochs that keep {keeps} KiB: about TOLERANCE_RATIO");
            theme.world(name, of(keeps * KIB), noisy(3, 24, keeps * KIB, kib * KIB));
        }
    }
    for epochs in [9, 12, 16, 40] {
        for keeps in [0, 40] {
            let name =
                format!("noise of 400 KiB in {epochs} epochs that keep {keeps} KiB: about MAX_NEEDED_RATIO");
            theme.world(name, of(keeps * KIB), noisy(5, epochs, keeps * KIB, 400 * KIB));
        }
    }
    for (name, epochs, batch, differ) in [
        ("8 points, as many as returns.rs needs", 10, 6400, 10),
        ("7 points, fewer than LEAST_POINTS of returns.rs", 9, 6400, 10),
        ("the low levels differ by 2 %, within MAX_CHANCE", 30, 6400, 64),
        ("the low levels differ by 8 %, about MAX_CHANCE", 30, 6400, 256),
        ("the low levels differ by 20 %, beyond MAX_CHANCE", 30, 6400, 640),
        ("a small batch", 30, 400, 4),
    ] {
        // Few points decide nothing, whatever stays.
        for keeps in [0, 60].into_iter().take(if epochs > 10 { 2 } else { 1 }) {
            let report = in_flight(epochs, keeps * KIB, batch * KIB, differ * KIB);
            let name = format!("a batch of {batch} KiB in flight, {name}; keeps {keeps} KiB");
            theme.world(name, of(keeps * KIB), report);
        }
    }
    for (name, drop) in [("1 MiB", MIB), ("20 MiB", 20 * MIB)] {
        for keeps in [0, 300] {
            let report = levels(30, keeps * KIB, |epoch| if epoch > 15 { -drop } else { 0 }).report();
            let name = format!("memory falls by {name} in the middle; 30 epochs keep {keeps} KiB");
            theme.world(name, of(keeps * KIB), report);
        }
    }
    for keeps in [0, 1, 3, 8] {
        let mut noise = Noise(77);
        let mut w = started();
        let mut last = 0;
        for _ in 0..60 {
            let now = noise.bytes(60 * KIB);
            w.takes(keeps * KIB + now - last).objects(30).cycle(Request);
            last = now;
        }
        let truth = if keeps == 1 { Truth::Either } else { of(keeps * KIB) };
        theme.world(
            format!("noise of 60 KiB in 60 requests that keep {keeps} KiB"),
            truth,
            w.ends(0).report(),
        );
    }
    for keeps in [0, 300, 2000] {
        let mut w = started();
        w.without_heap();
        for _ in 0..24 {
            w.takes(keeps * KIB).objects(50).cycle(Epoch);
        }
        let name = format!("an allocator that cannot be asked, and {keeps} KiB an epoch");
        theme.world(name, of(keeps * KIB), w.ends(0).report());
    }
}

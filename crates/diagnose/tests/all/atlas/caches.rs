//! Steps, staircases, tables that double, and caches that level off.
//!
//! In: the epochs and sizes of steps, and time constants. Out: rows. What must not happen here: garbage; nothing is given back.

use super::start_up::adds;
use super::table::{Theme, Truth, of};
use crate::world::{KIB, MIB, started};
use nilometer_capture::CycleUnit::Served;

/// What a cache of so many bytes takes in an epoch, that fills by a constant share of what is left.
fn fills(bytes: i64, time: f64, epoch: i64) -> i64 {
    let at = |epoch: i64| bytes as f64 * (1.0 - (-(epoch as f64) / time).exp());
    (at(epoch) - at(epoch - 1)) as i64
}

pub(crate) fn worlds(theme: &mut Theme) {
    for time in [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 60, 200] {
        let report = adds(30, |epoch| fills(12 * MIB, f64::from(time), epoch));
        let truth = if time > 10 { Truth::Either } else { Truth::Healthy };
        theme.world(
            format!("a cache that fills within {time} epochs, of 30: about MAX_UNSETTLED_RATIO"),
            truth,
            report,
        );
    }
    for (epochs, times) in [(12, 2..=5), (16, 3..=7), (20, 4..=9)] {
        for time in times {
            let report = adds(epochs, |epoch| fills(12 * MIB, f64::from(time), epoch));
            let name =
                format!("a cache that fills within {time} epochs, of {epochs}: about MAX_UNSETTLED_RATIO");
            theme.world(name, Truth::Either, report);
        }
    }
    of_requests(theme);
    for time in [4, 8, 12] {
        for keeps in [30, 120, 500] {
            let report = adds(30, |epoch| fills(12 * MIB, f64::from(time), epoch) + keeps * KIB);
            theme.world(
                format!("a cache that fills within {time} epochs, and {keeps} KiB an epoch"),
                of(keeps * KIB),
                report,
            );
        }
    }
    for places in [
        vec![5],
        vec![12],
        vec![24],
        vec![5, 20],
        vec![10, 20],
        vec![5, 10, 15],
        vec![6, 12, 18],
        vec![8, 16, 24],
        vec![8, 15, 22, 29],
        vec![6, 12, 18, 24, 30],
        vec![4, 9, 14, 19, 24, 29],
        vec![4, 8, 16],
        vec![3, 6, 12, 24],
    ] {
        let count = places.len();
        let report = adds(30, |epoch| if places.contains(&epoch) { 2 * MIB } else { 0 });
        let truth = if count <= 2 { Truth::Healthy } else { Truth::Either };
        theme.world(
            format!("{count} equal steps, at epochs {places:?}: about MIN_CARRIED_BY_MANY_RATIO"),
            truth,
            report,
        );
    }
    for percent in [12, 18, 25, 28, 33, 38, 45] {
        // Without the two biggest epochs this share of 6 MiB is left, over 20 of them.
        let small = 6144 * percent / 100 / 20;
        let big = (6144 - 20 * small) / 2;
        let report = adds(24, |epoch| KIB * if epoch == 9 || epoch == 15 { big } else { small });
        let name = format!(
            "24 epochs, {percent} % of the rise is left without two: about MIN_CARRIED_BY_MANY_RATIO"
        );
        theme.world(name, Truth::Either, report);
    }
    for (name, at, kib) in [
        ("a step of 900 KiB at epoch 5, below MIN_FILLING_BYTES", 5, 900),
        ("a step of 1100 KiB at epoch 5, above MIN_FILLING_BYTES", 5, 1100),
        ("a step of 4 MiB at epoch 7 of 24: level for 2.4 times as long, below LONGER_RATIO", 7, 4096),
        ("a step of 4 MiB at epoch 6 of 24: level for 3 times as long, above LONGER_RATIO", 6, 4096),
    ] {
        let report = adds(24, |epoch| if epoch == at { kib * KIB } else { 8 * KIB * (epoch % 2) });
        theme.world(name, Truth::Healthy, report);
    }
    for (name, lesser) in [("below", 900), ("above", 1100)] {
        let report = adds(24, |epoch| match epoch {
            5 => 4096 * KIB,
            12 => lesser * KIB,
            _ => 0,
        });
        let name = format!("a step of 4 MiB at epoch 5 of 24 and of {lesser} KiB at 12, {name} LESSER");
        theme.world(name, Truth::Healthy, report);
    }
    for every in [2, 3, 4, 5, 6, 7, 9] {
        let report = adds(40, |epoch| if epoch % every == 0 { 3 * MIB } else { 0 });
        let truth = if every > 6 { Truth::Either } else { of(3 * MIB / every) };
        theme.world(format!("3 MiB in every epoch by {every}, of 40"), truth, report);
    }
    for percent in [50, 70, 90, 95, 98] {
        let left = f64::from(percent) / 100.0;
        let report = adds(24, |epoch| (MIB as f64 * left.powi(epoch as i32 / 3)) as i64);
        let name = format!("1 MiB at first, and {percent} % of it after each three epochs");
        theme.world(name, Truth::Either, report);
    }
    for (name, power) in [("square root", 0.5), ("power of 1.5", 1.5), ("square", 2.0)] {
        let at = |epoch: i64| (200.0 * KIB as f64 * (epoch as f64).powf(power)) as i64;
        let report = adds(30, |epoch| at(epoch) - at(epoch - 1));
        theme.world(format!("200 KiB times the {name} of the epoch"), Truth::Either, report);
    }
}

/// Caches of a service, that fill within many requests.
fn of_requests(theme: &mut Theme) {
    for time in [3_000, 8_000, 20_000, 60_000] {
        let mut w = started();
        for request in 1..=60_000 {
            w.takes(fills(24 * MIB, f64::from(time), request)).objects(3);
            if request % 300 == 0 || request < 300 {
                w.cycle(Served)
            } else {
                w.unread_cycles(Served, 1)
            };
        }
        let truth = if time > 20_000 { Truth::Either } else { Truth::Healthy };
        let name =
            format!("a cache that fills within {time} requests served, of 60,000: about REQUESTS_RISE_BYTES");
        theme.world(name, truth, w.ends(0).report());
    }
}

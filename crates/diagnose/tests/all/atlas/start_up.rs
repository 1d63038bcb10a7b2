//! Start-ups: how long they take, how much they bring, and what follows them; growth that begins late, ends, or pauses.
//!
//! In: the bytes that each epoch adds. Out: rows. What must not happen here: garbage; nothing is given back.

use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::Report;

use super::table::{Theme, Truth, of};
use crate::world::{KIB, MIB, Noise, started};

/// So many epochs; each, from the first, adds what is told of it.
pub(crate) fn adds(epochs: i64, each: impl Fn(i64) -> i64) -> Report {
    let mut w = started();
    for epoch in 1..=epochs {
        w.takes(each(epoch)).objects(50).cycle(Epoch);
    }
    w.ends(0).report()
}

/// The same in a program whose live memory is so many times as large.
pub(crate) fn adds_to(live: i64, epochs: i64, each: impl Fn(i64) -> i64) -> Report {
    let mut w = started();
    w.takes(live);
    for epoch in 1..=epochs {
        w.takes(each(epoch)).objects(50).cycle(Epoch);
    }
    w.ends(0).report()
}

pub(crate) fn worlds(theme: &mut Theme) {
    for long in [0, 1, 2, 3, 4, 5, 6, 8, 11] {
        for keeps in [0, 100 * KIB] {
            let start = move |epoch: i64| if epoch <= long { 4 * MIB / epoch } else { 0 };
            let then = if keeps == 0 { "nothing" } else { "100 KiB an epoch" };
            let name = format!("start-up of {long} epochs, ever less, then {then}");
            theme.world(name, of(keeps), adds(24, |epoch| start(epoch) + keeps));
        }
    }
    for (name, long, kib) in [
        ("4 even epochs of 1200 KiB, as long as LONG_START_CYCLES", 4, 1200),
        ("5 even epochs of 1200 KiB, longer than LONG_START_CYCLES", 5, 1200),
        ("7 even epochs of 330 KiB: rise beyond LONG_START_CYCLES 990 KiB, below MIN_FILLING_BYTES", 7, 330),
        ("7 even epochs of 360 KiB: rise beyond LONG_START_CYCLES 1080 KiB, above MIN_FILLING_BYTES", 7, 360),
        ("7 even epochs of 2 MiB", 7, 2048),
        ("9 even epochs of 100 KiB", 9, 100),
    ] {
        for keeps in [0, 40 * KIB] {
            let each = |epoch: i64| if epoch <= long { kib * KIB } else { 0 };
            let then = if keeps == 0 { "nothing" } else { "40 KiB an epoch" };
            theme.world(format!("{name}, then {then}"), of(keeps), adds(24, |e| each(e) + keeps));
        }
    }
    let measured = [41, 60, 26, 14, 10, 11, 17, 12, 9, 9, 8, 11, 10, 5, 11, 10, -126, 1, 10, 9, 8, 9, 10, 7];
    for keeps in [0, 8, 16, 30, 100] {
        let each = |epoch: i64| (measured[epoch as usize - 1] + keeps) * KIB;
        let truth = if keeps == 8 { Truth::Either } else { of(keeps * KIB) };
        theme.world(
            format!("a start-up as it was measured, and {keeps} KiB an epoch"),
            truth,
            adds(24, each),
        );
    }
    for (name, mib) in [("200 MiB", 0), ("1 GiB", 800), ("4 GiB", 3800)] {
        for keeps in [20, 60, 120, 500, 2500] {
            let breath = |epoch: i64| [90, -200, 160, -50][epoch as usize % 4] * KIB;
            let report = adds_to(mib * MIB, 24, |epoch| keeps * KIB + breath(epoch));
            let name =
                format!("{keeps} KiB an epoch and a breath of 200 KiB on {name}, about TOLERANCE_RATIO");
            theme.world(name, of(keeps * KIB), report);
        }
    }
}

pub(crate) fn onsets(theme: &mut Theme) {
    for (what, each) in [("1 MiB", MIB), ("60 KiB", 60 * KIB)] {
        for from in [4, 8, 12, 16, 20, 23, 24, 25, 26, 28] {
            let report = adds(30, |epoch| if epoch >= from { each } else { 0 });
            let truth = if from > 25 { Truth::Either } else { of(each) };
            theme.world(format!("{what} an epoch, from epoch {from} of 30 on"), truth, report);
        }
        for until in [5, 8, 12, 16, 20, 23, 24, 25, 26, 28] {
            let report = adds(30, |epoch| if epoch <= until { each } else { 0 });
            let truth = if until > 24 { Truth::Either } else { Truth::Healthy };
            theme.world(format!("{what} an epoch, until epoch {until} of 30"), truth, report);
        }
    }
    for (first, then) in [(100, 1000), (1000, 100), (1000, 20), (20, 100), (300, 200), (200, 300)] {
        let report = adds(30, |epoch| KIB * if epoch <= 15 { first } else { then });
        theme.world(
            format!("{first} KiB an epoch, and {then} KiB from the sixteenth on"),
            of(then * KIB),
            report,
        );
    }
    for pause in [2, 5, 8, 12] {
        let report = adds(30, |epoch| if (10..10 + pause).contains(&epoch) { 0 } else { 200 * KIB });
        theme.world(format!("200 KiB an epoch, with a pause of {pause} epochs"), Truth::Either, report);
    }
    for until in [10, 12, 14, 16, 18] {
        for kib in [80, 300] {
            let mut noise = Noise(until as u64);
            let breath: Vec<i64> = (0..=30).map(|_| noise.bytes(100 * KIB)).collect();
            let report = adds(30, |epoch| {
                let at = epoch as usize;
                (if epoch <= until { kib * KIB } else { 0 }) + breath[at] - breath[at - 1]
            });
            let name = format!("{kib} KiB an epoch until epoch {until}, in noise of 100 KiB");
            theme.world(name, Truth::Healthy, report);
        }
    }
}

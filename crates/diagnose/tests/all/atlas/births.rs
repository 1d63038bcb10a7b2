//! How a line's memory comes and goes over the cycles: turned over, slowed, carried by few, sampled closely late, replaced.
//!
//! In: births and deaths of each cycle. Out: rows. What must not happen here: counters that show the growth by themselves.

use std::collections::VecDeque;

use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::Report;

use super::sites::{CALLBACK, FIT, OWN};
use super::table::{Theme, Truth, of};
use crate::world::recorder::Made;
use crate::world::{KIB, MIB, Noise, World, started};

/// So many epochs in a breath of 1.2 MiB, of which each does something at a stack of the user's.
fn breathes(epochs: u64, mut each: impl FnMut(&mut World, u64, u64)) -> Report {
    let mut noise = Noise(17);
    let mut w = started();
    w.fact("cwd", "/job").records(4 << 10, 11);
    let stack = w.stack(OWN);
    for epoch in 1..=epochs {
        each(&mut w, stack, epoch);
        let breath = noise.bytes(1200 * KIB);
        w.takes(breath).objects(40).cycle(Epoch).takes(-breath);
    }
    w.ends(0);
    w.report_with_names()
}

/// A line that keeps 96 KiB in each of 24 epochs, and gives back blocks that it made at first: this share of what it keeps.
fn turns_over(percent: u64, beside: i64) -> Report {
    let mut first: VecDeque<Made> = VecDeque::new();
    breathes(24, |w, stack, epoch| {
        w.takes(beside).makes(stack, 8 << 10, 12);
        if epoch == 1 {
            first.extend((0..264 * percent / 100).map(|_| w.makes(stack, 8 << 10, 1)));
        }
        if epoch >= 6 {
            let many = first.len().div_ceil(25 - epoch as usize);
            first.drain(..many).for_each(|made| _ = w.gives_back(made));
        }
    })
}

/// A line that keeps so many blocks of 8 KiB in an epoch.
fn keeps(epochs: u64, blocks: impl Fn(u64) -> u64) -> Report {
    breathes(epochs, |w, stack, epoch| _ = w.makes(stack, 8 << 10, blocks(epoch)))
}

/// The same beside 2 MiB of an epoch that no recorder saw: counters show a growth, and findings whether the line is one of it.
fn keeps_beside(epochs: u64, blocks: impl Fn(u64) -> u64) -> Report {
    breathes(epochs, |w, stack, epoch| _ = w.takes(2 * MIB).makes(stack, 8 << 10, blocks(epoch)))
}

/// Blocks of each epoch, where the first half of them makes so many tenths of what the second does.
fn slowed(epochs: u64, tenths: u64) -> impl Fn(u64) -> u64 {
    move |epoch| if epoch <= epochs / 2 { 2 * tenths } else { 20 }
}

/// A ring, or a reservoir that another line keeps up once it is full: this many of its blocks change in an epoch.
fn replaces(changes: u64, keeps: u64, by_another: bool, size: u64) -> Report {
    let mut held: VecDeque<Made> = VecDeque::new();
    breathes(24, |w, stack, _| {
        let fill = if by_another { w.stack(&[FIT]) } else { stack };
        if held.is_empty() {
            held.extend((0..160).map(|_| w.makes(fill, size, 1)));
        }
        for nth in 0..changes {
            let made = w.makes(stack, size, 1);
            held.push_back(made);
            if nth >= keeps {
                let oldest = held.pop_front().unwrap();
                w.gives_back(oldest);
            }
        }
    })
}

pub(crate) fn worlds(theme: &mut Theme) {
    for percent in [0, 8, 13, 17, 25, 35, 60, 100] {
        let name = format!(
            "a line keeps 96 KiB an epoch and gives back {percent} % of it: about MAX_TURNOVER_ALONE_RATIO and MAX_TURNOVER_RATIO"
        );
        let truth = if percent > 13 { Truth::Either } else { of(96 * KIB) };
        theme.world(name, truth, turns_over(percent, 0));
    }
    for percent in [17, 25, 28, 33, 37, 60] {
        let name =
            format!("the same beside 2 MiB an epoch, and gives back {percent} %: about MAX_TURNOVER_RATIO");
        theme.world(name, Truth::Either, turns_over(percent, 2 * MIB));
    }
    for tenths in [5, 7, 10, 14, 16, 18, 19, 22, 30] {
        // In few epochs less decides.
        let few = if (10..=16).contains(&tenths) { 2 } else { 1 };
        for (epochs, many) in [(24, "24 epochs"), (9, "9 epochs")].into_iter().take(few) {
            let blocks = slowed(epochs, tenths);
            let name = format!(
                "{many}, the early ones keep {}.{} times as much as the late: about MAX_UNEVEN_ALONE_RATIO, MAX_UNEVEN_RATIO, MAX_SLOWED_RATIO",
                tenths / 10,
                tenths % 10
            );
            theme.world(name, Truth::Either, keeps(epochs, blocks));
        }
    }
    for percent in [5, 12, 18, 25, 40, 48, 55, 70] {
        // Without the two biggest epochs this share of 2 MiB is left, over 20 of them.
        let small = 256 * percent / 100 / 20;
        let big = (256 - 20 * small) / 2;
        let blocks = |epoch: u64| if epoch == 9 || epoch == 15 { big } else { small };
        let name = format!(
            "22 epochs, {percent} % is left without two: about MIN_LEFT_RATIO of the sites and MIN_LEFT_ALONE_RATIO"
        );
        theme.world(name, Truth::Either, keeps(24, blocks));
    }
    for (epochs, tenths) in
        [(24, 4), (24, 6), (24, 16), (24, 19), (24, 23), (24, 28), (24, 40), (8, 13), (8, 17), (8, 23)]
    {
        let blocks = slowed(epochs, tenths);
        let name = format!(
            "{epochs} epochs that keep 2 MiB besides, the early ones {}.{} times as much as the late: about MAX_UNEVEN_RATIO, MAX_SLOWED_RATIO, DIFFER_DEVIATIONS",
            tenths / 10,
            tenths % 10
        );
        theme.world(name, Truth::Either, keeps_beside(epochs, blocks));
    }
    for percent in [10, 15, 18, 22, 27, 40] {
        let small = 2560 * percent / 100 / 20;
        let big = (2560 - 20 * small) / 2;
        let blocks = |epoch: u64| if epoch == 9 || epoch == 15 { big } else { small };
        let name = format!(
            "24 epochs that keep 2 MiB besides, {percent} % is left without two: about MIN_LEFT_RATIO of the sites"
        );
        theme.world(name, Truth::Either, keeps_beside(24, blocks));
    }
    sampled_closely(theme);
    turned_over(theme);
}

/// Sampled closely from an epoch on.
fn sampled_closely(theme: &mut Theme) {
    for from in [2, 4, 6, 8, 9, 10, 12, 16] {
        let report = breathes(24, |w, stack, epoch| {
            w.recorder.mean = if epoch < from { 1 << 20 } else { 2 << 10 };
            w.makes(stack, 8 << 10, 6);
        });
        let name =
            format!("48 KiB in each of 24 epochs, sampled closely from epoch {from} on: about SOON_RATIO");
        theme.world(name, Truth::Leak(48 * KIB), report);
    }
    for chance in [20, 40, 60, 90] {
        let report = breathes(24, |w, stack, epoch| {
            let coarse = (-(8192.0 / (1.0 - f64::from(chance) / 100.0).ln())) as u64;
            w.recorder.mean = if epoch < 7 { coarse } else { 2 << 10 };
            w.makes(stack, 8 << 10, 6);
        });
        let name = format!(
            "48 KiB in each of 24 epochs, the first 6 sampled with {chance} %: about MIN_CLOSE_CHANCE"
        );
        theme.world(name, Truth::Leak(48 * KIB), report);
    }
}

/// What one line gives back while another makes as much; growth that begins late.
fn turned_over(theme: &mut Theme) {
    for (changes, more) in [(8, 0), (8, 3), (8, 4), (8, 5), (8, 8), (40, 10)] {
        for by_another in [false, true] {
            let who = if by_another { "another line" } else { "its own line" };
            let name = format!(
                "{changes} of 160 blocks change an epoch by {who}, {more} come besides: about MIN_NET_RATIO"
            );
            theme.world(
                name,
                of(more * 8 * KIB),
                replaces(changes, more.unsigned_abs(), by_another, 8 << 10),
            );
        }
    }
    for (size, about) in [(500, "below"), (530, "above")] {
        let report = replaces(64, 0, true, size);
        theme.world(
            format!("64 small blocks of {size} B change an epoch, {about} SMALL"),
            Truth::Healthy,
            report,
        );
    }
    for from in [3, 6, 10, 14, 18] {
        let report = keeps(24, |epoch| if epoch >= from { 12 } else { 0 });
        let truth = if from > 14 { Truth::Either } else { of(96 * KIB) };
        theme.world(format!("96 KiB an epoch of a line, from epoch {from} of 24 on"), truth, report);
    }
    let report = breathes(24, |w, _, epoch| {
        let lines: Vec<u64> =
            (10..15).map(|at| w.stack(&[FIT, &format!("/job/train.py:{at} part"), CALLBACK])).collect();
        w.makes(lines[epoch as usize % 5], 8 << 10, 6);
    });
    theme.world("48 KiB an epoch, by five lines in turn: AS_A_WHOLE", Truth::Leak(48 * KIB), report);
}

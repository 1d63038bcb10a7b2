//! Measures how often the answers are right, on series with a known truth, and prints the tables of
//! `docs/design/verdict-statistics.md`. Optional arguments: `growth` or `shape`, the number of series per
//! cell (250), a part of the wanted worlds' names. Deterministic.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a table for who asks for it")]

mod worlds;

use nilometer_stats::{Interval, Shape, changepoint, growth, mann_kendall, shape};
use worlds::{KIB, WORLDS, World};

const LENGTHS: [usize; 7] = [4, 6, 8, 12, 20, 50, 200];
const FLOOR: f64 = 8.0 * KIB;

fn main() {
    let mut wishes = std::env::args().skip(1);
    let table = wishes.next().unwrap_or_default();
    let series = wishes.next().and_then(|a| a.parse().ok()).unwrap_or(250);
    let only = wishes.next().unwrap_or_default();
    let worlds = || WORLDS.iter().filter(|w| w.name.contains(&only));
    if table == "shape" {
        println!(
            "| world | cycles | flat | linear | levelling | steps | accelerating | change | M-K p < 0.05 |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
        worlds().for_each(|w| [12, 50, 200].iter().for_each(|n| println!("{}", shapes(w, *n, series))));
    } else {
        println!(
            "| world | cycles | covered | false alarm | false calm | finds 64 KiB | finds 1 MiB | ± KiB |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---:|");
        worlds().for_each(|w| LENGTHS.iter().for_each(|n| println!("{}", row(w, *n, series))));
    }
}

/// Relevant growth: the whole interval is above the floor.
fn is_leak(found: Interval) -> bool {
    found.low > FLOOR
}

fn row(world: &World, n: usize, series: u32) -> String {
    let (mut covered, mut alarm, mut calm, mut small, mut large) = (0, 0, 0, 0, 0);
    let mut widths = Vec::new();
    for seed in 0..series {
        let (x, y) = world.series(n, seed, 0.0);
        let Some(found) = growth(&x, &y) else { continue };
        covered += u32::from(found.contains(world.truth));
        alarm += u32::from(is_leak(found) && world.truth < FLOOR);
        calm += u32::from(found.high < FLOOR && world.truth > FLOOR);
        widths.push((found.high - found.low) / 2.0 / KIB);
        for (count, leak) in [(&mut small, 64.0 * KIB), (&mut large, 1024.0 * KIB)] {
            let (x, y) = world.series(n, seed, leak);
            *count += u32::from(growth(&x, &y).is_some_and(is_leak));
        }
    }
    widths.sort_by(f64::total_cmp);
    let share = |count: u32| format!("{:.1}", 100.0 * f64::from(count) / f64::from(series));
    let width = widths.get(widths.len() / 2).copied().unwrap_or(f64::NAN);
    let name = world.name;
    let [covered, alarm, calm, small, large] = [covered, alarm, calm, small, large].map(share);
    format!("| {name} | {n} | {covered} | {alarm} | {calm} | {small} | {large} | {width:.1} |")
}

fn shapes(world: &World, n: usize, series: u32) -> String {
    let mut counts = [0_u32; 7];
    for seed in 0..series {
        let (x, y) = world.series(n, seed, 0.0);
        let kind = match shape(&x, &y) {
            Shape::Flat => 0,
            Shape::Linear => 1,
            Shape::Levelling { .. } => 2,
            Shape::Steps { .. } => 3,
            Shape::Accelerating => 4,
        };
        counts[kind] += 1;
        counts[5] += u32::from(changepoint(&x, &y).is_some());
        counts[6] += u32::from(mann_kendall(&y).is_some_and(|m| m.p < 0.05));
    }
    let shares: Vec<String> =
        counts.iter().map(|c| format!("{:.1}", 100.0 * f64::from(*c) / f64::from(series))).collect();
    format!("| {} | {n} | {} |", world.name, shares.join(" | "))
}

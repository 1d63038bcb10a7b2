//! Processes that the program started, read from outside.
//!
//! In: the levels of a child by its age. Out: rows. What must not happen here: a program that grows itself, but where it is said.

use nilometer_capture::CycleUnit::Step;
use nilometer_diagnose::Report;

use super::table::{Theme, Truth};
use crate::world::children::{Child, PROGRAM, child, job, trains};
use crate::world::{MIB, Noise, World};

/// A leak of so many MiB in each second, told per epoch of two; a child that lives for a few of them is told per minute.
fn leak(per_second: f64) -> Truth {
    Truth::Leak((2.0 * per_second * MIB as f64) as i64)
}

fn loader(level: impl Fn(f64) -> f64 + 'static) -> Child {
    child(7, "loader", level)
}

/// A short job of steps, twenty to a second.
fn fast(quarters: u32, loader: &Child) -> Report {
    let mut w = World::new();
    w.fact("pid", &PROGRAM.to_string());
    for quarter in 0..quarters {
        loader.is_seen(&mut w, f64::from(quarter) / 4.0, false);
        for _ in 0..if quarter < 4 { 0 } else { 5 } {
            w.passes(0.05).ends_cycle(Step);
        }
        w.passes(if quarter < 4 { 0.25 } else { 0.0 });
    }
    w.report()
}

pub(crate) fn worlds(theme: &mut Theme) {
    for (rise, base) in
        [(0.0, 50.0), (5.0, 50.0), (7.5, 50.0), (9.0, 50.0), (40.0, 50.0), (45.0, 950.0), (60.0, 950.0)]
    {
        let name = format!("a child of {base} MiB rises by {rise} MiB: about MIN_RISE_BYTES, MIN_RISE_RATIO");
        let truth = if rise == 0.0 { Truth::Healthy } else { Truth::Either };
        theme.world(name, truth, trains(&[loader(move |age| base + rise / 33.0 * age)]));
    }
    for time in [5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 1000.0] {
        let report = trains(&[loader(move |age| 50.0 + 300.0 * (1.0 - (-age / time).exp()))]);
        let truth = if time < 40.0 { Truth::Healthy } else { Truth::Either };
        theme.world(format!("a child's cache that fills within {time} s of 60"), truth, report);
    }
    for percent in [0, 20, 40, 60, 70, 80, 90] {
        let late = f64::from(percent) / 100.0;
        let level = move |age: f64| 50.0 + 3.0 * age.min(40.0) + 3.0 * late * (age - 40.0).max(0.0);
        let name = format!("a child's growth goes on with {percent} % at 40 s of 60: about MIN_LAST_RATIO");
        theme.world(name, Truth::Either, trains(&[loader(level)]));
    }
    for pause in [2.0, 4.0, 6.0, 8.0, 10.0] {
        let level = move |age: f64| 50.0 + 2.0 * age.min(32.0) + 2.0 * (age - 32.0 - pause).max(0.0);
        let name = format!("a child's growth pauses for {pause} s: about MIN_STEP_RATIO");
        theme.world(name, Truth::Either, trains(&[loader(level)]));
    }
    for every in [1.0, 3.0, 5.0, 6.0, 7.0, 10.0, 15.0] {
        let report = trains(&[loader(move |age| 50.0 + 2.0 * every * (age / every).floor())]);
        theme.world(format!("a child's steps of {every} s: about MIN_STEPS"), Truth::Either, report);
    }
    for amplitude in [5.0, 20.0, 30.0, 40.0, 60.0] {
        for per_second in [0.0, 2.0] {
            let noise = std::cell::RefCell::new(Noise(23));
            let level = move |age: f64| 90.0 + per_second * age + amplitude * noise.borrow_mut().share();
            let truth = if per_second > 0.0 { leak(per_second) } else { Truth::Healthy };
            let name = format!(
                "a child in noise of {amplitude} MiB, and {per_second} MiB a second: about MIN_LOW_RATIO"
            );
            theme.world(name, truth, trains(&[loader(level)]));
        }
    }
    for percent in [0, 30, 45, 55, 80, 100] {
        let share = f64::from(percent) / 100.0;
        let one = loader(|age| 50.0 + 2.0 * age).private(move |age| 20.0 + 2.0 * share * age);
        let name = format!("{percent} % of a child's growth is private: about MIN_PRIVATE_RATIO");
        theme.world(name, Truth::Either, trains(&[one]));
    }
    for (from, to, truth) in [
        (1.0, 60.0, leak(2.0)),
        (25.0, 60.0, leak(60.0)),
        (29.0, 60.0, leak(60.0)),
        (33.0, 60.0, Truth::Either),
        (45.0, 60.0, Truth::Either),
        (1.0, 57.0, leak(2.0)),
        (1.0, 53.0, Truth::Either),
        (1.0, 40.0, Truth::Healthy),
    ] {
        let name = format!(
            "a child that grows lives from {from} s to {to} s of 60: about MIN_LIFE_RATIO, MAX_GONE_RATIO"
        );
        theme.world(name, truth, trains(&[loader(|age| 50.0 + 2.0 * age).lives(from, to)]));
    }
    for (seconds, cycles) in
        [(26, true), (34, true), (38, true), (46, true), (28, false), (31, false), (34, false), (40, false)]
    {
        let report = job(seconds, cycles, 0, &[loader(|age| 50.0 + 2.0 * age)]).report();
        let with = if cycles { "epochs" } else { "no cycles" };
        let truth = Truth::Either;
        theme.world(
            format!("a job of {seconds} s with {with}, a child grows: about MIN_CYCLES, MIN_SECONDS"),
            truth,
            report,
        );
    }
    lives(theme);
}

/// Short lives, families, and workers that are replaced.
fn lives(theme: &mut Theme) {
    for (quarters, imports) in [(22, 1.0), (24, 1.7), (24, 2.5), (24, 9.0), (28, 9.0), (30, 9.0)] {
        let one = loader(|age| 30.0 + 20.0 * age).imports(imports);
        let name = format!(
            "a job of {} s, a child imports for {imports} s: about SHORT_LIFE_SECONDS",
            f64::from(quarters) / 4.0
        );
        theme.world(name, Truth::Either, fast(quarters, &one));
    }
    for (name, program, grows, truth) in [
        ("one of four workers grows", 0, vec![0.0, 0.0, 2.0, 0.0], leak(2.0)),
        ("no worker grows", 0, vec![0.0, 0.0], Truth::Healthy),
        ("all workers grow", 0, vec![2.0, 2.0, 2.0], leak(2.0)),
        ("the program grows, no child does", 4 * MIB, vec![0.0], Truth::Leak(4 * MIB)),
        ("the program grows, and a child", 4 * MIB, vec![2.0], Truth::Leak(4 * MIB)),
    ] {
        let worker = |(nth, rate): (usize, &f64)| {
            let rate = *rate;
            child(20 + nth as u64, &format!("worker {nth}"), move |age| 50.0 + rate * age)
        };
        let children: Vec<Child> = grows.iter().enumerate().map(worker).collect();
        theme.world(name, truth, job(60, true, program, &children).report());
    }
    for every in [8.0, 15.0, 29.0] {
        let worker = |nth: u32| {
            let from = 1.0 + every * f64::from(nth);
            child(20 + u64::from(nth), &format!("pool {nth}"), |age| 50.0 + 4.0 * age)
                .lives(from, from + every - 1.0)
        };
        let children: Vec<Child> = (0..(60.0 / every) as u32).map(worker).collect();
        theme.world(
            format!("workers that grow and are replaced each {every} s"),
            Truth::Healthy,
            trains(&children),
        );
    }
}

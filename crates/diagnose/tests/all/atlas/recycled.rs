//! Workers that serve and are replaced: what is said of all their lives together.
//!
//! In: what each request of a life adds to live memory. Out: rows. What must not happen here: a program that grows itself.

use nilometer_capture::CycleUnit::{Epoch, Request, Served, Step, Task};
use nilometer_diagnose::Report;

use super::table::{Theme, Truth, of};
use crate::world::children::{recycles, worker};
use crate::world::{KIB, Noise, World};

/// A life in which live memory sways by so many bytes around what requests add.
pub(crate) fn life(seed: u64, requests: u64, sways: i64, adds: impl Fn(u64) -> i64) -> World {
    let (mut noise, mut last) = (Noise(7 + 31 * seed), 0);
    worker(Served, requests, |nth| {
        let level = noise.bytes(sways);
        let change = level - last + adds(nth);
        last = level;
        change
    })
}

fn lives(count: u64, requests: u64, sways: i64, adds: impl Fn(u64) -> i64) -> Report {
    let workers: Vec<World> = (0..count).map(|seed| life(seed, requests, sways, &adds)).collect();
    recycles(8.0, &workers)
}

pub(crate) fn worlds(theme: &mut Theme) {
    for keeps in [0, 1, 2, 3, 4, 6, 8] {
        let name = format!("8 lives of 80 requests that keep {keeps} KiB each: about REQUEST_FLOOR_BYTES");
        let truth = if keeps > 2 || keeps == 0 { of(keeps * KIB) } else { Truth::Either };
        theme.world(name, truth, lives(8, 80, 200 * KIB, |_| keeps * KIB));
    }
    for count in [2, 3, 4, 6, 8] {
        for keeps in [0, 4] {
            let name = format!("{count} lives of 80 requests that keep {keeps} KiB each: about SEVERAL");
            theme.world(name, of(keeps * KIB), lives(count, 80, 200 * KIB, |_| keeps * KIB));
        }
    }
    for requests in [4, 10, 20, 40, 150, 600] {
        for keeps in [0, 4] {
            let name = format!("8 lives of {requests} requests that keep {keeps} KiB each");
            theme.world(name, of(keeps * KIB), lives(8, requests, 200 * KIB, |_| keeps * KIB));
        }
    }
    for time in [10.0, 20.0, 40.0, 60.0, 90.0, 150.0, 1000.0] {
        let name = format!("8 lives of 150 requests, a cache that fills within {time}: about TWICE");
        let truth = if time < 100.0 { Truth::Healthy } else { Truth::Either };
        let adds = move |nth: u64| (60.0 * KIB as f64 * (-(nth as f64) / time).exp()) as i64;
        theme.world(name, truth, lives(8, 150, 100 * KIB, adds));
    }
    for until in [20, 50, 75, 100, 125] {
        let name = format!("8 lives of 150 requests, a start-up of {until} that adds 20 KiB each");
        let adds = |nth: u64| if nth <= until { 20 * KIB } else { 0 };
        theme.world(name, Truth::Healthy, lives(8, 150, 100 * KIB, adds));
    }
    for leaking in [0, 1, 2, 3, 4, 5, 6, 8] {
        let adds = |seed: u64| if seed < leaking { 8 * KIB } else { 0 };
        let workers: Vec<World> = (0..8).map(|seed| life(seed, 150, 50 * KIB, |_| adds(seed))).collect();
        let truth = if leaking == 8 || leaking == 0 {
            of(if leaking == 8 { 8 * KIB } else { 0 })
        } else {
            Truth::Either
        };
        theme.world(format!("{leaking} of 8 lives leak: about HALF, MOST"), truth, recycles(8.0, &workers));
    }
    for (unit, truth) in [
        (Served, Truth::Leak(8 * KIB)),
        (Request, Truth::Leak(8 * KIB)),
        (Task, Truth::Leak(8 * KIB)),
        (Step, Truth::Either),
        (Epoch, Truth::Either),
    ] {
        let workers: Vec<World> = (0..6).map(|_| worker(unit, 150, |_| 8 * KIB)).collect();
        theme.world(format!("lives of 150 cycles, unit {unit:?}"), truth, recycles(8.0, &workers));
    }
    for objects in [0, 2, 10, 40] {
        let workers = (0..8).map(|_| {
            let mut w = World::new();
            for _ in 0..150 {
                w.passes(0.01).objects(objects).takes(8 * KIB).ends_cycle(Served);
            }
            w
        });
        let name = format!("8 KiB per request in {objects} containers each, which nobody collected");
        theme.world(name, Truth::Either, recycles(8.0, &workers.collect::<Vec<World>>()));
    }
}

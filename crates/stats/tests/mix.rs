//! Worlds of a service whose requests are of several kinds: which of them grows, and that no other is accused.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics fails")]

use nilometer_stats::{Interval, KindGrowth, Mixed, growth_by_kind};

const KIB: f64 = 1024.0;

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

#[derive(Clone)]
struct World {
    requests: usize,
    /// Requests from one reading to the next.
    every: usize,
    /// Bytes that a request of each kind keeps.
    keeps: Vec<f64>,
    /// How often each kind is asked for.
    mix: Vec<f64>,
    /// Cyclic garbage of a request of each kind.
    garbage: Vec<f64>,
    /// Requests from one collection to the next.
    collected: usize,
    /// What is in flight at a reading: standard deviation.
    in_flight: f64,
    /// Steps that stay, per request: standard deviation.
    wander: f64,
    /// Bytes that a thread of its own keeps in the time of a request.
    thread: f64,
    /// Requests of a day; load goes from a fifth to all.
    day: usize,
    /// Each kind follows the one before it, always.
    is_in_turn: bool,
    /// Every request of the first kind is followed by one of the second.
    are_pairs: bool,
}

impl World {
    fn of(keeps: &[f64]) -> Self {
        Self {
            requests: 2000,
            every: 5,
            keeps: keeps.to_vec(),
            mix: vec![1.0; keeps.len()],
            garbage: vec![0.0; keeps.len()],
            collected: 700,
            in_flight: 20.0 * KIB,
            wander: 0.0,
            thread: 0.0,
            day: 0,
            is_in_turn: false,
            are_pairs: false,
        }
    }

    fn run(&self, seed: u64) -> Vec<Mixed> {
        let mut random = Random(seed * 2_654_435_761 + 12_345);
        (0..20).for_each(|_| _ = random.next());
        let kinds = self.keeps.len();
        let total: f64 = self.mix.iter().sum();
        let (mut counts, mut time, mut level, mut garbage) = (vec![0.0; kinds], 0.0, 4e7, 0.0);
        let mut out = Vec::new();
        let mut next = None;
        for request in 0..self.requests {
            let kind = match next.take() {
                Some(kind) => kind,
                None if self.is_in_turn => request % kinds,
                None => {
                    let mut pick = random.next() * total;
                    (0..kinds)
                        .find(|kind| {
                            pick -= self.mix[*kind];
                            pick < 0.0
                        })
                        .unwrap_or(kinds - 1)
                }
            };
            if self.are_pairs && kind == 0 {
                next = Some(1);
            }
            let is_fresh = counts[kind] < 5.0;
            counts[kind] += 1.0;
            let load = if self.day == 0 {
                1.0
            } else {
                0.6 + 0.4 * (request as f64 / self.day as f64 * std::f64::consts::TAU).sin()
            };
            let passed = (0.5 + random.next()) / load;
            time += 0.01 * passed;
            level += self.keeps[kind] + self.thread * passed + self.wander * random.normal();
            garbage += self.garbage[kind];
            if (request + 1) % self.collected == 0 {
                garbage = 0.0;
            }
            if request % self.every == 0 {
                let level = level + garbage + self.in_flight * random.next() * 2.0;
                out.push(Mixed { time, level, counts: counts.clone(), is_fresh });
            }
        }
        out
    }

    fn told(&self, seed: u64) -> Vec<KindGrowth> {
        growth_by_kind(&self.run(seed)).unwrap()
    }
}

const SEEDS: std::ops::RangeInclusive<u64> = 1..=8;

/// Kinds that were accused by themselves, each time that this happened, with the interval; and how often groups of several were.
fn accused(world: &World) -> (Vec<(usize, Interval)>, usize) {
    let told: Vec<KindGrowth> = SEEDS.flat_map(|seed| world.told(seed)).filter(|told| told.is_sure).collect();
    let alone = told
        .iter()
        .filter_map(|told| Some((*told.kinds.first()?, told.rate)).filter(|_| told.kinds.len() == 1));
    (alone.collect(), told.iter().filter(|told| told.kinds.len() > 1).count())
}

/// Asserts that these kinds alone are accused, in so many of the runs at least, with the truth in most intervals and near by in all.
fn finds(name: &str, world: &World, least: usize) {
    let (accused, _) = accused(world);
    let mut missed = 0;
    for (kind, rate) in &accused {
        let truth = world.keeps[*kind];
        assert!(truth > 0.0, "{name}: kind {kind} is innocent, {rate:?}");
        assert!(rate.contains(truth) || (rate.estimate / truth - 1.0).abs() < 0.2, "{name}: {rate:?}");
        missed += usize::from(!rate.contains(truth));
    }
    assert!(missed * 8 <= accused.len(), "{name}: {missed} of {} intervals miss the truth", accused.len());
    for kind in (0..world.keeps.len()).filter(|kind| world.keeps[*kind] > 0.0) {
        let times = accused.iter().filter(|one| one.0 == kind).count();
        assert!(times >= least, "{name}: kind {kind} was accused in {times} runs of 8");
    }
}

#[test]
fn who_grows_is_found_and_nobody_else() {
    let one = World::of(&[0.0, 0.0, 10.0 * KIB, 0.0]);
    finds("one of four", &one, 8);
    finds("two of four", &World::of(&[6.0 * KIB, 0.0, 10.0 * KIB, 0.0]), 8);
    finds("daily load", &World { day: 500, ..one.clone() }, 8);
    finds("one that is rare", &World { mix: vec![10.0, 10.0, 1.0, 10.0], ..one.clone() }, 8);
    finds("much in flight", &World { in_flight: 200.0 * KIB, ..one.clone() }, 6);
    finds("all alike", &World::of(&[3.0 * KIB; 4]), 4);
}

#[test]
fn innocent_kinds_take_little_of_the_growth() {
    for in_flight in [50.0, 100.0, 150.0, 200.0] {
        let world = |keeps: &[f64]| World { in_flight: in_flight * KIB, requests: 1000, ..World::of(keeps) };
        let one = accused(&world(&[0.0, 0.0, 10.0 * KIB, 0.0])).0;
        assert!(one.len() > 2, "{in_flight}");
        for (_, rate) in one {
            assert!((rate.estimate / 10.0 / KIB - 1.0).abs() < 0.1, "{in_flight}: {rate:?}");
        }
        let two = world(&[2.0 * KIB, 0.0, 10.0 * KIB, 0.0]);
        for (kind, rate) in accused(&two).0 {
            assert!(rate.contains(two.keeps[kind]), "one that nobody is sure of: {rate:?}");
        }
    }
}

#[test]
fn nobody_is_accused_by_noise() {
    let none = World::of(&[0.0; 4]);
    let garbage = vec![10.0 * KIB, 0.0, 0.0, 0.0];
    finds("nothing", &none, 0);
    finds("steps that stay", &World { wander: 20.0 * KIB, ..none.clone() }, 0);
    finds("garbage", &World { garbage: garbage.clone(), ..none.clone() }, 0);
    finds("a thread of its own", &World { thread: 3.0 * KIB, ..none.clone() }, 0);
    finds("a thread, daily load", &World { thread: 3.0 * KIB, day: 500, ..none.clone() }, 0);
    finds("a thread, garbage", &World { thread: 3.0 * KIB, garbage: garbage.clone(), ..none }, 0);
    let one = World::of(&[0.0, 0.0, 10.0 * KIB, 0.0]);
    finds("one, garbage of another", &World { garbage, ..one.clone() }, 0);
    finds("one, steps that stay", &World { wander: 20.0 * KIB, ..one }, 0);
}

#[test]
fn kinds_that_always_come_together_are_told_together() {
    let pairs =
        World { are_pairs: true, mix: vec![1.0, 0.0, 1.0, 1.0], ..World::of(&[0.0, 10.0 * KIB, 0.0, 0.0]) };
    let mut together = 0;
    for seed in SEEDS {
        for told in pairs.told(seed).into_iter().filter(|told| told.is_sure) {
            // A reading between the two may tell them apart after all.
            let truth = match told.kinds[..] {
                [0, 1] => 5.0 * KIB,
                [1] => 10.0 * KIB,
                _ => panic!("{told:?}"),
            };
            assert!((told.rate.estimate / truth - 1.0).abs() < 0.1, "{told:?}");
            together += usize::from(told.kinds.len() == 2);
        }
    }
    assert!(together >= 2, "{together} of 8");
    let in_turn = World { is_in_turn: true, ..World::of(&[0.0, 0.0, 10.0 * KIB, 0.0]) };
    finds("in turn", &in_turn, 0);
}

#[test]
fn too_few_readings_say_nothing() {
    let world = World { requests: 80, ..World::of(&[0.0, 0.0, 10.0 * KIB, 0.0]) };
    assert_eq!(growth_by_kind(&world.run(1)), None);
    assert_eq!(growth_by_kind(&[]), None);
}

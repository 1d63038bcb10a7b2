//! Programs in sizes, and what is sampled more closely of them.

use nilometer_capture::Source;
use std::collections::HashMap;

use super::*;
use crate::alloc_class::Caller;
use crate::strata::stratum;

/// A program whose cycles take 50 ms of CPU time each; sizes with what a cycle makes of them and keeps.
struct Program {
    suspects: Suspects,
    means: HashMap<usize, f64>,
    /// What the last cycles kept: told when the next one has ended.
    before: [Vec<(AllocClass, f64)>; 2],
}

const CYCLE: f64 = 0.05;
/// Means of all classes, and between points.
const CLASS: f64 = 524_288.0;
const POINTS: f64 = 4000.0;
const BUDGET: f64 = 600.0;

fn key(size: usize) -> AllocClass {
    AllocClass::of(size, Source::Malloc, Caller::Main).expect("small enough")
}

impl Program {
    fn new() -> Self {
        Self { suspects: Suspects::new(), means: HashMap::new(), before: [Vec::new(), Vec::new()] }
    }

    /// One cycle: (size, made, kept).
    fn cycle(&mut self, sizes: &[(usize, f64, f64)]) {
        let (mut kept, mut asked) = (Vec::new(), HashMap::new());
        for &(size, made, stays) in sizes {
            let chance = -(-(size as f64) / POINTS).exp_m1();
            asked.insert(usize::from(key(size).place), made * size as f64);
            (0..(stays * chance).round() as u32).for_each(|_| kept.push((key(size), size as f64 / chance)));
        }
        let [last, older] = &mut self.before;
        let told = std::mem::replace(older, std::mem::replace(last, kept));
        self.suspects.pass(CYCLE, |place| asked.get(&place).copied().unwrap_or(0.0));
        self.suspects.generation();
        for (key, bytes) in told {
            self.suspects.stays(key, bytes);
        }
        let means = &mut self.means;
        let bounds = |_| Bounds { finest: POINTS, coarsest: CLASS };
        self.suspects.share(BUDGET, bounds, |place, mean| match mean {
            0 => drop(means.remove(&place)),
            mean => drop(means.insert(place, f64::from(mean))),
        });
    }

    fn mean(&self, size: usize) -> Option<f64> {
        self.means.get(&usize::from(key(size).place)).copied()
    }
}

#[test]
fn what_stays_of_every_cycle_is_sampled_closely_and_what_does_not_is_not() {
    let mut program = Program::new();
    let sizes = [(1057, 1000.0, 1000.0), (256, 100_000.0, 0.0)];
    (0..2).for_each(|_| program.cycle(&sizes));
    assert!(program.means.is_empty(), "too young");
    (0..10).for_each(|_| program.cycle(&sizes));
    // A megabyte in each cycle: enough is sixteen samples.
    let mean = program.mean(1057).expect("a suspect");
    assert!((50_000.0..90_000.0).contains(&mean), "{mean}");
    assert_eq!(program.mean(256), None, "nothing of it stays");
    assert_eq!(program.suspects.strata(), 1 << stratum(10, true));
}

#[test]
fn a_small_leak_among_temporaries_of_its_size_is_seen_as_often_as_may_be() {
    let mut program = Program::new();
    let sizes = [(8000, 8.0, 1.0), (256, 100_000.0, 0.0), (1057, 1000.0, 1000.0)];
    (0..12).for_each(|_| program.cycle(&sizes));
    assert_eq!(program.mean(8000), Some(POINTS), "{:?}", program.means);
}

#[test]
fn what_a_beginning_leaves_is_forgotten() {
    let mut program = Program::new();
    program.cycle(&[(100, 20_000.0, 20_000.0), (3000, 500.0, 500.0)]);
    (0..3).for_each(|_| program.cycle(&[(5000, 10.0, 10.0)]));
    assert!(program.mean(3000).is_some());
    (0..MIN_GENERATIONS).for_each(|_| program.cycle(&[(5000, 10.0, 10.0)]));
    assert!(program.mean(100).is_none() && program.mean(3000).is_none(), "{:?}", program.means);
    assert!(program.mean(5000).is_some());
    (0..MAX_GENERATIONS + 4).for_each(|_| program.cycle(&[]));
    assert!(program.means.is_empty(), "{:?}", program.means);
}

#[test]
fn the_budget_is_kept_however_many_sizes_stay() {
    let mut program = Program::new();
    let sizes: Vec<_> = (1..200).map(|n| (n * 64 + 8, 10.0, 8.0)).collect();
    (0..40).for_each(|_| program.cycle(&sizes));
    let samples: f64 = sizes
        .iter()
        .filter_map(|(size, made, _)| {
            program.mean(*size).map(|mean| made * -(-(*size as f64) / mean).exp_m1() / CYCLE)
        })
        .sum();
    assert!(program.means.len() > 20 && program.means.len() <= MAX_SUSPECTS, "{}", program.means.len());
    assert!(samples < 1.3 * BUDGET, "{samples}");
    assert!(program.means.values().all(|mean| *mean < CLASS), "nobody is sampled less than its class");
}

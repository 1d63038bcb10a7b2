//! Programs in numbers, and what the governor makes of them.

use super::*;

/// Runs a program that allocates so many bytes per second of CPU time in each class; samples and cost per second.
fn run(governor: &mut Governor, seconds: f64, flows: &[(usize, f64)], each: f64) -> (f64, f64) {
    const DT: f64 = 0.05;
    let (mut all, mut time, mut left) = (0.0, 0.0, [0.0; CLASSES]);
    while time < seconds {
        // A step after 64 samples or 50 ms, whichever is first.
        let rate: f64 = flows.iter().map(|(class, flow)| flow / governor.means[*class]).sum();
        let cpu = (64.0 / rate.max(1.0)).clamp(1e-6, DT);
        let mut samples = [0_u32; CLASSES];
        for (class, flow) in flows {
            left[*class] += flow / governor.means[*class] * cpu;
            samples[*class] = left[*class].floor() as u32;
            left[*class] -= left[*class].floor();
        }
        let count: f64 = samples.iter().map(|count| f64::from(*count)).sum();
        governor.step(&Window { cpu, cost: count * each, samples: &samples, live: 1000 });
        all += count;
        time += cpu;
    }
    (all / seconds, all * each / seconds)
}

const MIB: f64 = 1024.0 * 1024.0;

#[test]
fn a_steady_training_keeps_what_was_asked_for_and_refines_what_is_rare() {
    let mut governor = Governor::new(512 << 10, 0.02);
    // 500 MiB/s, most of it in tensors.
    let flows = [
        (20, 400.0 * MIB),
        (16, 60.0 * MIB),
        (12, 30.0 * MIB),
        (8, 8.0 * MIB),
        (5, 2.0 * MIB),
        (13, 50_000.0),
    ];
    run(&mut governor, 5.0, &flows, 3e-6);
    let (rate, cost) = run(&mut governor, 5.0, &flows, 3e-6);
    assert!(rate < 3600.0 && cost < 0.0126, "{rate} {cost}");
    assert!(rate > 1500.0, "the budget is used: {rate}");
    assert!(governor.means[20] <= 1.01 * 512.0 * 1024.0, "{:?}", governor.means);
    assert!(governor.means[13] < 5000.0, "a rare class at the floor: {}", governor.means[13]);
    assert!(governor.means[5] < 16.0 * 1024.0, "{}", governor.means[5]);
}

#[test]
fn a_storm_is_paid_by_the_classes_that_make_it() {
    let mut governor = Governor::new(512 << 10, 0.02);
    let quiet = [(6, 100_000.0), (10, 0.2 * MIB)];
    run(&mut governor, 3.0, &quiet, 2e-6);
    assert!(governor.means[10] < 5000.0);
    let storm = [(6, 100_000.0), (10, 8000.0 * MIB), (24, 4000.0 * MIB)];
    let (first, _cost) = run(&mut governor, 1.0, &storm, 2e-6);
    assert!(first < 30_000.0, "the first second of a storm: {first}");
    run(&mut governor, 5.0, &storm, 2e-6);
    let (rate, cost) = run(&mut governor, 5.0, &storm, 2e-6);
    assert!(rate < 3600.0 && cost < 0.0126, "{rate} {cost}");
    assert!(governor.means[6] < 5000.0, "the small one is still watched: {}", governor.means[6]);
}

#[test]
fn an_import_with_cold_stacks_stays_in_the_budget() {
    let mut governor = Governor::new(512 << 10, 0.02);
    let flows: Vec<(usize, f64)> = (4..22).map(|class| (class, 10.0 * MIB)).collect();
    let (_rate, cost) = run(&mut governor, 5.0, &flows, 12e-6);
    assert!(cost < 0.018, "{cost}");
}

#[test]
fn after_a_storm_the_means_come_back() {
    let mut governor = Governor::new(512 << 10, 0.02);
    run(&mut governor, 3.0, &[(10, 16_000.0 * MIB)], 2e-6);
    assert!(governor.means[10] > 2.0 * MIB, "{}", governor.means[10]);
    run(&mut governor, 10.0, &[(10, 1.0 * MIB)], 2e-6);
    assert!(governor.means[10] < 16.0 * 1024.0, "{}", governor.means[10]);
}

#[test]
fn what_was_asked_for_is_where_it_begins_and_bounds_how_fine_it_gets() {
    let mut governor = Governor::new(65536, 0.02);
    assert!(governor.means.iter().all(|mean| (*mean - 65536.0).abs() < 1.0));
    run(&mut governor, 5.0, &[(10, 1000.0)], 2e-6);
    assert!(governor.means.iter().all(|mean| *mean >= FINEST && *mean <= 65536.0), "{:?}", governor.means);
}

#[test]
fn many_living_samples_raise_the_floor() {
    let mut governor = Governor::new(512 << 10, 0.02);
    for _ in 0..100 {
        governor.step(&Window { cpu: 0.1, cost: 0.0, samples: &[1; CLASSES], live: 160_000 });
    }
    assert!(governor.means.iter().all(|mean| *mean > 60_000.0), "{:?}", governor.means);
}

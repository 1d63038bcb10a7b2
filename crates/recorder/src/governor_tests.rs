//! Programs in numbers, and what the governor makes of them.

use super::*;

const WITHOUT_TRIALS: Window<'_> = Window {
    cpu: 0.0,
    cost: 0.0,
    samples: &[0; STRATA],
    asked: &[0.0; STRATA],
    trials: false,
    importing: false,
    suspects: 0,
    suspects_cost: 0.0,
    suspects_count: 0.0,
    live: 1000,
};

/// Runs a program that allocates so many bytes per second of CPU time in each class; samples and cost per second.
fn run(governor: &mut Governor, seconds: f64, flows: &[(usize, f64)], each: f64) -> (f64, f64) {
    run_with(governor, seconds, flows, each, &WITHOUT_TRIALS)
}

/// The same, with what else is so all the time.
fn run_with(
    governor: &mut Governor,
    seconds: f64,
    flows: &[(usize, f64)],
    each: f64,
    all_along: &Window<'_>,
) -> (f64, f64) {
    const DT: f64 = 0.05;
    let (mut all, mut time, mut left) = (0.0, 0.0, [0.0; STRATA]);
    while time < seconds {
        // A step after 64 samples or 50 ms, whichever is first.
        let rate: f64 = flows.iter().map(|(class, flow)| flow / governor.means[*class]).sum();
        let cpu = (64.0 / rate.max(1.0)).clamp(1e-6, DT);
        let mut samples = [0_u32; STRATA];
        for (class, flow) in flows {
            left[*class] += flow / governor.means[*class] * cpu;
            samples[*class] = left[*class].floor() as u32;
            left[*class] -= left[*class].floor();
        }
        let count: f64 = samples.iter().map(|count| f64::from(*count)).sum();
        governor.step(&Window { cpu, cost: count * each, samples: &samples, ..*all_along });
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
fn the_import_of_a_framework_is_sampled_less() {
    let flows: Vec<(usize, f64)> = (4..22).map(|class| (class, 40.0 * MIB)).collect();
    let importing = Window { importing: true, ..WITHOUT_TRIALS };
    let cost = |sample: u32, all_along: &Window<'_>| {
        let mut governor = Governor::new(sample, 0.02);
        run_with(&mut governor, 1.0, &flows, 20e-6, all_along);
        run_with(&mut governor, 3.0, &flows, 20e-6, all_along).1
    };
    let (less, usual) = (cost(512 << 10, &importing), cost(512 << 10, &WITHOUT_TRIALS));
    assert!((0.35..0.65).contains(&(less / usual)), "{less} {usual}");
    let (asked_for, usual) = (cost(64 << 10, &importing), cost(64 << 10, &WITHOUT_TRIALS));
    assert!((0.95..1.05).contains(&(asked_for / usual)), "{asked_for} {usual}");
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
    assert!(
        governor.means.iter().all(|mean| *mean >= MIN_MEAN_BYTES && *mean <= 65536.0),
        "{:?}",
        governor.means
    );
}

#[test]
fn many_living_samples_raise_the_floor() {
    let mut governor = Governor::new(512 << 10, 0.02);
    for _ in 0..100 {
        governor.step(&Window { cpu: 0.1, samples: &[1; STRATA], live: 160_000, ..WITHOUT_TRIALS });
    }
    assert!(governor.means.iter().all(|mean| *mean > 60_000.0), "{:?}", governor.means);
}

/// What the governor makes of five seconds of trials at this flow of each class: trials per second.
fn with_trials(governor: &mut Governor, flows: &[(usize, f64)], suspects: u64) -> [f64; STRATA] {
    let mut asked = [0.0; STRATA];
    for (class, flow) in flows {
        asked[*class] = flow * 0.05;
    }
    for _ in 0..100 {
        let window = Window { cpu: 0.05, asked: &asked, trials: true, suspects, ..WITHOUT_TRIALS };
        governor.step(&Window { samples: &[3; STRATA], ..window });
    }
    std::array::from_fn(|class| {
        let size = 1.5 * (class as f64).exp2();
        asked[class] / 0.05 / size * -(-size / governor.points[class]).exp_m1()
    })
}

const SCENARIOS: [(usize, f64); 6] = [
    (26, 400.0 * MIB),
    (20, 400.0 * MIB),
    (12, 90.0 * MIB),
    (10, 20.0 * MIB),
    (5, 2.0 * MIB),
    (13, 50_000.0),
];

#[test]
fn trials_are_shared_among_classes_within_their_number() {
    let mut governor = Governor::new(512 << 10, 0.02);
    let rates = with_trials(&mut governor, &SCENARIOS, 0);
    let trials: f64 = rates.iter().take(26).sum();
    assert!(trials < 16_000.0 * 1.25 && trials > 12_000.0, "{trials}");
    assert!((rates[12] / rates[10] - 1.0).abs() < 0.3 && rates[12] > 4000.0, "{rates:?}");
    assert!(governor.points[13] <= 4096.0, "a rare one nearly always: {}", governor.points[13]);
    assert!(
        governor.points[20] <= 0.5 * MIB,
        "half a megabyte is nearly always tried: {}",
        governor.points[20]
    );
    assert!(governor.points[26] >= 0.8 * governor.means[26], "the largest are no trials");
    assert!((0..STRATA).all(|class| governor.points[class] <= governor.means[class]));
    let rates = with_trials(&mut governor, &SCENARIOS, 1 << 12);
    assert!(rates[12] > 1.8 * rates[10], "a class with suspects is tried more: {rates:?}");
}

#[test]
fn a_short_training_has_more_trials() {
    let mut governor = Governor::new(512 << 10, 0.02);
    let mut asked = [0.0; STRATA];
    asked[12] = 30.0 * MIB;
    let mut trials = |seconds: u32| {
        (0..20 * seconds).for_each(|_| {
            let window = Window { cpu: 0.05, asked: &asked, trials: true, ..WITHOUT_TRIALS };
            governor.step(&Window { samples: &[3; STRATA], ..window });
        });
        let size = 1.5 * 4096.0;
        asked[12] / 0.05 / size * -(-size / governor.points[12]).exp_m1()
    };
    let [first, third, fifth] = [1, 2, 2].map(&mut trials);
    assert!((first / 32_000.0 - 1.0).abs() < 0.3, "{first}");
    assert!((third / 16_000.0 - 1.0).abs() < 0.3 && (fifth / 16_000.0 - 1.0).abs() < 0.3, "{third} {fifth}");
}

#[test]
fn a_training_does_not_pay_for_its_import() {
    let mut governor = Governor::new(512 << 10, 0.02);
    let import: Vec<(usize, f64)> = (4..22).map(|class| (class, 40.0 * MIB)).collect();
    run(&mut governor, 2.0, &import, 20e-6);
    let before = governor.means[20];
    assert!(before > MIB, "{before}");
    let mut samples = [0; STRATA];
    samples[10] = 10;
    for _ in 0..2 {
        governor.step(&Window { cpu: 0.02, cost: 50e-6, samples: &samples, trials: true, ..WITHOUT_TRIALS });
        assert!(governor.means[10] <= MIB && governor.means[20] <= MIB, "{:?}", governor.means);
    }
    // Once: a storm in the training is paid for.
    samples[10] = 2000;
    for _ in 0..5 {
        governor.step(&Window { cpu: 0.02, cost: 9e-3, samples: &samples, trials: true, ..WITHOUT_TRIALS });
    }
    assert!(governor.means[10] > 2.0 * MIB, "{:?}", governor.means);
}

#[test]
fn what_an_import_leaves_for_suspects_is_spent_soon_and_then_their_share() {
    let mut governor = Governor::new(512 << 10, 0.02);
    let import = Window { cpu: 0.1, ..WITHOUT_TRIALS };
    for _ in 0..50 {
        governor.step(&import);
    }
    let mut rates = Vec::new();
    for _ in 0..200 {
        let rate = governor.for_suspects();
        let count = rate * 0.05;
        let window = Window { cpu: 0.05, trials: true, suspects_cost: count * 20e-6, ..WITHOUT_TRIALS };
        governor.step(&Window { suspects_count: count, ..window });
        rates.push(rate);
    }
    assert!(rates[0] > 1000.0, "{rates:?}");
    let share: f64 = rates[100..].iter().map(|rate| rate * 20e-6).sum::<f64>() / 100.0;
    assert!((share / (0.02 * SUSPECTS_RATIO) - 1.0).abs() < 0.2, "{share}");
}

#[test]
fn a_long_training_pays_less_for_all_that_nobody_asked_for() {
    let mut governor = Governor::new(512 << 10, 0.02);
    let early: f64 = with_trials(&mut governor, &SCENARIOS, 0).iter().take(26).sum();
    let suspects_early = governor.overhead * SUSPECTS_RATIO * governor.ease();
    for _ in 0..20 {
        with_trials(&mut governor, &SCENARIOS, 0);
    }
    let late: f64 = with_trials(&mut governor, &SCENARIOS, 0).iter().take(26).sum();
    assert!(late < 0.35 * early && late > 0.2 * early, "{early} {late}");
    let suspects_late = governor.overhead * SUSPECTS_RATIO * governor.ease();
    assert!(
        (suspects_late / suspects_early / MIN_LATE_RATIO - 1.0).abs() < 0.01,
        "{suspects_early} {suspects_late}"
    );
    // Tensors, of which nothing stays or a size would be a suspect: a quarter as many samples, unless they were asked for.
    for (sample, flow, mean) in [(512 << 10, 1600.0 * MIB, 2.0 * MIB), (256 << 10, 400.0 * MIB, 0.25 * MIB)] {
        let mut governor = Governor::new(sample, 0.02);
        let long = Window { trials: true, ..WITHOUT_TRIALS };
        run_with(&mut governor, 50.0, &[(20, flow)], 3e-6, &long);
        let found = governor.means[20] / mean;
        assert!((1.0 / MIN_CHANGE_FACTOR..=MIN_CHANGE_FACTOR).contains(&found), "{sample}: {found}");
    }
    // So many that the budget never paid for what was asked for: half of those that it paid for at first, as what was not spent
    // may be spent later.
    let mut governor = Governor::new(512 << 10, 0.02);
    let long = Window { trials: true, ..WITHOUT_TRIALS };
    let mut cost = |seconds: f64| run_with(&mut governor, seconds, &[(20, 4000.0 * MIB)], 8e-6, &long).1;
    let (early, _, late) = (cost(5.0), cost(30.0), cost(10.0));
    assert!((0.2..0.6).contains(&(late / early)), "{early} {late}");
}

#[test]
fn big_blocks_that_are_nearly_all_samples_are_all_of_them() {
    // Batches of 6.25 MiB: late in a training the mean of all alike is 2 MiB, which would miss one in twenty-five.
    let mut governor = Governor::new(512 << 10, 0.02);
    let long = Window { trials: true, ..WITHOUT_TRIALS };
    run_with(&mut governor, 50.0, &[(22, 600.0 * MIB), (16, 600.0 * MIB)], 3e-6, &long);
    assert!((-6.25 * MIB / governor.means[22]).exp() < 0.003, "{}", governor.means[22]);
    assert!(governor.means[16] > MIB, "of small ones few are samples: {}", governor.means[16]);
}

//! Noise, steps, fillings and late leaks: the shape of the curve decides; amounts as measured on Keras programs.

use crate::world::{KIB, MIB, Noise, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::{Kind, Verdict};

#[test]
fn noise_around_a_level_is_no_growth() {
    for seed in 1..=20 {
        let mut noise = Noise(seed * 7919);
        let mut w = started();
        let mut last = 0;
        for _ in 0..30 {
            let now = noise.bytes(2 * MIB);
            w.takes(now - last).objects(100).cycle(Epoch);
            last = now;
        }
        w.ends(0);
        assert_ne!(w.report().verdict, Verdict::Leak, "seed {seed}");
    }
}

#[test]
fn a_batch_in_flight_or_not_is_no_growth() {
    // Measured on a fit from a generator: 6.3 MiB more or not, at the end of each epoch, and a few KiB of noise.
    for seed in 1..=20 {
        let mut noise = Noise(seed * 104_729);
        let mut w = started();
        let mut last = 0;
        for _ in 0..30 {
            let in_flight = if noise.next() > 0.0 { 6400 * KIB } else { 0 };
            let now = in_flight + noise.bytes(60 * KIB);
            w.takes(now - last).objects(100).cycle(Epoch);
            last = now;
        }
        w.ends(0);
        let report = w.report();
        assert_eq!(report.verdict, Verdict::NoLeak, "seed {seed}: {} {:?}", report.reason, report.growth);
    }
}

#[test]
fn a_cache_that_filled_is_no_leak() {
    let mut w = started();
    for epoch in 0..30 {
        let fills = if epoch < 12 { 4 * MIB } else { 4 * KIB };
        w.takes(fills).objects(50).cycle(Epoch);
    }
    w.ends(0);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
    assert!(report.components.iter().any(|c| c.kind == Kind::Filling), "{:?}", report.components);
}

#[test]
fn a_leak_that_sets_in_late_is_told_with_its_epoch() {
    let mut noise = Noise(5);
    let mut w = started();
    for epoch in 1..=40 {
        let grows = if epoch > 20 { 6 * MIB } else { 0 };
        w.takes(grows + noise.bytes(8 * KIB)).objects(50).cycle(Epoch);
    }
    w.ends(0);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let growth = report.growth.unwrap();
    assert!((19..=22).contains(&growth.since_cycle), "{growth:?}");
}

#[test]
fn buffers_that_the_pipeline_enlarges_once_are_no_leak() {
    // Measured on a fit from a generator: the pipeline's autotuning adds 66 MiB in the tenth epoch.
    let kib = [33_905, 183, -144, -64, 6528, 139, -6460, -119, 67_539, 403, 6024];
    let mut w = started();
    w.cycle(Epoch);
    for kib in kib {
        w.takes(kib * KIB).objects(100).cycle(Epoch);
    }
    w.ends(300 * KIB);
    let report = w.report();
    assert_ne!(report.verdict, Verdict::Leak, "{} {:?}", report.reason, report.growth);
}

#[test]
fn weights_kept_at_every_fourth_epoch_leak() {
    let mut w = started();
    for epoch in 0..40 {
        w.takes(if epoch % 4 == 0 { 6 * MIB } else { 0 }).objects(100).cycle(Epoch);
    }
    w.ends(300 * KIB);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::Leak, "{} {:?}", report.reason, report.growth);
}

#[test]
fn tensors_that_stay_in_a_pool_are_a_leak_and_what_it_reserves_is_not() {
    let mut w = started();
    for _ in 0..14 {
        w.pool_takes(MIB).objects(50).cycle(Epoch);
    }
    w.ends(0);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let rate = report.growth.unwrap().bytes_per_cycle;
    assert!((rate.estimate - MIB).abs() < 10 * KIB, "{rate:?}");
}

#[test]
fn a_pool_that_keeps_its_regions_is_reserved_memory() {
    let mut w = started();
    w.pool_takes(40 * MIB).pool_takes(-38 * MIB);
    for _ in 0..14 {
        w.objects(50).cycle(Epoch);
    }
    w.ends(0);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
    let reserved = report.components.iter().find(|c| c.kind == Kind::Reserved).unwrap();
    assert_eq!(reserved.bytes, (62 - 2) * MIB);
}

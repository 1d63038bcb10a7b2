//! Memory of GPUs: what is reserved, and a growth that the verdict leaves out.
#![allow(clippy::unwrap_used, reason = "tests")]

mod world;

use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{Observation, Record};
use nilometer_diagnose::{About, Kind, Report, Verdict};
use world::{World, started};

const MIB: u64 = 1024 * 1024;

fn count(w: &mut World, name: &str, value: u64) {
    w.say(&Record::Observation(Observation::Probe { name: name.to_owned(), value }));
}

/// Names of the three probes of a framework, with how its report calls it.
const TENSORFLOW: &str = "";
const TORCH: &str = "torch_";
const JAX: &str = "jax_";

fn run(epochs: u64, reserved: u64, used: impl Fn(u64) -> u64) -> Report {
    run_of(TENSORFLOW, epochs, reserved, used)
}

/// A healthy program of so many epochs; `used` says what the GPU has in use at the end of each, of `reserved` bytes.
fn run_of(framework: &str, epochs: u64, reserved: u64, used: impl Fn(u64) -> u64) -> Report {
    let mut w = started();
    let mut peak = 0;
    for epoch in 1..=epochs {
        w.objects(100).cycle(Epoch);
        peak = peak.max(used(epoch) + 200 * MIB);
        count(&mut w, &format!("{framework}gpu_memory"), used(epoch));
        count(&mut w, &format!("{framework}gpu_memory_peak"), peak);
        if reserved > 0 {
            count(&mut w, &format!("{framework}gpu_memory_reserved"), reserved);
        }
    }
    w.ends(0);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
    report
}

#[test]
fn what_tensorflow_took_when_it_began_is_reserved() {
    let report = run(15, 40_000 * MIB, |_| 100 * MIB);
    assert_eq!(report.warnings, []);
    let reserved = report.components.iter().find(|c| c.kind == Kind::Reserved).unwrap();
    assert_eq!(reserved.bytes, 39_900 << 20);
    assert!(reserved.sentence.contains("took 39.1 GiB"), "{}", reserved.sentence);
    assert!(reserved.sentence.contains("300 MiB of it in use at most"), "{}", reserved.sentence);
    assert!(reserved.change.as_ref().unwrap().contains("set_memory_growth"));
}

#[test]
fn a_pool_that_grows_as_it_needs_has_nothing_reserved() {
    let report = run(15, 0, |_| 100 * MIB);
    assert!(!report.components.iter().any(|c| c.kind == Kind::Reserved));
}

#[test]
fn a_growth_is_told_beside_the_verdict() {
    let report = run(15, 40_000 * MIB, |epoch| (100 + 25 * epoch) * MIB);
    let [warning] = report.warnings.as_slice() else { panic!("{:?}", report.warnings) };
    assert_eq!((warning.name.as_str(), warning.about), ("gpu-memory-grows", About::GpuMemory));
    assert!(warning.sentence.contains("25.0 MiB more of it"), "{}", warning.sentence);
    assert!(warning.sentence.contains("475 MiB at the last"), "{}", warning.sentence);
}

#[test]
fn what_fills_turns_over_or_is_small_is_no_growth() {
    type Used = fn(u64) -> u64;
    let healthy: [(&str, Used); 5] = [
        ("a cache that fills", |epoch| 100 * MIB + 512 * MIB * epoch / (epoch + 4)),
        ("full after eight epochs", |epoch| (100 + 50 * epoch.min(8)) * MIB),
        ("kept for three epochs", |epoch| (100 + 50 * (epoch % 3)) * MIB),
        ("a counter or so", |epoch| 100 * MIB + 4096 * epoch),
        ("steps that a later one takes back", |epoch| {
            (if epoch < 13 { 100 + 20 * epoch } else { 110 }) * MIB
        }),
    ];
    for (what, used) in healthy {
        assert_eq!(run(18, 0, used).warnings, [], "{what}");
    }
    assert_eq!(run(11, 0, |epoch| (100 + 25 * epoch) * MIB).warnings, [], "too few epochs");
}

#[test]
fn a_pool_that_holds_what_was_in_use_once_is_reserved() {
    let report = run_of(TORCH, 15, 4_100 * MIB, |epoch| if epoch < 3 { 3_800 * MIB } else { 80 * MIB });
    assert_eq!(report.warnings, []);
    let reserved = report.components.iter().find(|c| c.kind == Kind::Reserved).unwrap();
    assert_eq!(reserved.bytes, 4_020 << 20);
    assert!(
        reserved.sentence.contains("PyTorch holds 4.0 GiB, of which 80.0 MiB are in use"),
        "{}",
        reserved.sentence
    );
    assert!(reserved.sentence.ends_with("no leak on the GPU."), "{}", reserved.sentence);
    assert!(reserved.change.as_ref().unwrap().contains("empty_cache"));
}

#[test]
fn a_pool_that_is_nearly_all_in_use_needs_no_word() {
    let report = run_of(TORCH, 15, 100 * MIB, |_| 60 * MIB);
    assert!(!report.components.iter().any(|c| c.kind == Kind::Reserved));
}

#[test]
fn growth_is_told_of_each_framework_and_no_flatness_beside_it() {
    for (probes, name) in [(TORCH, "PyTorch"), (JAX, "JAX")] {
        let report = run_of(probes, 15, 40_000 * MIB, |epoch| (100 + 4 * epoch) * MIB);
        let [warning] = report.warnings.as_slice() else { panic!("{:?}", report.warnings) };
        assert!(
            warning.sentence.starts_with(&format!("{name} has 4.0 MiB more of it")),
            "{}",
            warning.sentence
        );
        let reserved = report.components.iter().find(|c| c.kind == Kind::Reserved).unwrap();
        assert!(!reserved.sentence.contains("no leak"), "{}", reserved.sentence);
    }
    let short = run_of(JAX, 11, 40_000 * MIB, |_| 100 * MIB);
    let reserved = short.components.iter().find(|c| c.kind == Kind::Reserved).unwrap();
    assert!(!reserved.sentence.contains("no leak"), "too few epochs: {}", reserved.sentence);
}

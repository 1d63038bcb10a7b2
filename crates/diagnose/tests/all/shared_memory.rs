//! Shared memory is memory: no allocator hands it out, and no kernel can drop it.

use crate::world::{KIB, MIB, World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::{Kind, Report, Verdict};

/// Sixteen epochs that differ in what they share.
fn run(each: impl Fn(&mut World, u64)) -> Report {
    let mut w = started();
    for epoch in 1..=16 {
        each(&mut w, epoch);
        w.objects(100).cycle(Epoch);
    }
    w.ends(0);
    w.report()
}

#[test]
fn blocks_that_are_shared_and_kept_are_a_leak() {
    let report = run(|w, _| {
        w.shares(MIB);
    });
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let rate = report.growth.unwrap().bytes_per_cycle;
    assert!((rate.estimate - MIB).abs() < 64 * KIB, "{rate:?}");
    let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
    assert_eq!(finding.cause, "shared-memory-kept");
    assert!((finding.bytes_per_cycle.estimate - MIB).abs() < 64 * KIB, "{finding:?}");
    assert!(report.next_steps.is_empty(), "no sample would tell of it: {:?}", report.next_steps);
    assert!(report.components.iter().all(|c| c.kind != Kind::Retained), "{:?}", report.components);
}

#[test]
fn a_block_that_is_shared_once_is_none() {
    let report = run(|w, epoch| {
        w.shares(if epoch == 1 { 64 * MIB } else { 0 });
    });
    assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
    assert!(report.components.iter().all(|c| c.kind != Kind::Growing && c.kind != Kind::Retained));
}

#[test]
fn pages_of_a_capture_that_lies_in_memory_do_not_count() {
    let report = run(|w, epoch| {
        w.shares([-50, 40, -20, 60][epoch as usize % 4] * KIB);
    });
    assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
    assert_eq!(report.growth.unwrap().bytes_per_cycle.high, 0);
}

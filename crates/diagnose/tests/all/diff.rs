//! What differs between two runs; on small worlds whose truth is known.

use crate::world::{MIB, World, started};
use nilometer_capture::CycleUnit::{Epoch, Predict};
use nilometer_diagnose::{
    Change, Diff, Difference, Holder, HolderBytes, Sampling, Side, cycle_table, diff, profile,
};

const FIT: &str = "/job/train.py:60 <module>";
const KEEP: &str = "/job/train.py:30 Keep.on_epoch_end";
const OTHER: &str = "/job/train.py:44 other";

/// Keeps so many blocks of 1 MiB per epoch at each of two places, and makes so much at the start.
fn run(keep: u64, other: u64, start: u64, seed: u64) -> World {
    let mut w = started();
    w.fact("cwd", "/job").fact("script", "train.py").records(256 << 10, seed);
    let begin = w.stack(&[FIT]);
    w.makes(begin, 1 << 20, start);
    // The line moved: it is the same place.
    let moved = format!("/job/train.py:{} Keep.on_epoch_end", 30 + seed);
    let (at_keep, at_other) = (w.stack(&[FIT, if seed > 5 { &moved } else { KEEP }]), w.stack(&[FIT, OTHER]));
    for _ in 0..20 {
        w.phase("epoch", |w| {
            w.makes(at_keep, 1 << 20, keep);
            w.makes(at_other, 1 << 20, other);
        });
        w.objects(50).cycle(Epoch);
    }
    w.ends(0);
    w
}

fn between(a: &World, b: &World) -> Diff {
    let (captures, mut files) = ([a.capture(), b.capture()], a.recorder.files());
    let read = captures.each_ref().map(|capture| {
        let report = nilometer_diagnose::diagnose_with(capture, &mut files);
        (report, profile(capture, &mut files), cycle_table(capture))
    });
    let side = |i: usize| {
        let (report, profile, cycles) = &read[i];
        Side { report, profile: profile.as_ref(), cycles }
    };
    diff(side(0), side(1))
}

fn named<'a>(list: &'a [Difference], name: &str) -> &'a Difference {
    list.iter().find(|d| d.name == name).unwrap_or_else(|| panic!("{name} in {list:?}"))
}

#[test]
fn a_leak_that_was_mended_went() {
    let diff = between(&run(2, 0, 0, 1), &run(0, 0, 0, 2));
    let growth = diff.growth.as_ref().unwrap();
    assert_eq!(growth.change, Change::Shrank);
    assert!((growth.difference + 2 * MIB).abs() < MIB / 20, "{growth:?}");
    assert!(diff.sentence.contains("does not leak any more"), "{}", diff.sentence);
    assert_eq!(diff.causes.iter().map(|d| d.change).collect::<Vec<_>>(), [Change::Went]);
    let site = named(&diff.sites, "train.py Keep.on_epoch_end");
    assert_eq!((site.change, site.b), (Change::Went, None));
    assert_eq!(named(&diff.phases, "epoch").change, Change::Went);
    assert!(!diff.grew_beyond(0));
}

#[test]
fn a_new_leak_appears_beside_an_old_one_that_stays() {
    let diff = between(&run(2, 0, 0, 3), &run(2, 1, 0, 14));
    assert!(diff.grew_beyond(0) && diff.grew_beyond(MIB / 2) && !diff.grew_beyond(2 * MIB));
    assert_eq!(named(&diff.sites, "train.py other").change, Change::Appeared);
    assert_eq!(named(&diff.sites, "train.py Keep.on_epoch_end").change, Change::Same);
    assert_eq!(named(&diff.live_by_site, "train.py Keep.on_epoch_end").change, Change::Same);
    let last = diff.curve.last().unwrap();
    assert_eq!((diff.curve.len(), last.cycle), (20, 20));
    assert!((last.b - last.a).abs_diff(20 * MIB as u64) < MIB as u64, "{last:?}");
    let level = named(&diff.levels, "live at epoch 20");
    assert_eq!(level.change, Change::Grew);
}

#[test]
fn one_program_twice_is_the_same_though_samples_differ() {
    let small = |seed| {
        let mut w = started();
        w.records(256 << 10, seed);
        let stack = w.stack(&[FIT, KEEP]);
        for _ in 0..20 {
            w.makes(stack, 16 << 10, 64);
            w.objects(50).cycle(Epoch);
        }
        w.ends(0);
        w
    };
    for seed in 1..20 {
        let diff = between(&small(seed), &small(100 + seed));
        assert!(!diff.grew_beyond(0), "{:?}", diff.growth);
        let changed = diff.sites.iter().chain(&diff.live_by_site).filter(|d| d.is_change()).count();
        // Two deviations: one in twenty may be told.
        assert!(changed <= 1, "{seed}: {diff:?}");
        assert!(diff.levels.iter().all(|d| !d.is_change()), "{:?}", diff.levels);
    }
}

#[test]
fn a_script_under_another_name_has_the_same_sites() {
    let named_run = |name: &str, seed| {
        let mut w = started();
        w.fact("cwd", "/job").fact("script", name).records(16 << 10, seed);
        let stack = w.stack(&[FIT, &format!("/job/{name}:30 keep")]);
        for _ in 0..20 {
            w.makes(stack, 1 << 20, 1);
            w.objects(50).cycle(Epoch);
        }
        w.ends(0);
        w
    };
    let diff = between(&named_run("train.py", 1), &named_run("train_new.py", 2));
    assert_eq!(named(&diff.sites, "train_new.py keep").change, Change::Same);
    assert_eq!(diff.sites.iter().filter(|d| d.name.ends_with("keep")).count(), 1);
}

#[test]
fn what_one_run_has_no_sample_of_did_not_surely_appear() {
    // Two hundred places with little memory each: the coarser run sees few of them, the finer one all.
    let scattered = |mean, seed| {
        let mut w = started();
        w.fact("cwd", "/job").records(mean, seed);
        let stacks: Vec<u64> =
            (1..200).map(|line| w.stack(&[FIT, &format!("/job/train.py:{line} make_{line}")])).collect();
        for stack in stacks {
            w.makes(stack, 4 << 10, 64);
        }
        for _ in 0..12 {
            w.objects(50).cycle(Epoch);
        }
        w.ends(0);
        w
    };
    let diff = between(&scattered(512 << 10, 3), &scattered(16 << 10, 104));
    let absent = diff.live_by_site.iter().filter(|d| d.a.is_none() || d.b.is_none()).count();
    assert!(absent > 60, "{absent}: the runs' samples differ");
    let told: Vec<_> = diff.live_by_site.iter().filter(|d| d.is_change()).collect();
    assert!(told.len() <= absent / 20, "{told:?}");
}

#[test]
fn one_sample_below_a_holder_is_no_holder_that_appeared() {
    let mut reports = [run(0, 0, 0, 1), run(0, 0, 0, 2)]
        .map(|w| nilometer_diagnose::diagnose(&w.capture(), nilometer_frameworks::DIAGNOSE));
    let held = |path: &str, live_bytes| HolderBytes {
        holder: Holder { path: path.to_owned(), ..Holder::default() },
        live_bytes,
    };
    for report in &mut reports {
        report.sampling = Some(Sampling { coarsest_mean: Some(4 << 20), ..Sampling::default() });
        report.holders = vec![held("common", 256 * MIB)];
    }
    reports[0].holders[0].live_bytes = 10 * MIB;
    reports[1].holders.push(held("numpy.random[*]", 5 * MIB));
    reports[1].holders.push(held("kept[*]", 64 * MIB));
    let side = |i: usize| Side { report: &reports[i], profile: None, cycles: &[] };
    let diff = diff(side(0), side(1));
    assert_eq!(named(&diff.live_by_holder, "numpy.random[*]").change, Change::Same);
    assert_eq!(named(&diff.live_by_holder, "kept[*]").change, Change::Appeared);
    assert_eq!(named(&diff.live_by_holder, "common").change, Change::Grew);
}

#[test]
fn more_memory_that_does_not_grow_is_a_level() {
    let diff = between(&run(0, 0, 10, 1), &run(0, 0, 200, 2));
    assert!(!diff.grew_beyond(0));
    assert_eq!(named(&diff.levels, "live at the end").change, Change::Grew);
    assert_eq!(named(&diff.live_by_site, "train.py <module>").change, Change::Grew);
    assert!(!named(&diff.sites, "train.py <module>").is_change());
}

#[test]
fn without_samples_phases_are_told_by_what_was_counted() {
    let entered = |bytes| {
        let mut w = World::new();
        w.phase("fit_entry", |w| {
            w.takes(bytes);
        });
        for _ in 0..12 {
            w.objects(50).cycle(Epoch);
        }
        w.ends(0);
        w
    };
    let diff = between(&entered(20 * MIB), &entered(80 * MIB));
    let phase = named(&diff.phases, "fit_entry");
    assert_eq!((phase.change, phase.difference), (Change::Grew, 60 * MIB));
    assert_eq!((diff.sites.len(), diff.live_by_site.len()), (0, 0));
}

#[test]
fn different_things_that_repeat_are_not_compared() {
    let mut served = started();
    for _ in 0..30 {
        served.takes(MIB).objects(50).cycle(Predict);
    }
    served.ends(0);
    let diff = between(&run(0, 0, 0, 1), &served);
    assert_eq!((diff.growth.as_ref(), diff.curve.len(), diff.causes.len()), (None, 0, 0));
    assert!(diff.sentence.contains("cannot be compared") && !diff.grew_beyond(0), "{}", diff.sentence);
}

//! The profile of sampled memory; on small worlds whose truth is known.

use crate::world::{MIB, World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::{
    Nothing, OTHER_STACKS, Profile, ProfileStack, diagnose_and_profile, diagnose_with, profile,
};

const FIT: &str = "/job/train.py:60 <module>";
const KERAS: &str = "/v/lib/python3.11/site-packages/keras/src/trainer.py:300 Trainer.fit";
const KEEP: &str = "/job/train.py:30 Keep.on_epoch_end";
const CACHE: &str = "/job/train.py:41 Cache.on_epoch_end";

fn of(w: &World) -> Profile {
    profile(&w.capture(), &mut w.recorder.files()).unwrap()
}

fn functions(profile: &Profile, stack: &ProfileStack) -> Vec<String> {
    stack.frames.iter().map(|f| profile.frames[*f as usize].function.clone()).collect()
}

fn by_function<'a>(profile: &'a Profile, function: &str) -> &'a ProfileStack {
    let holds = |s: &&ProfileStack| functions(profile, s).iter().any(|f| f == function);
    profile.stacks.iter().find(holds).unwrap()
}

/// A program that keeps 1 MiB per epoch, replaces 4 MiB each epoch and keeps 16 MiB from the start.
fn kept_and_replaced() -> World {
    let mut w = started();
    w.fact("cwd", "/job").records(16 << 10, 5);
    let start = w.stack(&[FIT, "tensorflow::Kernel"]);
    w.makes(start, 1 << 20, 16);
    let keep = w.stack(&[FIT, KERAS, KEEP]);
    let cache = w.stack(&[FIT, KERAS, CACHE]);
    let mut old = Vec::new();
    w.phase("fit", |w| {
        for _ in 0..20 {
            w.phase("epoch", |w| {
                w.makes(keep, 1 << 20, 1);
            });
            let new = w.makes(cache, 1 << 20, 4);
            if let Some(old) = old.pop() {
                w.gives_back(old);
            }
            old.push(new);
            w.objects(50).cycle(Epoch);
        }
    });
    w
}

#[test]
fn stacks_have_what_lives_what_grows_and_when_it_was_born() {
    let profile = of(&kept_and_replaced());
    assert_eq!(profile.cycles, (1..=20).collect::<Vec<u64>>());
    let near = |a: i64, b: i64| assert!((a - b).abs() <= b / 100, "{a} {b}");
    let keep = by_function(&profile, "Keep.on_epoch_end");
    assert_eq!(functions(&profile, keep), ["<module>", "Trainer.fit", "Keep.on_epoch_end"]);
    near(keep.live_bytes, 20 * MIB);
    near(keep.bytes_per_cycle, MIB);
    assert_eq!((keep.samples, keep.phase.as_deref()), (20, Some("epoch")));
    // Each of them was sure to be sampled.
    assert!(keep.deviation_bytes < 1000 && keep.deviation_per_cycle < 100, "{keep:?}");
    assert_eq!(keep.births.iter().map(|(bin, _)| *bin).collect::<Vec<_>>(), (0..20).collect::<Vec<u32>>());
    let cache = by_function(&profile, "Cache.on_epoch_end");
    near(cache.live_bytes, 4 * MIB);
    assert_eq!((cache.bytes_per_cycle, cache.births.len()), (0, 1));
    let start = by_function(&profile, "Kernel");
    near(start.live_bytes, 16 * MIB);
    assert_eq!((start.bytes_per_cycle, start.phase.as_deref()), (0, None));
    let frame = &profile.frames[start.frames[1] as usize];
    assert_eq!((frame.kind, frame.file.as_str(), frame.line), ("native", "libtensorflow_cc.so.2", 0));
    let frame = &profile.frames[keep.frames[2] as usize];
    assert_eq!((frame.kind, frame.file.as_str(), frame.line), ("user", "train.py", 30));
}

#[test]
fn survivors_are_told_by_birth_and_age() {
    let profile = of(&kept_and_replaced());
    assert_eq!(profile.survivors.len(), 20);
    for (birth, row) in profile.survivors.iter().enumerate() {
        assert_eq!(row.len(), 20 - birth, "a cycle cannot be seen older than the run");
        let kept = if birth == 0 { 17 * MIB } else { MIB };
        for (age, bytes) in row.iter().enumerate() {
            let alive = if age == 0 { kept + 4 * MIB } else { kept };
            assert!((bytes - alive).abs() <= alive / 100, "{birth} {age}: {bytes} {alive}");
        }
    }
}

#[test]
fn few_samples_of_much_deviate() {
    let mut w = started();
    w.records(1 << 20, 9);
    let stack = w.stack(&[FIT, KEEP]);
    w.makes(stack, 64 << 10, 320);
    w.cycle(Epoch);
    let profile = of(&w);
    let told = &profile.stacks[0];
    assert!(told.samples > 3, "{told:?}");
    let usual = told.live_bytes as f64 / (told.samples as f64).sqrt();
    assert!((told.deviation_bytes as f64 / usual - 1.0).abs() < 0.1, "{told:?} {usual}");
}

#[test]
fn what_went_counts_against_its_stack() {
    let mut w = started();
    w.records(16 << 10, 6);
    let stack = w.stack(&[FIT, KEEP]);
    let mut early: Vec<_> = (0..10).map(|_| w.makes(stack, 1 << 20, 1)).collect();
    for epoch in 0..14 {
        if epoch >= 4 {
            w.gives_back(early.pop().unwrap());
        }
        w.cycle(Epoch);
    }
    let profile = of(&w);
    assert_eq!((profile.stacks.len(), profile.stacks[0].live_bytes), (1, 0));
    assert!(profile.stacks[0].bytes_per_cycle < -MIB / 2, "{:?}", profile.stacks[0]);
}

#[test]
fn no_more_stacks_than_can_be_drawn_and_nothing_is_dropped() {
    let mut w = started();
    w.records(1 << 10, 7);
    for line in 0..10_400 {
        let stack = w.stack(&[FIT, &format!("/job/train.py:{} make", line + 1)]);
        w.makes(stack, 64 << 10, 1);
    }
    w.cycle(Epoch);
    let profile = of(&w);
    assert_eq!(profile.stacks.len(), 10_001);
    let last = profile.stacks.last().unwrap();
    assert_eq!((functions(&profile, last), last.samples), (vec![OTHER_STACKS.to_owned()], 400));
    let live: i64 = profile.stacks.iter().map(|s| s.live_bytes).sum();
    assert_eq!(live, 10_400 * (64 << 10));
}

#[test]
fn stacks_that_read_alike_are_one() {
    let mut w = started();
    w.records(16 << 10, 8);
    for _ in 0..3 {
        let stack = w.stack(&[FIT, KEEP]);
        w.makes(stack, 1 << 20, 1);
    }
    w.makes(0, 1 << 20, 1); // no stack at all
    w.reads(nilometer_capture::Moment::Tick);
    let profile = profile(&w.capture(), &mut Nothing::default()).unwrap();
    assert_eq!(profile.stacks.iter().map(|s| s.samples).collect::<Vec<_>>(), [3, 1]);
    let unknown = &profile.stacks[1].frames;
    assert_eq!((unknown.len(), profile.frames[unknown[0] as usize].kind), (1, "cut"));
}

#[test]
fn without_a_recorder_there_is_none() {
    let mut w = started();
    w.cycle(Epoch);
    assert_eq!(profile(&w.capture(), &mut Nothing::default()), None);
}

#[test]
fn one_reading_of_the_samples_serves_both() {
    let mut w = started();
    w.records(16 << 10, 8);
    for _epoch in 0..12 {
        let stack = w.stack(&[FIT, KEEP]);
        w.makes(stack, 1 << 20, 2);
        w.cycle(Epoch);
    }
    w.ends(0);
    let capture = w.capture();
    let mut called = 0;
    let (report, drawn) = diagnose_and_profile(&capture, &mut w.recorder.files(), || called += 1);
    assert_eq!(report, diagnose_with(&capture, &mut w.recorder.files()));
    assert_eq!((drawn, called), (Some(of(&w)), 1));
    assert_eq!(report.sampling.unwrap().samples, 24);
}

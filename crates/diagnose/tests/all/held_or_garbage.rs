//! What the census saw held is no garbage that waits for a collection; on small worlds whose truth is known.

use crate::world::recorder::Made;
use crate::world::{KIB, World, started};
use nilometer_capture::CycleUnit::{Epoch, Predict};
use nilometer_capture::{Grown, Holder, Moment};
use nilometer_diagnose::{Report, Verdict};

const FIT: &str = "/job/train.py:60 <module>";
const KERAS: &str = "/v/lib/python3.11/site-packages/keras/src/trainer.py:300 Trainer.fit";
const CALLBACK: &str = "/job/train.py:30 Keep.on_epoch_end";

const SAVED: &str = "fit(): callbacks[0].saved[*]";

fn all(made: &[Made]) -> Vec<&Made> {
    made.iter().collect()
}

/// Twenty epochs that make reference cycles which nobody collects, weighing more than the kept megabyte beside them.
fn beside_garbage(look: bool) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 3);
    let stack = w.stack(&[FIT, KERAS, CALLBACK]);
    let mut kept: Vec<Made> = Vec::new();
    let mut garbage = 0;
    for epoch in 0..20 {
        kept.push(w.makes(stack, 1 << 20, 1));
        garbage += 2 << 20;
        w.takes(2 << 20).objects(20_000).cycle(Epoch);
        if look && epoch == 12 {
            w.looks(&[(SAVED, "Keep", &all(&kept))]);
        }
    }
    // main() has ended and with it what it held.
    for made in kept {
        w.gives_back(made);
    }
    w.ends(garbage + (20 << 20));
    w.report_with_names()
}

#[test]
fn what_the_census_saw_held_is_no_garbage() {
    let without = beside_garbage(false);
    assert_ne!(without.verdict, Verdict::Leak, "{}", without.reason);
    let with = beside_garbage(true);
    assert_eq!(with.verdict, Verdict::Leak, "{}", with.reason);
    assert_eq!(with.findings[0].sites.last().unwrap().line, 30);
    let rate = with.growth.unwrap().bytes_per_cycle;
    assert!(rate.low <= 1 << 20 && rate.high >= 1 << 20, "{rate:?}");
}

/// Twenty epochs that keep 300 KiB each beside cycles that wait for a collection, for all the counters can tell; scans see a
/// container grow from the seventh to the last that is given.
fn may_be_garbage(path: &str, file: &str, bytes: u64, last: u64, scans_end: u64) -> Report {
    may_be_garbage_of(path, file, (bytes, false), last, scans_end)
}

/// The same of a container whose elements may keep native memory.
fn may_be_garbage_of(
    path: &str,
    file: &str,
    (bytes, native): (u64, bool),
    last: u64,
    scans_end: u64,
) -> Report {
    beside_what_waits(|w, epoch| {
        if (7..=scans_end).contains(&epoch) {
            if epoch <= last {
                let (path, kind, file) = (path.to_owned(), "list".to_owned(), file.to_owned());
                let holder = Holder { id: 1, path, kind, file, ..Holder::default() };
                w.scans_holder(holder, epoch, epoch, bytes, native);
            } else {
                w.scans_nothing();
            }
        }
    })
}

/// Twenty such epochs, and what scans see after each. The program is killed: no collection at exit tells what was garbage.
fn beside_what_waits(scan: impl Fn(&mut World, u64)) -> Report {
    waits(scan).report_with_names()
}

fn waits(scan: impl Fn(&mut World, u64)) -> World {
    let mut w = started();
    w.fact("cwd", "/job");
    for epoch in 1..=20 {
        w.takes(300 * KIB).objects(20_000).cycle(Epoch);
        scan(&mut w, epoch);
    }
    w
}

#[test]
fn a_container_that_carries_the_growth_proves_that_it_is_no_garbage() {
    let report = may_be_garbage("main(): loaded[*]", "/job/train.py", 290 << 10, 20, 20);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let rate = report.growth.unwrap().bytes_per_cycle;
    assert!(rate.low <= 300 * KIB && rate.high >= 300 * KIB && rate.low > 200 * KIB, "{rate:?}");
    assert_eq!(report.findings[0].holder.as_ref().unwrap().path, "main(): loaded[*]");
    // The last scans are long ago, and memory grew on as the container did.
    let report = may_be_garbage("main(): loaded[*]", "/job/train.py", 290 << 10, 13, 13);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    // When the program ends its functions have returned: a scan sees nothing of what they held.
    let mut w = waits(|w, epoch| {
        if (7..=13).contains(&epoch) {
            let (path, kind, file) = ("main(): loaded[*]".into(), "list".into(), "/job/train.py".into());
            let holder = Holder { id: 1, path, kind, file, ..Holder::default() };
            w.scans_holder(holder, epoch, epoch, 290 << 10, false);
        }
    });
    w.scans_nothing().scan_ends().reads(Moment::BeforeExit).reads(Moment::BeforeExit);
    let report = w.report_with_names();
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let rate = report.growth.unwrap().bytes_per_cycle;
    assert!(rate.low > 200 * KIB && rate.high >= 300 * KIB, "{rate:?}");
    // One that carries a part of it: that part is certain.
    let report = may_be_garbage("main(): loaded[*]", "/job/train.py", 120 << 10, 20, 20);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let rate = report.growth.unwrap().bytes_per_cycle;
    assert!((rate.estimate - 120 * KIB).abs() < 12 * KIB && rate.high >= 300 * KIB, "{rate:?}");
    assert!(report.reason.ends_with("the program's own containers keep 120 KiB of it"), "{}", report.reason);
    let report = may_be_garbage("main(): loaded[*]", "/job/train.py", 120 << 10, 10, 10);
    assert_eq!(report.verdict, Verdict::Undecided, "it was not watched for long: {}", report.reason);
}

#[test]
fn more_than_half_is_not_as_much() {
    let estimate = |native: bool| {
        let of = (200 << 10, native);
        let report = may_be_garbage_of("main(): loaded[*]", "/job/train.py", of, 20, 20);
        assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
        assert_eq!(report.reason.contains("Some of it may be garbage"), !native, "{}", report.reason);
        let rate = report.growth.unwrap().bytes_per_cycle;
        assert!(rate.low <= 200 * KIB && rate.high >= 300 * KIB, "{rate:?}");
        rate.estimate
    };
    // All of its elements was weighed: what grows beside them is something else, or garbage.
    assert!((estimate(false) - 200 * KIB).abs() < 20 * KIB);
    // Python sees two thirds, and native code keeps more below the same elements.
    assert!((estimate(true) - 300 * KIB).abs() < 20 * KIB);
}

#[test]
fn what_keeps_native_memory_each_is_no_garbage_however_small_it_looks() {
    let of = |file: &str, native: bool, last: u64| {
        may_be_garbage_of("main(): sweep.writers[*]", file, (900, native), last, 20)
    };
    // A list of (epoch, model): the walk below the model is cut, and it is the same one each time.
    let report = beside_what_waits(|w, epoch| {
        let (path, kind, file) =
            ("main(): seen[*]".to_owned(), "list".to_owned(), "/job/train.py".to_owned());
        let grown =
            Grown { cycle: epoch, length: epoch, bytes: 900, new: 1, partial: true, ..Grown::default() };
        w.scans_grown(Holder { id: 1, path, kind, file, ..Holder::default() }, grown);
    });
    assert_ne!(report.verdict, Verdict::Leak, "{}", report.reason);
    let report = of("/job/train.py", true, 20);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    assert!(report.reason.contains("gets 1 more per epoch"), "{}", report.reason);
    let rate = report.growth.unwrap().bytes_per_cycle;
    assert!(rate.low < 2 * KIB && rate.high >= 300 * KIB, "nobody can say how much: {rate:?}");
    assert_eq!(report.findings[0].holder.as_ref().unwrap().path, "main(): sweep.writers[*]");
    let library = "/v/lib/python3.11/site-packages/tensorflow/python/ops/summary_ops_v2.py";
    for (file, native, last) in
        [("/job/train.py", false, 20), (library, true, 20), ("/job/train.py", true, 11)]
    {
        let report = of(file, native, last);
        assert_ne!(report.verdict, Verdict::Leak, "{file} {native} {last}: {}", report.reason);
    }
}

/// Forty-eight requests that leave garbage, which collections take back but for that of the request that runs, and keep a little;
/// scans see a container grow by so much.
fn passes_for_garbage(bytes: u64) -> Report {
    let mut w = started();
    w.fact("cwd", "/job");
    let mut waits = 0;
    for request in 1..=48 {
        w.takes((187 + 3) * KIB).objects(700);
        if request % 6 == 4 {
            w.frees(1, (waits / 600) as u64, waits);
            waits = 0;
        } else {
            waits += 187 * KIB;
        }
        w.cycle(Predict);
        if request >= 20 && bytes > 0 {
            let (path, kind) = ("Service.answers[*]".to_owned(), "list".to_owned());
            let file = "/job/service.py".to_owned();
            w.scans_holder(
                Holder { id: 1, path, kind, file, ..Holder::default() },
                request,
                request,
                bytes,
                false,
            );
        }
    }
    w.report_with_names()
}

#[test]
fn a_container_that_grows_as_memory_does_speaks_against_garbage() {
    let report = passes_for_garbage(0);
    assert_eq!(report.verdict, Verdict::NoLeak, "{} {:?}", report.reason, report.growth);
    let kept = report.growth.unwrap().bytes_per_cycle.estimate.max(3 * KIB) as u64;
    let report = passes_for_garbage(kept);
    assert_eq!(report.verdict, Verdict::Leak, "{} {:?}", report.reason, report.growth);
    assert_eq!(report.findings[0].holder.as_ref().unwrap().path, "Service.answers[*]");
}

#[test]
fn one_that_carries_little_or_stopped_or_is_a_library_s_proves_nothing() {
    let library = "/v/lib/python3.11/site-packages/tensorflow/python/autograph/cache.py";
    for (path, file, bytes, last) in [
        ("main(): losses[*]", "/job/train.py", 20 << 10, 20),
        ("main(): filled[*]", "/job/train.py", 290 << 10, 11),
        ("tensorflow.cache._cache.data[*]", library, 290 << 10, 20),
        ("main(): too_much[*]", "/job/train.py", 900 << 10, 20),
    ] {
        let report = may_be_garbage(path, file, bytes, last, 20);
        assert_ne!(report.verdict, Verdict::Leak, "{path}: {}", report.reason);
    }
}

/// Twenty epochs that keep so much each, in which live memory goes up and down by more than that; what scans see from the sixth on, every
/// third.
fn in_noise(keeps: i64, scan: impl Fn(&mut World, u64)) -> Report {
    let mut w = started();
    w.fact("cwd", "/job");
    for epoch in 1..=20_u64 {
        let breath = [200, -350, 300, -150][epoch as usize % 4] * KIB;
        w.takes(keeps + breath).objects(100).cycle(Epoch);
        if epoch >= 6 && epoch % 3 == 0 {
            scan(&mut w, epoch);
        }
    }
    w.ends(0);
    w.report_with_names()
}

#[test]
fn a_container_that_is_seen_to_grow_is_a_leak_though_the_counters_show_none() {
    const OWN: &str = "/job/train.py";
    let verdict = |file: &str, bytes: u64, bound: Option<u64>, last: u64| {
        let report = in_noise(27 * KIB, |w, epoch| {
            let (path, kind, file) =
                ("run(): spread.values[*]".to_owned(), "list".to_owned(), file.to_owned());
            let holder = Holder { id: 1, path, kind, file, bound, ..Holder::default() };
            if epoch <= last {
                w.scans_holder(holder, epoch, 10 * epoch, 3 * bytes, false);
            } else {
                w.scans_nothing();
            }
        });
        report.verdict
    };
    assert_eq!(verdict(OWN, 27 << 10, None, 20), Verdict::Leak);
    assert_eq!(verdict(OWN, 27 << 10, None, 12), Verdict::NoLeak, "it has stopped");
    assert_eq!(verdict(OWN, 900 << 10, None, 20), Verdict::NoLeak, "more than there is room for");
    assert_eq!(verdict(OWN, 27 << 10, Some(250), 20), Verdict::NoLeak, "it is soon full");
    let library = "/v/lib/python3.11/site-packages/keras/src/callbacks/history.py";
    assert_eq!(verdict(library, 27 << 10, None, 20), Verdict::NoLeak, "a library fills it");
}

#[test]
fn a_scan_that_counts_a_little_more_than_there_is_room_for_still_tells_of_a_leak() {
    let told = |percent: u64| {
        in_noise(27 * KIB, |w, epoch| {
            let (path, kind) = ("run(): spread.values[*]".to_owned(), "list".to_owned());
            let holder = Holder { id: 1, path, kind, file: "/job/train.py".to_owned(), ..Holder::default() };
            w.scans_holder(holder, epoch, 10 * epoch, 3 * (27 << 10) * percent / 100, false);
        })
    };
    // There is room for 54.9 KiB, and a scan is wrong by a fifth.
    let report = told(220);
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    assert_eq!(
        report.findings[0].bytes_per_cycle.estimate / KIB,
        54,
        "no more than the counters leave room for"
    );
    assert_eq!(told(280).verdict, Verdict::NoLeak);
}

#[test]
fn what_grows_evenly_is_a_leak_from_a_quarter_of_what_frameworks_keep() {
    // Eight or three KiB per epoch: each array of the same size, and so many elements with every epoch or not quite.
    let report_of = |each: u64, stray: u64, native: bool, new: u64| {
        in_noise((each << 10).cast_signed(), |w, epoch| {
            let (path, file) = ("main(): kept.errors[*]".to_owned(), "/job/train.py".to_owned());
            let holder = Holder { id: 1, path, kind: "list".to_owned(), file, ..Holder::default() };
            let (length, bytes) = (epoch + if epoch == 12 { stray } else { 0 }, 3 * (each << 10));
            w.scans_grown(holder, Grown { cycle: epoch, length, bytes, new, native, ..Grown::default() });
        })
    };
    let report = |each, stray, native| report_of(each, stray, native, 3);
    let found = report(8, 0, false);
    assert_eq!(found.verdict, Verdict::Leak, "{}", found.reason);
    let rate = found.growth.as_ref().unwrap().bytes_per_cycle;
    assert!((rate.estimate - 8 * KIB).abs() < KIB && rate.low > 6 * KIB && rate.high < 10 * KIB, "{rate:?}");
    assert_eq!(found.findings[0].holder.as_ref().unwrap().path, "main(): kept.errors[*]");
    assert_eq!(report(3, 0, false).verdict, Verdict::NoLeak, "what Keras itself notes");
    assert_eq!(report(8, 1, false).verdict, Verdict::NoLeak, "one more at one scan");
    assert_eq!(report_of(8, 0, false, 3 * 250).verdict, Verdict::NoLeak, "numbers, one of each batch");
    assert_eq!(report(8, 0, true).verdict, Verdict::NoLeak, "its elements were not weighed");
}

#[test]
fn what_keeps_native_memory_each_is_a_leak_though_the_counters_show_none() {
    let verdict = |keeps: i64, each: u64| {
        let report = in_noise(keeps, |w, epoch| {
            let (path, file) = ("main(): sweep.writers[*]".to_owned(), "/job/train.py".to_owned());
            let holder = Holder { id: 1, path, kind: "dict".to_owned(), file, ..Holder::default() };
            let grown = Grown { cycle: epoch, length: 10 * epoch, new: 30, native: true, ..Grown::default() };
            w.scans_grown(holder, Grown { bytes: 30 * each, ..grown });
        });
        assert!(!report.reason.contains("may be garbage"), "the counters are sure: {}", report.reason);
        report.verdict
    };
    // Ten summary writers per epoch: 0.9 KiB that Python sees of each, and two that it does not.
    assert_eq!(verdict(30 * KIB, 900), Verdict::Leak);
    assert_eq!(verdict(4 * KIB, 900), Verdict::NoLeak, "the counters leave no room for it");
    assert_eq!(verdict(30 * KIB, 200), Verdict::NoLeak, "tensors of one number each");
}

#[test]
fn a_list_of_what_others_hold_anyway_proves_nothing() {
    // The hardest sample of each epoch, of a data set that is there all the time.
    for shared in [false, true] {
        let report = in_noise(27 * KIB, |w, epoch| {
            let (path, file) = ("fit(): callbacks[0].hardest[*]".to_owned(), "/job/train.py".to_owned());
            let holder = Holder { id: 1, path, kind: "list".to_owned(), file, ..Holder::default() };
            let bytes = 3 * (27 << 10);
            w.scans_grown(
                holder,
                Grown { cycle: epoch, length: epoch, bytes, new: 3, shared, ..Grown::default() },
            );
        });
        let expected = if shared { Verdict::NoLeak } else { Verdict::Leak };
        assert_eq!(report.verdict, expected, "{}", report.reason);
    }
}

#[test]
fn what_is_met_ever_more_seldom_is_no_leak() {
    // The last batch of each class: most are met in the first epochs.
    let lengths = [40, 58, 66, 71, 74];
    let verdict = |lengths: [u64; 5]| {
        let report = in_noise(20 * KIB, |w, epoch| {
            let (path, file) = ("main(): last[*]".to_owned(), "/job/train.py".to_owned());
            let holder = Holder { id: 1, path, kind: "dict".to_owned(), file, ..Holder::default() };
            let length = lengths[epoch as usize / 3 - 2];
            let new = length - if epoch == 6 { length - 18 } else { lengths[epoch as usize / 3 - 3] };
            w.scans_grown(
                holder,
                Grown { cycle: epoch, length, bytes: new * (9 << 10), new, ..Grown::default() },
            );
        });
        report.verdict
    };
    assert_eq!(verdict(lengths), Verdict::NoLeak);
    assert_eq!(verdict([40, 50, 60, 70, 80]), Verdict::Leak);
}

#[test]
fn the_lists_of_a_dict_are_one_container() {
    const LISTS: &str = "__main__.shift.by_ward[*][*]";
    let report = in_noise(40 * KIB, |w, epoch| {
        for _ward in 0..4 {
            w.scans(LISTS, epoch, epoch, 30 << 10, false);
        }
    });
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    let (bytes, holder) = (finding.bytes_per_cycle.estimate, finding.holder.as_ref().unwrap());
    assert!((bytes - 40 * KIB).abs() < 4 * KIB, "{bytes}");
    assert_eq!((holder.path.as_str(), holder.length), (LISTS, Some(4 * 18)));
}

#[test]
fn lists_that_are_too_small_each_are_a_leak_together_and_one_by_two_names_is_not() {
    // Two clients, each with a list of what it sent.
    let report = in_noise(24 * KIB, |w, epoch| {
        w.scans("main(): clients[0].sent[*]", epoch, epoch, 3 * (12 << 10), false);
        w.scans("main(): clients[1].sent[*]", epoch, epoch, 3 * (12 << 10), false);
    });
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let rate = report.growth.unwrap().bytes_per_cycle;
    assert!((rate.estimate - 24 * KIB).abs() < 3 * KIB, "{rate:?}");
    // The first one's, which a loop's variable leads to at every second scan.
    let report = in_noise(3 * KIB, |w, epoch| {
        let path = if epoch % 2 == 0 { "main(): clients[0].sent[*]" } else { "main(): client.sent[*]" };
        w.scans(path, epoch, epoch, 3 * (3 << 10), false);
    });
    assert_eq!(report.verdict, Verdict::NoLeak, "{}", report.reason);
}

#[test]
fn few_cycles_that_a_users_container_keeps_may_differ_as_sampling_makes_them() {
    let found = |look: bool| {
        let is_found = |seed: &u64| {
            let mut w = started();
            w.fact("cwd", "/job").records(96 << 10, *seed);
            let stack = w.stack(&[FIT, KERAS, CALLBACK]);
            let mut kept: Vec<Made> = Vec::new();
            for epoch in 1..=7 {
                kept.push(w.makes(stack, 1057, 1000));
                w.objects(200).cycle(Epoch);
                if look && epoch == 6 {
                    w.looks(&[(SAVED, "Keep", &all(&kept))]);
                }
            }
            w.ends(0);
            w.report().findings.iter().any(|f| f.sites.iter().any(|site| site.line == 30))
        };
        (1..=40).filter(is_found).count()
    };
    let (alone, held) = (found(false), found(true));
    assert!(held > alone && held >= 38, "{alone} of 40 alone, {held} with a look");
}

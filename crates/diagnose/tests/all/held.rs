//! Who is said to hold the memory, where samples and census met; on small worlds whose truth is known.

use crate::world::recorder::Made;
use crate::world::{KIB, World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::{Finding, Report, Verdict};

const FIT: &str = "/job/train.py:60 <module>";
const KERAS: &str = "/v/lib/python3.11/site-packages/keras/src/trainer.py:300 Trainer.fit";
const CALLBACK: &str = "/job/train.py:30 Keep.on_epoch_end";
const OTHER: &str = "/job/train.py:31 Keep.on_epoch_end";

const SAVED: &str = "fit(): callbacks[0].saved[*]";
const LOGS: &str = "__main__.LOGS[*]";

/// Twelve epochs in which two lines keep a megabyte each; after the ninth the census sees who holds what.
fn two_lines(look: impl Fn(&mut World, &[Made], &[Made])) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").fact("argv", r#"["train.py", "--epochs=12"]"#).records(64 << 10, 1);
    let stacks = [w.stack(&[FIT, KERAS, CALLBACK]), w.stack(&[FIT, KERAS, OTHER])];
    let mut made = [Vec::new(), Vec::new()];
    for epoch in 0..12 {
        for (stack, made) in stacks.iter().zip(&mut made) {
            let blocks = w.makes(*stack, 1 << 20, 1);
            made.push(blocks);
        }
        w.objects(200).cycle(Epoch);
        if epoch == 8 {
            look(&mut w, &made[0], &made[1]);
        }
    }
    w.ends(0);
    let report = w.report_with_names();
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    report
}

fn all(made: &[Made]) -> Vec<&Made> {
    made.iter().collect()
}

#[test]
fn what_a_callback_makes_for_another_object_is_proven_by_leaving_out_the_callback() {
    const LIST: &str =
        "/v/lib/python3.11/site-packages/keras/src/callbacks/callback_list.py:9 CallbackList.on_epoch_end";
    let prove = |callback: &str| {
        let mut w = started();
        w.fact("cwd", "/job").fact("argv", r#"["train.py"]"#).records(64 << 10, 1);
        let stack = w.stack(&[FIT, LIST, callback]);
        let mut made = Vec::new();
        for epoch in 0..12 {
            made.push(w.makes(stack, 1 << 20, 1));
            w.objects(200).cycle(Epoch);
            if epoch == 8 {
                w.looks(&[("run(): self.batches[*]", "Telemetry", &all(&made))]);
            }
        }
        w.ends(0);
        let report = w.report_with_names();
        let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
        assert_eq!(finding.sentence, "Telemetry.batches keeps arrays of every epoch");
        finding.prove.clone().unwrap()
    };
    assert_eq!(prove(CALLBACK), "nilometer prove --try callback:Keep train.py");
    let lambda = "/job/train.py:30 main.<locals>.<lambda>";
    assert_eq!(prove(lambda), "nilometer prove --try callback:LambdaCallback train.py");
    assert_eq!(prove("/job/train.py:30 helper"), "nilometer prove --try callbacks train.py");
}

/// Twenty epochs in which a line keeps 4 MiB in a list, and another so little for itself.
fn lines_beside_a_list(little: u64) -> Vec<u32> {
    let mut w = started();
    w.fact("cwd", "/job").fact("argv", r#"["train.py"]"#).records(8 << 10, 1);
    let (much, other) = (w.stack(&[FIT, KERAS, CALLBACK]), w.stack(&[FIT, KERAS, OTHER]));
    let mut made = Vec::new();
    for epoch in 1..=20 {
        made.push(w.makes(much, 4 << 20, 1));
        w.makes(other, little, 1);
        w.objects(200).cycle(Epoch);
        if epoch % 9 == 0 {
            w.looks(&[(LOGS, "", &all(&made))]);
        }
    }
    let report = w.ends(0).report_with_names();
    report.findings.iter().flat_map(|f| f.sites.iter().map(|s| s.line)).collect()
}

#[test]
fn a_line_that_makes_less_than_a_count_may_be_wrong_by_is_not_told_beside_a_list() {
    assert!(lines_beside_a_list(128 << 10).contains(&31));
    assert!(!lines_beside_a_list(20 << 10).contains(&31));
}

/// Twenty epochs in which two lines keep much and a little; looks see who holds the first, scans see containers that grow by this.
fn a_little_beside_much(containers: &[(&str, u64)]) -> Option<(String, &'static str)> {
    let mut w = started();
    w.fact("cwd", "/job").fact("argv", r#"["train.py"]"#).records(8 << 10, 1);
    let (much, little) = (w.stack(&[FIT, KERAS, CALLBACK]), w.stack(&[FIT, KERAS, OTHER]));
    let mut made = Vec::new();
    for epoch in 1..=20 {
        made.push(w.makes(much, 4 << 20, 1));
        w.makes(little, 128 << 10, 1);
        w.objects(200).cycle(Epoch);
        if epoch == 9 {
            w.looks(&[(LOGS, "", &all(&made))]);
        }
        if epoch >= 7 {
            for (path, bytes) in containers {
                w.scans(path, epoch, epoch, *bytes, false);
            }
        }
    }
    w.ends(0);
    let report = w.report_with_names();
    let is_little = |f: &&Finding| f.sites.iter().any(|s| s.role == "made_at" && s.line == 31);
    let finding = report.findings.iter().find(is_little).unwrap();
    Some((finding.holder.as_ref()?.path.clone(), finding.confidence))
}

#[test]
fn a_line_that_no_look_met_is_held_by_the_one_container_that_grows_by_as_much() {
    const MAPS: &str = "fit(): callbacks[0].maps[*]";
    assert_eq!(a_little_beside_much(&[(MAPS, 128 << 10)]), Some((MAPS.to_owned(), "likely")));
    assert_eq!(a_little_beside_much(&[(MAPS, 64 << 10)]), None);
    assert_eq!(a_little_beside_much(&[(MAPS, 128 << 10), ("__main__.OTHER[*]", 130 << 10)]), None);
}

#[test]
fn lines_that_one_list_keeps_are_one_finding() {
    let report = two_lines(|w, a, b| {
        let both: Vec<&Made> = a.iter().chain(b).collect();
        w.looks(&[(SAVED, "Keep", &both)]);
    });
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(finding.cause, "callback-keeps");
    assert_eq!(finding.sentence, "Keep.saved keeps arrays of every epoch");
    assert_eq!(finding.prove.as_deref(), Some("nilometer prove --try callback:Keep train.py"));
    let holder = finding.holder.as_ref().unwrap();
    assert_eq!((holder.path.as_str(), holder.owner.as_str()), (SAVED, "Keep"));
    assert!(holder.share.unwrap() > 0.99);
    let sites: Vec<_> = finding.sites.iter().map(|s| (s.role, s.line)).collect();
    assert_eq!(sites, [("kept_at", 40), ("made_at", 30), ("made_at", 31)]);
    assert!((finding.bytes_per_cycle.estimate - (2 << 20)).abs() < 1000, "{:?}", finding.bytes_per_cycle);
}

#[test]
fn a_little_is_a_leak_where_it_is_seen_in_a_container_of_the_users() {
    // Half of the floor, made inside a framework that the user's line calls.
    let verdict = |holder: Option<&str>| {
        let mut w = started();
        w.fact("cwd", "/job").records(1 << 10, 1);
        let stack = w.stack(&[FIT, KERAS, KERAS, KERAS]);
        let mut made = Vec::new();
        for epoch in 1..=20 {
            made.push(w.makes(stack, 8 << 10, 1));
            w.objects(200).cycle(Epoch);
            if let (9, Some(holder)) = (epoch, holder) {
                w.looks(&[(holder, "", &all(&made))]);
            }
        }
        w.ends(0);
        let report = w.report_with_names();
        (report.verdict, report.findings.first().and_then(|f| f.holder.as_ref()).map(|h| h.path.clone()))
    };
    assert_eq!(verdict(Some(LOGS)), (Verdict::Leak, Some(LOGS.to_owned())));
    assert_eq!(verdict(Some("__main__.latest")).0, Verdict::NoLeak, "a slot is no container");
    assert_eq!(verdict(None).0, Verdict::NoLeak);
}

/// A list that a megabyte per epoch hangs below, and a container inside of each of its elements with a quarter of that.
fn nested(gains: bool) -> Vec<String> {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 1);
    let (much, little) = (w.stack(&[FIT, KERAS, CALLBACK]), w.stack(&[FIT, KERAS, OTHER]));
    let mut made = [Vec::new(), Vec::new()];
    for epoch in 1..=15 {
        made[0].push(w.makes(much, 1 << 20, 1));
        made[1].push(w.makes(little, 1 << 18, 1));
        w.objects(200).cycle(Epoch);
        if epoch == 9 {
            let inner = "__main__.LOGS[*].waiters[*]";
            w.looks(&[(LOGS, "", &all(&made[0])), (inner, "Condition", &all(&made[1]))]);
        }
        if epoch >= 7 {
            w.scans(LOGS, epoch, if gains { epoch } else { 3 }, 1 << 20, false);
        }
    }
    w.ends(0);
    let report = w.report_with_names();
    let sum: i64 = report.findings.iter().map(|f| f.bytes_per_cycle.estimate).sum();
    assert!((sum - (5 << 18)).abs() < 32 * KIB, "{:#?}", report.findings);
    report.findings.iter().map(|f| f.holder.as_ref().unwrap().path.clone()).collect()
}

#[test]
fn what_each_new_element_keeps_besides_is_a_part_of_its_list() {
    assert_eq!(nested(true), [LOGS]);
}

#[test]
fn what_grows_inside_of_elements_that_stay_the_same_is_a_container_of_its_own() {
    assert_eq!(nested(false).len(), 2);
}

#[test]
fn the_line_that_does_the_work_is_told_before_the_one_that_calls_the_loop() {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 1);
    let stacks = [w.stack(&[FIT, KERAS]), w.stack(&[FIT, KERAS, CALLBACK])];
    let mut made = Vec::new();
    for _ in 0..12 {
        made.push(w.makes(stacks[0], 1 << 20, 2));
        made.push(w.makes(stacks[1], 1 << 19, 1));
        w.objects(200).cycle(Epoch);
    }
    w.looks(&[(SAVED, "Keep", &all(&made))]).ends(0);
    let report = w.report_with_names();
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    let sites: Vec<_> = finding.sites.iter().filter(|s| s.role == "made_at").map(|s| s.line).collect();
    assert_eq!(sites, [30, 60]);
    assert_eq!(finding.stack.iter().filter(|frame| frame.kind == "user").count(), 2, "{:?}", finding.stack);
}

/// Twelve epochs that keep a list of small objects and a block each; the look sees the objects in their lists but not the block,
/// and scans see the outer list grow, and the list of blocks.
#[test]
fn a_list_and_the_lists_in_it_are_one_holder() {
    const INNER: &str = "__main__.kept.samples[*][*]";
    let mut w = started();
    w.fact("cwd", "/job").fact("argv", r#"["train.py", "--epochs=12"]"#).records(64 << 10, 1);
    let stacks = [w.stack(&[FIT, KERAS, CALLBACK]), w.stack(&[FIT, KERAS, OTHER])];
    let mut small = Vec::new();
    for epoch in 1..=12 {
        small.push(w.makes(stacks[0], 64 << 10, 17));
        w.makes(stacks[1], 1 << 20, 1);
        w.objects(200).cycle(Epoch);
        if epoch == 9 {
            w.looks(&[(INNER, "Keep", &all(&small))]);
        }
        if epoch >= 7 {
            w.scans("__main__.kept.samples[*]", epoch, epoch, 17 << 16, false);
            w.scans("__main__.kept.blocks[*]", epoch, epoch, 1 << 20, false);
        }
    }
    w.ends(0);
    let report = w.report_with_names();
    let told = |f: &Finding| {
        let made = f.sites.iter().filter(|s| s.role == "made_at").map(|s| s.line).collect::<Vec<_>>();
        (f.holder.as_ref().map_or("nobody", |h| &h.path).to_owned(), made)
    };
    let told: Vec<_> = report.findings.iter().map(told).collect();
    assert_eq!(told, [(INNER.to_owned(), vec![30]), ("__main__.kept.blocks[*]".to_owned(), vec![31])]);
}

#[test]
fn samples_of_a_list_and_of_what_is_in_its_lists_are_one_finding() {
    let report = two_lines(|w, a, b| {
        w.looks(&[
            ("__main__.kept.samples[*][*]", "Keep", &all(a)),
            ("__main__.kept.samples[*]", "Keep", &all(b)),
        ]);
    });
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(finding.holder.as_ref().unwrap().path, "__main__.kept.samples[*]");
}

#[test]
fn what_a_callback_hands_to_a_thread_is_kept_by_the_threads_function() {
    let report = two_lines(|w, a, b| {
        let both: Vec<&Made> = a.iter().chain(b).collect();
        w.looks(&[("average(): arrived[*]", "average", &both)]);
    });
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(finding.cause, "loop-keeps");
    assert_eq!(finding.sentence, "arrived in average() keeps arrays of every epoch");
    assert_eq!(finding.prove, None);
}

#[test]
fn each_holder_has_its_own_lines() {
    let report = two_lines(|w, a, b| {
        w.looks(&[(SAVED, "Keep", &all(a)), (LOGS, "", &all(b))]);
    });
    let told = |f: &Finding| (f.holder.clone().unwrap().path, f.sites.last().unwrap().line);
    let mut told: Vec<_> = report.findings.iter().map(told).collect();
    told.sort_unstable();
    assert_eq!(told, [(LOGS.to_owned(), 31), (SAVED.to_owned(), 30)]);
    let held: Vec<_> = report.holders.iter().map(|h| (h.holder.path.as_str(), h.live_bytes >> 20)).collect();
    assert_eq!(held.len(), 2);
    assert!(held.contains(&(SAVED, 9)) && held.contains(&(LOGS, 9)), "{held:?}");
}

#[test]
fn nobody_is_named_for_memory_that_the_census_found_nowhere() {
    let report = two_lines(|w, a, _| {
        w.looks(&[(SAVED, "Keep", &all(a))]);
    });
    let held: Vec<_> =
        report.findings.iter().map(|f| (f.sites.last().unwrap().line, f.holder.is_some())).collect();
    assert!(held.contains(&(30, true)) && held.contains(&(31, false)), "{held:?}");
}

/// Fourteen epochs that keep an array each, and what looks saw at their ends.
fn fourteen_arrays(mut looks: impl FnMut(&mut World, u64, &[Made])) -> (World, Vec<Made>) {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 1);
    let stack = w.stack(&[FIT, KERAS, CALLBACK]);
    let mut made = Vec::new();
    for epoch in 0..14 {
        made.push(w.makes(stack, 1 << 20, 1));
        w.objects(200).cycle(Epoch);
        looks(&mut w, epoch, &made);
    }
    (w, made)
}

#[test]
fn what_a_look_that_was_cut_short_did_not_find_is_nobodys_business() {
    let named = |cut: bool| {
        let (mut w, _) = fourteen_arrays(|w, epoch, made| {
            if epoch == 5 {
                w.looks(&[(SAVED, "Keep", &all(made))]);
            }
            if epoch == 12 {
                w.looked(cut, &[]);
            }
        });
        w.ends(0);
        w.report_with_names().findings[0].holder.is_some()
    };
    assert_eq!((named(true), named(false)), (true, false));
}

#[test]
fn a_variable_that_has_one_of_many_at_a_whole_look_is_not_the_holder_of_all() {
    let holder = |whole_look_meets_all: bool| {
        let (mut w, mut made) = fourteen_arrays(|w, epoch, _| {
            if epoch == 5 || epoch == 12 {
                w.looked(true, &[]);
            }
        });
        if whole_look_meets_all {
            w.looks(&[("run(): x", "run", &all(&made))]);
        } else {
            // The program's functions have returned, and what they held is gone.
            let left = made.remove(8);
            for one in made {
                w.gives_back(one);
            }
            w.looks(&[("run(): x", "run", &[&left])]);
        }
        w.ends(0);
        w.report_with_names().findings[0].holder.as_ref().map(|holder| holder.path.clone())
    };
    assert_eq!(holder(true).as_deref(), Some("run(): x"));
    assert_eq!(holder(false), None);
}

#[test]
fn a_container_of_native_things_keeps_what_little_was_seen_below_it_and_the_rest() {
    let mut w = started();
    w.fact("cwd", "/job").records(16 << 10, 1);
    let stack = w.stack(&[FIT, KERAS, CALLBACK]);
    let mut made = Vec::new();
    for epoch in 1..=14 {
        made.push(w.makes(stack, 100 << 10, 1));
        w.takes(900 * KIB).objects(200).cycle(Epoch);
        if epoch == 10 {
            w.looks(&[("lib.registry._graphs[*].operations[*]", "Registry", &all(&made))]);
            w.looks(&[("lib.registry._graphs[*]", "Registry", &all(&made[..7]))]);
        }
        if epoch >= 7 {
            w.scans("lib.registry._graphs[*]", epoch, epoch, 4 << 10, true);
        }
    }
    w.ends(0);
    let report = w.report_with_names();
    let explained = report.growth.as_ref().unwrap().explained.unwrap();
    assert!((explained - 1.0).abs() < 0.1, "{explained} {:#?}", report.findings);
}

#[test]
fn a_path_that_keeps_little_of_it_is_not_who_keeps_it() {
    let report = two_lines(|w, a, b| {
        w.looks(&[(SAVED, "Keep", &all(&a[..3])), (LOGS, "", &all(b))]);
    });
    let of_30 = report.findings.iter().find(|f| f.sites.iter().any(|s| s.line == 30)).unwrap();
    assert!(of_30.holder.is_none(), "{:?}", of_30.holder);
}

#[test]
fn two_paths_to_the_same_memory_are_both_told() {
    let report = two_lines(|w, a, b| {
        w.looks(&[(SAVED, "Keep", &all(a)), (LOGS, "", &all(b))]);
        w.looks(&[("__main__.logger.saved[*]", "Keep", &all(a))]);
    });
    let finding = report.findings.iter().find(|f| f.sites.iter().any(|s| s.line == 30)).unwrap();
    assert_eq!(finding.also_held_by.len(), 1, "{finding:#?}");
}

#[test]
fn of_two_paths_to_the_same_the_shorter_one_is_told_first_and_nothing_twice() {
    const DETOUR: &str = "lib.graph._functions[0].__self__._generator.__self__.saved[*]";
    let report = two_lines(|w, a, b| {
        for epoch in 7..=9 {
            w.scans(SAVED, epoch, epoch, 1 << 20, false);
        }
        w.looks(&[(SAVED, "Keep", &all(&a[..6])), (LOGS, "", &all(b))]);
        w.looks(&[(DETOUR, "Keep", &all(a))]);
    });
    let told: Vec<_> =
        report.findings.iter().filter_map(|f| f.holder.as_ref()).map(|h| h.path.as_str()).collect();
    assert_eq!(told.iter().filter(|path| path.contains("saved")).collect::<Vec<_>>(), [&SAVED], "{told:?}");
}

#[test]
fn an_element_told_by_its_key_is_no_other_holder() {
    let report = two_lines(|w, a, b| {
        w.looks(&[("f.<lru cache>[(<tuple>,)]", "f", &all(&a[..2])), (LOGS, "", &all(b))]);
        w.looks(&[("f.<lru cache>[*]", "f", &all(&a[2..]))]);
    });
    let finding = report.findings.iter().find(|f| f.sites.iter().any(|s| s.line == 30)).unwrap();
    let holder = finding.holder.as_ref().unwrap();
    assert_eq!((holder.path.as_str(), finding.confidence), ("f.<lru cache>[*]", "certain"));
    assert!(holder.share.unwrap() > 0.99 && finding.also_held_by.is_empty(), "{finding:#?}");
}

#[test]
fn slices_under_several_keys_keep_the_arrays_they_were_cut_from() {
    let told = |second: &'static str| {
        let report = two_lines(|w, a, b| {
            let first = "fit(): callbacks[0].saved[*][0].base";
            w.looks(&[(first, "Keep", &all(&a[..4])), (second, "Keep", &all(&a[4..])), (LOGS, "", &all(b))]);
        });
        let finding = report.findings.into_iter().find(|f| f.sites.iter().any(|s| s.line == 30)).unwrap();
        (finding.holder.unwrap().path, finding.cause)
    };
    let (path, cause) = told("fit(): callbacks[0].saved[*]['best'][1].base");
    assert_eq!((path.as_str(), cause.as_str()), ("fit(): callbacks[0].saved[*][*].base", "view-keeps-array"));
    let (path, cause) = told("fit(): callbacks[0].saved[*]['best'][1]");
    assert_eq!((path.as_str(), cause.as_str()), ("fit(): callbacks[0].saved[*]", "callback-keeps"));
}

#[test]
fn all_the_variables_of_a_function_are_no_holder() {
    let report = two_lines(|w, a, b| {
        w.looks(&[("fit(): callbacks[0].saved[*]", "Keep", &all(a)), ("fit():[*]", "call", &all(b))]);
    });
    let holders: Vec<_> =
        report.findings.iter().map(|f| f.holder.as_ref().map(|h| h.path.as_str())).collect();
    assert!(holders.contains(&Some("fit(): callbacks[0].saved[*]")), "{holders:?}");
    assert!(holders.len() == 2 && holders.contains(&None), "{holders:?}");
}

/// Fourteen epochs that keep an array each; after the eleventh a look over the whole heap.
fn arrays(part: &str, look: impl Fn(&mut World, &[Made])) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 1);
    let stack = w.stack(&[FIT, KERAS, CALLBACK, part]);
    let mut made = Vec::new();
    for epoch in 0..14 {
        made.push(w.makes(stack, 1 << 20, 1));
        w.objects(200).cycle(Epoch);
        if epoch == 10 {
            look(&mut w, &made);
        }
    }
    w.ends(0);
    w.report_with_names()
}

#[test]
fn arrays_that_nothing_leads_to_are_held_by_native_code() {
    let report = arrays("PyDataMem_UserNEW", |w, _| {
        w.looked(false, &[]);
    });
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    let holder = finding.holder.as_ref().unwrap();
    assert_eq!((holder.path.as_str(), holder.kind.as_str()), ("<native code>", "native"));
    assert_eq!((finding.cause.as_str(), finding.confidence), ("native-library", "certain"));
    let made: Vec<_> = finding.sites.iter().map(|site| (site.role, site.line)).collect();
    assert_eq!(made, [("made_at", 30)]);
}

#[test]
fn native_code_is_blamed_by_looks_that_saw_everything_alone_and_for_arrays_alone() {
    let native = |report: &Report| report.findings.iter().any(|f| f.holder.is_some());
    assert!(!native(&arrays("PyDataMem_UserNEW", |w, _| _ = w.looked(true, &[]))), "cut short");
    assert!(!native(&arrays("PyDataMem_UserNEW", |w, made| _ = w.looked(false, &all(made)))), "garbage");
    assert!(!native(&arrays("tensorflow::Tensor", |w, _| _ = w.looked(false, &[]))), "no array");
}

//! Containers that scans saw grow, where samples are few or none, and the lines that fill them; on small worlds whose truth is known.

use crate::world::recorder::Made;
use crate::world::{KIB, World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{Holder, Observation, Record, Trace};
use nilometer_diagnose::{Finding, Report, Verdict};

const FIT: &str = "/job/train.py:60 <module>";
const KERAS: &str = "/v/lib/python3.11/site-packages/keras/src/trainer.py:300 Trainer.fit";
const CALLBACK: &str = "/job/train.py:30 Keep.on_epoch_end";
const OTHER: &str = "/job/train.py:31 Keep.on_epoch_end";
const BLOCKS: &str = "fit(): callbacks[0].blocks[*]";

/// Fifteen epochs that keep 300 KiB each, which no recorder saw; from the seventh on scans see lists grow.
fn scanned(each: impl Fn(&mut World, u64)) -> Report {
    let report = world_of_scans(each).report();
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    report
}

fn scanned_with_names(each: impl Fn(&mut World, u64)) -> Report {
    world_of_scans(each).report_with_names()
}

fn world_of_scans(each: impl Fn(&mut World, u64)) -> World {
    let mut w = started();
    for epoch in 1..=15 {
        w.takes(300 * KIB).objects(100).cycle(Epoch);
        if epoch >= 7 {
            each(&mut w, epoch);
        }
    }
    w.ends(0);
    w
}

#[test]
fn without_samples_the_container_that_grows_so_much_is_named() {
    let report = scanned(|w, epoch| {
        w.scans("__main__.HISTORY[*]", epoch, epoch, 300 << 10, false);
        w.scans("fit(): callbacks._history.history['loss'][*]", epoch, epoch, 24, false);
    });
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(finding.holder.as_ref().unwrap().path, "__main__.HISTORY[*]");
    assert_eq!((finding.cause.as_str(), finding.confidence), ("global-grows", "certain"));
    assert!((finding.bytes_per_cycle.estimate - 300 * KIB).abs() < 10 * KIB);
}

#[test]
fn a_list_is_told_before_the_names_of_its_module_which_grow_too() {
    let report = scanned(|w, epoch| {
        w.scans("__main__[*]", 4 * epoch, epoch, 310 << 10, false);
        w.scans("__main__.models[*]", epoch, epoch, 300 << 10, false);
    });
    assert_eq!(report.findings[0].holder.as_ref().unwrap().path, "__main__.models[*]");
    let names = scanned(|w, epoch| {
        w.scans("__main__[*]", epoch, epoch, 300 << 10, false);
    });
    assert_eq!(names.findings[0].holder.as_ref().unwrap().path, "__main__[*]", "nothing else grows");
}

#[test]
fn what_is_weighed_again_with_the_names_of_a_module_is_no_second_finding() {
    // Both scans of a short run weigh the whole list: its name is new, then its elements are.
    let report = scanned(|w, epoch| {
        w.scans("__main__[*]", 4 * epoch, epoch, 800 << 10, false);
        w.scans("__main__.models[*]", epoch, epoch, 290 << 10, false);
    });
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(finding.holder.as_ref().unwrap().path, "__main__.models[*]");
    let beside = scanned(|w, epoch| {
        w.scans("__main__[*]", 4 * epoch, epoch, 300 << 10, false);
        w.scans("__main__.models[*]", epoch, epoch, 150 << 10, false);
    });
    assert_eq!(beside.findings.len(), 2, "the other names grow by what is left: {:#?}", beside.findings);
}

#[test]
fn a_list_of_native_things_is_likely_where_nothing_else_explains_the_growth() {
    let report = scanned(|w, epoch| {
        w.scans("train(): tapes[*]", epoch, epoch, 400, true);
    });
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(finding.confidence, "likely");
    assert!((finding.bytes_per_cycle.estimate - 300 * KIB).abs() < 30 * KIB, "{finding:#?}");
    let low = finding.bytes_per_cycle.low;
    assert!((390..410).contains(&low), "no more than was seen of it is sure: {low}");
    let growth = report.growth.unwrap().bytes_per_cycle;
    let counted = growth.high - growth.estimate / 100;
    assert!(
        (finding.bytes_per_cycle.high - counted).abs() < 2,
        "and all of the growth may be its own: {growth:?}"
    );
}

#[test]
fn weak_references_to_what_another_container_keeps_are_no_second_one() {
    let weak = |elements: &str| {
        let elements = elements.to_owned();
        let all = Holder {
            id: 9,
            path: "asyncio.all[*]".to_owned(),
            kind: "set".to_owned(),
            elements,
            ..Holder::default()
        };
        let report = scanned(|w, epoch| {
            w.scans("desk.open[*]", epoch, epoch, 180 << 10, false);
            w.scans_holder(all.clone(), epoch, epoch, 110 << 10, false);
        });
        report.findings.len()
    };
    assert_eq!(weak("568 x ReferenceType"), 1);
    assert_eq!(weak("568 x Task"), 2);
}

#[test]
fn a_list_that_grows_too_little_or_has_stopped_is_not_accused() {
    let report = scanned(|w, epoch| {
        w.scans("__main__.LOSSES[*]", epoch, epoch, 5 << 10, false);
        w.scans("__main__.CACHE[*]", epoch, epoch.min(10), if epoch < 10 { 300 << 10 } else { 0 }, false);
    });
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
}

#[test]
fn a_line_that_surely_makes_what_a_list_keeps_is_told_with_it() {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 1);
    let stack = w.stack(&[FIT, KERAS, CALLBACK]);
    for epoch in 1..=15 {
        w.makes(stack, 1 << 20, 1);
        w.objects(200).cycle(Epoch);
        if epoch >= 7 {
            w.scans("__main__.HISTORY[*]", epoch, epoch, 1 << 20, false);
        }
    }
    w.ends(0);
    let report = w.report_with_names();
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(finding.holder.as_ref().unwrap().path, "__main__.HISTORY[*]");
    assert_eq!(finding.sites.last().unwrap().line, 30);
}

#[test]
fn a_line_that_fills_another_container_is_not_told_with_it() {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 1);
    let stack = w.stack(&[FIT, KERAS, "/job/train.py:45 Keep.on_epoch_end"]);
    for epoch in 1..=15 {
        w.makes(stack, 1 << 20, 1);
        w.takes(1024 * KIB).objects(200).cycle(Epoch);
        if epoch >= 7 {
            w.scans("__main__.logger.pieces[*]", epoch, epoch, 1 << 20, false);
        }
    }
    w.ends(0);
    let report = w.report_with_names();
    let held = report.findings.iter().find(|f| f.holder.is_some()).unwrap();
    assert!(held.sites.iter().all(|s| s.line != 45), "{:#?}", report.findings);
    assert!(report.findings.iter().any(|f| f.holder.is_none() && f.sites[0].line == 45));
}

#[test]
fn what_python_cannot_see_into_is_kept_where_the_line_that_makes_it_puts_it() {
    let holder = |path: &str, elements: &str| {
        let mut w = started();
        w.fact("cwd", "/job").records(64 << 10, 1);
        let stack = w.stack(&[FIT, KERAS, "/job/train.py:45 Keep.on_epoch_end"]);
        for epoch in 1..=15 {
            w.makes(stack, 1 << 20, 1);
            w.objects(200).cycle(Epoch);
            if epoch >= 7 {
                let (path, kind, file) = (path.to_owned(), "list".to_owned(), "/job/train.py".to_owned());
                let holder =
                    Holder { id: 1, path, kind, file, elements: elements.to_owned(), ..Holder::default() };
                w.scans_holder(holder, epoch, epoch, 288, false);
            }
        }
        w.ends(0);
        let report = w.report_with_names();
        let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
        let holder = finding.holder.as_ref().map(|holder| (holder.path.clone(), finding.confidence));
        (holder, finding.bytes_per_cycle.estimate >> 20)
    };
    assert_eq!(holder(BLOCKS, "1 x Image"), (Some((BLOCKS.to_owned(), "likely")), 1));
    assert_eq!(holder(BLOCKS, "1 x tuple (int, Image)"), (Some((BLOCKS.to_owned(), "likely")), 1));
    assert_eq!(holder(BLOCKS, "1 x float").0, None, "numbers keep nothing else");
    assert_eq!(holder(BLOCKS, "1 x ndarray (2, 2) float32").0, None, "arrays are weighed whole");
    assert_eq!(holder("fit(): callbacks[0].others[*]", "1 x Image").0, None, "the line fills another list");
}

#[test]
fn the_line_that_makes_most_of_what_a_native_holder_is_credited_with_fills_it() {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 1);
    let stack = w.stack(&[FIT]);
    for epoch in 1..=15 {
        // Seven tenths of what stays were sampled; the census cannot weigh what the registry holds.
        w.makes(stack, 64 << 10, 11);
        w.takes(300 * KIB).objects(200).cycle(Epoch);
        if epoch >= 7 {
            w.scans("tensorflow.registry._registry[*]", epoch, epoch, 400, true);
        }
    }
    w.ends(0);
    let report = w.report_with_names();
    let held = report.findings.iter().find(|f| f.holder.is_some()).unwrap();
    let made: Vec<_> = held.sites.iter().filter(|s| s.role == "made_at").map(|s| s.line).collect();
    assert_eq!(made, [60], "{:#?}", report.findings);
}

#[test]
fn a_line_that_makes_most_of_what_a_holder_keeps_is_told_once() {
    let lines = |rest: i64| {
        let mut w = started();
        w.fact("cwd", "/job").records(64 << 10, 1);
        let stack = w.stack(&[FIT]);
        for epoch in 1..=15 {
            // Scans weighed 600 KiB in one dict; one line was sampled to make 384.
            w.makes(stack, 64 << 10, 6);
            w.takes(rest).objects(200).cycle(Epoch);
            if epoch >= 7 {
                w.scans("__main__.HEADS[*]", epoch, epoch, 600 << 10, false);
            }
        }
        w.ends(0);
        let report = w.report_with_names();
        let made = |f: &Finding| f.sites.iter().any(|s| s.line == 60);
        report.findings.iter().map(|f| (f.holder.is_some(), made(f))).collect::<Vec<_>>()
    };
    assert_eq!(lines(416 * KIB), [(true, true)], "800 KiB have no room for both: the line fills the dict");
    assert_eq!(lines(616 * KIB), [(true, false), (false, true)], "1000 KiB have: nobody knows");
}

#[test]
fn a_line_that_nobody_holds_gives_way_to_a_holder_that_accounts_for_the_growth() {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 1);
    let stack = w.stack(&[FIT]);
    for epoch in 1..=15 {
        // What it says it makes is twice what stays: memory that was handed on.
        w.makes(stack, 64 << 10, 32);
        w.takes(-1024 * KIB).objects(200).cycle(Epoch);
        if epoch >= 7 {
            w.scans("__main__.HISTORY[*]", epoch, epoch, 1 << 20, false);
        }
    }
    w.ends(0);
    let report = w.report_with_names();
    assert_eq!(report.verdict, Verdict::Leak);
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert!(finding.sites.iter().all(|site| site.role != "made_at"), "{finding:#?}");
}

#[test]
fn lists_that_grow_alike_have_the_lines_that_fill_them() {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 1);
    let stacks =
        [w.stack(&[FIT, KERAS, "/job/train.py:40 Keep.on_epoch_end"]), w.stack(&[FIT, KERAS, OTHER])];
    for epoch in 1..=15 {
        for stack in stacks {
            w.makes(stack, 1 << 20, 1);
        }
        w.objects(200).cycle(Epoch);
        if epoch >= 7 {
            w.scans("__main__.logger.saved[*]", epoch, epoch, 1 << 20, false);
        }
    }
    w.ends(0);
    let report = w.report_with_names();
    let told =
        |f: &Finding| (f.holder.is_some(), f.sites.iter().map(|s| (s.role, s.line)).collect::<Vec<_>>());
    let mut told: Vec<_> = report.findings.iter().map(told).collect();
    told.sort();
    assert_eq!(told, [(false, vec![("made_at", 31)]), (true, vec![("made_at", 40)])]);
}

#[test]
fn a_cache_of_graphs_is_told_by_what_made_the_function_be_traced_again() {
    for (why, cause) in [
        ("argument 'step' was 17, before 16 (a Python int)", "retraced-by-scalars"),
        ("argument 'x' had shape (31, 4), before (32, 4)", "retraced-by-shapes"),
        ("a new function object each time", "retraced-by-functions"),
    ] {
        let report = scanned(|w, epoch| {
            let trace = Trace {
                function: "train_step".to_owned(),
                file: "/job/train.py".to_owned(),
                line: 12,
                nth: epoch,
                why: why.to_owned(),
                caller_file: "/job/train.py".to_owned(),
                caller_line: 43,
            };
            w.say(&Record::Observation(Observation::Trace(trace)));
            w.scans("__main__.train_step._function_cache._primary[*]", epoch, epoch, 4 << 10, true);
        });
        let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
        assert_eq!(finding.cause, cause);
        assert!(finding.sentence.starts_with("train_step is traced again and again"), "{}", finding.sentence);
        assert_eq!(finding.sites.iter().map(|s| (s.role, s.line)).collect::<Vec<_>>(), [("made_at", 43)]);
    }
}

#[test]
fn graphs_that_a_cache_holds_and_lines_make_are_one_finding() {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 1);
    let stack = w.stack(&[FIT, "/job/train.py:18 call"]);
    for epoch in 1..=15 {
        w.phase("trace", |w| {
            w.makes(stack, 64 << 10, 3);
        });
        w.takes(700 * KIB).objects(200);
        let trace = Trace {
            function: "loss".to_owned(),
            file: "/job/train.py".to_owned(),
            line: 12,
            nth: epoch,
            why: "argument 'step' was 17, before 16 (a Python int)".to_owned(),
            caller_file: "/job/train.py".to_owned(),
            caller_line: 43,
        };
        w.say(&Record::Observation(Observation::Trace(trace)));
        w.say(&Record::Observation(Observation::Probe { name: "func_graphs".to_owned(), value: epoch }));
        w.cycle(Epoch);
        if epoch >= 7 {
            w.scans("__main__.loss._function_cache._primary[*]", epoch, epoch, 4 << 10, true);
        }
    }
    w.ends(0);
    let report = w.report_with_names();
    let causes: Vec<_> = report.findings.iter().map(|f| f.cause.as_str()).collect();
    assert_eq!(causes.iter().filter(|cause| **cause == "retraced-by-scalars").count(), 1, "{causes:?}");
    let rate = report.growth.unwrap().bytes_per_cycle.estimate;
    assert!(report.findings[0].bytes_per_cycle.estimate <= rate + 1, "{:#?}", report.findings[0]);
}

#[test]
fn entries_that_one_line_fills_are_one_finding() {
    let report = scanned_with_names(|w, epoch| {
        w.scans("fit(): callbacks[0].saved['h1'][*]", epoch, epoch, 200 << 10, false);
        w.scans("fit(): callbacks[0].saved['h2'][*]", epoch, epoch, 100 << 10, false);
    });
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(finding.holder.as_ref().unwrap().path, "fit(): callbacks[0].saved[*][*]");
    assert!((finding.bytes_per_cycle.estimate - 300 * KIB).abs() < 10 * KIB, "{finding:#?}");
}

#[test]
fn two_attributes_are_two_findings() {
    let report = scanned_with_names(|w, epoch| {
        w.scans("fit(): callbacks[0].saved[*]", epoch, epoch, 200 << 10, false);
        w.scans("fit(): callbacks[0].other[*]", epoch, epoch, 100 << 10, false);
    });
    assert_eq!(report.findings.len(), 2, "{:#?}", report.findings);
}

/// What Python sees of keys is kept by a list, 100 KiB per epoch; line 71 makes 300 KiB more that no look met.
fn keys(elements: &str, native: bool) -> Report {
    beside_a_list((elements, native), "/job/train.py:71 Chain.next_key", "jax::PjitFunction::Call")
}

/// The same made by this line and function.
fn beside_a_list((elements, native): (&str, bool), line: &str, function: &str) -> Report {
    beside_a_list_by((elements, native), &[FIT, line, function])
}

/// The same made by this stack.
fn beside_a_list_by((elements, native): (&str, bool), stack: &[&str]) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").records(16 << 10, 1);
    let (seen, unseen) = (w.stack(&[FIT, "/job/train.py:72 Chain.next_key"]), w.stack(stack));
    let mut all = Vec::new();
    for epoch in 1..=15 {
        all.push(w.makes(seen, 4 << 10, 25));
        w.makes(unseen, 4 << 10, 75);
        w.objects(100).cycle(Epoch);
        if epoch >= 7 {
            let holder = Holder {
                id: 1,
                path: "next_key(): self.trail[*]".to_owned(),
                owner: "Chain".to_owned(),
                kind: "list".to_owned(),
                elements: elements.to_owned(),
                file: "/job/train.py".to_owned(),
                ..Holder::default()
            };
            w.scans_holder(holder.clone(), epoch, epoch, 100 << 10, native);
            w.scan_ends();
        }
    }
    w.ends(0);
    w.report_with_names()
}

#[test]
fn native_memory_of_elements_is_the_holder_s_and_no_second_cause() {
    let report = keys("2,182 x ArrayImpl (2,) uint32", false);
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(finding.sentence, "Chain.trail keeps arrays of every epoch");
    let lines: Vec<u32> = finding.sites.iter().map(|site| site.line).collect();
    assert!(lines.contains(&71) && lines.contains(&72), "{lines:?}");
    let total = report.growth.as_ref().unwrap().bytes_per_cycle.high;
    assert!(finding.bytes_per_cycle.estimate <= total, "{finding:#?}");
    assert_eq!(keys("2 x Picture", true).findings.len(), 1);
    // Of numbers Python sees all: the other line has a cause of its own.
    assert_eq!(keys("2,182 x float", false).findings.len(), 2);
}

#[test]
fn what_a_graph_saved_is_the_holder_s_wherever_it_was_computed() {
    let findings = |elements| {
        let report = beside_a_list((elements, true), "/job/train.py:20 Net.forward", "at::empty_cpu");
        report.findings.iter().map(|f| f.cause.clone()).collect::<Vec<_>>()
    };
    assert_eq!(findings("2 x tuple (Tensor with grad_fn, float)"), ["graphs-kept"]);
    assert_eq!(findings("2 x tuple (Picture, float)").len(), 2);
}

#[test]
fn buffers_that_a_thread_of_xla_makes_are_the_arrays_of_the_holder() {
    let findings = |elements, native, stack: &[&str]| {
        beside_a_list_by((elements, native), stack)
            .findings
            .iter()
            .map(|f| f.sentence.clone())
            .collect::<Vec<_>>()
    };
    let thread = ["xla::ThreadPool", "xla::AlignedAllocator::Allocate"];
    let arrays = "500 x dict (ArrayImpl, ArrayImpl)";
    assert_eq!(findings(arrays, false, &thread), ["Chain.trail keeps arrays of every epoch"]);
    assert_eq!(findings("2 x Picture", true, &thread).len(), 2, "its memory is no array's");
    assert_eq!(findings(arrays, false, &["user::Pool", "user::loses"]).len(), 2, "XLA did not make it");
    let compiles = ["xla::ThreadPool", "xla::HloDataflowAnalysis::Run"];
    assert_eq!(findings(arrays, false, &compiles).len(), 2, "a compiled program is no array");
}

#[test]
fn what_a_compiler_filled_for_a_moment_is_not_blamed_for_the_rest() {
    let told = |until: u64| {
        let report = scanned(|w, epoch| {
            if (8..=until).contains(&epoch) {
                w.scans("lower(): ctx.cache[*]", epoch, 30 * epoch, 2 << 10, true);
            } else {
                w.scans_nothing();
            }
        });
        report.findings.len()
    };
    assert_eq!(told(8), 0, "seven scans have seen nothing of it since");
    assert_eq!(told(13), 1, "it may go on");
}

/// Epochs that keep 320 KiB each, of which a look sees most below a module's variable, and scans all of it below this path.
fn seen_on_two_ways(scanned: &str) -> Vec<Finding> {
    let mut w = started();
    w.fact("cwd", "/job").records(16 << 10, 1);
    let stack = w.stack(&[FIT, "/job/train.py:71 Chain.next_key", "at::empty_cpu"]);
    let mut all = Vec::new();
    for epoch in 1..=15 {
        all.push(w.makes(stack, 8 << 10, 40));
        w.objects(100).cycle(Epoch);
        if epoch >= 7 {
            let seen = Holder {
                id: 901,
                path: "__main__.trainer.chain.trail[*]['sub']".to_owned(),
                owner: "Chain".to_owned(),
                kind: "list".to_owned(),
                ..Holder::default()
            };
            w.say(&Record::Observation(Observation::Holder(seen)));
            let samples = all.iter().flat_map(|made: &Made| made.ids.iter().copied()).collect();
            w.say(&Record::Observation(Observation::Held { holder: 901, samples }));
            w.looked(false, &[]);
            let holder = Holder {
                id: 900,
                path: scanned.to_owned(),
                owner: "Chain".to_owned(),
                kind: "list".to_owned(),
                elements: "20 x dict (Tensor, Tensor)".to_owned(),
                file: "/job/train.py".to_owned(),
                ..Holder::default()
            };
            w.scans_holder(holder, epoch, epoch, 300 << 10, false);
            w.scan_ends();
        }
    }
    w.ends(0);
    w.report_with_names().findings
}

#[test]
fn a_list_that_looks_came_to_on_two_ways_is_told_once() {
    let findings = seen_on_two_ways("fit(): model.trail[*]");
    let [finding] = findings.as_slice() else { panic!("{findings:#?}") };
    assert_eq!(finding.sentence, "Chain.trail keeps tensors of every epoch");
    assert_eq!(finding.holder.as_ref().unwrap().path, "fit(): model.trail[*]");
    let lines: Vec<u32> = finding.sites.iter().map(|site| site.line).collect();
    assert!(lines.contains(&71) && lines.contains(&72), "{lines:?}");
    assert_eq!(seen_on_two_ways("fit(): model.notes[*]").len(), 2, "another attribute");
}

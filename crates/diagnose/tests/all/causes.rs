//! Causes that the run itself tells, beside models, traces and kernels: a collector that is off, figures, threads, what a library does.

use crate::world::leaks::{SCALAR, STEP, count, only, sampled, trace, unexplained};
use crate::world::started;
use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::{Report, Verdict};

#[test]
fn without_a_leak_nobody_is_told() {
    let mut w = started();
    for epoch in 1..=15 {
        trace(&mut w, epoch, SCALAR);
        count(&mut w, "func_graphs", epoch);
        w.cycle(Epoch);
    }
    w.ends(0);
    let report = w.report();
    assert_eq!((report.verdict, report.findings.len()), (Verdict::NoLeak, 0));
}

#[test]
fn open_figures_are_told_where_their_number_grows() {
    assert_eq!(only(&unexplained(|w, epoch| count(w, "figures", epoch))).cause, "figures-open");
    assert_eq!(unexplained(|w, _| count(w, "figures", 3)).findings, []);
}

#[test]
fn a_collector_that_is_off_is_told_and_one_that_is_on_is_not() {
    let with = |off: bool| {
        unexplained(move |w, _| {
            w.collects_by_itself = !off;
        })
    };
    assert_eq!(only(&with(true)).cause, "gc-disabled");
    assert_eq!(with(false).findings, []);
}

#[test]
fn memory_of_a_line_that_nobody_holds_is_garbage_for_good_when_the_collector_is_off() {
    let report = sampled(&[STEP], |w, _| w.collects_by_itself = false);
    let finding = only(&report);
    assert_eq!((finding.cause.as_str(), finding.sites[0].line), ("gc-disabled", 27));
    assert_eq!(only(&sampled(&[STEP], |_, _| {})).cause, "growth-at-site");
}

#[test]
fn what_one_of_several_stacks_calls_is_no_cause_of_the_whole() {
    let [uncached, cached] = ["tensorflow::ConvertToEagerTensorUncached", "tensorflow::ConvertToEagerTensor"];
    let report = sampled(&[STEP, cached, uncached], |w, _| {
        for other in ["tensorflow::Graph::Clone", "H5I_register"] {
            let stack = w.stack(&[STEP, other]);
            w.makes(stack, 64 << 10, 12);
        }
    });
    let finding = only(&report);
    assert_eq!((finding.cause.as_str(), finding.part.as_ref()), ("growth-at-site", None));
}

#[test]
fn a_leak_that_nothing_explains_is_not_the_end_of_the_road() {
    let mut w = started();
    w.fact("argv", r#"["train.py", "--epochs", "15"]"#);
    for _ in 0..12 {
        w.takes(8 << 20).objects(100).cycle(Epoch);
    }
    let report = w.report();
    let commands: Vec<&str> = report.next_steps.iter().map(|step| step.command.as_str()).collect();
    assert_eq!((report.verdict, commands), (Verdict::Leak, vec!["nilometer prove train.py"]));
    // What was found is changed, not looked for.
    assert_eq!(sampled(&[STEP], |_, _| {}).next_steps, []);
}

#[test]
fn a_library_of_the_users_that_loses_memory_is_native() {
    let cause = |stack: &[&str]| only(&sampled(stack, |_, _| {})).cause.clone();
    assert_eq!(cause(&[STEP, "user::decode_image"]), "native-library");
    assert_ne!(cause(&[STEP, "tensorflow::Something"]), "native-library");
}

#[test]
fn what_waits_for_the_end_is_told_where_no_object_leads_to_it() {
    let cause = |stack: &[&str], grow: bool| {
        let report = sampled(stack, move |w, epoch| count(w, "exit_functions", if grow { epoch } else { 2 }));
        only(&report).cause.clone()
    };
    assert_eq!(cause(&[STEP], true), "exit-functions-added");
    assert_eq!(cause(&[STEP], false), "growth-at-site");
    assert_ne!(cause(&[STEP, "tensorflow::Something"], true), "exit-functions-added");
}

#[test]
fn labels_with_ever_new_values_are_told_of_their_metric() {
    let report = held_at("__main__.LATENCY.<children per label>[*]");
    let finding = only(&report);
    assert_eq!(finding.cause, "metric-children");
    assert_eq!(finding.sentence, "the metric LATENCY keeps a child for each new set of label values");
    assert_eq!(only(&held_at("__main__.LATENCY[*]")).cause, "global-grows");
}

#[test]
fn what_lies_in_a_global_is_called_as_its_users_write_it() {
    for (path, begin) in [
        ("__main__.SEEN[*]", "the global SEEN keeps "),
        ("__main__.app.state.paths[*]", "app.state.paths keeps "),
        ("__main__.app['seen'][*]", "app['seen'] keeps "),
        // `jobs.cache` may be a module as well as an object.
        ("jobs.cache.seen[*]", "the global seen keeps "),
    ] {
        let sentence = only(&held_at(path)).sentence.clone();
        assert!(sentence.starts_with(begin), "{sentence}");
    }
}

fn held_at(path: &'static str) -> Report {
    unexplained(move |w, epoch| {
        w.scans(path, epoch, epoch, 300 << 10, false);
    })
}

#[test]
fn threads_that_never_end_keep_their_variables() {
    let keeps = |path: &'static str, grow: bool| {
        unexplained(move |w, epoch| {
            count(w, "python_threads", if grow { epoch } else { 3 });
            w.scans(path, epoch, epoch, 300 << 10, false);
        })
    };
    assert_eq!(only(&keeps("serve(): out", true)).cause, "threads-kept");
    assert_eq!(only(&keeps("serve(): out", false)).cause, "loop-keeps");
    assert_eq!(only(&keeps("serve(): out[*]", true)).cause, "loop-keeps");
    // Python's own list of them is nothing that a program changes.
    let running = keeps("threading._active[*]", true);
    assert_eq!(only(&running).sentence, only(&keeps("serve(): out", true)).sentence);
}

#[test]
fn functions_that_a_graph_calls_back_keep_what_their_closures_refer_to() {
    let keeps = |grow: bool| {
        unexplained(move |w, epoch| {
            count(w, "py_functions", if grow { 3 * epoch } else { 3 });
            let holder = nilometer_capture::Holder {
                id: 1,
                path: "read(): rows".to_owned(),
                owner: "read".to_owned(),
                role: "closure".to_owned(),
                kind: "list".to_owned(),
                ..nilometer_capture::Holder::default()
            };
            w.scans_holder(holder, epoch, epoch, 300 << 10, false);
        })
    };
    assert_eq!(only(&keeps(true)).cause, "tf-keeps-py-functions");
    assert_eq!(only(&keeps(false)).cause, "closure-keeps");
}

#[test]
fn what_pipelines_make_is_told_where_iterators_pile_up() {
    let make =
        "/v/lib/python3.11/site-packages/tensorflow/python/data/ops/iterator_ops.py:700 _create_iterator";
    let cause = |grow: bool| {
        let report =
            sampled(&[STEP, make], move |w, epoch| count(w, "iterators", if grow { epoch } else { 1 }));
        only(&report).cause.clone()
    };
    assert_eq!(cause(true), "datasets-kept");
    assert_eq!(cause(false), "growth-at-site");
}

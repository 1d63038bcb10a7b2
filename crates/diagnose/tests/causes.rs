//! Causes that the run itself tells: graphs that pile up, caches of frameworks, a collector that is off.
#![allow(clippy::unwrap_used, reason = "tests")]

mod world;

use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{Observation, Record, Trace};
use nilometer_diagnose::{Finding, Report, Verdict};
use world::recorder::Made;
use world::{KIB, World, started};

const STEP: &str = "/job/train.py:27 main";
const METRIC: &str = "/v/lib/python3.11/site-packages/keras/src/metrics/confusion_metrics.py:60 AUC.__init__";
const SCALAR: &str = "argument 'step' was 17, before 16 (a Python int)";

fn count(w: &mut World, name: &str, value: u64) {
    w.say(&Record::Observation(Observation::Probe { name: name.to_owned(), value }));
}

fn trace(w: &mut World, nth: u64, why: &str) {
    w.say(&Record::Observation(Observation::Trace(Trace {
        function: "train_step".to_owned(),
        file: "/job/train.py".to_owned(),
        line: 12,
        nth,
        why: why.to_owned(),
        caller_file: "/job/train.py".to_owned(),
        caller_line: 43,
    })));
}

/// Fifteen epochs that keep 300 KiB each, of which no recorder and no census knows.
fn unexplained(each: impl Fn(&mut World, u64)) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").fact("argv", r#"["train.py"]"#);
    for epoch in 1..=15 {
        w.takes(300 * KIB).objects(100);
        each(&mut w, epoch);
        w.cycle(Epoch);
    }
    w.ends(0);
    w.report()
}

fn only(report: &Report) -> &Finding {
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    finding
}

#[test]
fn graphs_that_pile_up_are_told_with_the_line_that_calls_the_function() {
    for (why, cause) in [
        (SCALAR, "retraced-by-scalars"),
        ("argument 'x' had shape (31, 4), before (32, 4)", "retraced-by-shapes"),
        ("a method of a new object each time", "retraced-by-methods"),
        ("a new lambda each time", "retraced-by-functions"),
        ("argument 'loss' was another function", "retraced-by-functions"),
        ("argument 'step' was another method", "retraced-by-methods"),
    ] {
        let report = unexplained(|w, epoch| {
            trace(w, epoch, why);
            count(w, "func_graphs", epoch);
        });
        let finding = only(&report);
        assert_eq!((finding.cause.as_str(), finding.confidence), (cause, "likely"));
        assert!(finding.sentence.ends_with(why), "{}", finding.sentence);
        let sites: Vec<_> = finding.sites.iter().map(|s| (s.file.as_str(), s.line)).collect();
        assert_eq!(sites, [("train.py", 43)]);
        let prove = finding.prove.as_deref();
        assert_eq!(prove.is_some_and(|p| p.contains("tensor-scalars")), cause == "retraced-by-scalars");
        assert!((finding.bytes_per_cycle.estimate - 300 * KIB).abs() < 30 * KIB, "{finding:#?}");
    }
}

#[test]
fn a_function_that_is_made_anew_is_not_told_by_the_first_shapes_that_it_has_each_time() {
    let shape = "argument 'x' had shape (None, 4), before (32, 4)";
    let told = |whole: &dyn Fn(u64) -> String| {
        let report = unexplained(|w, epoch| {
            trace(w, 2 * epoch - 1, "a new function object each time");
            trace(w, 2 * epoch, &whole(epoch));
            count(w, "func_graphs", 2 * epoch);
        });
        only(&report).cause.clone()
    };
    assert_eq!(told(&|_| shape.to_owned()), "retraced-by-functions");
    let other = |epoch| format!("argument 'x' had shape ({epoch}, 4), before ({}, 4)", epoch + 1);
    assert_eq!(told(&other), "retraced-by-shapes", "as many shapes as functions");
}

#[test]
fn traces_whose_graphs_go_are_no_leak_of_theirs() {
    let report = unexplained(|w, epoch| {
        trace(w, epoch, "a new lambda each time");
        count(w, "func_graphs", 3 + epoch % 2);
    });
    assert_eq!(report.findings, []);
}

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
fn what_a_list_explains_is_not_told_twice() {
    let report = unexplained(|w, epoch| {
        trace(w, epoch, SCALAR);
        count(w, "func_graphs", epoch);
        if epoch >= 7 {
            w.scans("__main__.HISTORY[*]", epoch, epoch, 300 << 10, false);
        }
    });
    assert_eq!(only(&report).cause, "global-grows");
}

#[test]
fn a_model_for_each_cycle_and_a_compile_for_each_are_told_apart() {
    let rounds = |always: bool| {
        unexplained(move |w, epoch| {
            // One model with many layers is built at the beginning.
            for _ in 0..if always { 1 } else { 30 * u64::from(epoch == 1) } {
                w.phase("build", |_| {});
            }
            trace(w, 1, "");
            count(w, "func_graphs", 9 * epoch);
            count(w, "gradient_registry", 2 * epoch);
        })
    };
    let report = rounds(true);
    let finding = only(&report);
    assert_eq!(finding.cause, "models-in-a-loop");
    // The line that the traces come from.
    assert_eq!((finding.sites[0].file.as_str(), finding.sites[0].line), ("train.py", 43));
    assert_eq!(finding.prove.as_deref(), Some("nilometer prove --try purge-graphs train.py"));
    let registry = finding.holder.as_ref().unwrap();
    assert!(registry.path.ends_with("gradient_registry._registry[*]"), "{registry:?}");
    assert_eq!((registry.length, registry.per_cycle), (Some(30), Some(2.0)));
    assert_eq!(only(&rounds(false)).cause, "tf-gradient-registry");
}

#[test]
fn graphs_of_the_newest_model_are_the_registrys_and_those_of_models_in_a_list_are_not() {
    let held = |path: &'static str| {
        let report = unexplained(move |w, epoch| {
            w.phase("build", |_| {});
            count(w, "gradient_registry", 2 * epoch);
            if epoch >= 7 {
                w.scans(path, epoch, epoch, 300 << 10, false);
            }
        });
        let finding = only(&report);
        assert_eq!(finding.cause, "models-in-a-loop");
        finding.holder.as_ref().unwrap().path.clone()
    };
    let newest = "__main__.model.train_function.<closure step>._cached_graph.<Operation>.__dict__[*]";
    assert!(held(newest).ends_with("gradient_registry._registry[*]"));
    let kept = "search(): trials[*].model.train_function.<closure step>._nodes[*]";
    assert_eq!(held(kept), kept);
}

#[test]
fn what_makes_steps_be_traced_anew_is_told_by_its_count() {
    let rounds = |counts: &'static [&'static str]| {
        unexplained(move |w, epoch| {
            for name in counts {
                count(w, name, epoch);
            }
            count(w, "func_graphs", 9 * epoch);
            count(w, "gradient_registry", 2 * epoch);
        })
    };
    for (counts, cause) in [
        (["compiles"].as_slice(), "recompiled-per-round"),
        (&["eager_switches"], "eager-toggled"),
        (&["clear_sessions", "compiles"], "clear-session-in-the-loop"),
        (&["clear_sessions"], "tf-gradient-registry"),
    ] {
        let report = rounds(counts);
        assert_eq!(only(&report).cause, cause);
        assert_eq!(only(&report).prove.as_deref(), Some("nilometer prove --try purge-graphs train.py"));
    }
    let report = unexplained(|w, epoch| {
        count(w, "compiles", 3);
        count(w, "func_graphs", 9 * epoch);
        count(w, "gradient_registry", 2 * epoch);
    });
    assert_eq!(only(&report).cause, "tf-gradient-registry");
}

#[test]
fn open_figures_are_told_where_their_number_grows() {
    assert_eq!(only(&unexplained(|w, epoch| count(w, "figures", epoch))).cause, "figures-open");
    assert_eq!(unexplained(|w, _| count(w, "figures", 3)).findings, []);
}

#[test]
fn a_registry_that_stands_still_keeps_nothing_more() {
    let report = unexplained(|w, epoch| {
        count(w, "func_graphs", 9 * epoch);
        count(w, "gradient_registry", 2);
    });
    assert_eq!(report.findings, []);
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

/// Fifteen epochs in which one place keeps 1 MiB.
fn sampled(frames: &[&str], each: impl Fn(&mut World, u64)) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").records(64 << 10, 1);
    let stack = w.stack(frames);
    for epoch in 1..=15 {
        w.makes(stack, 64 << 10, 16);
        each(&mut w, epoch);
        w.objects(200).cycle(Epoch);
    }
    w.ends(0);
    w.report_with_names()
}

#[test]
fn a_metric_that_is_made_in_every_step_is_seen_in_the_cache_of_kernels() {
    let kernels = "tensorflow::KernelCache";
    let report = sampled(&[STEP, METRIC, kernels], |_, _| {});
    assert_eq!(only(&report).cause, "metrics-in-a-loop");
    let report = sampled(&[STEP, kernels], |_, _| {});
    assert_eq!(only(&report).cause, "kernel-cache");
}

#[test]
fn an_operation_that_is_called_with_ever_new_values_leaves_kernels() {
    let generated =
        "/v/lib/python3.11/site-packages/tensorflow/python/ops/gen_string_ops.py:706 static_regex_replace";
    let readies = "tensorflow::GetOrCreateKernelAndDevice";
    let told = |stack: &[&str]| only(&sampled(stack, |_, _| {})).clone();
    let finding = told(&[STEP, generated, readies, "tensorflow::Graph::Graph"]);
    assert_eq!(finding.cause, "kernel-cache");
    assert!(finding.sentence.starts_with("static_regex_replace is called with"), "{}", finding.sentence);
    for stack in [[STEP, generated, "tensorflow::Graph::Graph"], [STEP, readies, "tensorflow::Graph::Graph"]]
    {
        assert_eq!(told(&stack).cause, "growth-at-site", "{stack:?}");
    }
}

#[test]
fn what_the_call_of_a_retraced_function_makes_is_of_its_traces() {
    const CALL: &str = "/v/lib/python3.11/site-packages/tensorflow/python/eager/polymorphic_function/polymorphic_function.py:833 Function.__call__";
    let told = |stack: &[&str], grow: bool| {
        let report = sampled(stack, |w, epoch| {
            trace(w, epoch, SCALAR);
            count(w, "func_graphs", if grow { epoch } else { 3 });
        });
        only(&report).cause.clone()
    };
    let [registers, line] = ["tensorflow::FunctionDef::FunctionDef", "/job/train.py:43 main"];
    assert_eq!(told(&[line, CALL, registers], true), "retraced-by-scalars");
    assert_eq!(told(&[line, CALL, registers], false), "growth-at-site");
    assert_eq!(told(&[line, registers], true), "growth-at-site");
    assert_eq!(told(&["/job/train.py:44 main", CALL, registers], true), "growth-at-site");
}

#[test]
fn the_call_that_has_a_function_traced_is_told_before_the_lines_that_the_trace_goes_through() {
    const CALL: &str = "/v/lib/python3.11/site-packages/tensorflow/python/eager/polymorphic_function/polymorphic_function.py:833 Function.__call__";
    const TRACE: &str = "/v/lib/python3.11/site-packages/tensorflow/python/framework/func_graph.py:1024 func_graph_from_py_func";
    let [line, layer] = ["/job/train.py:43 main", "/job/model.py:19 Vae.call"];
    for also in [false, true] {
        let report = sampled(&[line, CALL, TRACE, layer], |w, epoch| {
            trace(w, epoch, SCALAR);
            count(w, "func_graphs", epoch);
            if also {
                let stack = w.stack(&[line, CALL, "tensorflow::FunctionDef::FunctionDef"]);
                w.makes(stack, 64 << 10, 5);
            }
        });
        let finding = only(&report);
        assert_eq!(finding.cause, "retraced-by-scalars");
        let sites: Vec<_> = finding.sites.iter().map(|s| (s.file.as_str(), s.line)).collect();
        assert_eq!(sites, [("train.py", 43), ("model.py", 19)], "{also}");
    }
}

#[test]
fn kernels_for_shapes_are_told_only_where_shapes_are_new() {
    let primitives = "dnnl::impl::primitive_t::create_primitive_common";
    let report = sampled(&[STEP, primitives], |w, epoch| count(w, "batch_shapes", 10 * epoch));
    assert_eq!(only(&report).cause, "kernels-per-shape");
    let report = sampled(&[STEP, primitives], |w, _| count(w, "batch_shapes", 1));
    assert_ne!(only(&report).cause, "kernels-per-shape");
}

#[test]
fn memory_of_a_line_that_nobody_holds_is_garbage_for_good_when_the_collector_is_off() {
    let report = sampled(&[STEP], |w, _| w.collects_by_itself = false);
    let finding = only(&report);
    assert_eq!((finding.cause.as_str(), finding.sites[0].line), ("gc-disabled", 27));
    assert_eq!(only(&sampled(&[STEP], |_, _| {})).cause, "growth-at-site");
}

#[test]
fn numbers_that_become_tensors_are_cached_and_arrays_are_not() {
    let [uncached, cached] = ["tensorflow::ConvertToEagerTensorUncached", "tensorflow::ConvertToEagerTensor"];
    let cause = |stack: &[&str]| only(&sampled(stack, |_, _| {})).cause.clone();
    assert_eq!(cause(&[STEP, cached, uncached]), "scalars-cached");
    assert_ne!(cause(&[STEP, uncached]), "scalars-cached");
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
fn saving_makes_the_variables_of_an_optimizer_again() {
    let frame = |file: &str, line: u32, function: &str| {
        format!("/v/lib/python3.11/site-packages/{file}:{line} {function}")
    };
    let saves = frame("keras/src/saving/saving_lib.py", 1955, "get_attr_skipset");
    let makes = frame("keras/src/optimizers/base_optimizer.py", 158, "BaseOptimizer.__init__");
    let handle =
        frame("tensorflow/python/ops/resource_variable_ops.py", 173, "_variable_handle_from_shape_and_dtype");
    let cause = |stack: &[&str]| only(&sampled(stack, |_, _| {})).cause.clone();
    assert_eq!(cause(&[STEP, &saves, &makes, &handle]), "saving-makes-variables");
    assert_eq!(cause(&[STEP, &makes, &handle]), "metrics-in-a-loop");
    assert_eq!(cause(&[STEP, &saves]), "growth-at-site");
}

#[test]
fn random_numbers_after_a_seed_leave_kernels() {
    let draws = "/v/lib/python3.11/site-packages/tensorflow/python/ops/random_ops.py:90 random_normal";
    let cause = |stack: &[&str]| only(&sampled(stack, |_, _| {})).cause.clone();
    assert_eq!(cause(&[STEP, draws, "tensorflow::KernelCache"]), "random-ops-seeded");
    assert_eq!(cause(&[STEP, draws]), "growth-at-site");
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

/// A look that finds all of this below one path of a user's search.
fn look_at_trials(w: &mut World, path: &str, made: &[Made]) {
    let holder = nilometer_capture::Holder {
        id: 9,
        path: path.to_owned(),
        owner: "Trial".to_owned(),
        file: "/job/train.py".to_owned(),
        ..nilometer_capture::Holder::default()
    };
    w.say(&Record::Observation(Observation::Holder(holder)));
    let samples = made.iter().flat_map(|m| m.ids.iter().copied()).collect();
    w.say(&Record::Observation(Observation::Held { holder: 9, samples }));
    w.looked(false, &[]);
}

#[test]
fn who_keeps_the_models_of_a_loop_is_told_beside_the_registry() {
    let told = |grow: bool| {
        let mut w = started();
        w.fact("cwd", "/job").fact("argv", r#"["train.py"]"#).records(64 << 10, 1);
        let stack = w.stack(&[STEP]);
        let mut made = Vec::new();
        for epoch in 1..=15 {
            w.phase("build", |w| {
                w.takes(1 << 20);
            });
            made.push(w.makes(stack, 64 << 10, 1));
            w.objects(100);
            count(&mut w, "models", if grow { epoch } else { 1 });
            count(&mut w, "func_graphs", 9 * epoch);
            count(&mut w, "gradient_registry", 2 * epoch);
            w.cycle(Epoch);
            if epoch == 12 {
                look_at_trials(&mut w, "search(): self.trials[*].model.train_function.<closure step>", &made);
            }
        }
        w.ends(0);
        let report = w.report();
        let finding = report.findings.iter().find(|f| f.cause == "models-in-a-loop").unwrap();
        (finding.sentence.clone(), finding.change.clone().unwrap())
    };
    let (sentence, change) = told(true);
    assert!(
        sentence.contains("self.trials keeps it") && change.contains("`self.trials`"),
        "{sentence} {change}"
    );
    assert!(!told(false).0.contains("self.trials"));
}

/// Fifteen rounds that build a model each; a container of the program's grows, of whose elements nobody but the look knows that
/// models hang below them.
fn models_of_trials(counts: &[&str], growing: &str) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").fact("argv", r#"["train.py"]"#).records(64 << 10, 1);
    let stack = w.stack(&[STEP]);
    let mut made = Vec::new();
    for epoch in 1..=15 {
        w.phase("build", |w| {
            w.takes(1 << 20);
        });
        if epoch <= 2 {
            made.push(w.makes(stack, 1 << 20, 1));
        }
        w.objects(100);
        for name in counts {
            count(&mut w, name, 2 * epoch);
        }
        w.cycle(Epoch);
        if epoch == 12 {
            look_at_trials(&mut w, "search(): self.trials[*].history._model.optimizer.__dict__[*]", &made);
        }
        if epoch >= 7 {
            let holder = nilometer_capture::Holder {
                id: 77,
                path: growing.to_owned(),
                owner: "RandomSearch".to_owned(),
                kind: "list".to_owned(),
                elements: "8 x Trial".to_owned(),
                file: "/job/train.py".to_owned(),
                ..nilometer_capture::Holder::default()
            };
            w.scans_holder(holder, epoch, epoch, 1 << 20, false);
        }
    }
    w.ends(0);
    w.report()
}

#[test]
fn elements_of_the_user_s_that_lead_to_models_keep_models() {
    let of = |report: &Report| {
        let finding = report.findings.first().unwrap();
        let path = finding.holder.as_ref().unwrap().path.clone();
        let also: Vec<String> = finding.also_held_by.iter().map(|h| h.path.clone()).collect();
        (finding.cause.clone(), path, also, finding.change.clone().unwrap())
    };
    let (trials, nobody) = ("search(): self.trials[*]".to_owned(), Vec::<String>::new());
    let (cause, path, also, change) = of(&models_of_trials(&["models", "gradient_registry"], &trials));
    assert_eq!((cause.as_str(), &path, &also), ("models-in-a-loop", &trials, &nobody));
    assert!(change.contains("`self.trials`"), "{change}");
    let (cause, path, ..) = of(&models_of_trials(&["models"], &trials));
    assert_eq!((cause.as_str(), &path), ("models-kept", &trials));
    // Models that do not pile up, or another container.
    assert_ne!(of(&models_of_trials(&["gradient_registry"], &trials)).0, "models-in-a-loop");
    assert_ne!(of(&models_of_trials(&["models"], "search(): self.rows[*]")).0, "models-kept");
}

#[test]
fn what_keeps_the_models_of_the_registry_is_told_with_it() {
    const REGISTRY: &str = "tensorflow.python.framework.ops.gradient_registry._registry[*]";
    let report = models_of_trials(&["models", "gradient_registry"], REGISTRY);
    let finding = report.findings.iter().find(|f| f.cause == "models-in-a-loop").unwrap();
    assert!(finding.sentence.contains("self.trials keeps it"), "{}", finding.sentence);
    let also: Vec<&str> = finding.also_held_by.iter().map(|h| h.path.as_str()).collect();
    assert_eq!(also, ["search(): self.trials[*]"], "{finding:#?}");
}

#[test]
fn weights_of_models_that_pile_up_are_the_models() {
    let cause = |grow: bool| {
        let report = sampled(&[STEP, "tensorflow::DenseUpdateOp"], move |w, epoch| {
            w.unread_phase("build");
            for name in ["models", "variables"] {
                count(w, name, if grow { 4 * epoch } else { 4 });
            }
        });
        only(&report).cause.clone()
    };
    assert_eq!((cause(true), cause(false)), ("models-in-a-loop".to_owned(), "growth-at-site".to_owned()));
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
fn of_arguments_that_differ_the_one_that_never_comes_again_is_told() {
    let report = unexplained(|w, epoch| {
        for (nth, head) in ["a", "b", "c"].iter().enumerate() {
            let of_head = format!("argument 'head' was '{head}', before 'x' (a Python str)");
            let of_tag = format!("argument 'tag' was 'e{epoch}', before 'e{}' (a Python str)", epoch - 1);
            let why = if nth == 0 { format!("{of_tag}; {of_head}") } else { of_head };
            trace(w, 3 * epoch + nth as u64, &why);
        }
        count(w, "func_graphs", 3 * epoch);
        count(w, "gradient_registry", epoch);
    });
    let finding = only(&report);
    assert_eq!(finding.cause, "retraced-by-scalars");
    assert!(finding.sentence.contains("argument 'tag'"), "{}", finding.sentence);
    let change = finding.change.as_deref().unwrap();
    assert!(change.contains("tf.constant(name)") && !change.contains("number"), "{change}");
}

#[test]
fn a_registry_with_a_function_that_is_retraced_is_about_that_function() {
    let told = |why: &'static str, compiles: bool| {
        let report = unexplained(move |w, epoch| {
            trace(w, epoch, why);
            count(w, "func_graphs", epoch);
            count(w, "gradient_registry", epoch);
            count(w, "compiles", if compiles { epoch } else { 1 });
            w.scans("tf.gradient_registry._registry[*]", epoch, 2 * epoch, 300 << 10, true);
        });
        only(&report).cause.clone()
    };
    assert_eq!(told(SCALAR, false), "retraced-by-scalars");
    assert_eq!(told(SCALAR, true), "recompiled-per-round");
    assert_eq!(told("a new function object each time", false), "tf-gradient-registry");
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

#[test]
fn a_fault_is_told_of_versions_that_were_measured() {
    let told = |version: &'static str| {
        let report = unexplained(move |w, epoch| {
            w.fact("framework.tensorflow", version);
            count(w, "compiles", epoch);
            count(w, "func_graphs", 9 * epoch);
            count(w, "gradient_registry", 2 * epoch);
        });
        only(&report).change.clone().unwrap_or_default()
    };
    assert!(told("2.21.0").contains("a fault of tensorflow 2.21.0"));
    for other in ["2.2.1", "2.20.0", "2.210.0"] {
        assert!(!told(other).contains("a fault of"));
    }
}

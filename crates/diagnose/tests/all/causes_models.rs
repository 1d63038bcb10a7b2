//! Models and train steps that pile up in TensorFlow's registry: what makes them, and what keeps them beside it.

use crate::world::leaks::{STEP, count, only, sampled, trace, unexplained};
use crate::world::recorder::Made;
use crate::world::{World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{Observation, Record};
use nilometer_diagnose::Report;

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
fn a_registry_that_stands_still_keeps_nothing_more() {
    let report = unexplained(|w, epoch| {
        count(w, "func_graphs", 9 * epoch);
        count(w, "gradient_registry", 2);
    });
    assert_eq!(report.findings, []);
}

#[test]
fn models_that_are_loaded_again_and_again_leave_something_though_the_registry_stands_still() {
    let cause = |loads: bool, traces: bool| {
        let report = unexplained(move |w, epoch| {
            if loads {
                w.unread_phase("build", |_| ());
            }
            count(w, "func_graphs", if traces { 9 * epoch } else { 9 });
            count(w, "gradient_registry", 2);
        });
        report.findings.first().map(|finding| (finding.cause.clone(), finding.confidence))
    };
    assert_eq!(cause(true, true), Some(("kernel-cache".to_owned(), "likely")));
    assert_eq!((cause(true, false), cause(false, true)), (None, None));
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

/// A recorded run, and a stack of its step.
fn recorded() -> (World, u64) {
    let mut w = started();
    w.fact("cwd", "/job").fact("argv", r#"["train.py"]"#).records(64 << 10, 1);
    let stack = w.stack(&[STEP]);
    (w, stack)
}

/// A model is built, and keeps a mebibyte.
fn builds(w: &mut World) {
    w.phase("build", |w| {
        w.takes(1 << 20);
    });
}

#[test]
fn who_keeps_the_models_of_a_loop_is_told_beside_the_registry() {
    let told = |grow: bool| {
        let (mut w, stack) = recorded();
        let mut made = Vec::new();
        for epoch in 1..=15 {
            builds(&mut w);
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
    let (mut w, stack) = recorded();
    let mut made = Vec::new();
    for epoch in 1..=15 {
        builds(&mut w);
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
            w.unread_phase("build", |_| ());
            for name in ["models", "variables"] {
                count(w, name, if grow { 4 * epoch } else { 4 });
            }
        });
        only(&report).cause.clone()
    };
    assert_eq!((cause(true), cause(false)), ("models-in-a-loop".to_owned(), "growth-at-site".to_owned()));
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

//! Functions that are traced again and again: which, why, and from where, as the run itself tells.

use crate::world::KIB;
use crate::world::leaks::{SCALAR, count, only, sampled, trace, unexplained};

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
fn what_jax_compiles_again_is_told_with_what_differs() {
    for (why, cause, change) in [
        ("argument 'rate' was 0.5, before 0.6 (a Python float)", "retraced-by-scalars", "static_argnums"),
        ("argument 'x' had shape (31, 4), before (32, 4)", "retraced-by-shapes", "pad to a few shapes"),
        ("argument 'self' was another Model", "retraced-by-methods", "one object"),
        ("a method of a new object each time", "retraced-by-methods", "one object"),
        ("a new lambda each time", "retraced-by-functions", "outside of the loop"),
        ("wrapped anew each time, as by functools.partial or jax.vmap", "retraced-by-functions", "outside"),
    ] {
        let report = unexplained(|w, epoch| {
            trace(w, epoch, why);
            count(w, "jax_compiles", epoch);
        });
        let finding = only(&report);
        assert_eq!(finding.cause, cause);
        let said = format!("JAX compiles train_step again and again, and keeps every program: {why}");
        assert_eq!(finding.sentence, said);
        assert!(finding.change.as_ref().unwrap().contains(change), "{finding:#?}");
        assert_eq!(finding.prove, None, "no trial stands in for JAX's arguments");
        let sites: Vec<_> = finding.sites.iter().map(|s| (s.file.as_str(), s.line)).collect();
        assert_eq!(sites, [("train.py", 43)]);
    }
}

#[test]
fn programs_that_jax_has_compiled_are_one_finding_whichever_thread_made_them() {
    const MISS: &str = "/v/lib/python3.11/site-packages/jax/_src/pjit.py:259 _cpp_pjit.<locals>.cache_miss";
    let told = |stack: &[&str], compiles: bool| {
        let report = sampled(stack, |w, epoch| {
            trace(w, epoch, "a new lambda each time");
            count(w, "jax_compiles", if compiles { epoch } else { 3 });
            let alone = w.stack(&["xla::HloDataflowAnalysis::Run"]);
            w.makes(alone, 64 << 10, 8);
        });
        report.findings.iter().map(|f| f.cause.clone()).collect::<Vec<_>>()
    };
    let line = "/job/train.py:43 main";
    assert_eq!(told(&[line, MISS, "mlir::StringAttr::get"], true), ["retraced-by-functions"]);
    assert!(!told(&[line, MISS, "mlir::StringAttr::get"], false).contains(&"retraced-by-functions".into()));
    // What the program makes elsewhere is its own.
    let other = told(&["/job/train.py:50 main", "numpy::zeros"], true);
    assert!(other.contains(&"growth-at-site".into()), "{other:?}");
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

//! Caches of TensorFlow's that Python's heap shows nothing of: kernels, numbers that became tensors.

use crate::world::leaks::{STEP, count, only, sampled};

const METRIC: &str = "/v/lib/python3.11/site-packages/keras/src/metrics/confusion_metrics.py:60 AUC.__init__";

/// Where TensorFlow makes a kernel for an operation that it meets in this form for the first time.
const READIES: &str = "tensorflow::GetOrCreateKernelAndDevice";

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
    let told = |stack: &[&str]| only(&sampled(stack, |_, _| {})).clone();
    let finding = told(&[STEP, generated, READIES, "tensorflow::Graph::Graph"]);
    assert_eq!(finding.cause, "kernel-cache");
    assert!(finding.sentence.starts_with("static_regex_replace is called with"), "{}", finding.sentence);
    for stack in [[STEP, generated, "tensorflow::Graph::Graph"], [STEP, READIES, "tensorflow::Graph::Graph"]]
    {
        assert_eq!(told(&stack).cause, "growth-at-site", "{stack:?}");
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
fn numbers_that_become_tensors_are_cached_and_arrays_are_not() {
    let [uncached, cached] = ["tensorflow::ConvertToEagerTensorUncached", "tensorflow::ConvertToEagerTensor"];
    let cause = |stack: &[&str]| only(&sampled(stack, |_, _| {})).cause.clone();
    assert_eq!(cause(&[STEP, cached, uncached]), "scalars-cached");
    assert_ne!(cause(&[STEP, uncached]), "scalars-cached");
}

#[test]
fn operations_that_are_added_to_a_graph_are_told_unless_it_is_a_functions() {
    let frame = |file: &str, function: &str| {
        format!("/v/lib/python3.11/site-packages/tensorflow/python/framework/{file}:2726 {function}")
    };
    let adds = frame("ops.py", "Graph._create_op_internal");
    let of_function = frame("func_graph.py", "FuncGraph._create_op_internal");
    let makes = "TF_SetAttrValueProto";
    let cause = |stack: &[&str]| only(&sampled(stack, |_, _| {})).cause.clone();
    assert_eq!(cause(&[STEP, &adds, makes]), "graph-grows");
    assert_ne!(cause(&[STEP, &of_function, &adds, makes]), "graph-grows");
    assert_ne!(cause(&[STEP, makes]), "graph-grows");
    assert_eq!(
        cause(&[STEP, "tensorflow::DirectSession::CreateExecutors", "tensorflow::NewExecutor"]),
        "graph-grows"
    );
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
    assert_eq!(cause(&[STEP, &saves, &makes, &handle, READIES]), "saving-makes-variables");
    assert_eq!(cause(&[STEP, &makes, &handle, READIES]), "metrics-in-a-loop");
    assert_eq!(cause(&[STEP, &saves]), "growth-at-site");
}

/// What a variable's handle weighs goes with the variable; what stays of one that is gone is the kernel that was made for its name.
#[test]
fn the_handles_of_variables_that_somebody_keeps_are_no_kernels() {
    let handle = "/v/lib/python3.11/site-packages/tensorflow/python/ops/resource_variable_ops.py:173 \
                  _variable_handle_from_shape_and_dtype";
    let cause = |stack: &[&str]| only(&sampled(stack, |_, _| {})).cause.clone();
    for of_each in ["tensorflow::TensorHandle::CreateLocalHandle", "tensorflow::VarHandleOp::Compute"] {
        assert_eq!(cause(&[STEP, handle, of_each]), "growth-at-site", "{of_each}");
    }
    assert_eq!(cause(&[STEP, handle]), "growth-at-site", "how it was made is not known");
    for of_name in [READIES, "tensorflow::FunctionLibraryRuntimeImpl::PrepareRunSync"] {
        assert_eq!(cause(&[STEP, handle, of_name]), "kernel-cache", "{of_name}");
    }
}

#[test]
fn random_numbers_after_a_seed_leave_kernels() {
    let draws = "/v/lib/python3.11/site-packages/tensorflow/python/ops/random_ops.py:90 random_normal";
    let cause = |stack: &[&str]| only(&sampled(stack, |_, _| {})).cause.clone();
    assert_eq!(cause(&[STEP, draws, "tensorflow::KernelCache"]), "random-ops-seeded");
    assert_eq!(cause(&[STEP, draws]), "growth-at-site");
}

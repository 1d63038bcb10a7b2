//! The order of causes is a rule of reports: the first that explains a growth is told.
#![cfg(all(feature = "jax", feature = "keras", feature = "tensorflow", feature = "torch"))]

use nilometer_diagnose::ranked;

const ORDER: &str = "
    retraced-by-scalars
    retraced-by-scalars
    retraced-by-shapes
    retraced-by-shapes
    retraced-by-methods
    retraced-by-methods
    retraced-by-functions
    retraced-by-functions
    saving-makes-variables
    random-ops-seeded
    metrics-in-a-loop
    kernel-cache
    kernels-per-shape
    scalars-cached
    graph-grows
    models-in-a-loop
    clear-session-in-the-loop
    eager-toggled
    recompiled-per-round
    tf-gradient-registry
    tf-gradient-registry
    tf-keeps-py-functions
    notebook-keeps-output
    figures-open
    classes-registered
    exit-functions-added
    native-library
    native-library
    tapes-kept
    exceptions-kept
    lru-cache
    metric-children
    logging-handlers
    threads-kept
    futures-kept
    writers-kept-open
    shared-memory-kept
    queue-backlog
    view-keeps-array
    array-grows
    datasets-kept
    datasets-kept
    models-kept
    models-kept
    hooks-registered
    graphs-kept
    default-argument-grows
    callbacks-added-again
    replay-unbounded
    service-keeps-answers
    callback-keeps
    dataset-keeps
    tensors-kept
    generator-keeps
    class-attribute-grows
    closure-keeps
    global-grows
    object-keeps
    gc-disabled
    kernel-cache
    graphs-kept
    elements-keep
";

#[test]
fn causes_are_asked_in_this_order() {
    let ranked = ranked(nilometer_frameworks::DIAGNOSE);
    let names: Vec<&str> = ranked.iter().map(|cause| cause.name).collect();
    assert_eq!(names, ORDER.split_whitespace().collect::<Vec<_>>());
    assert!(ranked.is_sorted_by(|one, next| one.rank < next.rank), "no two have the same rank");
}

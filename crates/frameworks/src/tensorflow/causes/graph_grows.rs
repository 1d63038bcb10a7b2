//! Operations that a loop adds to a graph of TensorFlow 1: the graph keeps each, and every session keeps its own copy.
//!
//! Evidence: nobody in Python is known to hold the memory, and it was made where an operation is added to a graph that is no traced function's,
//! or where a session makes ready what it was never asked for before.
//! Keras and `tf.function` add theirs to graphs of functions, which go with the function.

use nilometer_diagnose::Frame;
use nilometer_diagnose::pack::{Case, Explanation};

/// Where a session makes what it runs a set of operations with, for a set that it did not have before.
const MAKES_READY: &str = "CreateExecutors";

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let of_function = case.carriers().any(|f| f.kind == "library" && f.file.contains("func_graph.py"));
    if case.finding.holder.is_some() || of_function {
        return None;
    }
    let is_ready = |f: &Frame| f.kind == "native" && f.function.rsplit("::").next() == Some(MAKES_READY);
    let sentence = if case.carriers().any(is_ready) {
        format!(
            "every {} runs operations that are new to the session, which keeps what it made to run them",
            case.unit
        )
    } else if case.calls("framework/ops.py", "_create_op_internal") {
        format!("every {} adds operations to the graph, which keeps all of them", case.unit)
    } else {
        return None;
    };
    Some(Explanation {
        sentence,
        change: "build the operations once, before the loop, and feed what differs through a `tf.compat.v1.placeholder`; after \
                 `tf.compat.v1.get_default_graph().finalize()` the line that adds one raises an error"
            .to_owned(),
        ..Explanation::default()
    })
}

//! Random numbers that are drawn one tensor at a time after a seed was set.
//!
//! Evidence: nobody is known to hold it, and most of it was made where TensorFlow makes a kernel ready, below one of its functions
//! for random tensors. With a seed each draw has a seed of its own, which is part of what its kernel is found by: no kernel is ever
//! found again, and none is dropped. Without one there is one kernel, and nothing grows.

use nilometer_diagnose::pack::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let draws = |file: &str| file.contains("/ops/") && file.ends_with("random_ops.py");
    let draws = case.carriers().any(|f| f.kind == "library" && draws(&f.file));
    // Numbers that are kept are made by the same functions, but not while a kernel is made ready.
    let prepares = case.is_part("made ready to run") || case.is_part("kernel cache");
    (draws && prepares && case.finding.holder.is_none()).then(|| Explanation {
        sentence: format!(
            "random numbers are drawn in every {} after a seed was set, and TensorFlow keeps a kernel for each draw",
            case.unit
        ),
        change: "make one `tf.random.Generator.from_seed(...)` before the loop and draw by `generator.normal(shape)`; or draw inside \
                 of a `tf.function`, or with NumPy"
            .to_owned(),
        ..Explanation::default()
    })
}

//! TensorFlow's cache of eager kernels, which only grows: metrics, losses or optimizers that are made in every step.
//!
//! Evidence: the memory is of that cache. If Keras's metrics, losses or optimizers are on the stack, it is these that are made
//! anew; each has variables of its own name, and a kernel per name. If an operation was being made ready to run, it is called in ever new
//! forms. Python's heap shows nothing of it.

use super::{Case, Explanation};
use crate::report::Frame;

const MAKERS: [(&str, &str); 3] =
    [("/metrics/", "a metric"), ("/optimizers/", "an optimizer"), ("/losses/", "a loss")];

/// Keras 3.15 makes an optimizer with variables whenever it saves, to learn which attributes one has.
pub(super) fn by_saving(case: &Case) -> Option<Explanation> {
    let saves = case.calls("/saving/saving_lib.py", "get_attr_skipset");
    (saves && is_kernels(case)).then(|| Explanation {
        sentence: "each save of the model makes an optimizer's variables anew, and TensorFlow keeps kernels for each"
            .to_owned(),
        change: "none of yours makes it, and it is small: some 70 KiB per save whatever the model's size. Where it adds up, save less \
                 often: `ModelCheckpoint(..., save_best_only=True)` or a larger `save_freq`"
            .to_owned(),
        ..Explanation::default()
    })
}

pub(super) fn by_metrics(case: &Case) -> Option<Explanation> {
    let is = |folder: &str| case.carriers().any(|f| f.kind == "library" && f.file.contains(folder));
    // What `compile` makes is one of each per compile.
    let compiled = case.carriers().any(|f| f.kind == "library" && f.file.contains("/compile_utils.py"));
    let (_, what) = MAKERS.iter().find(|(folder, _)| is_kernels(case) && !compiled && is(folder))?;
    Some(Explanation {
        sentence: format!(
            "{what} is made again in every {}, and TensorFlow keeps kernels for each",
            case.unit
        ),
        change: format!(
            "make {what} once, before the loop; call `reset_state()` where a new one was made, if it has that"
        ),
        ..Explanation::default()
    })
}

/// An operation of TensorFlow's that is made ready to run for attributes which it had in no call before, outside of all traced functions: a
/// pattern, a separator. What it is made ready with lies in many parts of TensorFlow's.
pub(super) fn by_operation(case: &Case) -> Option<Explanation> {
    let is_ready = |f: &Frame| {
        f.kind == "native" && f.function.rsplit("::").next() == Some("GetOrCreateKernelAndDevice")
    };
    let operation = case.carriers().find(|f| f.kind == "library" && f.file.contains("/ops/gen_"))?;
    let name = operation.function.rsplit('.').next().unwrap_or_default();
    let is_anew = case.finding.holder.is_none() && case.carriers().any(is_ready);
    (is_anew && !name.is_empty()).then(|| Explanation {
        sentence: format!("{name} is called with ever new values in place of tensors, and TensorFlow keeps a kernel for each"),
        change: "pass what differs as a tensor where the operation takes one (`tf.raw_ops.RegexReplace(input=..., pattern=...)` does, \
                 `tf.strings.regex_replace` does not), or do it in Python before the tensor is made; `keras.backend.clear_session()` \
                 empties this cache with Keras 3.15, at the end of a round"
            .to_owned(),
        ..Explanation::default()
    })
}

/// Memory of the cache itself, or of the kernel that a new variable's handle gets, which nothing but the cache holds.
fn is_kernels(case: &Case) -> bool {
    let of_handle = case.finding.holder.is_none()
        && case.calls("resource_variable_ops.py", "_variable_handle_from_shape_and_dtype");
    case.is_part("kernel cache") || of_handle
}

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    is_kernels(case).then(|| Explanation {
        sentence: case.finding.sentence.clone(),
        change: "make variables, metrics and layers once and use them again; `keras.backend.clear_session()` empties this \
                 cache with Keras 3.15, at the end of a round"
            .to_owned(),
        ..Explanation::default()
    })
}

//! TensorFlow's cache of eager kernels, which only grows: metrics, losses or optimizers that are made in every step.
//!
//! Evidence: the memory is of that cache, or was made while an operation was being made ready to run: the one that makes the handle
//! of a variable is, once for each name that a variable has. If Keras's metrics, losses or optimizers are on the stack, it is these that are
//! made anew. Python's heap shows nothing of it. What must not happen here: the handle itself, which goes with its variable, taken for a
//! kernel. Variables that a list keeps are no cache.

use nilometer_diagnose::Frame;
use nilometer_diagnose::pack::{Case, Explanation, MAX_TRACE_BYTES, Run};

const CAUSE: &str = "kernel-cache";
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
    let is_ready = |f: &Frame| is_native(f, MAKES);
    let operation = case.carriers().find(|f| f.kind == "library" && f.file.contains("/ops/gen_"))?;
    let name = operation.function.rsplit('.').next().unwrap_or_default();
    let is_anew = case.finding.holder.is_none() && case.carriers().any(is_ready);
    (is_anew && !name.is_empty()).then(|| Explanation {
        sentence: format!("{name} is called with ever new values in place of tensors, and TensorFlow keeps a kernel for each"),
        change: "pass what differs as a tensor where the operation takes one: `tf.raw_ops.RegexReplace(input=..., pattern=...)` does, \
                 `tf.strings.regex_replace` does not; or do it in Python before the tensor is made; `keras.backend.clear_session()` \
                 empties this cache with Keras 3.15, at the end of a round"
            .to_owned(),
        ..Explanation::default()
    })
}

/// Memory of the cache itself, or of the kernel that the handle of a variable with a new name gets, which nothing but the cache holds.
fn is_kernels(case: &Case) -> bool {
    case.is_part("kernel cache") || is_of_variables(case)
}

fn is_of_variables(case: &Case) -> bool {
    case.finding.holder.is_none()
        && case.calls("resource_variable_ops.py", "_variable_handle_from_shape_and_dtype")
        && is_made_ready(case)
}

/// Where TensorFlow makes a kernel for an operation that comes in this form for the first time, and prepares its first run.
const MAKES: &str = "GetOrCreateKernelAndDevice";
const PREPARES: &str = "PrepareRunSync";

/// Whether most of the memory was made by making operations ready to run, and not by running them.
fn is_made_ready(case: &Case) -> bool {
    let mut carriers = case.carriers();
    case.is_part("made ready to run") || carriers.any(|f| is_native(f, MAKES) || is_native(f, PREPARES))
}

fn is_native(frame: &Frame, function: &str) -> bool {
    frame.kind == "native" && frame.function.rsplit("::").next() == Some(function)
}

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let sentence = if is_of_variables(case) {
        format!(
            "every {} makes variables of new names, and TensorFlow keeps a kernel for each name, also when the variable is gone",
            case.unit
        )
    } else {
        case.finding.sentence.clone()
    };
    is_kernels(case).then(|| Explanation {
        sentence,
        change: "make variables, metrics and layers once and use them again (a `tf.Variable` without a name of its own leaves no \
                 kernel); `keras.backend.clear_session()` empties this cache with Keras 3.15, at the end of a round"
            .to_owned(),
        ..Explanation::default()
    })
}

/// For a run with a growth that nothing explains, in which models are built or loaded again and again and graphs pile up, while the registry
/// of gradients does not grow: many lines make a little for each, and nothing in Python holds it.
pub(super) fn of_run(run: Run, left: f64) -> Option<(&'static str, Explanation, f64)> {
    let said = || {
        Explanation {
        sentence: format!(
            "a model is built or loaded in every {}, and TensorFlow keeps some of what it makes for each",
            run.unit
        ),
        change: "build or load it once, before the loop, and set its weights anew (`model.load_weights(...)`); or call \
                 `keras.backend.clear_session()` after each, which empties TensorFlow's cache of kernels"
            .to_owned(),
        intervention: Some("clear-session".to_owned()),
        made_at: run.traces_from(),
    }
    };
    (run.builds && run.graphs_grow()).then(|| (CAUSE, said(), left.min(MAX_TRACE_BYTES)))
}
